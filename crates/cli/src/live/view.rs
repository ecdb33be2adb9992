//! One run on a screen.

use std::sync::Arc;

use provost::{Followed, Seq};
use provost_project::clock;
use provost_runtime::actor::{LoadError, ReadRun};
use provost_runtime::port::Clock;
use serde_json::{Value, json};

use super::area::{Area, Room};
use super::line::line;
use super::news::{News, Reader};
use super::progress::Progress;
use super::speech::{Speech, Voice};
use crate::screen::{Screen, Stream};
use crate::view::Gauge;

/// What a run is part of: it decides what is worth a line, and where words go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// One run by itself; its last words are its result.
    Run,
    /// A conversation; every word of the model is said to somebody.
    Chat,
}

/// Shows one run.
pub(crate) struct Live {
    screen: Screen,
    /// What was taken in of the run; none before it began.
    reader: Option<Reader>,
    manner: Manner,
    /// The turns the run has: of `max_turns` and a budget of turns the one that counts.
    turns_max: Option<u64>,
    speech: Speech,
    clock: Arc<dyn Clock>,
    /// What is drawn anew, where something is.
    drawn: Option<(Area, Progress)>,
}

impl Live {
    pub(crate) fn new(screen: Screen, manner: Manner, gauges: Vec<Gauge>) -> Self {
        let clock = clock::clock();
        let turns_max = gauges.iter().find(|gauge| gauge.name == "turns").and_then(|gauge| gauge.ceiling);
        let drawn = screen.can_draw().then(|| (Area::default(), Progress::new(gauges, clock.now_ms())));
        let speech = Speech::new(screen, voice(screen, manner));
        Self { screen, reader: None, manner, turns_max, speech, clock, drawn }
    }

    /// Whether something must be drawn anew while nothing happens.
    pub(crate) fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// Draws anew what changes with time and with the size of the terminal.
    pub(crate) fn draw(&mut self) {
        let now_ms = self.clock.now_ms();
        let Some((area, progress)) = &mut self.drawn else { return };
        match Room::now().filter(|_| !self.speech.is_speaking()) {
            // The model's words need the place; while they come they are what happens.
            Some(room) => area.draw(&progress.lines(now_ms, room.rows / 2), room),
            None => area.clear(),
        }
    }

    /// Takes away what is drawn: somebody else writes now.
    pub(crate) fn rest(&mut self) {
        self.speech.end_line();
        if let Some((area, _)) = &mut self.drawn {
            area.clear();
        }
    }

    /// A line beside what happens.
    pub(crate) fn note(&mut self, line: &str) {
        self.rest();
        self.screen.note(line);
        self.draw();
    }

    /// Takes in a run as it is stored, and shows what is behind a position. Returns the position to watch from.
    pub(crate) fn begin(&mut self, read: &ReadRun, shown: Seq) -> Result<Seq, LoadError> {
        let (reader, news) = Reader::begin(read, shown)?;
        let seq = reader.seq();
        self.reader = Some(reader);
        news.iter().for_each(|news| self.show_news(news));
        Ok(seq)
    }

    /// How far the run was taken in.
    pub(crate) fn seq(&self) -> Seq {
        self.reader.as_ref().map_or(Seq(0), Reader::seq)
    }

    /// Takes in what a watcher got.
    pub(crate) fn take_in(&mut self, followed: Followed) {
        let news = self.reader.as_mut().map(|reader| reader.take(followed)).unwrap_or_default();
        news.iter().for_each(|news| self.show_news(news));
    }

    fn show_news(&mut self, news: &News) {
        if self.screen.is_json() {
            return self.screen.document(&document(news));
        }
        if let Some((area, progress)) = &mut self.drawn {
            area.clear();
            progress.take_in(news, self.clock.now_ms());
        }
        self.show(news);
        self.draw();
    }

    fn show(&mut self, news: &News) {
        match news {
            News::Event { observed, ended, .. } => {
                let is_turn = matches!(observed.event, "turn_started" | "resumed");
                if let Some(line) = line(observed, ended.as_ref(), self.turns_max)
                    .filter(|_| !is_turn || self.manner == Manner::Run)
                {
                    self.speech.end_line();
                    self.screen.note(&line);
                }
            }
            News::Text(_) | News::Restart | News::Whole { .. } => self.speech.take_in(news),
            News::Trouble(problem) => {
                self.speech.end_line();
                self.screen.note(&format!("  ! {problem}"));
            }
            News::LeftOut(count) => {
                self.speech.end_line();
                self.speech.miss();
                self.screen.note(&format!("  … {count} pieces left out; see provost show"));
            }
            News::Unreadable(problem) => {
                self.speech.end_line();
                self.screen.note(&format!("  ! the journal cannot be read any further: {problem}"));
            }
        }
    }

    /// Whether these words of the model stand on the screen already, at its end.
    pub(crate) fn has_just_said(&self, words: &str) -> bool {
        self.speech.has_just_said(words)
    }
}

fn voice(screen: Screen, manner: Manner) -> Voice {
    match manner {
        Manner::Chat if screen.is_terminal(Stream::Data) => Voice::Pieces(Stream::Data),
        Manner::Chat => Voice::Answers(Stream::Data),
        Manner::Run if screen.is_terminal(Stream::Notes) => {
            // On one terminal the words are the result; beside a file they are only watched.
            Voice::Pieces(if screen.is_terminal(Stream::Data) { Stream::Data } else { Stream::Notes })
        }
        Manner::Run => Voice::Silent,
    }
}

/// News as machines read it.
fn document(news: &News) -> Value {
    match news {
        News::Event { seq, observed, .. } => {
            json!({ "type": "event", "seq": seq, "event": observed.event, "payload": observed.payload })
        }
        News::Text(text) => json!({ "type": "delta", "text": text }),
        News::Restart => json!({ "type": "restart" }),
        News::Whole { turn, text, usage } => {
            json!({ "type": "answer", "turn": turn, "text": text, "usage": usage })
        }
        News::Trouble(problem) => json!({ "type": "trouble", "problem": problem }),
        News::LeftOut(count) => json!({ "type": "left_out", "count": count }),
        News::Unreadable(problem) => json!({ "type": "unreadable", "problem": problem }),
    }
}
