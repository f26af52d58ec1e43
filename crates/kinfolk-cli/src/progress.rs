//! The progress line of a search, a validation or a bootstrap, and its time limit; both only ever look at the events.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kinfolk::posterior::PosteriorEvent;
use kinfolk::score::Halt;
use kinfolk::search::Event;
use kinfolk::validate::ValidationProgress;

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
        Self { bar: spinner(quiet), deadline: deadline(time_limit), headline: "first step".to_owned() }
    }

    /// Takes note of an event and says whether to go on.
    pub(crate) fn note(&mut self, event: &Event<'_>) -> ControlFlow<Halt> {
        match event {
            Event::Scoring(progress) if progress.of == 0 => {}
            Event::Scoring(progress) => {
                let Self { bar, headline, .. } = self;
                bar.set_message(format!("{headline}, scoring {} of {} families", progress.done, progress.of));
            }
            Event::Stepped { steps, score, .. } => self.headline(format!("{steps} moves, score {score:.3}")),
            Event::Restarted { number, restart } => {
                self.headline(format!("restart {number} ended at score {:.3}", restart.score));
            }
        }
        go_on(self.deadline)
    }

    /// How much of the time limit is left; nothing if there is none.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
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

/// Watches a validation, from many threads.
pub(crate) struct FoldWatcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
}

impl FoldWatcher {
    /// A watcher that stops the validation after `time_limit` and shows a line on standard error if that is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        Self { bar: spinner(quiet), deadline: deadline(time_limit) }
    }

    /// Takes note of how far it has come and says whether to go on.
    pub(crate) fn note(&self, progress: ValidationProgress) -> ControlFlow<Halt> {
        self.bar.set_message(format!("{} of {} folds done", progress.done, progress.of));
        go_on(self.deadline)
    }
}

impl Drop for FoldWatcher {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Watches a bootstrap, from many threads.
pub(crate) struct ReplicateWatcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
}

impl ReplicateWatcher {
    /// A watcher that stops the bootstrap after `time_limit` and shows a line on standard error if that is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        Self { bar: spinner(quiet), deadline: deadline(time_limit) }
    }

    /// Takes note of how far it has come and says whether to go on.
    pub(crate) fn note(&self, done: usize, of: usize) -> ControlFlow<Halt> {
        self.bar.set_message(format!("{done} of {of} searches done"));
        go_on(self.deadline)
    }
}

impl Drop for ReplicateWatcher {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Watches the computation of posterior probabilities.
pub(crate) struct PosteriorWatcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
}

impl PosteriorWatcher {
    /// A watcher that stops the chains after `time_limit` and shows a line on standard error if that is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        Self { bar: spinner(quiet), deadline: deadline(time_limit) }
    }

    /// Takes note of an event and says whether to go on.
    pub(crate) fn note(&self, event: PosteriorEvent) -> ControlFlow<Halt> {
        self.bar.set_message(match event {
            PosteriorEvent::Scoring(progress) => {
                format!("scoring {} of {} families", progress.done, progress.of)
            }
            PosteriorEvent::Summing(share) => format!("summing over networks, {:.0} %", 100.0 * share),
            PosteriorEvent::Sampling { sweeps, most, difference } => {
                let apart =
                    difference.map_or_else(String::new, |apart| format!(", chains differ by {apart:.3}"));
                format!("{sweeps} of at most {most} sweeps{apart}")
            }
        });
        go_on(self.deadline)
    }
}

impl Drop for PosteriorWatcher {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn spinner(quiet: bool) -> ProgressBar {
    let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed_precise} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn deadline(time_limit: Option<Duration>) -> Option<Instant> {
    time_limit.and_then(|limit| Instant::now().checked_add(limit))
}

fn go_on(deadline: Option<Instant>) -> ControlFlow<Halt> {
    if interrupt::requested() {
        ControlFlow::Break(Halt::Interrupted)
    } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        ControlFlow::Break(Halt::TimeLimit)
    } else {
        ControlFlow::Continue(())
    }
}
