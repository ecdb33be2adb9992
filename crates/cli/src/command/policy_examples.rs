//! `provost policy test` without a call: whether the rules say what their examples say.

use std::path::Path;

use provost_policy::rules::Checked;
use provost_project::{Examples, Project, ProjectPolicy, checked};
use serde_json::{Value, json};

use super::policy_test::{document, word};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;
use crate::text::{Line, Mark, Role, Span, counted, padded};
use crate::view::{fact, object};

const NAME: usize = 17;

/// Checks every example of every rule.
pub(super) fn run(start: &Path, screen: Screen) -> Result<Exit, Failure> {
    let project = Project::find_with(start, Examples::Shown)?;
    let policy = project.policy(None)?;
    let checked = checked(&project.file, &project.root());
    let wrong = checked.iter().filter(|one| !one.holds()).count() as u64;
    if screen.is_json() {
        checked.iter().for_each(|one| screen.document(&example(one, &policy)));
    } else {
        let mut lines: Vec<Line> = Vec::new();
        for rule in project.file.policy.rule_set.rules() {
            let own: Vec<&Checked<'_>> = checked.iter().filter(|one| one.rule == rule.name()).collect();
            lines.extend(rows(rule.name(), &own, &policy));
        }
        screen.lines(&lines);
        let rules = project.file.policy.rule_set.rules().len() as u64;
        screen.notes(&end(rules, checked.len() as u64, wrong));
    }
    Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
}

fn example(one: &Checked<'_>, policy: &ProjectPolicy) -> Value {
    json!({
        "type": "example",
        "rule": one.rule,
        "source": policy.place_of_rule(one.rule),
        "example": one.example.place,
        "tool": one.example.tool,
        "arguments": one.example.arguments,
        "holds": one.holds(),
        "applies": one.applies.as_ref().map(|applies| document(applies, policy)),
    })
}

/// A rule with its place, and what does not hold.
fn rows(rule: &str, examples: &[&Checked<'_>], policy: &ProjectPolicy) -> Vec<Line> {
    let wrong: Vec<&&Checked<'_>> = examples.iter().filter(|one| !one.holds()).collect();
    let number = examples.len() as u64;
    let (mark, role, text) = match wrong.len() {
        0 if number == 1 => (Mark::Completed, Role::Text, "1 example holds".to_owned()),
        0 => (Mark::Completed, Role::Text, format!("{} hold", counted(number, "example", "examples"))),
        1 => (Mark::Failed, Role::Bad, format!("1 of {number} does not hold")),
        several => (Mark::Failed, Role::Bad, format!("{several} of {number} do not hold")),
    };
    let name = padded(rule, NAME.max(rule.len() + 1));
    let place = policy.place_of_rule(rule).map(Span::quiet);
    let spans = vec![Span::label(name, Role::Text), Span::new(text, role)];
    let mut lines = vec![Line::new(mark, format!("rule {rule}"), spans).right(place.into_iter().collect())];
    lines.extend(wrong.iter().map(|one| {
        let call = format!("{} {}", one.example.tool, object(&one.example.tool, &one.example.arguments));
        let is = one.applies.as_ref().map_or("does not match", word);
        let should = if one.example.place.starts_with("passes") { "should not match, says" } else { "is" };
        let text = format!("{}: {} {should} {is}", one.example.place, call.trim());
        fact("example", vec![Span::text(text)])
    }));
    lines
}

fn end(rules: u64, examples: u64, wrong: u64) -> Vec<Line> {
    let rules_word = counted(rules, "rule", "rules");
    let (mark, text) = match (rules, wrong) {
        (0, _) => (Mark::Nothing, "the project has no rules about arguments".to_owned()),
        (_, 0) => {
            let examples = counted(examples, "example", "examples");
            (Mark::Completed, format!("{rules_word}, {examples}, all hold"))
        }
        (_, 1) => {
            let text = format!("{rules_word}, 1 example does not hold. No run starts until it does. exit 1");
            (Mark::Failed, text)
        }
        (_, wrong) => {
            let text =
                format!("{rules_word}, {wrong} examples do not hold. No run starts until they do. exit 1");
            (Mark::Failed, text)
        }
    };
    vec![Line::blank(), Line::new(mark, "policy", vec![Span::strong(text)])]
}
