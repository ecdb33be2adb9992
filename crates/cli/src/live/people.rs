//! A run on a screen that people read.

use std::sync::Arc;

use provost::{Delta, Followed, Seq};
use provost_engine::WaitId;
use provost_engine::event::{Event, EventKind};
use provost_engine::view::{Piece, StoryLine, StoryReader};
use provost_project::clock;
use provost_runtime::actor::{LoadError, ReadRun};
use provost_runtime::port::Clock;

use super::area::{Area, Room};
use super::status::Status;
use super::tail::Tails;
use super::view::Manner;
use crate::screen::{Printer, Screen, Stream};
use crate::text::{Column, Line, Mark, Role, Span, first_line};
use crate::typing::ChatInputView;
use crate::view::{Context, Gauge, HUMAN, lines, object, over};

/// Where typed text begins, and where its line ends at most.
const TYPED_AT: usize = 3;
const COLUMNS_TYPED_MAX: usize = 100;

/// Shows one run as lines.
pub(crate) struct People {
    screen: Screen,
    manner: Manner,
    context: Context,
    limits: Vec<Gauge>,
    printer: Printer,
    clock: Arc<dyn Clock>,
    since_ms: i64,
    /// What was taken in of the run; none before it began.
    story: Option<StoryReader>,
    seq: Seq,
    /// The model's words that are not whole yet.
    spoken: String,
    tails: Tails,
    /// The next try to get a response.
    retry: Option<Retry>,
    /// The last words that were shown.
    last: Option<String>,
    hint: &'static str,
    /// The questions that stand on the screen.
    asked: Vec<WaitId>,
    area: Option<Area>,
    /// What a person types meanwhile.
    chat_input: Option<ChatInputView>,
}

/// A try to get a response that has not begun.
struct Retry {
    host: String,
    due: i64,
    next: u32,
    attempts_max: u32,
}

impl Retry {
    fn line(&self, now_ms: i64) -> Line {
        let seconds = u64::try_from(self.due.saturating_sub(now_ms)).unwrap_or_default().div_ceil(1_000);
        let text = if seconds == 0 { "asked again".to_owned() } else { format!("again in {seconds} s") };
        let spans = vec![
            Span::text("model").at(Column::Tool),
            Span::text(&self.host).at(Column::Object),
            Span::text(text).at(Column::Outcome),
        ];
        let right = vec![Span::quiet(format!("try {} of {}", self.next, self.attempts_max))];
        Line::new(Mark::Waits, "", spans).right(right)
    }
}

/// The problem without the address that stands beside it: `connection refused`.
fn without_address<'a>(problem: &'a str, address: &str) -> &'a str {
    let reason = problem.strip_prefix("cannot reach ").and_then(|rest| rest.strip_prefix(address));
    let reason = reason.and_then(|rest| rest.trim().strip_prefix('(')?.strip_suffix(')'));
    reason.unwrap_or(problem)
}

/// A try that failed.
fn tried(host: &str, problem: &str, attempt: u32) -> Line {
    let spans = vec![
        Span::text("model").at(Column::Tool),
        Span::text(host).at(Column::Object),
        Span::text(problem).at(Column::Outcome),
    ];
    Line::new(Mark::Waits, "", spans).right(vec![Span::quiet(format!("try {attempt}"))])
}

impl People {
    pub(super) fn new(screen: Screen, manner: Manner, limits: Vec<Gauge>, context: Context) -> Self {
        let clock = clock::clock();
        Self {
            screen,
            manner,
            context,
            limits,
            printer: Printer::new(screen, Stream::Notes),
            since_ms: clock.now_ms(),
            clock,
            story: None,
            seq: Seq(0),
            spoken: String::new(),
            tails: Tails::default(),
            retry: None,
            last: None,
            hint: "Ctrl-C stops",
            asked: Vec::new(),
            area: screen.can_draw().then(Area::default),
            chat_input: None,
        }
    }

    pub(super) fn seq(&self) -> Seq {
        self.seq
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.area.is_some()
    }

    pub(super) fn context(&self) -> Context {
        self.context.clone()
    }

    pub(super) fn has_asked(&self, wait: &WaitId) -> bool {
        self.asked.contains(wait)
    }

    /// Shows how the run ended.
    pub(super) fn end(&mut self) {
        let Some(story) = &self.story else { return };
        let Some(status) = story.state().ended else { return };
        let stop = story.state().stops.iter().find(|stop| stop.status() == status);
        let lines = over(status, stop, &story.totals(), &self.context);
        self.print(&lines);
    }

