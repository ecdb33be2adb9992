//! Why a provider would answer 400.

use serde::Serialize;
use strum::{Display, IntoStaticStr, VariantArray};

/// The rules of the four providers. A rule that several share has one name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Display, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Rule {
    /// A body, message, block or field is not of the kind the provider reads.
    Shape,
    /// There is no message at all.
    NoMessages,
    /// A role the provider does not know, or not in that place.
    Role,
    /// The first message is not the user's.
    FirstRole,
    /// A message says nothing.
    EmptyContent,
    /// A text block or part is empty.
    EmptyText,
    /// The last message is the assistant's and ends in whitespace.
    TrailingWhitespace,
    /// A kind of block or part that this role may not send.
    BlockPlace,
    /// The id of a call is missing, too long or has characters the provider refuses.
    CallId,
    /// Two calls have the same id.
    DuplicateCallId,
    /// The name of a tool is missing, too long or has characters the provider refuses.
    ToolName,
    /// The arguments of a call are not what the provider reads.
    CallArguments,
    /// A call has no result where the provider looks for it.
    DanglingCall,
    /// A result has no call where the provider looks for it.
    OrphanResult,
    /// A call has more than one result.
    DuplicateResult,
    /// Something else stands before the results of a message.
    ResultsFirst,
    /// A thinking block lost its signature, or a redacted one its data.
    ThinkingSignature,
    /// A thinking block stands where none may.
    ThinkingPlace,
    /// Thinking is on, and the assistant's message in an open tool loop does not begin with it.
    ThinkingFirst,
    /// A block of a tool the provider runs itself lacks its partner, or stands behind a call.
    ServerTool,
    /// A reasoning item is not followed by the item it led to.
    ReasoningAlone,
    /// The id of an item is too long or has not the prefix of its type.
    ItemId,
    /// A turn of calls does not follow a turn of the user or of results.
    CallTurn,
    /// A turn of results holds something else, or other results than the calls before it ask for.
    ResponseTurn,
    /// A call of the current turn lacks the signature its neighbours have.
    ThoughtSignature,
}

/// One reason for a provider to refuse a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The rule that is broken.
    pub rule: Rule,
    /// The position in the provider's own list of messages, items or contents.
    pub index: usize,
    /// What is wrong and what the provider expects, for a person.
    pub explanation: String,
}

/// Collects refusals while checking.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Refusal>);

impl Findings {
    pub(super) fn note(&mut self, rule: Rule, index: usize, explanation: impl Into<String>) {
        self.0.push(Refusal { rule, index, explanation: explanation.into() });
    }

    /// The findings in the order of the provider's list, each once.
    pub(super) fn sorted(mut self) -> Vec<Refusal> {
        self.0.sort_by_key(|refusal| (refusal.index, refusal.rule));
        self.0.dedup();
        self.0
    }
}
