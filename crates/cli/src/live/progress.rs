//! Where a run stands: what runs, what waits, what was used of the limits.

use provost_engine::view::Observed;
use serde_json::Value;

use super::news::News;
use crate::view::{Gauge, shown};

/// A run, as far as its events say.
pub(super) struct Progress {
    began_ms: i64,
    gauges: Vec<Gauge>,
    running: Vec<Running>,
    waiting: Vec<String>,
    /// Since when the model is asked, while it is.
    asked_ms: Option<i64>,
}

/// A call at work.
struct Running {
    id: String,
    what: String,
    since_ms: i64,
}

impl Progress {
    pub(super) fn new(gauges: Vec<Gauge>, now_ms: i64) -> Self {
        Self { began_ms: now_ms, gauges, running: Vec::new(), waiting: Vec::new(), asked_ms: None }
    }

    pub(super) fn take_in(&mut self, news: &News, now_ms: i64) {
        match news {
            News::Event { observed, .. } => self.event(observed, now_ms),
            News::Whole { usage, .. } => {
                self.asked_ms = None;
                let number = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or_default();
                let tokens = number("prompt_tokens").saturating_add(number("completion_tokens"));
                self.count("tokens", number("total_tokens").max(tokens));
                self.count("cost_microusd", number("cost_microusd"));
            }
            News::Text(_) | News::Restart | News::Trouble(_) | News::LeftOut(_) | News::Unreadable(_) => {}
        }
    }

    fn event(&mut self, observed: &Observed, now_ms: i64) {
        let text = |key: &str| observed.payload.get(key).and_then(Value::as_str).unwrap_or_default();
        let (tool, id) = (text("tool_name"), text("tool_call_id"));
        match observed.event {
            "turn_started" => {
                self.running.clear();
                self.waiting.clear();
                self.asked_ms = Some(now_ms);
                let turn = observed.payload.get("turn").and_then(Value::as_u64).unwrap_or_default();
                self.set("turns", turn);
            }
            "tool_call" => {
                let arguments = observed.payload.get("parameters").and_then(Value::as_object);
                let what = format!("{tool:<10} {}", arguments.map(shown).unwrap_or_default());
                self.running.push(Running { id: id.to_owned(), what, since_ms: now_ms });
                self.count("tool_calls", 1);
                self.count(&format!("tool_calls_{tool}"), 1);
            }
            "approval_required" => self.waits(id, format!("{tool:<10} waits for your decision")),
            "runtime_tool_pending" => self.waits(id, format!("{tool:<10} waits for your answer")),
            "approval_granted" => {
                self.waiting.clear();
                self.running.push(Running { id: id.to_owned(), what: tool.to_owned(), since_ms: now_ms });
            }
            "tool_result" => self.running.retain(|running| running.id != id),
            "failed" | "completed" => self.asked_ms = None,
            _ => {}
        }
    }

    fn waits(&mut self, id: &str, what: String) {
        self.running.retain(|running| running.id != id);
        self.waiting.push(what);
    }

    fn count(&mut self, name: &str, more: u64) {
        if let Some(gauge) = self.gauges.iter_mut().find(|gauge| gauge.name == name) {
            gauge.used = gauge.used.saturating_add(more);
        }
    }

    fn set(&mut self, name: &str, used: u64) {
        if let Some(gauge) = self.gauges.iter_mut().find(|gauge| gauge.name == name) {
            gauge.used = used;
        }
    }

    /// So many lines at most, the limits last.
    pub(super) fn lines(&self, now_ms: i64, lines_max: usize) -> Vec<String> {
        let seconds = |since_ms: i64| now_ms.saturating_sub(since_ms).max(0) / 1_000;
        let running =
            self.running.iter().map(|call| format!("  ~ {:>3} s  {}", seconds(call.since_ms), call.what));
        let asked = self.asked_ms.map(|since| format!("  ~ {:>3} s  the model is asked", seconds(since)));
        let waiting = self.waiting.iter().map(|what| format!("  ?        {what}"));
        let all: Vec<String> = running.chain(asked).chain(waiting).collect();
        let room = lines_max.saturating_sub(1).max(1);
        let mut lines: Vec<String> = all.iter().take(room).cloned().collect();
        if all.len() > room {
            lines.truncate(room - 1);
            lines.push(format!("  … and {} more", all.len() - lines.len()));
        }
        lines.push(self.limits(now_ms));
        lines
    }

    fn limits(&self, now_ms: i64) -> String {
        let elapsed = now_ms.saturating_sub(self.began_ms).max(0).unsigned_abs() / 1_000;
        let timed = self.gauges.iter().find(|gauge| gauge.is_time());
        let time = match timed {
            Some(gauge) => Gauge { used: gauge.used + elapsed, ..gauge.clone() },
            None => Gauge::time(elapsed),
        };
        let (turns, others): (Vec<_>, Vec<_>) =
            self.gauges.iter().filter(|gauge| !gauge.is_time()).partition(|gauge| gauge.name == "turns");
        let parts: Vec<String> = turns.into_iter().chain(others).chain([&time]).map(Gauge::short).collect();
        format!("  {}", parts.join(" · "))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(event: &'static str, payload: Value) -> News {
        News::Event { seq: provost_engine::Seq(1), observed: Observed { event, payload }, ended: None }
    }

    fn gauge(name: &str, ceiling: Option<u64>) -> Gauge {
        Gauge { name: name.to_owned(), used: 0, ceiling }
    }

    #[test]
    fn what_runs_waits_and_was_used_is_shown() {
        let gauges = vec![gauge("turns", Some(12)), gauge("tool_calls", Some(40)), gauge("tokens", None)];
        let mut progress = Progress::new(gauges, 0);
        let usage = json!({ "total_tokens": 90 });
        let call =
            |id: &str| json!({ "tool_name": "fs/read", "tool_call_id": id, "parameters": { "path": id } });
        progress.take_in(&event("turn_started", json!({ "turn": 3 })), 1_000);
        assert_eq!(progress.lines(5_000, 9)[0], "  ~   4 s  the model is asked");
        progress.take_in(&News::Whole { turn: 3, text: String::new(), usage }, 6_000);
        for id in ["a", "b", "c"] {
            progress.take_in(&event("tool_call", call(id)), 6_000);
        }
        progress.take_in(&event("tool_result", call("a")), 7_000);
        progress.take_in(&event("approval_required", call("c")), 7_000);
        let expected = [
            "  ~   2 s  fs/read    path=b",
            "  ?        fs/read    waits for your decision",
            "  turn 3 of 12 · 3 of 40 calls · 90 tokens · 8 s",
        ];
        assert_eq!(progress.lines(8_000, 9), expected);
        assert_eq!(progress.lines(8_000, 2), ["  … and 2 more", expected[2]]);
    }
}
