//! Operation `transcript`: the page of a history.

use provost_contract::ContractError;
use provost_contract::action::{ActionId, ExecutorRef, Observation};
use provost_contract::json;
use provost_protocol::transcript::{Call, Declared, Frontier, Replay, Run, Transcript, Turn};
use serde_json::{Value, json};

use super::super::{Answer, input, list, text};

pub(super) fn run(case: &Value) -> Answer {
    let mut page = Transcript::new(Replay::default());
    for wire in list(case, "turns") {
        if let Some(turn) = turn(wire)? {
            page.push(turn);
        }
    }
    Ok(json!({ "text": page.request(&Frontier::default()) }))
}

/// Reasoning, provider messages and progress are no turns: there is nothing to make of them.
fn turn(wire: &Value) -> Result<Option<Turn>, ContractError> {
    let said = || text(wire, "text").to_owned();
    Ok(match text(wire, "type") {
        "user" => Some(Turn::User { text: said() }),
        "answer" => Some(Turn::Answer { text: said() }),
        "protocol" => Some(Turn::Run(read_run(wire)?)),
        _ => None,
    })
}

fn read_run(wire: &Value) -> Result<Run, ContractError> {
    let optional = |key| wire.get(key).and_then(Value::as_str).map(str::to_owned);
    Ok(Run {
        id: text(wire, "run_id").to_owned(),
        purpose: optional("purpose"),
        status: json::word("invalid_schema", "status", input(wire, "status"))?,
        calls: list(wire, "calls").iter().map(read_call).collect::<Result<_, _>>()?,
        declared: Declared {
            summary: optional("declaration_summary"),
            reference: optional("declaration_ref"),
            compressed: text(wire, "replay") == "compressed",
        },
    })
}

fn read_call(wire: &Value) -> Result<Call, ContractError> {
    let optional = |key| wire.get(key).and_then(Value::as_str).map(str::to_owned);
    let depends = json::string_list(input(wire, "depends"));
    Ok(Call {
        id: ActionId::parse(text(wire, "id"))?,
        executor: ExecutorRef::parse(input(wire, "executor"))?,
        operation: optional("operation"),
        depends: depends.iter().map(|id| ActionId::parse(id)).collect::<Result<_, _>>()?,
        description: optional("description"),
        args: input(wire, "args").as_object().cloned(),
        prompt: optional("prompt"),
        result: Observation::parse(input(wire, "result"))?,
    })
}
