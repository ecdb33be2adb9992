//! Operation `parse`: one assistant message becomes a declaration or a refusal.

use provost_protocol::{AssistantMessage, Catalog, Limits, Speaking, Turn, accept};
use serde_json::Value;

use super::super::{Answer, input, list};

pub(super) fn run(case: &Value) -> Answer {
    let catalog = Catalog::parse(list(case, "tools"), list(case, "agents"), list(case, "executors"))?;
    let speaks = input(input(case, "agent"), "protocol_enabled") == &Value::Bool(true);
    let completed = list(input(case, "history"), "completed_actions");
    let number = |holder: &Value, key: &str| input(holder, key).as_u64();
    let limits = input(case, "limits");
    let mut turn = Turn::new(if speaks { Speaking::Protocol } else { Speaking::Plain }, &catalog);
    turn.completed = completed.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    turn.limits = Limits {
        actions_max: size(number(limits, "max_actions"), turn.limits.actions_max),
        declaration_bytes_max: size(
            number(limits, "max_declaration_bytes"),
            turn.limits.declaration_bytes_max,
        ),
        ..turn.limits
    };
    turn.attempt = count(number(case, "attempt"), turn.attempt);
    turn.retries_max = count(number(case, "max_retries"), turn.retries_max);
    match accept(&AssistantMessage::parse(case), &turn) {
        Ok(accepted) => Ok(accepted.to_value()),
        Err(refused) => Err(refused.to_value()),
    }
}

fn size(given: Option<u64>, default: usize) -> usize {
    given.and_then(|number| usize::try_from(number).ok()).unwrap_or(default)
}

fn count(given: Option<u64>, default: u32) -> u32 {
    given.and_then(|number| u32::try_from(number).ok()).unwrap_or(default)
}
