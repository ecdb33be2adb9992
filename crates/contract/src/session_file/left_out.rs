//! What of a file is not part of the conversation.

use serde::Serialize;
use strum::{Display, IntoStaticStr};

/// Why lines are not taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Display, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Reason {
    /// The program's own records: events, titles, snapshots. No model was told of them.
    Bookkeeping,
    /// Files and reminders the program adds when it asks the model; no part of what was said.
    Attached,
    /// A kind of line this version does not know.
    UnknownKind,
    /// The line cannot be read.
    Broken,
    /// The conversation of a sub-agent beside the one that is read.
    SubAgent,
    /// A branch that the conversation did not go on with.
    OtherBranch,
    /// A summary stands in its place.
    Summarised,
    /// It was taken back by the user.
    TakenBack,
    /// The line is in the file twice.
    Repeated,
    /// An error of the service, written down as if the assistant had said it.
    ServiceError,
}

impl Reason {
    /// The reason, for a person.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Bookkeeping => "records of the program that were not sent to a model",
            Self::Attached => "added by the program when it asked the model",
            Self::UnknownKind => "a kind of line this version does not know",
            Self::Broken => "the line cannot be read",
            Self::SubAgent => "the conversation of a sub-agent",
            Self::OtherBranch => "a branch the conversation did not go on with",
            Self::Summarised => "a summary stands in its place",
            Self::TakenBack => "taken back by the user",
            Self::Repeated => "the same line stands in the file before",
            Self::ServiceError => "an error of the service, not said by the model",
        }
    }
}

/// Lines of one kind that are not taken over, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The kind, in the words of the file.
    pub kind: String,
    /// Why.
    pub reason: Reason,
    /// How many.
    pub count: usize,
    /// The line of the first, from 1.
    pub first_line: usize,
}

/// Counts what is left out.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<LeftOut>);

impl Tally {
    pub(super) fn note(&mut self, kind: &str, reason: Reason, line: usize) {
        match self.0.iter_mut().find(|known| known.reason == reason && known.kind == kind) {
            Some(known) => known.count += 1,
            None => {
                self.0.push(LeftOut { kind: kind.to_owned(), reason, count: 1, first_line: line });
            }
        }
    }

    /// Everything counted, in the order of the file.
    pub(super) fn into_list(mut self) -> Vec<LeftOut> {
        self.0.sort_by_key(|left_out| left_out.first_line);
        self.0
    }
}
