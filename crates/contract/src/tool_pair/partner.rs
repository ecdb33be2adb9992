//! Finding the partner of each half.

use super::waiting::Waiting;
use super::{Entry, Side};

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
    for (index, entry) in transcript.iter().enumerate() {
        let Some(half) = entry.half()? else { continue };
        let call = match half.side() {
            Side::Call => {
                waiting.join(half, index);
                None
            }
            Side::Result => waiting.take(half),
        };
        meet(index, call);
    }
    Ok(())
}