    pub(super) fn has_just_said(&self, words: &str) -> bool {
        self.last.as_deref().is_some_and(|last| last.trim() == words.trim())
    }

    /// Takes in a run as it is stored, and shows what is behind a position.
    pub(super) fn begin(&mut self, read: &ReadRun, shown: Seq) -> Result<Seq, LoadError> {
        let Some((first, others)) = read.events.split_first() else {
            return Err(LoadError::Unknown(read.run.clone()));
        };
        let (story, told) = StoryReader::begin(&read.agent, &read.history, first)?;
        self.story = Some(story);
        self.seq = first.seq;
        if shown < first.seq {
            self.tell(&told);
        }
        for event in others {
            self.seq = event.seq;
            let Some(story) = self.story.as_mut() else { break };
            let mut told = story.take(event)?;
            told.retain(|line| line.seq > shown);
            self.tell(&told);
            if event.seq > shown {
                self.started(event);
            }
        }
        Ok(self.seq)
    }

    pub(super) fn take_in(&mut self, followed: Followed) {
        // What streams is drawn at the next tick, however fast it comes.
        let streams = matches!(followed, Followed::Delta(_));
        match followed {
            Followed::Event(event) => self.event(&event.event),
            Followed::Delta(Delta::Text(text)) => {
                self.retry = None;
                self.spoken.push_str(&text);
            }
            Followed::Delta(Delta::Restart) => self.broke_off(),
            Followed::Delta(Delta::Retry { address, problem, attempt, attempts_max, wait_ms }) => {
                let host = address.split_once("://").map_or(address.as_str(), |(_, host)| host).to_owned();
                let problem = without_address(first_line(&problem), &address);
                self.print(&[tried(&host, problem, attempt)]);
                let due = self.clock.now_ms().saturating_add(i64::try_from(wait_ms).unwrap_or(i64::MAX));
                self.retry = Some(Retry { host, due, next: attempt.saturating_add(1), attempts_max });
            }
            Followed::Delta(Delta::Trouble(problem)) => {
                self.note(&format!("{problem}; it is tried again until it can be written"));
            }
            Followed::Delta(Delta::Output { action, text }) => self.tails.push(action, &text),
            // Calls are shown when they are declared, with what was decided about them.
            Followed::Delta(
                Delta::Reasoning(_) | Delta::Call { .. } | Delta::Arguments { .. } | Delta::Progress { .. },
            ) => {}
            Followed::Lagged(count) => self.note(&format!("{count} pieces left out; provost show has them")),
            Followed::Unreadable(problem) => {
                self.note(&format!("the journal cannot be read any further: {problem}"));
            }
        }
        if !streams || self.area.as_ref().is_some_and(Area::is_empty) {
            self.draw();
        }
    }

    fn event(&mut self, event: &Event) {
        let Some(story) = self.story.as_mut().filter(|_| event.seq > self.seq) else { return };
        self.seq = event.seq;
        match story.take(event) {
            Ok(told) => {
                self.tails.retain(|action| story.running().any(|(call, _)| call.action == action));
                self.tell(&told);
                self.started(event);
            }
            Err(illegal) => self.note(&format!("the journal cannot be read any further: {illegal}")),
        }
    }

    /// Where nothing is drawn again, the start of a call that may take its time is a line of its own.
    fn started(&mut self, event: &Event) {
        let (EventKind::ActionStarted(started), Some(story), None) = (&event.kind, &self.story, &self.area)
        else {
            return;
        };
        let call = story.running().map(|(call, _)| call).find(|call| call.action == started.action);
        let action = story.state().action(started.action).filter(|action| !action.spec.only_reads());
        let (Some(call), Some(action)) = (call, action) else { return };
        let spans = vec![
            Span::text(&call.tool).at(Column::Tool),
            Span::text(object(&call.tool, &action.args.redacted)).at(Column::Object),
            Span::new("running", Role::Alive).at(Column::Outcome),
        ];
        self.print(&[Line::new(Mark::Running(0), format!("call {}", call.number), spans)]);
    }

    /// Discards the partial response.
    fn broke_off(&mut self) {
        if !std::mem::take(&mut self.spoken).is_empty() {
            let spans = vec![
                Span::text("model").at(Column::Tool),
                Span::text("").at(Column::Object),
                Span::new("broke off", Role::Text).at(Column::Outcome),
                Span::text(", asked again"),
            ];
            self.print(&[Line::new(Mark::Waits, "", spans)]);
        }
    }

