//! What an agent's own file says about tools.

use globset::{Glob, GlobMatcher};

use super::RuleError;
use crate::action_policy::Layer;
use crate::{ActionPolicy, Decision};

/// Words about tools that bind an agent tighter than its project does, and never looser.
#[derive(Clone, Debug, Default)]
pub struct AgentWords(Vec<(GlobMatcher, ActionPolicy)>);

impl AgentWords {
    /// Reads names of tools, `*` for any letters, and how they may run.
    ///
    /// # Errors
    /// When a name is no pattern.
    pub fn read<'w>(words: impl IntoIterator<Item = (&'w str, ActionPolicy)>) -> Result<Self, RuleError> {
        let read = |(name, policy): (&str, ActionPolicy)| {
            let glob = Glob::new(name).map_err(|error| RuleError::pattern("the tool", name, error.kind()))?;
            Ok((glob.compile_matcher(), policy))
        };
        words.into_iter().map(read).collect::<Result<_, RuleError>>().map(Self)
    }

    /// Whether any of the words is about a tool.
    pub fn concern(&self, tool: &str) -> bool {
        self.0.iter().any(|(name, _)| name.is_match(tool))
    }

    /// The decision of the project, or the agent's own word when that is stricter.
    pub fn bind(&self, tool: &str, decision: Decision<ActionPolicy>) -> Decision<ActionPolicy> {
        let own = self.0.iter().filter(|(name, _)| name.is_match(tool)).max_by_key(|(_, policy)| *policy);
        match own.filter(|(_, policy)| *policy > decision.verdict) {
            None => decision,
            Some((name, policy)) => {
                let reason = format!("the agent's own file says {}", policy.spoken());
                Decision::new(*policy, Layer::Agent, name.glob().glob().to_owned(), reason)
                    .given("instead_of", decision.verdict.spoken())
            }
        }
    }
}
