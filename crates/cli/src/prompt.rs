//! The prompt for a question, and the meaning of its answers.

use provost::{Decision, Remember};
use provost_contract::json::{Object, without_nulls};
use provost_project::{ProjectRuntime, clock};
use serde_json::json;

use crate::editor;
use crate::failure::Failure;
use crate::identity;
use crate::live::Live;
use crate::pending::Pending;
use crate::question::Question;
use crate::screen::{Screen, Stream};
use crate::standing::{self, Offer};
use crate::text::{Line, Local, Mark, Role, Span, Style, counted, padded, styled, zone};
use crate::view::spoken_rule;

/// How many rows of a terminal stay free for the answers below a diff.
const ROWS_BELOW: usize = 8;
/// How much of a diff is shown at least.
const ROWS_MIN: usize = 6;
/// The width of an answer and its key in the menu.
const ANSWER: usize = 23;

/// How a question ended at this terminal.
pub(crate) enum Answered {
    Here(Box<Decision>),
    /// Another process answered it, or withdrew it.
    Elsewhere,
    Later,
}

/// Asks until the input is an answer. Text after `n` is the reason.
pub(crate) async fn asked(
    setup: &ProjectRuntime,
    pending: &Pending,
    place: (usize, usize),
    live: &mut Live,
    screen: Screen,
) -> Result<Answered, Failure> {
    let mut asking = Asking::new(pending.clone(), screen);
    asking.show(live, place);
    live.print(&asking.offer());
    loop {
        let line = screen.ask(&asking.prompt()).await;
        let heard = asking.heard(line.as_deref());
        if matches!(heard, Heard::Shows(_) | Heard::Changed(_)) && !pending.is_open(setup).await? {
            return Ok(Answered::Elsewhere);
        }
        match heard {
            Heard::Decided(decision) => return Ok(Answered::Here(decision)),
            Heard::Later => return Ok(Answered::Later),
            Heard::Shows(lines) => live.print(&lines),
            Heard::Changed(arguments) => {
                live.print(&changes(asking.pending.arguments(), &arguments));
                asking.pending = asking.pending.changed(setup, &arguments).await;
                asking.edited = Some(*arguments);
                asking.show(live, place);
                live.print(&asking.offer());
            }
        }
    }
}

/// Asks for the answer to an agent's question; `None` means later.
pub(crate) async fn answer(question: &Question, screen: Screen) -> Option<String> {
    if !screen.can_ask() {
        return None;
    }
    let spans = vec![Span::text("your answer, Enter alone for later "), Span::strong("› ")];
    let prompt = line_of(&Line::new(Mark::Asks, "", spans), screen);
    let _ = question;
    screen.ask(&prompt).await.filter(|answer| !answer.trim().is_empty())
}

/// The result of an answer.
enum Heard {
    Decided(Box<Decision>),
    Later,
    Shows(Vec<Line>),
    /// The person made another call of it.
    Changed(Box<Object>),
}

/// One question while it is asked.
struct Asking {
    /// The call, as the person changed it.
    pending: Pending,
    screen: Screen,
    about: String,
    /// The evidence that was folded away.
    folded: Vec<Line>,
    /// Arguments that the person changed.
    edited: Option<Object>,
    /// The choice among standing approvals, while it is made.
    choosing: Option<Vec<Offer>>,
    /// Whether the next line is the reason of a no.
    declining: bool,
}

impl Asking {
    fn new(pending: Pending, screen: Screen) -> Self {
        let (about, folded) = (String::new(), Vec::new());
        Self { pending, screen, about, folded, edited: None, choosing: None, declining: false }
    }

