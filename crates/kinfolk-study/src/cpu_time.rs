//! The time of one search: CPU time of the calling thread, so that other programs on the machine do not count.

use std::time::Instant;

/// Measures the time since it was started, on the thread that started it.
pub(crate) struct CpuTime {
    wall: Instant,
    cpu: Option<f64>,
}

impl CpuTime {
    /// Starts to measure.
    pub(crate) fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// CPU seconds of this thread since the start; elapsed seconds where the system does not report them.
    pub(crate) fn seconds(&self) -> f64 {
        match self.cpu.zip(cpu_seconds()) {
            Some((before, now)) => now - before,
            None => self.wall.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not report it")]
fn cpu_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}
