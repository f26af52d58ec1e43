//! The progress line and the time limit of long commands.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kinfolk::learned::ScoreCurve;
use kinfolk::posterior::PosteriorEvent;
use kinfolk::score::{Halt, Progress};
use kinfolk::search::{Event, ExactEvent};
use kinfolk::validate::ValidationProgress;

use crate::interrupt;

/// Observes a search.
pub(crate) struct Watcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
    headline: String,
    started: Instant,
    curve: ScoreCurve,
    /// The families that are being scored: when that began, how many were done then and at the last report, and of how many.
    scoring: Option<(Instant, usize, Progress)>,
}

impl Watcher {
    /// An observer that stops the search after `time_limit` and shows a progress line if standard error is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        Self {
            bar: spinner(quiet),
            deadline: deadline(time_limit),
            headline: "first step".to_owned(),
            started: Instant::now(),
            curve: ScoreCurve::default(),
            scoring: None,
        }
    }

    /// Handles an event; returns whether to continue.
    pub(crate) fn note(&mut self, event: &Event<'_>) -> ControlFlow<Halt> {
        self.curve.note(event, self.started.elapsed().as_secs_f64());
        match event {
            Event::Scoring(progress) if progress.of == 0 => {}
            Event::Scoring(progress) => {
                let left = self.left(*progress);
                let Self { bar, headline, .. } = self;
                let Progress { done, of } = progress;
                bar.set_message(format!("{headline}, scoring {done} of {of} families{left}"));
            }
            Event::Exact(event) => self.headline(exact_line(*event)),
            Event::Improved { score } => self.headline(format!("order search, score {score:.3}")),
            Event::Round { number, most } => self.headline(format!("round {number} of at most {most}")),
            Event::Stepped { steps, score, .. } => self.headline(format!("{steps} moves, score {score:.3}")),
            Event::Restarted { number, restart } => {
                self.headline(format!("restart {number} ended at score {:.3}", restart.score));
            }
        }
        go_on(self.deadline)
    }

    /// The best score against time so far.
    pub(crate) fn curve(&self) -> ScoreCurve {
        self.curve.clone()
    }

    /// The remaining time of the time limit; `None` if there is none.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// An estimate of the time left for the families that are being scored. How many steps follow is unknown.
    fn left(&mut self, progress: Progress) -> String {
        let (start, before) = match self.scoring {
            Some((start, before, last)) if last.of == progress.of && last.done <= progress.done => {
                (start, before)
            }
            _ => (Instant::now(), progress.done),
        };
        self.scoring = Some((start, before, progress));
        time_left(start, progress.done - before, progress.of.saturating_sub(progress.done))
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

/// Observes other long work, from several threads if necessary.
pub(crate) struct WorkWatcher {
    bar: ProgressBar,
    deadline: Option<Instant>,
    /// When the first progress was reported, and how much was done then.
    first: OnceLock<(Instant, usize)>,
}

impl WorkWatcher {
    /// An observer that stops the work after `time_limit` and shows a progress line if standard error is a terminal.
    pub(crate) fn new(time_limit: Option<Duration>, quiet: bool) -> Self {
        Self { bar: spinner(quiet), deadline: deadline(time_limit), first: OnceLock::new() }
    }

    /// Shows the number of finished folds of a validation; returns whether to continue.
    pub(crate) fn folds(&self, progress: ValidationProgress) -> ControlFlow<Halt> {
        let left = self.left(progress.done, progress.of);
        self.show(format!("{} of {} folds done{left}", progress.done, progress.of))
    }

    /// Shows the number of finished searches of a bootstrap; returns whether to continue.
    pub(crate) fn searches(&self, done: usize, of: usize) -> ControlFlow<Halt> {
        let left = self.left(done, of);
        self.show(format!("{done} of {of} searches done{left}"))
    }

    /// Shows the number of finished rows; returns whether to continue.
    pub(crate) fn rows(&self, done: usize, of: usize) -> ControlFlow<Halt> {
        let left = self.left(done, of);
        self.show(format!("{done} of {of} rows complete{left}"))
    }

    /// Shows the progress of posterior probabilities; returns whether to continue.
    pub(crate) fn posterior(&self, event: PosteriorEvent<'_>) -> ControlFlow<Halt> {
        self.show(match event {
            PosteriorEvent::Scoring(progress) => {
                let left = self.left(progress.done, progress.of);
                format!("scoring {} of {} families{left}", progress.done, progress.of)
            }
            PosteriorEvent::Summing(share) => format!("summing over networks, {:.0} %", 100.0 * share),
            PosteriorEvent::Sampling { sweeps, most, difference, .. } => {
                let apart =
                    difference.map_or_else(String::new, |apart| format!(", chains differ by {apart:.3}"));
                format!("{sweeps} of at most {most} sweeps{apart}")
            }
        })
    }

    /// Shows the progress of an exact search; returns whether to continue.
    pub(crate) fn exact(&self, event: ExactEvent) -> ControlFlow<Halt> {
        self.show(exact_line(event))
    }

    /// An estimate of the time left, if something was done since the first report; a resumed run starts with what was done before.
    fn left(&self, done: usize, of: usize) -> String {
        let &(start, before) = self.first.get_or_init(|| (Instant::now(), done));
        let done = done.saturating_sub(before);
        let open = of.saturating_sub(before + done);
        time_left(start, done, open)
    }

    fn show(&self, message: String) -> ControlFlow<Halt> {
        self.bar.set_message(message);
        go_on(self.deadline)
    }
}

impl Drop for WorkWatcher {
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

/// The progress of an exact search.
/// The time that what is open takes at the rate of what was done since `start`, if anything was.
fn time_left(start: Instant, done: usize, open: usize) -> String {
    if done == 0 || open == 0 {
        return String::new();
    }
    format!(", about {} s left", start.elapsed().mul_f64(open as f64 / done as f64).as_secs())
}

fn exact_line(event: ExactEvent) -> String {
    match event {
        ExactEvent::Scoring(Progress { done, of }) => format!("exact search, {done} of {of} families"),
        ExactEvent::Subsets(Progress { done, of }) => {
            format!("exact search, {:.0} % of the subsets", 100.0 * done as f64 / of as f64)
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_estimated_from_what_this_run_did() {
        let watcher = WorkWatcher::new(None, true);
        // A resumed run: half was done before.
        assert_eq!(watcher.left(4, 8), "");
        assert!(watcher.left(5, 8).ends_with(" s left"));
        assert_eq!(watcher.left(8, 8), "");
        let start = Instant::now().checked_sub(Duration::from_secs(10)).unwrap_or_else(Instant::now);
        let mut watcher = WorkWatcher::new(None, true);
        watcher.first = OnceLock::from((start, 0));
        assert_eq!(watcher.left(2, 4), ", about 10 s left");
    }

    #[test]
    fn every_step_of_a_search_has_its_own_estimate() {
        let mut watcher = Watcher::new(None, true);
        let at = |done| Progress { done, of: 4 };
        let start = Instant::now().checked_sub(Duration::from_secs(10)).unwrap_or_else(Instant::now);
        watcher.scoring = Some((start, 0, at(1)));
        assert_eq!(watcher.left(at(2)), ", about 10 s left");
        // The next step begins again.
        assert_eq!(watcher.left(at(0)), "");
        assert_eq!(watcher.left(at(1)), ", about 0 s left");
        assert_eq!(watcher.left(at(4)), "");
    }
}