    /// Shows the question, with as much of the evidence as leaves room for the answers.
    fn show(&mut self, live: &mut Live, (number, of): (usize, usize)) {
        let mut lines = self.pending.lines();
        self.about.clone_from(&lines.about);
        self.folded.clear();
        if of > 1
            && let Some(first) = lines.head.first_mut()
        {
            first.right = vec![Span::quiet(format!("{number} of {of} that wait for you"))];
        }
        let room = rows().saturating_sub(lines.head.len() + ROWS_BELOW).max(ROWS_MIN);
        if lines.evidence.len() > room {
            self.folded = lines.evidence.split_off(room.saturating_sub(1));
            let text =
                format!("… {}: m shows them", counted(self.folded.len() as u64, "more line", "more lines"));
            lines.evidence.push(Line::note("approval", vec![Span::quiet(format!("    {text}"))]));
        }
        live.print(&lines.whole());
    }

    /// Returns the possible answers, each with what it does.
    fn offer(&self) -> Vec<Line> {
        let answers: Vec<(&str, &str)> = match self.pending.is_in_doubt() {
            true => vec![
                ("1 RESULT", "it happened"),
                ("2 looked", "run it again"),
                ("3 REASON", "do not run it"),
                ("w", "why it asks"),
                ("l", "later, it waits"),
                ("?", "all answers"),
            ],
            false => {
                let more = (!self.folded.is_empty()).then_some(("m", "more of the diff"));
                let stop = self.can_stop_asking().then_some(("s", "stop asking about …"));
                let first = [("y", "allow this call"), ("n", "decline, say why"), ("e", "edit it first")];
                let last = [("w", "why it asks"), ("l", "later, it waits"), ("?", "all answers")];
                first.into_iter().chain(stop).chain(more).chain(last).collect()
            }
        };
        let mut lines = vec![Line::blank()];
        for row in answers.chunks(3) {
            let mut spans = Vec::new();
            for (key, what) in row {
                let what = padded(what, ANSWER - key.len());
                spans.extend([Span::strong(key), Span::text(format!("  {what}"))]);
            }
            lines.push(Line::note("answers", spans));
        }
        lines
    }

    fn prompt(&self) -> String {
        let changed = if self.edited.is_some() { ", changed by you" } else { "" };
        if self.declining {
            let text = "Reason, which the agent reads (Enter alone: none) ";
            let spans = vec![Span::text(text), Span::strong("› ")];
            return line_of(&Line::new(Mark::Asks, "answer", spans), self.screen);
        }
        if let Some(offers) = &self.choosing {
            let numbers = (1..=offers.len()).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
            let spans = vec![Span::strong(numbers), Span::text(", then how long "), Span::strong("› ")];
            return line_of(&Line::new(Mark::Asks, "answer", spans), self.screen);
        }
        let (mark, keys) = match self.pending.is_in_doubt() {
            true => (Mark::InDoubt, "1 2 3 w l ?".to_owned()),
            false => {
                let stop = if self.can_stop_asking() { " s" } else { "" };
                let more = if self.folded.is_empty() { "" } else { " m" };
                (Mark::Asks, format!("y n e{stop}{more} w l ?"))
            }
        };
        let about = crate::text::cut(&self.about, 48, "…");
        let spans = vec![
            Span::text(format!("{about}{changed}   ")),
            Span::strong(keys),
            Span::text(" "),
            Span::strong("› "),
        ];
        line_of(&Line::new(mark, "answer", spans), self.screen)
    }

    fn heard(&mut self, line: Option<&str>) -> Heard {
        let Some(line) = line.map(str::trim) else { return Heard::Later };
        if let Some(offers) = self.choosing.take() {
            return self.chooses(offers, line);
        }
        if std::mem::take(&mut self.declining) {
            return decided(Decision::reject(identity::person(), line));
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word.to_ascii_lowercase().as_str(), self.pending.is_in_doubt()) {
            ("y" | "yes" | "a" | "/approve", false) if rest.is_empty() => self.allows(),
            ("n" | "no" | "d" | "/reject", false) if rest.is_empty() => {
                self.declining = true;
                Heard::Shows(Vec::new())
            }
            ("n" | "no" | "d" | "/reject", false) => decided(Decision::reject(identity::person(), rest)),
            ("1", true) if !rest.is_empty() => decided(happened(identity::person(), rest, "")),
            ("1", true) => shows("Type 1 and the result, on one line. Nothing is decided."),
            ("2", true) if rest == "looked" => decided(Decision::approve(identity::person())),
            ("2", true) => shows(
                "If it took effect, it will happen twice. Check first, then answer: 2 looked. \
                 Nothing is decided.",
            ),
            ("3", true) => decided(Decision::reject(identity::person(), rest)),
            ("l" | "later" | "/quit", _) => Heard::Later,
            ("e" | "edit", false) => self.edits(),
            ("s" | "stop", false) => self.stops_asking(),
            ("m" | "more", false) if !self.folded.is_empty() => {
                Heard::Shows(std::mem::take(&mut self.folded))
            }
            ("w" | "why" | "/why", _) => Heard::Shows(self.why()),
            ("?" | "help" | "/help", _) => Heard::Shows(self.help()),
            ("", _) => shows("Enter alone decides nothing. ? explains the answers."),
            _ => {
                shows(&format!("“{line}” is not an answer here. Nothing is decided. ? explains the answers."))
            }
        }
    }

