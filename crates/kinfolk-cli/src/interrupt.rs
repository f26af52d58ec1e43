//! Ctrl-C handling: the first one stops the search, the second one quits.

use std::sync::atomic::{AtomicUsize, Ordering};

static PRESSED: AtomicUsize = AtomicUsize::new(0);

/// The conventional exit code of a program stopped by Ctrl-C.
pub(crate) const QUIT: u8 = 130;

/// Installs the handler. Before that, Ctrl-C quits at once: there is no result to report yet.
pub(crate) fn listen() {
    let installed = ctrlc::set_handler(|| {
        if PRESSED.fetch_add(1, Ordering::SeqCst) > 0 {
            std::process::exit(QUIT.into());
        }
    });
    // If no handler can be installed, Ctrl-C still quits at once.
    drop(installed);
}

/// Whether the user pressed Ctrl-C.
pub(crate) fn requested() -> bool {
    PRESSED.load(Ordering::SeqCst) > 0
}
