//! Finding the partner of each half.

use super::waiting::Waiting;
use super::{Entry, Half, Place, Side};

/// For each half that has a partner the position of that partner: of a call its result, of a result its
/// call. Everything else has none.
pub fn partners<E: Entry>(transcript: &[E]) -> Result<Vec<Option<usize>>, E::Refusal> {
    let mut partners = vec![None; transcript.len()];
    walk(transcript, |result, call| {
        let Some(call) = call else { return };
        for (of, is) in [(call, result), (result, call)] {
            if let Some(partner) = partners.get_mut(of) {
                *partner = Some(is);
            }
        }
    })?;
    Ok(partners)
}

/// Meets every half in order: a call with none, a result with the position of the call it answers.
pub(super) fn walk<E: Entry>(
    transcript: &[E],
    mut meet: impl FnMut(usize, Option<usize>),
) -> Result<(), E::Refusal> {
    let mut waiting = Waiting::in_transcript_of(transcript.len());
    let mut steps = Steps::default();
    for (index, entry) in transcript.iter().enumerate() {
        let half = match entry.place()? {
            Place::Half(half) => half,
            Place::EndsStep => {
                steps.end();
                continue;
            }
            Place::Other => continue,
        };
        let call = match half.side() {
            Side::Call => {
                waiting.join(half, index, steps.of_call(half));
                None
            }
            Side::Result => {
                steps.answered = true;
                waiting.take(half)
            }
        };
        meet(index, call);
    }
    Ok(())
}

/// Counts the steps of a transcript.
#[derive(Default)]
struct Steps {
    now: usize,
    /// The turn that the newest call named.
    turn: Option<u64>,
    /// Whether a result followed the newest call.
    answered: bool,
}

impl Steps {
    fn end(&mut self) {
        *self = Self { now: self.now + 1, ..Self::default() };
    }

    /// The step of the next call. Calls of one turn are one step, also where each result stands behind its call.
    fn of_call(&mut self, call: Half<'_>) -> usize {
        let turn = call.turn();
        let is_same = match (self.turn, turn) {
            (Some(before), Some(turn)) => before == turn,
            (None, _) | (_, None) => !self.answered,
        };
        if !is_same {
            self.end();
        }
        self.turn = turn.or(self.turn);
        self.now
    }
}