    fn allows(&mut self) -> Heard {
        let hidden = match self.folded.len() {
            0 => String::new(),
            lines => format!("{} not shown", counted(lines as u64, "line", "lines")),
        };
        let yes = Decision::approve(identity::person());
        decided(Decision { parameters: self.edited.take(), reason: hidden, ..yes })
    }

    /// Returns whether the call can be covered by a standing approval. One that a person changed is another call.
    fn can_stop_asking(&self) -> bool {
        self.edited.is_none() && standing::offers(&self.pending.asked).is_ok()
    }

    /// Shows what need not be asked again. A choice counts after it was shown.
    fn stops_asking(&mut self) -> Heard {
        if self.edited.is_some() {
            return shows("You changed the call: y allows it as changed, once. Nothing is decided.");
        }
        let offers = match standing::offers(&self.pending.asked) {
            Ok(offers) => offers,
            Err(why) => return shows(&format!("This is asked each time: {why}. Nothing is decided.")),
        };
        let line = |spans| Line::note("answers", spans);
        let mut lines = vec![line(vec![Span::text("Allow this call, and stop asking for:")])];
        for (index, offer) in offers.iter().enumerate() {
            lines.push(line(vec![Span::strong(format!("{}  ", index + 1)), Span::text(&offer.words)]));
        }
        let how = "and how long: run, 8h, 30d, always. Deny rules still win. Enter alone goes back.";
        lines.push(line(vec![Span::text(how)]));
        self.choosing = Some(offers);
        Heard::Shows(lines)
    }

    fn chooses(&mut self, offers: Vec<Offer>, line: &str) -> Heard {
        if line.is_empty() {
            return shows("Nothing is decided.");
        }
        let mut words = line.split_whitespace();
        let number = words.next().and_then(|word| word.parse::<usize>().ok());
        let offer = number.and_then(|number| offers.get(number.checked_sub(1)?));
        let long = words.next().and_then(standing::how_long);
        let (Some(offer), Some(remember), None) = (offer, long, words.next()) else {
            let count = offers.len();
            self.choosing = Some(offers);
            return shows(&format!(
                "“{line}” is not a number from 1 to {count} and a time, such as 1 8h. Nothing is decided. Enter alone \
                 goes back."
            ));
        };
        let Heard::Decided(yes) = self.allows() else { return Heard::Later };
        decided(Decision { remember, covers: offer.covers.clone(), ..*yes })
    }

    fn edits(&mut self) -> Heard {
        let now = self.edited.as_ref().unwrap_or(self.pending.arguments());
        match editor::edited(now) {
            Ok(Some(changed)) => Heard::Changed(Box::new(changed)),
            Ok(None) => shows("Nothing was changed, and nothing is decided."),
            Err(problem) => shows(&format!("{problem}. Nothing is decided.")),
        }
    }

