//! Who has a word in how a call may run, beside what was configured.

use provost_contract::json::Object;
use provost_engine::PLACE;
use provost_policy::action_policy::Layer;
use provost_policy::{ActionPolicy, Decision, HookAnswer, PERSON_ONLY};

use super::{Boxed, MediatedCall};

/// A provider's word, and the rule behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruling {
    /// How the call may run.
    pub policy: ActionPolicy,
    /// The part of the provider's policy that spoke.
    pub layer: &'static str,
    /// The name of the rule.
    pub rule: String,
    /// The same for people, and for the model that must be told why.
    pub reason: String,
    /// What the rule looked at. Nothing that may be a secret: it is recorded.
    pub inputs: Object,
}

impl Ruling {
    /// A provider's word.
    pub fn new(policy: ActionPolicy, rule: impl Into<String>, reason: impl Into<String>) -> Self {
        let layer = Layer::Provider.into();
        Self { policy, layer, rule: rule.into(), reason: reason.into(), inputs: Object::new() }
    }

    /// Asks a person about exactly this call: no word about the tool, no approval given beforehand and none
    /// that was remembered answers it. Where no person can be asked, the call is refused.
    #[must_use]
    pub fn person_only(mut self) -> Self {
        self.policy = self.policy.max(ActionPolicy::Preview);
        self.inputs.insert(PERSON_ONLY.to_owned(), true.into());
        self
    }

    /// Names the file or folder that the call is about, relative to the workspace and with its links resolved. A
    /// standing approval for a folder covers the calls about what lies in it.
    #[must_use]
    pub fn about(mut self, place: impl Into<String>) -> Self {
        self.inputs.insert(PLACE.to_owned(), place.into().into());
        self
    }

    /// Whether only a person may answer, about exactly this call.
    pub fn is_person_only(&self) -> bool {
        self.policy == ActionPolicy::Preview && self.inputs.get(PERSON_ONLY) == Some(&true.into())
    }
}

impl From<Decision<ActionPolicy>> for Ruling {
    fn from(decision: Decision<ActionPolicy>) -> Self {
        let Decision { verdict, layer, rule, reason, inputs } = decision;
        Self { policy: verdict, layer, rule: rule.into_owned(), reason, inputs }
    }
}

/// Asked about every call before it runs, and again after somebody approved it.
pub trait PolicyProvider: Send + Sync {
    /// The ruling, or no opinion. A provider that fails has forbidden the call; what it forbids stays
    /// forbidden, whoever else spoke.
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>>;

    /// Names the policy as it is now. When the name changes between two processes, everything that a run has not
    /// started is judged again.
    fn version(&self) -> String {
        String::new()
    }
}
