//! Builds the observation of one outcome.

use provost_contract::action::{
    ActionId, ActionStatus, ContentFormat, Cut, Observation, Outcome, ResultPolicy, ReturnToModel,
};
use provost_contract::policies::{Audience, OutcomePart};

use super::Privacy;
use super::material::Material;
use super::shape::{Body, shape};
use crate::TokenCounter;

/// The inputs of an observation.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The run, part of every reference.
    pub run_id: &'a str,
    /// The action.
    pub action: &'a ActionId,
    /// Its outcome.
    pub outcome: &'a Outcome,
    /// The result policy of the model.
    pub policy: &'a ResultPolicy,
    /// The token budget of the runtime; the smaller of this and the policy's own limit applies.
    pub budget_tokens: u64,
    /// What must not be shown.
    pub privacy: &'a Privacy,
    /// The token counter.
    pub counter: &'a dyn TokenCounter,
}

impl View<'_> {
    /// Returns the token limit of the content.
    pub(super) fn tokens(&self) -> u64 {
        self.policy.max_tokens.map_or(self.budget_tokens, |wanted| wanted.min(self.budget_tokens))
    }
}

/// Builds the observation of an outcome.
pub fn observe(view: &View<'_>) -> Observation {
    let mut seen = Observation::new(view.outcome.status());
    if !view.privacy.visibility.shows(Audience::Model) {
        seen.withheld = true;
        return seen;
    }
    let material = Material::of(view.outcome, view.privacy);
    let body = shape(view, &material);
    fit(view, body, &mut seen);
    if refers(view, &seen) {
        seen.artifacts.push(format!("artifact://{}/{}", view.run_id, view.action));
    }
    seen
}

/// Truncates the body to the budget, and marks it.
fn fit(view: &View<'_>, body: Body, seen: &mut Observation) {
    let kept = view.counter.prefix(&body.text, view.tokens());
    let whole = kept.len() == body.text.len();
    if !whole || body.left_out {
        let total = chars(view.outcome.output.as_str().unwrap_or_default()).max(chars(&body.text));
        seen.cut = Some(Cut { shown: chars(kept), total });
    }
    // Half a JSON value is only text.
    seen.format = if whole { body.format } else { ContentFormat::Markdown };
    seen.level = body.level;
    seen.content = kept.to_owned();
}

/// Truncated text is always stored and referenced; otherwise the policy decides. A status needs no reference,
/// and an action that never ran has nothing to refer to.
fn refers(view: &View<'_>, seen: &Observation) -> bool {
    let ran = matches!(seen.status, ActionStatus::Completed | ActionStatus::Failed | ActionStatus::Waiting);
    let stored = view.policy.store_full && (ran || !view.outcome.output.is_null());
    view.policy.return_to_model != ReturnToModel::None
        && !view.privacy.withheld.requires(&OutcomePart::Artifacts)
        && (seen.is_truncated() || stored)
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