    fn why(&self) -> Vec<Line> {
        let asked = &self.pending.asked;
        let mut lines = Vec::new();
        if let Some((layer, rule)) = &asked.rule {
            let spans = vec![Span::text(format!("{}: {}", layer.replace('_', " "), spoken_rule(rule)))];
            lines.push(crate::view::fact("asks", spans));
        }
        if !asked.reason.is_empty() {
            lines.push(crate::view::fact("because", vec![Span::text(&asked.reason)]));
        }
        if self.pending.is_in_doubt() {
            lines.push(crate::view::fact("because", vec![Span::text(&asked.summary)]));
            let answers = [
                ("1", "the call is not made again; the agent reads the result that you enter"),
                ("2", "the call is made again, also if it took effect the first time"),
                ("3", "the call is not made again; the agent reads that its outcome is unknown"),
            ];
            lines.extend(answers.map(|(key, text)| crate::view::fact(key, vec![Span::text(text)])));
            return lines;
        }
        lines.push(crate::view::fact("yes", vec![Span::text("makes this call, then the run goes on")]));
        lines.push(crate::view::fact(
            "no",
            vec![Span::text("changes nothing; the agent reads your reason and continues")],
        ));
        lines.push(crate::view::fact("later", vec![Span::text("the run waits; you can answer at any time")]));
        lines
    }

    fn help(&self) -> Vec<Line> {
        let mut lines = self.offer();
        let text = match self.pending.is_in_doubt() {
            true => "1 RESULT records the result; 2 looked runs the call again; 3 REASON does not run it.",
            false => {
                "n REASON declines, and the agent reads the reason. e opens $EDITOR; then y allows it as changed."
            }
        };
        lines.push(Line::note("answers", vec![Span::text(text)]));
        lines.push(Line::note("answers", vec![Span::text("Ctrl-C and the end of input mean later.")]));
        lines
    }
}

/// Returns a decision with the result of a call in doubt.
pub(crate) fn happened(by: String, result: &str, reason: &str) -> Decision {
    let why = Some(reason).filter(|reason| !reason.is_empty());
    let result = without_nulls(&json!({ "reported_by": by, "result": result.trim(), "reason": why }));
    Decision { reason: reason.to_owned(), ..Decision::happened(by, result) }
}

fn decided(decision: Decision) -> Heard {
    Heard::Decided(Box::new(decision))
}

fn shows(text: &str) -> Heard {
    Heard::Shows(vec![Line::note("answer", vec![Span::text(text)])])
}

/// What is not asked again from now on, said when it is granted.
pub(crate) fn granted(pending: &Pending, decision: &Decision) -> Option<Line> {
    (decision.remember != Remember::No).then(|| {
        let local = Local::new(zone(), clock::clock().now_ms());
        let words = standing::words(pending.tool(), &decision.covers, Some(&pending.asked));
        let ends = standing::ends(decision.remember, &local);
        let revoke = match decision.remember {
            Remember::Run => "",
            _ => "; provost approvals lists and revokes",
        };
        let text = format!("standing approval: {words}, {ends}{revoke}");
        Line::note("approval", vec![Span::text(text)])
    })
}

/// What a person changed of the arguments.
fn changes(before: &Object, after: &Object) -> Vec<Line> {
    let mut lines =
        vec![Line::note("answer", vec![Span::text("Your change to the call; nothing is decided yet:")])];
    let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for key in keys {
        let (old, new) = (before.get(key), after.get(key));
        if old != new {
            let line = |sign: &str, value: &serde_json::Value, role: Role| {
                Line::note("change", vec![Span::new(format!("{sign} {key}: {value}"), role)])
            };
            lines.extend(old.map(|value| line("-", value, Role::Bad)));
            lines.extend(new.map(|value| line("+", value, Role::Done)));
        }
    }
    lines
}

/// A line as text without its line end: a person types behind it.
fn line_of(line: &Line, screen: Screen) -> String {
    let paint = screen.paint(Stream::Notes);
    let text = styled(std::slice::from_ref(line), paint);
    let end = if paint.style == Style::Plain { " " } else { "" };
    format!("{}{end}", text.trim_end_matches(['\n', ' ']).to_owned() + if end.is_empty() { " " } else { "" })
}

fn rows() -> usize {
    crossterm::terminal::size().map_or(24, |(_, rows)| rows.into())
}
