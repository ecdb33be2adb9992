//! Processes: starting a measured one, and what one has used so far.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use super::Job;
use crate::Failure;

/// What a process has used so far.
pub(super) struct Usage {
    resident_kib: u64,
    cpu_ns: u64,
    written_bytes: u64,
}

/// What a measured process told.
pub(super) struct Told {
    pub(super) seconds: f64,
    /// How long processors worked for it; on a busy machine this is the steadier measure.
    pub(super) cpu_seconds: f64,
    /// How far the memory grew at most.
    pub(super) grown_kib: f64,
    /// What was sent to the disk.
    pub(super) written_bytes: f64,
    /// How long the model itself read.
    pub(super) read_seconds: f64,
}

impl Usage {
    pub(super) fn now() -> Result<Self, Failure> {
        let resident_kib = number_in("/proc/self/status", "VmRSS:")?;
        let written_bytes = number_in("/proc/self/io", "write_bytes:")?;
        Ok(Self { resident_kib, cpu_ns: cpu_ns(), written_bytes })
    }

    /// What was used since, as the line that this process prints.
    pub(super) fn told(&self, seconds: f64, read_seconds: f64) -> Result<Value, Failure> {
        let peak_kib = number_in("/proc/self/status", "VmHWM:")?;
        let now = Self::now()?;
        Ok(json!({
            "seconds": seconds,
            "cpu_seconds": (now.cpu_ns - self.cpu_ns) as f64 / 1e9,
            "grown_kib": peak_kib.saturating_sub(self.resident_kib),
            "written_bytes": now.written_bytes - self.written_bytes,
            "read_seconds": read_seconds,
        }))
    }
}

impl Job {
    /// The command that does it: this very program.
    pub(super) fn command(&self) -> Result<Command, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("bench-child").stdin(Stdio::null());
        command.args(["--turns", &self.turns.to_string()]);
        command.args(["--conversations", &self.conversations.to_string()]);
        command.args(["--pause-ms", &self.pause_ms.to_string()]);
        for (name, path) in [("--database", &self.database), ("--effects", &self.effects)] {
            if let Some(path) = path {
                command.arg(name).arg(path);
            }
        }
        command.args(self.resume.then_some("--resume")).args(self.reference.then_some("--reference"));
        command.args(self.idle.then_some("--idle"));
        Ok(command)
    }

    /// Does it in a process of its own.
    pub(super) fn run(&self) -> Result<Told, Failure> {
        told(&self.command()?.output()?)
    }
}

/// Reads what a measured process printed.
pub(super) fn told(output: &Output) -> Result<Told, Failure> {
    if !output.status.success() {
        return Err(format!("a measured process failed: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let told: Value = serde_json::from_slice(&output.stdout)?;
    let number = |key: &str| told.get(key).and_then(Value::as_f64).ok_or("a measured process told nothing");
    Ok(Told {
        seconds: number("seconds")?,
        cpu_seconds: number("cpu_seconds")?,
        grown_kib: number("grown_kib")?,
        written_bytes: number("written_bytes")?,
        read_seconds: number("read_seconds")?,
    })
}

/// The nanoseconds processors worked for all threads of this process. Not from `/proc`: what it tells is up
/// to a tick old, which is longer than a hundred turns take.
pub(in crate::bench) fn cpu_ns() -> u64 {
    let worked = clock_gettime(ClockId::ProcessCPUTime);
    worked.tv_sec as u64 * 1_000_000_000 + worked.tv_nsec as u64
}

/// The number behind a word in one of the files in which the system tells about processes.
fn number_in(path: impl AsRef<Path>, word: &str) -> Result<u64, Failure> {
    let text = fs::read_to_string(path)?;
    let line = text.lines().find_map(|line| line.strip_prefix(word)).ok_or("the system does not tell")?;
    Ok(line.split_whitespace().next().unwrap_or_default().parse()?)
}
