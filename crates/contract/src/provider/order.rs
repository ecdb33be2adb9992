//! The order adjacency rules demand: the calls of one step together, their results directly behind.
//!
//! A step is what a model says and calls before it hears a result. Calls that name the same turn are
//! one step even where a loop wrote each result behind its call: their reasoning and signatures belong
//! to all of them, and providers refuse them apart. Results follow in the order of their calls, for
//! where calls have no ids on the wire that order is all that tells them apart.

use super::flatten::Flat;
use super::item::Speaker;
use crate::Message;
use crate::json;
use crate::message::MessageType;

/// What a message is to the order of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The assistant says something.
    Says,
    /// The assistant calls a tool, in this turn.
    Calls(Option<u64>),
    /// A result of one of the calls before.
    Answers,
    /// Never sent, so nothing can stand on either side of it.
    Unsent,
    /// Anything else ends a step.
    Ends,
}

/// The positions of a flat transcript in the order to send them. `partners` holds for each paired
/// result the position of its call, and for each paired call that of its result.
pub(super) fn arrange(flat: &[Flat<'_>], partners: &[Option<usize>]) -> Vec<usize> {
    let partner = |position: usize| partners.get(position).copied().flatten();
    let places: Vec<Place> = flat
        .iter()
        .enumerate()
        .map(|(position, entry)| place(&entry.message, partner(position).is_some()))
        .collect();
    let mut order = Vec::with_capacity(flat.len());
    let mut placed = vec![false; flat.len()];
    for start in 0..flat.len() {
        if placed.get(start).copied().unwrap_or(true) {
            continue;
        }
        let step = Step::from(start, &places, &placed);
        let results = step.members.iter().filter(|member| is_call(&places, **member));
        let results: Vec<usize> = results.filter_map(|call| partner(*call)).collect();
        for position in step.members.into_iter().chain(results).chain(step.unsent) {
            if let Some(mark) = placed.get_mut(position) {
                *mark = true;
                order.push(position);
            }
        }
    }
    order
}

fn place(message: &Message, paired: bool) -> Place {
    match message.kind {
        MessageType::ToolCall => Place::Calls(turn_of(message)),
        MessageType::ToolResult if paired => Place::Answers,
        MessageType::ToolResult => Place::Ends,
        MessageType::Delta | MessageType::InputRequired | MessageType::ApprovalRequired => Place::Unsent,
        MessageType::Text | MessageType::FinalResult | MessageType::Error | MessageType::MultimodalPart => {
            match Speaker::of_role(message.role()) {
                Some(Speaker::Assistant) => Place::Says,
                Some(Speaker::System | Speaker::Developer | Speaker::User) | None => Place::Ends,
            }
        }
    }
}

/// The turn a call names.
pub(super) fn turn_of(message: &Message) -> Option<u64> {
    json::present(&message.payload, "turn")?.as_u64()
}

fn is_call(places: &[Place], position: usize) -> bool {
    matches!(places.get(position), Some(Place::Calls(_)))
}

/// What is sent together before any result.
#[derive(Debug, Default)]
struct Step {
    members: Vec<usize>,
    /// Entries among them that no provider sees; they follow the results.
    unsent: Vec<usize>,
}

impl Step {
    /// The step that starts here; a step of one when this is not the assistant's.
    fn from(start: usize, places: &[Place], placed: &[bool]) -> Self {
        let mut step = Self { members: vec![start], unsent: Vec::new() };
        if !matches!(places.get(start), Some(Place::Says | Place::Calls(_))) {
            return step;
        }
        let mut answered = false;
        let mut unsent = Vec::new();
        for position in start + 1..places.len() {
            let (Some(place), Some(false)) = (places.get(position), placed.get(position)) else { continue };
            match place {
                Place::Says if !answered => step.members.push(position),
                Place::Calls(turn) if !answered || step.has_call_of(*turn, places) => {
                    step.members.push(position);
                }
                Place::Answers => answered = true,
                Place::Unsent => {
                    unsent.push(position);
                    continue;
                }
                Place::Says | Place::Calls(_) | Place::Ends => break,
            }
            // What is not sent moves only when the step goes on behind it.
            step.unsent.append(&mut unsent);
        }
        step
    }

    fn has_call_of(&self, turn: Option<u64>, places: &[Place]) -> bool {
        turn.is_some() && self.members.iter().any(|member| places.get(*member) == Some(&Place::Calls(turn)))
    }
}
