//! The other programs of the comparison: their virtual environment and one worker process each.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// The packages to install.
const PACKAGES: [&str; 5] = ["numpy", "pandas", "pyarrow", "pybnesian", "pyagrum"];

/// Environment variables that limit every library to one thread.
const ONE_THREAD: [&str; 5] =
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_IO_THREADS", "NUMEXPR_NUM_THREADS"];

/// A program that kinfolk is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peer {
    Pybnesian,
    Pyagrum,
    Pyarrow,
}

impl Peer {
    /// The name of its package.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Pybnesian => "pybnesian",
            Self::Pyagrum => "pyagrum",
            Self::Pyarrow => "pyarrow",
        }
    }
}

/// A Python environment with the peers.
pub(crate) struct Environment {
    python: PathBuf,
    script: PathBuf,
}

/// The answer of a peer.
#[derive(Debug, Deserialize)]
pub(crate) struct PeerAnswer {
    /// CPU seconds.
    pub(crate) cpu: f64,
    /// Its own score of what it found, if that is comparable.
    pub(crate) score: Option<f64>,
    /// The arcs it found, by name.
    pub(crate) arcs: Vec<(String, String)>,
}

/// A peer with its data in memory.
pub(crate) struct Worker {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Environment {
    /// Creates the environment in a folder, or reuses it.
    pub(crate) fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let home = folder.join("venv");
        let python = home.join("bin/python");
        let script = folder.join("peer.py");
        fs::write(&script, include_str!("peer.py"))?;
        let environment = Self { python, script };
        if !environment.is_complete() {
            succeed(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
            let mut pip = Command::new(&environment.python);
            succeed(
                pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(PACKAGES),
            )?;
        }
        Ok(environment)
    }

    fn is_complete(&self) -> bool {
        let imports = format!("import {}", PACKAGES.join(", "));
        let check = Command::new(&self.python).args(["-c", &imports]).stderr(Stdio::null()).status();
        check.is_ok_and(|status| status.success())
    }

    /// The versions of Python and of the peers.
    pub(crate) fn versions(&self) -> Result<String, Box<dyn Error>> {
        let program = "import sys, platform; from importlib.metadata import version; \
             print(', '.join(['Python ' + platform.python_version()] + [p + ' ' + version(p) for p in sys.argv[1:]]))";
        let output = Command::new(&self.python).args(["-c", program]).args(PACKAGES).output()?;
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Starts a peer and waits until it has read the file.
    pub(crate) fn start(&self, peer: Peer, file: &Path) -> Result<Worker, Box<dyn Error>> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg(peer.name()).arg(file).stdin(Stdio::piped()).stdout(Stdio::piped());
        ONE_THREAD.iter().for_each(|variable| {
            command.env(variable, "1");
        });
        let mut child = command.spawn()?;
        let (questions, answers) = (child.stdin.take(), child.stdout.take().ok_or("no output to read")?);
        let mut worker = Worker { child, questions, answers: BufReader::new(answers) };
        match worker.line()?.as_str() {
            "ready" => Ok(worker),
            other => Err(format!("{} did not start: {other}", peer.name()).into()),
        }
    }
}

impl Worker {
    /// Runs the peer once.
    pub(crate) fn work(&mut self) -> Result<PeerAnswer, Box<dyn Error>> {
        writeln!(self.questions.as_mut().ok_or("the peer has been shut down")?)?;
        Ok(serde_json::from_str(&self.line()?)?)
    }

    /// The next nonblank line; libraries print blank ones.
    fn line(&mut self) -> Result<String, Box<dyn Error>> {
        loop {
            let mut line = String::new();
            if self.answers.read_line(&mut line)? == 0 {
                return Err(format!("a peer ended early: {}", self.child.wait()?).into());
            }
            let line = line.trim();
            if line == "ready" || line.starts_with('{') {
                return Ok(line.to_owned());
            }
        }
    }
}

impl Drop for Worker {
    /// Closes the input, which ends the peer.
    fn drop(&mut self) {
        self.questions = None;
        if let Err(error) = self.child.wait() {
            super::say(&format!("a peer could not be waited for: {error}"));
        }
    }
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let status = command.status().map_err(|error| format!("{}: {error}", command.get_program().display()))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}
