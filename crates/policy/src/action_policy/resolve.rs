//! The order of the layers, and what may change the first answer.

use strum::IntoStaticStr;

use super::{ActionPolicy, Question};
use crate::decision::{Decision, Explained};
use crate::hook::HookAnswer;

/// The layers of action policy, in the order they answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Layer {
    /// The tools the run denies.
    Deny,
    /// The policy's word about this tool.
    ToolPolicy,
    /// The policy's word about a category of the tool.
    CategoryPolicy,
    /// The host's policy providers.
    Provider,
    /// A configured rule about the arguments of calls.
    Rule,
    /// What the agent's own file binds it to.
    Agent,
    /// What the user decided before and asked to remember.
    Remembered,
    /// The tool's own default.
    ToolDefault,
    /// The tool's default for the run's mode.
    ModeDefault,
    /// No layer had an answer.
    Default,
    /// The host's last word.
    FinalOverride,
}

/// What providers, memory and the final override answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Consulted {
    pub providers: Vec<HookAnswer<ActionPolicy>>,
    /// What is filed under the question's memory key.
    pub remembered: Option<ActionPolicy>,
    /// The host's last word.
    pub final_override: HookAnswer<ActionPolicy>,
}

impl Default for Consulted {
    /// Nobody was asked.
    fn default() -> Self {
        Self { providers: Vec::new(), remembered: None, final_override: Ok(None) }
    }
}

/// Decides how the tool may execute. `said` holds every answer, also those that came too late to count.
pub fn resolve(question: &Question, consulted: &Consulted) -> Explained<ActionPolicy> {
    if question.tool_name.is_empty() {
        let decision = direct("no_tool", "the call names no tool");
        return Explained { decision, said: Vec::new() };
    }
    let mut said = answers(question, &consulted.providers, consulted.remembered);
    let first = said.first().cloned().unwrap_or_else(nothing_said);
    let decision = overridden(first, consulted, &mut said);
    Explained { decision, said }
}

/// Decides about the call of a named tool by the configured layers and one provider. The layers answer in
/// their order; a provider that forbids, or failed, has the last word all the same: nothing outvotes a no.
pub fn judge(question: &Question, provider: HookAnswer<ActionPolicy>) -> Decision<ActionPolicy> {
    let mut said = answers(question, &[provider], None).into_iter();
    let first = said.next().unwrap_or_else(nothing_said);
    if first.verdict == ActionPolicy::Forbidden {
        return first;
    }
    let refuses = |said: &Decision<ActionPolicy>| {
        said.verdict == ActionPolicy::Forbidden && said.layer == <&str>::from(Layer::Provider)
    };
    said.find(refuses).unwrap_or(first)
}

fn direct(rule: &'static str, reason: &str) -> Decision<ActionPolicy> {
    Decision::new(ActionPolicy::Direct, Layer::Default, rule, reason)
}

fn nothing_said() -> Decision<ActionPolicy> {
    direct("nothing_else_said", "no rule says otherwise")
}

fn answers(
    question: &Question,
    providers: &[HookAnswer<ActionPolicy>],
    filed: Option<ActionPolicy>,
) -> Vec<Decision<ActionPolicy>> {
    let answer = |policy: ActionPolicy, layer: Layer, whose: &str| {
        Decision::new(policy, layer, policy.word(), format!("{whose} says {}", policy.spoken()))
    };
    let mut said = Vec::new();
    if question.is_denied {
        said.push(Decision::new(ActionPolicy::Forbidden, Layer::Deny, "denied", "the run denies the tool"));
    }
    said.extend(question.named.map(|policy| answer(policy, Layer::ToolPolicy, "the policy for this tool")));
    said.extend(question.by_category.as_ref().map(|(category, policy)| {
        answer(*policy, Layer::CategoryPolicy, &format!("the policy for the category {category}"))
            .given("category", category.as_str())
    }));
    said.extend(providers.iter().enumerate().filter_map(|(place, told)| provider(place, told)));
    let (declared, for_mode) = (question.declared, question.declared_for_mode);
    let own_word = declared.or(for_mode);
    said.extend(
        remembered(question, filed, own_word)
            .map(|policy| answer(policy, Layer::Remembered, "the user's earlier decision")),
    );
    said.extend(declared.map(|policy| answer(policy, Layer::ToolDefault, "the tool's default")));
    said.extend(for_mode.map(|policy| {
        answer(policy, Layer::ModeDefault, "the tool's default for the mode")
            .given("mode", question.mode.as_str())
    }));
    said
}

/// A provider that was to decide and could not has not allowed anything.
fn provider(place: usize, told: &HookAnswer<ActionPolicy>) -> Option<Decision<ActionPolicy>> {
    let decision = match told {
        Ok(None) => return None,
        Ok(Some(policy)) => {
            let reason = format!("policy provider {place} says {}", policy.spoken());
            Decision::new(*policy, Layer::Provider, policy.word(), reason)
        }
        Err(failure) => {
            let reason = format!("policy provider {place} decides, and {failure}");
            Decision::new(ActionPolicy::Forbidden, Layer::Provider, "provider_failed", reason)
        }
    };
    Some(decision.given("provider", place))
}

/// A remembered decision spares the user a question. It lifts nothing that is forbidden by now.
fn remembered(
    question: &Question,
    filed: Option<ActionPolicy>,
    own_word: Option<ActionPolicy>,
) -> Option<ActionPolicy> {
    question.memory_key()?;
    filed.filter(|_| own_word != Some(ActionPolicy::Forbidden))
}

/// The host's last word may replace any answer but a refusal; when it fails, it refuses.
fn overridden(
    first: Decision<ActionPolicy>,
    consulted: &Consulted,
    said: &mut Vec<Decision<ActionPolicy>>,
) -> Decision<ActionPolicy> {
    let last = match consulted.final_override {
        Ok(None) => return first,
        Ok(Some(policy)) => {
            let reason = format!("the host's last word is {}", policy.word());
            Decision::new(policy, Layer::FinalOverride, policy.word(), reason)
        }
        Err(failure) => {
            let reason = format!("the host has the last word, and {failure}");
            Decision::new(ActionPolicy::Forbidden, Layer::FinalOverride, "override_failed", reason)
        }
    };
    let last = last.given("instead_of", first.verdict.word());
    said.push(last.clone());
    if first.verdict == ActionPolicy::Forbidden { first } else { last }
}
