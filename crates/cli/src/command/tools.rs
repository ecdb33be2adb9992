//! `provost tools`: lists the tools that an agent sees, and how each may run.

use std::path::Path;

use provost::Request;
use provost_contract::json;
use provost_policy::{Decision, visibility};
use provost_project::{Project, is_declared};
use serde_json::{Value, json};

use crate::args::ToolsOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn run(options: &ToolsOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.folder.as_deref().unwrap_or(start);
    let project = Project::find(start)?;
    let agent = project.agent(options.agent.as_deref())?;
    let declarations = project.declarations(&project.tools()?, Some(&agent));
    let policy = project.policy(Some(&agent))?;
    let run = Request::default().policy(&project.runtime_agent(&agent)?, &declarations);
    let context = visibility::Context::parse(&run, |_| None, Vec::new());
    for seen in visibility::resolve(&json::into_object(declarations.clone()), &context, |_| Ok(None)) {
        let declaration = declarations.get(&seen.name).unwrap_or(&Value::Null);
        let decision = policy.word(&seen.name, declaration);
        let rules = policy.rules_about(&seen.name);
        let declared = is_declared(&project.file.tools, &seen.name);
        let effects = declaration.get("side_effects").cloned().unwrap_or_default();
        let shown = &seen.explained.decision;
        let document = json!({
            "name": seen.name,
            "description": declaration.get("description"),
            "side_effects": effects,
            "categories": declaration.get("categories"),
            "modes": declaration.get("modes"),
            "shown": seen.is_visible(),
            "visibility": shown.to_value(),
            "decision": decision.to_value(),
            "rules": rules,
            "declared_command": declared,
        });
        let row = |word: &str| format!("{:<12} {:<10} {word:<10}", seen.name, listed(&effects));
        screen.show(&document, || match (seen.is_visible(), options.why) {
            (false, false) => row("hidden").trim_end().to_owned(),
            (false, true) => format!("{} {}", row("hidden"), because(shown)),
            (true, false) => row(decision.verdict.word()).trim_end().to_owned(),
            (true, true) => {
                format!("{} {}{}", row(decision.verdict.word()), because(&decision), more(&rules, declared))
            }
        });
    }
    Ok(Exit::Done)
}

fn because<V>(decision: &Decision<V>) -> String {
    format!("{}  [{}: {}]", decision.reason, decision.layer, decision.rule)
}

fn more(rules: &[&str], declared: bool) -> String {
    let trusted =
        if declared { " (they look at its parameters; its program is trusted as declared)" } else { "" };
    if rules.is_empty() { String::new() } else { format!("  rules: {}{trusted}", rules.join(", ")) }
}

fn listed(effects: &Value) -> String {
    let words = effects.as_array().into_iter().flatten().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(",")
}
