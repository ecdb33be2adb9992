//! Operation `observe`: the result section of one action, with the facts about it.

use provost_contract::action::{ActionId, Outcome, ResultPolicy};
use provost_contract::policies::{DataVisibility, Policy as _};
use provost_protocol::observe::{Privacy, Secrets, View, observe, result_section};
use provost_protocol::tokens::Estimate;
use serde_json::{Value, json};

use super::super::{Answer, input, list, text};

pub(super) fn run(case: &Value) -> Answer {
    let action = ActionId::parse(text(input(case, "action"), "id"))?;
    let outcome = Outcome::parse(input(case, "outcome"))?;
    let policy = match input(case, "result_policy") {
        Value::Null => ResultPolicy::default(),
        wire => ResultPolicy::parse(wire)?,
    };
    let privacy = privacy(input(case, "privacy"))?;
    let seen = observe(&View {
        run_id: text(case, "run_id"),
        action: &action,
        outcome: &outcome,
        policy: &policy,
        budget_tokens: input(input(case, "budget"), "max_tokens").as_u64().unwrap_or(u64::MAX),
        privacy: &privacy,
        counter: &Estimate,
    });
    Ok(json!({
        "text": result_section(&action, &seen),
        "has_artifact_ref": !seen.artifacts.is_empty(),
        "truncated": seen.is_truncated(),
    }))
}

fn privacy(wire: &Value) -> Result<Privacy, Value> {
    let secrets = list(wire, "secrets").iter().filter_map(Value::as_str).map(str::to_owned);
    let mut privacy = Privacy { secrets: Secrets::new(secrets), ..Privacy::default() };
    if let Some(visibility) = wire.get("visibility") {
        privacy.visibility = DataVisibility::read("visibility", visibility)?;
    }
    Ok(privacy)
}
