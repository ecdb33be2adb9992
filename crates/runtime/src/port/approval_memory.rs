//! Approval memory: questions that need not be asked again, in whichever run they come up.

use provost_contract::canonical;

use super::{Boxed, Fault};

/// A question somebody may spare: one rule about one tool, asked of one agent that works for one principal
/// in one workspace. Every other question is another one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SparedQuestion {
    pub workspace: String,
    pub principal: String,
    pub agent: String,
    pub tool: String,
    /// The layer of the rule that asks.
    pub layer: String,
    /// The rule that asks.
    pub rule: String,
}

impl SparedQuestion {
    /// A short name for people, the same for the same question.
    pub fn id(&self) -> String {
        let parts = [&self.workspace, &self.principal, &self.agent, &self.tool, &self.layer, &self.rule];
        let whole = serde_json::Value::from_iter(parts.map(String::as_str)).to_string();
        let digest = canonical::sha256(whole.as_bytes());
        digest.iter().take(5).fold("mem_".to_owned(), |id, byte| format!("{id}{byte:02x}"))
    }
}

/// A question that need not be asked again, and whose word that is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RememberedApproval {
    pub question: SparedQuestion,
    /// Who said so.
    pub by: String,
    /// When, as decisions record it.
    pub at: String,
    /// The run that had asked.
    pub run: String,
}

/// What people said to remember. It spares questions and allows nothing: what is forbidden is never asked.
/// Without a memory nothing is remembered beyond its run.
pub trait ApprovalMemory: Send + Sync {
    /// Keeps a word. Of several about one question the first stays.
    fn remember(&self, approval: RememberedApproval) -> Boxed<'_, Result<(), Fault>>;

    /// The word about a question.
    fn recall<'a>(
        &'a self,
        question: &'a SparedQuestion,
    ) -> Boxed<'a, Result<Option<RememberedApproval>, Fault>>;

    /// Every word, in the order they were kept.
    fn remembered(&self) -> Boxed<'_, Result<Vec<RememberedApproval>, Fault>>;

    /// Takes a word back, so that the question is asked again; says whether there was one.
    fn forget<'a>(&'a self, question: &'a SparedQuestion) -> Boxed<'a, Result<bool, Fault>>;
}
