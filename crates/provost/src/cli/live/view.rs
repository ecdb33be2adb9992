//! One run on a screen.

use std::sync::Arc;

use provost_runtime::port::Clock;
use serde_json::{Value, json};

use super::area::{Area, Room};
use super::line::line;
use super::progress::Progress;
use super::speech::{Speech, Voice};
use crate::cli::clock;
use crate::cli::screen::{Screen, Stream};
use crate::cli::view::Gauge;
use crate::cli::watched::Notes;
use crate::{Spoken, Told};

/// What a run is part of: it decides what is worth a line, and where words go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Manner {
    /// One run by itself; its last words are its result.
    Run,
    /// A conversation; every word of the model is said to somebody.
    Chat,
}

/// Shows one run.
pub(in crate::cli) struct Live {
    screen: Screen,
    notes: Notes,
    manner: Manner,
    /// The turns the run has: of `max_turns` and a budget of turns the one that counts.
    turns_max: Option<u64>,
    speech: Speech,
    clock: Arc<dyn Clock>,
    /// What is drawn anew, where something is.
    drawn: Option<(Area, Progress)>,
}

impl Live {
    pub(in crate::cli) fn new(screen: Screen, notes: Notes, manner: Manner, gauges: Vec<Gauge>) -> Self {
        let clock = clock::clock();
        let turns_max = gauges.iter().find(|gauge| gauge.name == "turns").and_then(|gauge| gauge.ceiling);
        let drawn = screen.can_draw().then(|| (Area::default(), Progress::new(gauges, clock.now_ms())));
        let speech = Speech::new(screen, voice(screen, manner));
        Self { screen, notes, manner, turns_max, speech, clock, drawn }
    }

    /// Whether something must be drawn anew while nothing happens.
    pub(in crate::cli) fn is_drawn(&self) -> bool {
        self.drawn.is_some()
    }

    /// Draws anew what changes with time and with the size of the terminal.
    pub(in crate::cli) fn draw(&mut self) {
        let now_ms = self.clock.now_ms();
        let Some((area, progress)) = &mut self.drawn else { return };
        match Room::now().filter(|_| !self.speech.is_speaking()) {
            // The model's words need the place; while they come they are what happens.
            Some(room) => area.draw(&progress.lines(now_ms, room.rows / 2), room),
            None => area.clear(),
        }
    }

    /// Takes away what is drawn: somebody else writes now.
    pub(in crate::cli) fn rest(&mut self) {
        self.speech.end_line();
        if let Some((area, _)) = &mut self.drawn {
            area.clear();
        }
    }

    /// A line beside what happens.
    pub(in crate::cli) fn note(&mut self, line: &str) {
        self.rest();
        self.screen.note(line);
        self.draw();
    }

    /// Takes in one event.
    pub(in crate::cli) fn take_in(&mut self, told: &Told) {
        if self.screen.is_json() {
            return self.screen.document(&document(told));
        }
        if let Some((area, progress)) = &mut self.drawn {
            area.clear();
            progress.take_in(told, self.clock.now_ms());
        }
        self.show(told);
        self.draw();
    }

    fn show(&mut self, told: &Told) {
        match told {
            Told::Event(observed) => {
                let is_turn = matches!(observed.event, "turn_started" | "resumed");
                if let Some(line) = line(observed, &self.notes, self.turns_max)
                    .filter(|_| !is_turn || self.manner == Manner::Run)
                {
                    self.speech.end_line();
                    self.screen.note(&line);
                }
            }
            Told::Spoken { piece, .. } => self.speech.take_in(piece),
            Told::LeftOut(count) => {
                self.speech.end_line();
                self.speech.miss();
                self.screen.note(&format!("  … {count} lines left out; see provost show"));
            }
        }
    }

    /// Whether these words of the model stand on the screen already, at its end.
    pub(in crate::cli) fn has_just_said(&self, words: &str) -> bool {
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

/// An event as machines read it.
fn document(told: &Told) -> Value {
    match told {
        Told::Event(observed) => {
            json!({ "type": "event", "event": observed.event, "payload": observed.payload })
        }
        Told::Spoken { turn, piece: Spoken::Text(text) } => {
            json!({ "type": "delta", "turn": turn, "text": text })
        }
        Told::Spoken { turn, piece: Spoken::Restart } => json!({ "type": "restart", "turn": turn }),
        Told::Spoken { turn, piece: Spoken::Whole { text, usage } } => {
            json!({ "type": "answer", "turn": turn, "text": text, "usage": usage })
        }
        Told::LeftOut(count) => json!({ "type": "left_out", "count": count }),
    }
}
