//! The page: turns are added at the end, older declarations are compressed in steps.

use std::collections::VecDeque;

use super::frontier::Frontier;
use super::replay::{Fullness, Replay};
use super::turn::Turn;

const CLOSING: &str = "Based on all turns above, decide the next step.\n\
    Strictly follow the Agent Protocol output requirements for this request.\n";

/// A page that grows turn by turn. A turn is rendered once when it is added and once when it is
/// compressed, so the cost of a turn does not depend on the length of the history.
#[derive(Clone, Debug)]
pub struct Transcript {
    replay: Replay,
    /// Turns that will not change.
    settled: String,
    /// Turns that may still be compressed.
    recent: VecDeque<Recent>,
    /// The rendering of these turns, concatenated.
    tail: String,
    turns: usize,
    runs_in_recent: usize,
    compressed_runs: usize,
    was_compacted: bool,
}

/// A turn that may still be compressed.
#[derive(Clone, Debug)]
struct Recent {
    turn: Turn,
    index: usize,
    /// Its offset in the tail.
    start: usize,
}

impl Transcript {
    /// Creates an empty page.
    pub fn new(replay: Replay) -> Self {
        Self {
            replay,
            settled: String::new(),
            recent: VecDeque::new(),
            tail: String::new(),
            turns: 0,
            runs_in_recent: 0,
            compressed_runs: 0,
            was_compacted: false,
        }
    }

    /// Creates the page of a whole history.
    pub fn of(turns: impl IntoIterator<Item = Turn>, replay: Replay) -> Self {
        let mut page = Self::new(replay);
        turns.into_iter().for_each(|turn| page.push(turn));
        page
    }

    /// Adds a turn at the end.
    pub fn push(&mut self, turn: Turn) {
        self.turns += 1;
        self.was_compacted |= matches!(turn, Turn::Compacted { .. });
        match self.replay {
            Replay::Full => turn.write(&mut self.settled, self.turns, Fullness::Full),
            Replay::Compressed => turn.write(&mut self.settled, self.turns, Fullness::Compressed),
            Replay::Hybrid { keep, step, chars_max } => {
                let start = self.tail.len();
                turn.write(&mut self.tail, self.turns, fullness(&turn, chars_max));
                self.runs_in_recent += usize::from(matches!(turn, Turn::Run(_)));
                self.recent.push_back(Recent { turn, index: self.turns, start });
                if self.runs_in_recent >= keep.saturating_add(step.max(1)) {
                    self.compress(keep);
                }
            }
        }
    }

    /// Compresses all runs except the last ones to keep.
    fn compress(&mut self, keep: usize) {
        while self.runs_in_recent > keep {
            let Some(oldest) = self.recent.pop_front() else { break };
            let is_run = usize::from(matches!(oldest.turn, Turn::Run(_)));
            self.runs_in_recent -= is_run;
            self.compressed_runs += is_run;
            oldest.turn.write(&mut self.settled, oldest.index, Fullness::Compressed);
        }
        let gone = self.recent.front().map_or(self.tail.len(), |first| first.start);
        self.tail.drain(..gone);
        self.recent.iter_mut().for_each(|kept| kept.start -= gone);
    }

    /// Returns the number of turns.
    pub fn turns(&self) -> usize {
        self.turns
    }

    /// Returns how many runs have been compressed since they were first shown. While this number is unchanged,
    /// the page only grows at its end.
    pub fn compressed_runs(&self) -> usize {
        self.compressed_runs
    }

    /// Returns the turns: the part of the request that only grows.
    pub fn history(&self) -> String {
        [self.settled.as_str(), self.tail.as_str()].concat()
    }

    /// Returns the whole request: the turns, the progress of the work, and the closing instruction.
    ///
    /// After a compaction the progress is present even if it is empty: the model must not guess.
    pub fn request(&self, frontier: &Frontier) -> String {
        let mut out = self.history();
        if self.was_compacted || !frontier.is_empty() {
            frontier.write(&mut out);
        }
        out.push_str(CLOSING);
        out
    }
}

/// A short declaration is shown in full while it is recent.
fn fullness(turn: &Turn, chars_max: usize) -> Fullness {
    match turn {
        Turn::Run(run) if run.declaration_chars() > chars_max => Fullness::Compressed,
        Turn::Run(_)
        | Turn::User { .. }
        | Turn::Answer { .. }
        | Turn::Refused { .. }
        | Turn::Note { .. }
        | Turn::Compacted { .. } => Fullness::Full,
    }
}
