//! The progress line of a search, and its time limit; both only ever look at the search's events.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kinfolk::score::Halt;
use kinfolk::search::Event;

use crate::interrupt;

/// Watches a search.
pub(crate) struct Watcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
    headline: String,
}

impl Watcher {
    /// A watcher that stops the search after `time_limit` and shows a line on standard error if that is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self {
            bar,
            deadline: time_limit.and_then(|limit| Instant::now().checked_add(limit)),
            headline: "first step".to_owned(),
        }
    }

    /// Takes note of an event and says whether to go on.
    pub(crate) fn note(&mut self, event: &Event<'_>) -> ControlFlow<Halt> {
        match event {
            Event::Scoring(progress) => {
                let Self { bar, headline, .. } = self;
                bar.set_message(format!("{headline}, scoring {} of {} families", progress.done, progress.of));
            }
            Event::Stepped { steps, score, .. } => self.headline(format!("{steps} moves, score {score:.3}")),
            Event::Restarted { number, restart } => {
                self.headline(format!("restart {number} ended at score {:.3}", restart.score));
            }
        }
        if interrupt::requested() {
            ControlFlow::Break(Halt::Interrupted)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            ControlFlow::Break(Halt::TimeLimit)
        } else {
            ControlFlow::Continue(())
        }
    }

    fn headline(&mut self, text: String) {
        self.bar.set_message(text.clone());
        self.headline = text;
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
