//! Whether a person attends a run.

use provost_contract::json::{self, Object};
use provost_contract::loose;
use provost_contract::principal::AutonomousSources;

/// Who drives the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attendance {
    /// A person does.
    Attended,
    /// Nobody says who acts.
    NoPrincipal,
    /// No user acts.
    NoUser,
    /// The request came from automation.
    AutonomousSource,
}

impl Attendance {
    /// Reads the principal of a context, or its flat fields when the principal says neither how the
    /// request was authenticated nor for whom it acts.
    pub(super) fn of(context: &Object) -> Self {
        let says = |holder: &&Object| {
            ["auth_source", "acting_user_id"].iter().any(|key| json::present(holder, key).is_some())
        };
        let Some(who) = [json::object(context, "principal"), Some(context)].into_iter().flatten().find(says)
        else {
            return Self::NoPrincipal;
        };
        let acts = who.get("acting_user_id").and_then(loose::integer).is_some_and(|user| user > 0);
        let source = json::text(who, "auth_source").unwrap_or_default();
        match (AutonomousSources::default().contains(source), acts) {
            (true, _) => Self::AutonomousSource,
            (false, false) => Self::NoUser,
            (false, true) => Self::Attended,
        }
    }

    /// Why no person attends, in words; none when one does.
    pub(super) fn why_unattended(self) -> Option<&'static str> {
        match self {
            Self::Attended => None,
            Self::NoPrincipal => Some("no principal is known"),
            Self::NoUser => Some("no user acts"),
            Self::AutonomousSource => Some("automation acts"),
        }
    }
}