    fn tell(&mut self, told: &[StoryLine]) {
        for line in told {
            if let Piece::Turn { .. } | Piece::Words { .. } = &line.piece {
                self.spoken.clear();
                self.retry = None;
            }
            if let (Piece::Asks { pending, .. }, true) = (&line.piece, self.is_shown(&line.piece)) {
                self.asked.push(pending.wait.clone());
            }
            if self.is_shown(&line.piece) {
                let lines = lines(line, &self.context);
                self.print(&lines);
            }
            if let Piece::Words { text } = &line.piece {
                self.said(text);
            }
        }
    }

    /// In chat, turns and the person's own text are not shown, and a question is shown only when it is asked here.
    fn is_shown(&self, piece: &Piece) -> bool {
        match piece {
            Piece::Turn { .. } | Piece::Prompt { .. } | Piece::CancelAsked { .. } => {
                self.manner == Manner::Run
            }
            Piece::Asks { .. } => self.manner == Manner::Run && !self.screen.can_ask(),
            Piece::Waits { call, .. } => call.tool != HUMAN,
            Piece::Words { .. } => self.manner == Manner::Run || self.speaks_here(),
            _ => true,
        }
    }

    /// Whether the model's words stand among the lines; else they are data.
    fn speaks_here(&self) -> bool {
        self.screen.is_terminal(Stream::Data) && self.screen.is_terminal(Stream::Notes)
    }

    fn said(&mut self, text: &str) {
        if self.manner == Manner::Chat && !self.speaks_here() {
            self.screen.data(text);
        }
        self.last = Some(text.to_owned());
    }

    /// Draws again what changes with time and with the size of the terminal.
    pub(super) fn draw(&mut self) {
        let (Some(story), Some(area)) = (&self.story, &mut self.area) else { return };
        let Some(room) = Room::now().filter(|_| self.screen.can_draw()) else {
            return area.clear();
        };
        let status = Status {
            story,
            limits: &self.limits,
            spoken: &self.spoken,
            tails: &self.tails,
            trouble: self.retry.as_ref().map(|retry| retry.line(self.clock.now_ms())),
            since_ms: self.since_ms,
            now_ms: self.clock.now_ms(),
            hint: self.hint,
        };
        let chat_input = self
            .chat_input
            .as_ref()
            .map(|chat_input| [chat_input.queued.clone(), vec![chat_input.line.clone()]].concat());
        let mut desk_rows = self.printer.rows(&chat_input.unwrap_or_default());
        desk_rows.drain(..desk_rows.len().saturating_sub(room.lines / 2));
        let room = Room { lines: room.lines - desk_rows.len(), ..room };
        let mut rows = self.printer.rows(&status.lines(room, 0));
        let over = rows.len().saturating_sub(room.lines);
        // A line may take several rows: outputs give way before the calls that print them.
        if over > 0 {
            rows = self.printer.rows(&status.lines(room, over));
        }
        let over = rows.len().saturating_sub(room.lines);
        rows.drain(..over);
        rows.append(&mut desk_rows);
        area.draw(&rows, self.chat_input.as_ref().map(|chat_input| TYPED_AT + chat_input.cursor));
    }

    /// Takes away what is drawn, and shows what was held back: another writer uses the terminal.
    pub(super) fn rest(&mut self) {
        self.spoken.clear();
        let held = self.story.as_mut().map(StoryReader::flush).unwrap_or_default();
        self.tell(&held);
        if let Some(area) = &mut self.area {
            area.clear();
        }
    }

    /// Appends lines above what is drawn.
    pub(super) fn print(&mut self, lines: &[Line]) {
        if let Some(area) = &mut self.area {
            area.clear();
        }
        self.printer.print(lines);
    }

    pub(super) fn note(&mut self, text: &str) {
        self.print(&[Line::note("run", vec![Span::text(text)])]);
        self.draw();
    }

    /// Shows what is typed below what is drawn.
    pub(super) fn chat_input(&mut self, view: ChatInputView) {
        self.chat_input = Some(view);
        self.draw();
    }

    /// How many cells there are for what is typed.
    pub(super) fn desk_cells(&self) -> usize {
        let columns = self.screen.paint(Stream::Notes).columns.unwrap_or(80);
        columns.min(COLUMNS_TYPED_MAX).saturating_sub(TYPED_AT + 1)
    }

    pub(super) fn hint(&mut self, hint: &'static str) {
        self.hint = hint;
        self.draw();
    }
}
