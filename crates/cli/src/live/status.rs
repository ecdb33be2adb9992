//! The lines that are drawn again: what runs, what the model says, and one line of limits.

use provost_engine::Time;
use provost_engine::view::{CallName, StoryReader};

use super::area::Room;
use super::tail::{Tails, lines_each};
use crate::text::{
    Column, Line, Mark, Overflow, Role, Span, count, elapsed, money, short_count, spoken_limit,
};
use crate::view::{Gauge, object, words_so_far};

/// From how much of a limit on it is coloured, in hundredths.
const NEARLY: u64 = 80;

/// What the area shows.
pub(super) struct Status<'a> {
    pub(super) story: &'a StoryReader,
    pub(super) limits: &'a [Gauge],
    /// The model's words that are not whole yet.
    pub(super) spoken: &'a str,
    /// What running calls printed last.
    pub(super) tails: &'a Tails,
    /// What the model is waited for, when something went wrong.
    pub(super) trouble: Option<Line>,
    pub(super) since_ms: i64,
    pub(super) now_ms: i64,
    pub(super) hint: &'a str,
}

impl Status<'_> {
    /// The lines, the last of which has the limits. Outputs take so many lines less than there is room for.
    pub(super) fn lines(&self, room: Room, less: usize) -> Vec<Line> {
        // Below them are an empty line and the limits.
        let lines_max = room.lines.saturating_sub(2);
        let mut lines = self.running(room.rows, lines_max.saturating_sub(less));
        lines.extend(self.trouble.clone());
        let mut spoken = if self.spoken.trim().is_empty() { Vec::new() } else { words_so_far(self.spoken) };
        spoken.retain(|line| !line.is_blank());
        lines.append(&mut spoken);
        // The newest lines are those at the end.
        let over = lines.len().saturating_sub(lines_max);
        lines.drain(..over);
        lines.push(Line::blank());
        lines.push(self.limits());
        lines
    }

    fn frame(&self) -> u8 {
        u8::try_from(self.now_ms.rem_euclid(1_000) / 250).unwrap_or_default()
    }

    /// The running calls, each with the end of what it printed.
    fn running(&self, rows: usize, lines_max: usize) -> Vec<Line> {
        let each = lines_each(rows, lines_max, self.story.running().count());
        let of_call = |(call, began): (CallName, Time)| {
            let mut lines = vec![self.call(&call, began)];
            lines.extend(self.tails.lines(call.action, each));
            lines
        };
        self.story.running().flat_map(of_call).collect()
    }

    fn call(&self, call: &CallName, began: Time) -> Line {
        let arguments = self.story.state().action(call.action).map(|action| action.args.redacted.clone());
        let about = object(&call.tool, &arguments.unwrap_or_default());
        let spans = vec![
            Span::text(&call.tool).at(Column::Tool),
            Span::text(about).at(Column::Object),
            Span::new("running", Role::Alive).at(Column::Outcome),
        ];
        let seconds = u64::try_from(self.now_ms.saturating_sub(began.0)).unwrap_or_default() / 1_000;
        let right = if seconds == 0 { Vec::new() } else { vec![Span::quiet(spoken_limit(seconds * 1_000))] };
        Line::new(Mark::Running(self.frame()), "", spans).right(right).overflow(Overflow::Cut)
    }

    fn limits(&self) -> Line {
        let used = |name: &str| self.limits.iter().find(|gauge| gauge.name == name);
        let totals = self.story.totals();
        let calls = self.story.state().ledger.calls();
        let mut spans =
            vec![self.part(format!("turn {}", totals.turns), u64::from(totals.turns), used("turns"), count)];
        if self.story.asks_model_since().is_some_and(|since| self.now_ms.saturating_sub(since.0) >= 1_000) {
            spans.push(Span::text("   asks the model"));
        }
        if let Some(gauge) = used("tool_calls") {
            spans.push(self.part(format!("   {}", count(calls)), calls, Some(gauge), count));
            spans.push(Span::text(" calls"));
        } else if calls > 0 {
            spans.push(Span::text(format!("   {} call{}", count(calls), if calls == 1 { "" } else { "s" })));
        }
        let limit = used("tokens").filter(|gauge| gauge.ceiling.is_some());
        spans.push(self.part(
            format!("   {}", short_count(totals.tokens)),
            totals.tokens,
            limit,
            short_count,
        ));
        spans.push(Span::text(" tokens"));
        if let Some(cost) = totals.cost_microusd {
            spans.push(self.part(format!("   {}", money(cost)), cost, used("cost_microusd"), money));
        }
        let passed = u64::try_from(self.now_ms.saturating_sub(self.since_ms)).unwrap_or_default();
        let seconds = passed / 1_000;
        let limit = used("wall_clock_seconds");
        spans.push(self.part(format!("   {}", elapsed(passed)), seconds, limit, |s| elapsed(s * 1_000)));
        Line::new(Mark::Running(self.frame()), "", spans)
            .right(vec![Span::quiet(self.hint)])
            .overflow(Overflow::Cut)
    }

    /// What was used, and of how much; coloured when little is left.
    fn part(&self, text: String, used: u64, limit: Option<&Gauge>, form: impl Fn(u64) -> String) -> Span {
        match limit.and_then(|limit| limit.ceiling) {
            None => Span::text(text),
            Some(ceiling) => {
                let near = used.saturating_mul(100) >= ceiling.saturating_mul(NEARLY) && ceiling > 0;
                Span::new(format!("{text} of {}", form(ceiling)), if near { Role::You } else { Role::Text })
            }
        }
    }
}
