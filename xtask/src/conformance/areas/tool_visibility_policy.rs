//! Area `tool-visibility-policy`.

use provost_contract::json;
use provost_policy::visibility::{self, Context, Fragment};
use provost_policy::{HookAnswer, Verdict, tool};
use serde_json::{Value, json};

use super::{Answer, input, list, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let declaration = object(case, "tool");
    match op {
        "resolve" => Ok(json!(visible(case))),
        "is_runtime_tool" => Ok(json!(tool::is_client_supplied(&declaration))),
        "is_write_capable" => Ok(json!(match input(case, "categories") {
            Value::Null => tool::is_write_capable(&declaration, &tool::WRITE_CATEGORIES),
            listed => tool::is_write_capable(&declaration, &json::string_list(listed)),
        })),
        "matches_categories" => {
            let listed = json::string_list(input(case, "categories"));
            Ok(json!(tool::matches_categories(&declaration, &listed)))
        }
        _ => unknown_operation(op),
    }
}

fn visible(case: &Value) -> Vec<String> {
    let registered = object(case, "registered_agents");
    let providers = list(case, "providers").iter().map(Fragment::from_hook).collect();
    let context =
        Context::parse(&object(case, "context"), |name| json::object(&registered, name).cloned(), providers);
    let decided = visibility::resolve(&object(case, "tools"), &context, |name| access(case, name));
    let mut names: Vec<String> =
        decided.into_iter().filter(|tool| tool.is_visible()).map(|tool| tool.name).collect();
    names.sort_unstable();
    names
}

/// The scripted access checker: its answer for the tool, or the one for all others.
fn access(case: &Value, name: &str) -> HookAnswer<Verdict> {
    let script = input(case, "access");
    Verdict::from_hook(script.get(name).or_else(|| script.get("*")).unwrap_or(&Value::Null))
}
