//! Who has a word in how a call may run, beside what was configured.

use provost_policy::{ActionPolicy, HookAnswer};

use super::MediatedCall;
use crate::port::Boxed;

/// A provider's word, and the rule behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// How the call may run.
    pub policy: ActionPolicy,
    /// The name of the rule.
    pub rule: String,
    /// The same for people, and for the model that must be told why.
    pub reason: String,
}

/// Asked about every call before it runs, and again after somebody approved it.
pub trait PolicyProvider: Send + Sync {
    /// The ruling, or no opinion. A provider that fails has forbidden the call.
    fn rule<'a>(&'a self, call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>>;
}
