//! Timing of the phases of a command, and counters of the work done in them.

use std::fs;
use std::time::Instant;

use kinfolk::score::Work;
use serde_json::{Map, Value, json};

/// Measures consecutive phases.
pub(crate) struct Stopwatch {
    laps: Map<String, Value>,
    wall: Instant,
    cpu: Option<f64>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { laps: Map::new(), wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// Ends a phase that began at the end of the previous one.
    pub(crate) fn lap(&mut self, phase: &str) {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        let cpu_used = self.cpu.zip(cpu).map(|(before, after)| after - before);
        let seconds = json!({"wall": (wall - self.wall).as_secs_f64(), "cpu": cpu_used});
        self.laps.insert(phase.to_owned(), seconds);
        (self.wall, self.cpu) = (wall, cpu);
    }

    /// The seconds of every phase, and counters of the work.
    pub(crate) fn report(mut self, work: Work) -> Value {
        let Value::Object(counters) = json!(work) else { unreachable!("a struct is an object in JSON") };
        self.laps.extend(counters);
        self.laps.insert("peak_memory".to_owned(), json!(peak_memory()));
        Value::Object(self.laps)
    }
}

/// CPU seconds of this process so far, over all threads, if the system reports them.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems do not report them")]
fn cpu_seconds() -> Option<f64> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(unix))]
fn cpu_seconds() -> Option<f64> {
    None
}

/// The peak memory in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The report as text.
pub(crate) fn text(report: &Value) -> String {
    let Some(report) = report.as_object() else { return String::new() };
    let parts = report.iter().map(|(name, value)| {
        let name = name.replace('_', " ");
        match (value["wall"].as_f64(), value["cpu"].as_f64()) {
            (Some(wall), Some(cpu)) => format!("{name} {wall:.3} s ({cpu:.3} s of CPU)"),
            (Some(wall), None) => format!("{name} {wall:.3} s"),
            _ if name == "peak memory" => match value.as_u64() {
                Some(bytes) => format!("{name} {:.1} MB", bytes as f64 / 1e6),
                None => format!("{name} unknown"),
            },
            _ => format!("{name} {value}"),
        }
    });
    format!("timing   {}", parts.collect::<Vec<_>>().join(", "))
}
