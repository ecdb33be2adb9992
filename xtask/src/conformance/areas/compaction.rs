//! Area `compaction`.

use provost_contract::Message;
use provost_contract::compaction::{self, Policy, Summary, Transcript};
use serde_json::{Value, json};

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "default_policy" => Ok(Policy::default().to_object().into()),
        "normalize_policy" => Ok(policy(case).to_object().into()),
        "select_boundary" => {
            let messages = Message::parse_many(list(case, "messages"))?;
            Ok(compaction::select_boundary(&messages, &policy(case)).into())
        }
        "compact" => compact(case),
        _ => unknown_operation(op),
    }
}

fn policy(case: &Value) -> Policy {
    Policy::parse(&object(case, "policy"))
}

fn compact(case: &Value) -> Answer {
    let transcript = Transcript::parse(list(case, "messages").to_vec())?;
    let mut calls = Vec::new();
    let result = compaction::compact(transcript, &policy(case), |messages, context| {
        let mut context = context.clone();
        context.remove("policy");
        calls.push(json!({ "message_count": messages.len(), "context": context }));
        answer(input(case, "summarizer"))
    });
    Ok(json!({ "result": result.to_value(), "summarizer_calls": calls }))
}

/// What the scripted summariser says.
fn answer(script: &Value) -> Result<Summary, String> {
    match script.get("throws") {
        Some(_) => Err(text(script, "throws").to_owned()),
        None => Summary::parse(script).map_err(|error| error.message().to_owned()),
    }
}
