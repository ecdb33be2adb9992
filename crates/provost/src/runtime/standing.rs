//! Standing approvals: which questions can have one, and how one is revoked.

use provost_contract::action::{SideEffect, SideEffects};
use provost_engine::event::{Signal, WaitKind};
use provost_engine::view::Pending;
use provost_engine::{Actor, Covers, enclosing};
use provost_runtime::port::Fault;
use provost_runtime::store::{RevokePost, Store};

use super::decision::{Decision, Remember, Verdict};

/// Returns the standing approvals to offer a person with a question, the narrowest first. The error says
/// why there is none to offer, such as for an effect that cannot be undone: those questions are better
/// asked each time. A program may still remember such an answer, unless the question is about one call only.
///
/// ```
/// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::WorkError> {
/// for pending in runtime.pending().await? {
///     match provost::standing_offers(&pending) {
///         Ok(offers) => println!("{} can be remembered for {offers:?}", pending.tool),
///         Err(why) => println!("{} is asked each time: {why}", pending.tool),
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The reason why there is none to offer.
pub fn standing_offers(asked: &Pending) -> Result<Vec<Covers>, &'static str> {
    let SideEffects::Declared(effects) = &asked.facts.effects else {
        return Err("the effects of the tool are not declared");
    };
    let is_final = |effect: &SideEffect| {
        matches!(effect, SideEffect::Send | SideEffect::Delete | SideEffect::Purchase | SideEffect::Publish)
    };
    if asked.in_doubt {
        return Err("a call in doubt is decided individually");
    }
    if asked.person_only || asked.asked_by_tool {
        return Err("it needs a one-time approval");
    }
    if never_stands(asked).is_some() {
        return Err("the question is about exactly these changes");
    }
    if effects.iter().any(is_final) {
        return Err("its effect cannot be undone");
    }
    let narrow: Vec<Covers> = match &asked.place {
        Some(place) => enclosing(place).take(2).map(|place| Covers::Place(place.to_owned())).collect(),
        None => vec![Covers::Call],
    };
    Ok(narrow.into_iter().chain([Covers::Tool]).collect())
}

/// Returns why no answer to a question can be remembered; `None` if one can.
fn never_stands(asked: &Pending) -> Option<&'static str> {
    if asked.asked_by_tool {
        return Some("is asked by the tool itself, each time: the answer cannot be remembered");
    }
    let changes = asked.kind != (WaitKind::Approval { change_set: None });
    changes.then_some("asks about exactly these changes: the answer cannot be remembered")
}

/// Revokes a standing approval in a store, for programs without a runtime. With one,
/// [`Runtime::revoke`](crate::Runtime::revoke) also wakes its runs at once. Returns whether it was in force.
///
/// ```
/// # async fn example(store: &dyn provost::Store, scope: &str) -> Result<(), provost::Fault> {
/// let by = provost::Actor::new(provost::ActorKind::Person, "user:grace");
/// let held = provost::revoke_standing(store, "acme", scope, by).await?;
/// # drop(held);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If the store fails.
pub async fn revoke_standing(
    store: &dyn Store,
    workspace: &str,
    scope: &str,
    by: impl Into<Actor>,
) -> Result<bool, Fault> {
    let signal = Signal::Standing { scope: scope.to_owned(), grant: None };
    let body = serde_json::to_value(&signal).map_err(|error| Fault::Failed(error.into()))?;
    let (workspace, scope, from) = (workspace.to_owned(), scope.to_owned(), by.into());
    store.revoke_standing(RevokePost { workspace, scope, from, body }).await
}

/// Returns why a decision cannot become a standing approval; `None` if it can.
pub(super) fn unfit_to_remember(asked: &Pending, decision: &Decision) -> Option<&'static str> {
    if decision.verdict == Verdict::Rejected {
        return Some("is declined: only an approval can be remembered");
    }
    if decision.remember == Remember::No {
        return Some(
            "has no standing approval without Decision::remember, so Decision::covers has no meaning",
        );
    }
    if matches!(decision.remember, Remember::For(time) if time.as_millis() == 0) {
        return Some(
            "would be remembered for no time: write Remember::For with a time above zero, or Remember::No",
        );
    }
    if let Some(why) = never_stands(asked) {
        return Some(why);
    }
    if decision.parameters.is_some() {
        return Some("is allowed with other arguments, once: such an approval cannot be remembered");
    }
    let Covers::Place(place) = &decision.covers else { return None };
    let is_in = |asked: &String| enclosing(asked).any(|folder| folder == place);
    let outside = "is not about that file, or a file in that folder";
    (!asked.place.as_ref().is_some_and(is_in)).then_some(outside)
}
