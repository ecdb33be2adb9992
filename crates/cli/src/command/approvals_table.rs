//! The lists of `provost approvals` for people.

use provost::StandingApproval;
use provost_project::clock;

use super::approvals::{ID, WAITS_MAX, id};
use crate::identity;
use crate::pending::Pending;
use crate::run_name::{self, Names};
use crate::screen::{Screen, Stream};
use crate::text::{Line, Local, Mark, Span, Style, cut, spoken_limit, width, zone};

const RUN: usize = 10;
const SINCE: usize = 14;
const ELSE: usize = 14;
const ENDS: usize = 18;
const BY: usize = 10;
/// The minimum width of the column with the object of a row.
const ABOUT_MIN: usize = 16;

/// Formats the lists.
pub(super) struct Table<'a> {
    names: &'a Names,
    now_ms: i64,
    /// The number of columns; `None` if rows are sentences.
    columns: Option<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn new(screen: Screen, names: &'a Names) -> Self {
        let paint = screen.paint(Stream::Data);
        let columns = (paint.style != Style::Plain).then_some(paint.columns.unwrap_or(80));
        Self { names, now_ms: clock::clock().now_ms(), columns }
    }

    /// Formats the questions: first those that this person may answer.
    pub(super) fn questions(&self, waits: &[Pending], more: bool) -> Vec<Line> {
        let me = identity::person();
        let is_mine = |pending: &&Pending| {
            let may_answer = &pending.asked.may_answer;
            may_answer.is_empty() || may_answer.contains(&me)
        };
        let (mine, others): (Vec<&Pending>, Vec<&Pending>) = waits.iter().partition(is_mine);
        let mut lines = Vec::new();
        for (title, waits) in [("Waits for you", mine), ("Waits for others", others)] {
            if !waits.is_empty() {
                lines.extend(self.head(
                    title,
                    RUN + SINCE + ELSE,
                    &[("run", RUN), ("since", SINCE), ("else", ELSE)],
                ));
                lines.extend(waits.into_iter().map(|pending| self.question(pending)));
                lines.push(Line::blank());
            }
        }
        if more {
            let text = format!("more than {WAITS_MAX} questions wait; these are the oldest");
            lines.push(Line::note("approvals", vec![Span::text(text)]));
        }
        lines
    }

    fn question(&self, pending: &Pending) -> Line {
        let asked = &pending.asked;
        let run = &asked.wait.run;
        let (short, strong) = (run_name::short(run), self.names.prefix(run));
        let age = |from: i64, to: i64| spoken_limit(u64::try_from(to.saturating_sub(from)).unwrap_or(0));
        let since = age(asked.asked_at.0, self.now_ms);
        let ends = match asked.due {
            Some(due) => format!("over in {}", age(self.now_ms, due.0)),
            None => "it waits on".to_owned(),
        };
        let about = pending.lines().about;
        let mark = if asked.in_doubt { Mark::InDoubt } else { Mark::Asks };
        let subject = format!("run {short}, question {}", pending.id());
        let Some(columns) = self.columns else {
            let asks = if asked.in_doubt { "in doubt is" } else { "asks about" };
            let text = format!("{asks} {about}, since {since}, {ends}");
            return Line::new(mark, subject, vec![Span::text(text)]);
        };
        let rest = short.strip_prefix(strong).unwrap_or_default();
        let spans = vec![
            Span::text(padded(&about, room(columns, RUN + SINCE + ELSE))),
            Span::strong(if rest.is_empty() { short } else { strong }),
            Span::quiet(rest),
            Span::text(" ".repeat(RUN.saturating_sub(width(short)))),
            Span::text(padded(&since, SINCE)),
            Span::quiet(ends),
        ];
        Line::new(mark, subject, spans).wide()
    }

    /// Formats the standing approvals, each with the calls that it covers.
    pub(super) fn granted(&self, rows: &[(&StandingApproval, String)]) -> Vec<Line> {
        if rows.is_empty() {
            return Vec::new();
        }
        let taken = ID + 2 + ENDS + BY;
        let mut lines = self.head("Standing approvals", taken, &[("id", ID + 2), ("ends", ENDS), ("by", BY)]);
        let local = Local::new(zone(), self.now_ms);
        for (approval, words) in rows {
            let ends = approval.until.map_or("when revoked".to_owned(), |until| local.ahead(until.0));
            let about =
                format!("{words}, agent {}", approval.about().map(|about| about.agent).unwrap_or_default());
            let by = match approval.by.id == identity::person() {
                true => "you".to_owned(),
                false => approval.by.name().trim_start_matches("user:").to_owned(),
            };
            let spans = match self.columns {
                None => vec![Span::text(format!("{about}, ends {ends}, granted by {by}"))],
                Some(columns) => vec![
                    Span::text(padded(&about, room(columns, taken))),
                    Span::strong(padded(&id(approval), ID + 2)),
                    Span::text(padded(&ends, ENDS)),
                    Span::text(by),
                ],
            };
            lines.push(Line::note(format!("standing approval {}", id(approval)), spans).wide());
        }
        lines.push(Line::blank());
        lines
    }

    /// Returns the commands to type next.
    pub(super) fn next(&self, waits: &[Pending], granted: &[StandingApproval]) -> Vec<Line> {
        let line = |command: String, what: &str| {
            let command =
                if self.columns.is_some() { format!("{command:<35}") } else { format!("{command}   ") };
            Line::note("try", vec![Span::strong(command), Span::quiet(what)])
        };
        let answer = waits.first().map(|pending| {
            let run = self.names.prefix(&pending.wait().run);
            line(format!("provost resume {run}"), "look at it and answer")
        });
        let revoke = granted.first().map(|approval| {
            line(format!("provost approvals revoke {}", id(approval)), "ask again from the next call on")
        });
        answer.into_iter().chain(revoke).collect()
    }

    /// Returns the title of a list, with its column headers.
    fn head(&self, title: &str, taken: usize, names: &[(&str, usize)]) -> Vec<Line> {
        let Some(columns) = self.columns else { return Vec::new() };
        let free = room(columns, taken).saturating_sub(width(title));
        let names: String = names.iter().map(|(name, columns)| format!("{name:<columns$}")).collect();
        let names = format!("{}{}", " ".repeat(free), names.trim_end());
        vec![Line::note("", vec![Span::strong(title), Span::quiet(names)]).wide()]
    }
}

/// Returns the width of the first column.
fn room(columns: usize, taken: usize) -> usize {
    columns.saturating_sub(4 + taken).max(ABOUT_MIN)
}

/// Returns a text for a column, truncated with a sign if needed.
fn padded(text: &str, columns: usize) -> String {
    let text = cut(text, columns.saturating_sub(2), "…");
    let free = columns.saturating_sub(width(&text));
    format!("{text}{}", " ".repeat(free))
}
