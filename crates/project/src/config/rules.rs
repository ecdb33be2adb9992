//! The rules of `provost.toml`: parses them and checks their examples.

use std::path::Path;

use provost_policy::rules::{Checked, Lexical, Reach, RuleSet, RuleSpec, Shape};
use serde_json::Value;

use super::file::{File, ToolsPart, line_at};
use super::suggest::did_you_mean;
use crate::failure::{Code, Failure};

/// The built-in tools.
const TOOLS: [&str; 8] =
    ["fs/list", "fs/search", "fs/read", "fs/write", "fs/edit", "shell/run", "http/get", "human/ask"];

/// Parses the rules of a file.
pub(super) fn read(file: &File, text: &str, path: &Path) -> Result<RuleSet, Failure> {
    let at = |place: usize, what: &str| {
        let span = file.policy.rules.get(place).map_or(0..0, toml::Spanned::span);
        let place = format!("{}:{}", path.display(), line_at(text, span.start));
        Failure::new(Code::Config, what).at(&place)
    };
    let rules =
        RuleSet::read(file.policy.rules.iter().map(toml::Spanned::get_ref)).map_err(|(place, error)| {
            let name = file.policy.rules.get(place).map_or("", |rule| &rule.get_ref().name);
            at(place, &format!("rule `{name}`: {error}"))
        })?;
    for (place, rule) in file.policy.rules.iter().enumerate() {
        known_tools(file, rule.get_ref()).map_err(|(what, hint)| at(place, &what).hint(hint))?;
    }
    Ok(rules)
}

/// A rule about an unknown tool would never apply, without any sign of that.
fn known_tools(file: &File, rule: &RuleSpec) -> Result<(), (String, String)> {
    let commands = file.tools.commands.iter().filter_map(|command| command.get("name")?.as_str());
    let known: Vec<&str> = TOOLS.into_iter().chain(commands).collect();
    let named = rule.tools.iter().flat_map(|tools| &tools.0);
    let examples = rule.matches.iter().chain(&rule.passes).filter_map(|example| example.tool.as_ref());
    let is_plain = |name: &&String| !name.contains(['*', '?', '[', '{']);
    let mut unknown = named.chain(examples).filter(is_plain).filter(|name| !known.contains(&name.as_str()));
    let Some(name) = unknown.next() else { return Ok(()) };
    let hint = match did_you_mean(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("there are: {}", known.join(", ")),
    };
    Err((format!("rule `{}` names the tool `{name}`, which does not exist", rule.name), hint))
}

/// Returns the facts about a tool: how far it reaches from its path, and whether its program is declared.
pub(crate) fn shape(part: &ToolsPart, tool: &str) -> Shape {
    match tool {
        "fs/read" | "fs/write" | "fs/edit" => Reach::Place.into(),
        "fs/list" | "fs/search" => Reach::Filtered.into(),
        _ => Shape { reach: Reach::Below, declared: is_declared(part, tool) },
    }
}

/// Returns whether a tool is a declared program with fixed arguments.
pub fn is_declared(part: &ToolsPart, tool: &str) -> bool {
    part.commands.iter().any(|command| command.get("name").and_then(Value::as_str) == Some(tool))
}

/// Runs every example of every rule and returns the results.
pub fn checked<'f>(file: &'f File, root: &Path) -> Vec<Checked<'f>> {
    let places = Lexical(root.to_string_lossy().into_owned());
    let shape = |tool: &str| shape(&file.tools, tool);
    file.policy.rule_set.rules().iter().flat_map(|rule| rule.check(&places, &shape)).collect()
}

/// Rejects a file with a failing example: the rule does not do what its author expects.
pub(super) fn check(file: &File, root: &Path, text: &str, path: &Path) -> Result<(), Failure> {
    let checked = checked(file, root);
    let Some(wrong) = checked.iter().find(|checked| !checked.holds()) else { return Ok(()) };
    let rule = file.policy.rules.iter().find(|rule| rule.get_ref().name == wrong.rule);
    let line = line_at(text, rule.map_or(0, |rule| rule.span().start));
    Err(Failure::new(Code::Config, wrong.told())
        .at(&format!("{}:{line}", path.display()))
        .hint("provost policy test shows every example"))
}
