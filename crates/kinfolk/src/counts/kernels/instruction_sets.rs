//! Test support: reports comparisons between instruction sets that this processor cannot run.

use std::io::{self, Write};

/// Writes a note if the processor lacks AVX2: the dispatched kernel is then the plain one, and the comparison is
/// vacuous.
///
/// The note goes directly to standard error, because the test harness captures the output of macros in passing tests.
pub(crate) fn note_unless_avx2(test: &str) {
    note_unless(has_avx2(), test, "AVX2");
}

/// Writes a note if `is_there` is false.
pub(crate) fn note_unless(is_there: bool, test: &str, instruction_set: &str) {
    if !is_there {
        let note =
            format!("NOT TESTED HERE by {test}: code for {instruction_set}, which this processor lacks\n");
        io::stderr().write_all(note.as_bytes()).expect("standard error can be written to");
    }
}

pub(crate) fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

pub(crate) fn has_avx512_popcount() -> bool {
    #[cfg(target_arch = "x86_64")]
    return has_avx2()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512vpopcntdq");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
