//! Ctrl-C handling: the first one stops the search, the second one quits.

use std::sync::atomic::{AtomicUsize, Ordering};

static PRESSED: AtomicUsize = AtomicUsize::new(0);

/// What shells expect of a program that Ctrl-C ended.
pub(crate) const QUIT: u8 = 130;

/// Begins to listen. Before this Ctrl-C quits at once, as in any program: there is nothing to hand over yet.
pub(crate) fn listen() {
    let installed = ctrlc::set_handler(|| {
        if PRESSED.fetch_add(1, Ordering::SeqCst) > 0 {
            std::process::exit(QUIT.into());
        }
    });
    // Where no handler can be had, Ctrl-C goes on to quit at once.
    drop(installed);
}

/// Whether the user asked to stop.
pub(crate) fn requested() -> bool {
    PRESSED.load(Ordering::SeqCst) > 0
}
