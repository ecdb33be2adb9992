//! `provost tools`: what an agent sees, and how it may run.

use provost::Request;
use provost_contract::json;
use provost_policy::{Decision, visibility};
use provost_project::config::{Project, is_declared};
use provost_project::policy::ProjectPolicy;
use provost_project::{setup, tools};
use serde_json::{Value, json};

use crate::args::ToolsOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn run(options: &ToolsOptions, screen: &Screen) -> Result<Exit, Failure> {
    let project = Project::read(&options.project)?;
    let agent = project.agent(options.agent.as_deref())?;
    let declarations = tools::declarations(&project, &tools::tools(&project)?, Some(&agent));
    let policy = ProjectPolicy::new(&project, Some(&agent), &project.root())?;
    let run = Request::default().policy(&setup::agent(&project, &agent)?, &declarations);
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
