//! What a program prints, on its way to watchers while it runs: whole lines, bounded in size and rate.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use provost_runtime::port::Report;

/// The shortest time between two pieces. A watcher draws no faster.
const GAP: Duration = Duration::from_millis(100);
/// How much one piece holds at most, and how long a line may be.
const PIECE_BYTES_MAX: usize = 8 * 1024;

/// Lines of both pipes of one program that no watcher got yet.
pub(super) struct Lines<'a> {
    report: &'a Report,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    text: String,
    left_out: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        Self { report, waiting: Mutex::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One of the pipes.
    pub(super) fn pipe(&self) -> Pipe<'_, 'a> {
        Pipe { lines: self, open: Vec::new(), is_too_long: false }
    }

    /// Sends what came, again and again.
    pub(super) async fn send_on(&self) {
        loop {
            tokio::time::sleep(GAP).await;
            self.send();
        }
    }

    /// Sends what came.
    pub(super) fn send(&self) {
        let Waiting { text, left_out } = std::mem::take(&mut *self.waiting());
        let note = if left_out > 0 { format!("[{left_out} bytes left out]\n") } else { String::new() };
        if !text.is_empty() || left_out > 0 {
            self.report.output(&format!("{note}{text}"));
        }
    }
}

impl Waiting {
    /// Adds a line. The newest ones matter, so the older half gives way when there are too many.
    fn push(&mut self, line: &[u8]) {
        self.text.push_str(&String::from_utf8_lossy(line));
        if self.text.len() > PIECE_BYTES_MAX {
            let half = self.text.len() / 2;
            let end = self.text.bytes().skip(half).position(|byte| byte == b'\n');
            let end = end.map_or(self.text.len(), |index| half + index + 1);
            self.text.drain(..end);
            self.leave_out(end);
        }
    }

    fn leave_out(&mut self, bytes: usize) {
        self.left_out = self.left_out.saturating_add(u64::try_from(bytes).unwrap_or(u64::MAX));
    }
}

/// The line that one pipe has not ended yet. It is not sent in parts: a key that is hidden in whole lines must not
/// be shown in two halves.
pub(super) struct Pipe<'l, 'a> {
    lines: &'l Lines<'a>,
    open: Vec<u8>,
    is_too_long: bool,
}

impl Pipe<'_, '_> {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let mut waiting = self.lines.waiting();
            if self.is_too_long || self.open.len() + part.len() > PIECE_BYTES_MAX {
                waiting.leave_out(self.open.len() + part.len());
                self.open.clear();
                self.is_too_long = true;
            } else {
                self.open.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                waiting.push(&self.open);
                self.open.clear();
                self.is_too_long = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use provost_runtime::port::ReportSink;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl ReportSink for Heard {
        fn output(&self, text: &str) {
            self.0.lock().unwrap().push(text.to_owned());
        }

        fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    }

    fn sent(print: impl Fn(&Lines<'_>)) -> Vec<String> {
        let heard = Arc::new(Heard::default());
        let report = Report::new(heard.clone());
        let lines = Lines::new(&report);
        print(&lines);
        lines.send();
        lines.send();
        heard.0.lock().unwrap().clone()
    }

    #[test]
    fn lines_are_sent_whole_and_once() {
        let heard = sent(|lines| {
            let (mut out, mut err) = (lines.pipe(), lines.pipe());
            out.push(b"one\ntw");
            err.push(b"trouble\n");
            out.push(b"o\nthr");
        });
        assert_eq!(heard, ["one\ntrouble\ntwo\n"]);
    }

    #[test]
    fn of_a_flood_the_newest_lines_are_sent() {
        let heard = sent(|lines| {
            let mut out = lines.pipe();
            (0..100_000).for_each(|number| out.push(format!("line {number}\n").as_bytes()));
        });
        assert_eq!(heard.len(), 1);
        assert!(heard[0].len() < PIECE_BYTES_MAX + 64 && heard[0].ends_with("line 99999\n"), "{heard:?}");
        assert!(heard[0].starts_with('[') && heard[0].contains(" bytes left out]\n"), "{heard:?}");
    }

    #[test]
    fn a_line_without_an_end_takes_no_room() {
        let heard = sent(|lines| {
            let mut out = lines.pipe();
            (0..1_000).for_each(|_| out.push(&[b'x'; 8_000]));
            out.push(b"\nafter\n");
            assert!(out.open.capacity() <= 2 * PIECE_BYTES_MAX);
        });
        assert_eq!(heard, ["[8000001 bytes left out]\nafter\n"]);
    }
}
