//! `provost tools`: what an agent sees, and how it may run.

use provost_contract::json;
use serde_json::{Value, json};

use crate::cli::args::ToolsOptions;
use crate::cli::config::Project;
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::policy::ProjectPolicy;
use crate::cli::screen::Screen;
use crate::cli::setup;

pub(in crate::cli) fn run(options: &ToolsOptions, screen: &Screen) -> Result<Exit, Failure> {
    let project = Project::read(&options.project)?;
    let agent = project.agent(options.agent.as_deref())?;
    let tools = setup::tools(&project)?;
    let declarations = setup::declarations(&tools, Some(&agent))?;
    let policy = ProjectPolicy::new(&project, Some(&agent), &project.root())?;
    for (name, declaration) in json::into_object(declarations) {
        let decision = policy.word(&name, &declaration);
        let rules = policy.rules_about(&name);
        let effects = declaration.get("side_effects").cloned().unwrap_or_default();
        let document = json!({
            "name": name,
            "description": declaration.get("description"),
            "side_effects": effects,
            "decision": decision.to_value(),
            "rules": rules,
        });
        screen.show(&document, || {
            let word = decision.verdict.word();
            let effects = listed(&effects);
            match options.why {
                true => format!(
                    "{name:<12} {effects:<10} {word:<10} {}  [{}: {}]{}",
                    decision.reason,
                    decision.layer,
                    decision.rule,
                    more(&rules)
                ),
                false => format!("{name:<12} {effects:<10} {word}"),
            }
        });
    }
    Ok(Exit::Done)
}

fn more(rules: &[&str]) -> String {
    if rules.is_empty() { String::new() } else { format!("  rules: {}", rules.join(", ")) }
}

fn listed(effects: &Value) -> String {
    let words = effects.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(",")
}
