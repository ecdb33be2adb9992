//! Area `iteration-budget`.

use provost_contract::IterationBudget;
use serde_json::Value;

use super::{Answer, input, list, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "run" => Ok(states(case)),
        _ => unknown_operation(op),
    }
}

fn states(case: &Value) -> Value {
    let number = |key| input(case, key).as_i64().unwrap_or_default();
    let mut budget = IterationBudget::new(text(case, "name"), number("ceiling"), number("current"));
    let mut states = vec![budget.to_value()];
    for step in list(case, "steps") {
        match input(step, "set_current").as_i64() {
            Some(current) => budget.set_current(current),
            None => budget.increment(),
        }
        states.push(budget.to_value());
    }
    states.into()
}
