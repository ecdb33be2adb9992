//! Defects that a test can switch on, to show that the simulator finds them. Without the feature `defects`
//! none exists.

/// A deliberate defect of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString, strum::VariantArray)]
#[strum(serialize_all = "kebab-case")]
pub enum Defect {
    /// An attempt whose worker was lost always runs again.
    LostAttemptsRunAgain,
    /// Resources are not looked at.
    ResourcesIgnored,
    /// An approval holds for other arguments and policies too.
    ApprovalUnbound,
    /// A refused response while work is open is never followed by a turn.
    NoOwedTurn,
    /// A begun apply is judged again.
    ApplyJudgedAgain,
    /// A begun apply is given up on cancel.
    ApplyGivenUp,
    /// An attempt of an earlier epoch is executed again instead of recovered.
    ExecuteInsteadOfRecover,
    /// A failed dependency unlocks what depends on it.
    FailureUnlocks,
    /// The model may repeat effects by retrying.
    ModelRepeatsEffects,
    /// Outcomes are taken for whichever attempt is open.
    OutcomesUnmatched,
    /// The model is asked while calls of a plain turn are open.
    TurnWithOpenCalls,
    /// What the world saw of an attempt is forgotten.
    EffectForgotten,
    /// A suspended call goes on without being judged again.
    InputUnjudged,
    /// A part of a pipeline competes with the pipeline.
    NestedCompetes,
    /// A token reservation is not looked at.
    ReservationIgnored,
    /// The parallel limit is not looked at.
    ParallelIgnored,
    /// What a child did to the world is not passed on.
    ChildEffectDropped,
    /// A denied action starts once it was approved.
    ApprovalLiftsDeny,
    /// A standing approval holds after its time.
    StandingNeverEnds,
    /// A standing approval of one call covers every call of the tool.
    StandingCoversAll,
    /// A cancelled attempt runs on to its end.
    StopIgnoresRunning,
    /// A cancel does not reach children.
    CancelSkipsChildren,
}

#[cfg(feature = "defects")]
mod switch {
    use std::cell::Cell;

    use super::Defect;

    thread_local! {
        static DEFECT: Cell<Option<Defect>> = const { Cell::new(None) };
    }

    /// Switches a defect on in this thread, or all off.
    pub fn set(defect: Option<Defect>) {
        DEFECT.set(defect);
    }

    pub(crate) fn is(defect: Defect) -> bool {
        DEFECT.get() == Some(defect)
    }
}

#[cfg(feature = "defects")]
pub(crate) use switch::is;
#[cfg(feature = "defects")]
pub use switch::set;

#[cfg(not(feature = "defects"))]
pub(crate) const fn is(_: Defect) -> bool {
    false
}
