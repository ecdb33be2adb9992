//! One run while it is watched: lines for people, documents for programs.

use provost::{Followed, Seq};
use provost_engine::WaitId;
use provost_runtime::actor::{LoadError, ReadRun};

use super::machines::Reader;
use super::people::People;
use crate::screen::Screen;
use crate::text::Line;
use crate::typing::ChatInput;
use crate::view::{Context, Gauge};

/// Whether the lines are for a single run or for chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// One run by itself; its last words are its result.
    Run,
    /// A conversation; all model text is shown.
    Chat,
}

/// Shows one run.
pub(crate) enum Live {
    People(Box<People>),
    Machines { screen: Screen, reader: Option<Box<Reader>> },
}

impl Live {
    pub(crate) fn new(screen: Screen, manner: Manner, limits: Vec<Gauge>, context: Context) -> Self {
        match screen.is_json() {
            true => Self::Machines { screen, reader: None },
            false => Self::People(Box::new(People::new(screen, manner, limits, context))),
        }
    }

    /// Whether something must be drawn again while nothing happens.
    pub(crate) fn is_drawn(&self) -> bool {
        matches!(self, Self::People(people) if people.is_drawn())
    }

    /// Draws again what changes with time and with the size of the terminal.
    pub(crate) fn draw(&mut self) {
        if let Self::People(people) = self {
            people.draw();
        }
    }

    /// Removes what is drawn, because other code writes to the terminal now.
    pub(crate) fn rest(&mut self) {
        if let Self::People(people) = self {
            people.rest();
        }
    }

    /// A line beside what happens.
    pub(crate) fn note(&mut self, text: &str) {
        match self {
            Self::People(people) => people.note(text),
            Self::Machines { screen, .. } => screen.note(text),
        }
    }

    /// What the next Ctrl-C does.
    pub(crate) fn hint(&mut self, hint: &'static str) {
        if let Self::People(people) = self {
            people.hint(hint);
        }
    }

    /// Shows what a person types while the run works.
    pub(crate) fn chat_input(&mut self, chat_input: &ChatInput) {
        if let Self::People(people) = self {
            people.chat_input(chat_input.view(people.desk_cells()));
        }
    }

    /// Lines below what happened.
    pub(crate) fn print(&mut self, lines: &[Line]) {
        if let Self::People(people) = self {
            people.print(lines);
        }
    }

    /// Takes in a run as it is stored, and shows what is behind a position. Returns the position to watch from.
    pub(crate) fn begin(&mut self, read: &ReadRun, shown: Seq) -> Result<Seq, LoadError> {
        match self {
            Self::People(people) => people.begin(read, shown),
            Self::Machines { screen, reader } => {
                let (new, news) = Reader::begin(read, shown)?;
                let seq = new.seq();
                *reader = Some(Box::new(new));
                news.iter().for_each(|news| screen.document(news));
                Ok(seq)
            }
        }
    }

    /// How far the run was taken in.
    pub(crate) fn seq(&self) -> Seq {
        match self {
            Self::People(people) => people.seq(),
            Self::Machines { reader, .. } => reader.as_ref().map_or(Seq(0), |reader| reader.seq()),
        }
    }

    /// Takes in what a watcher got.
    pub(crate) fn take_in(&mut self, followed: Followed) {
        match self {
            Self::People(people) => people.take_in(followed),
            Self::Machines { screen, reader } => {
                let news = reader.as_mut().map(|reader| reader.take(followed)).unwrap_or_default();
                news.iter().for_each(|news| screen.document(news));
            }
        }
    }

    /// Whether these words of the model stand on the screen already, at its end.
    pub(crate) fn has_just_said(&self, words: &str) -> bool {
        matches!(self, Self::People(people) if people.has_just_said(words))
    }

    /// Shows how the run ended.
    pub(crate) fn end(&mut self) {
        if let Self::People(people) = self {
            people.end();
        }
    }

    /// Whether a question stands on the screen already.
    pub(crate) fn has_asked(&self, wait: &WaitId) -> bool {
        matches!(self, Self::People(people) if people.has_asked(wait))
    }

    /// What lines are made for.
    pub(crate) fn context(&self) -> Context {
        match self {
            Self::People(people) => people.context(),
            Self::Machines { .. } => Context::default(),
        }
    }
}
