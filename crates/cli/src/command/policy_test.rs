//! `provost policy test`: decides about a call, or checks the examples of all rules.

use std::path::Path;

use provost_contract::json::{self, Object};
use provost_policy::rules::{Applies, Checked, Ruled};
use provost_policy::{ActionPolicy, Decision};
use provost_project::{AgentFile, Examples, Project, action_policy, checked, did_you_mean};
use serde_json::{Value, json};

use crate::args::PolicyTestOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::Screen;

pub(crate) fn run(options: &PolicyTestOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    match &options.tool {
        Some(tool) => call(options, tool, start, *screen),
        None => examples(start, *screen),
    }
}

/// Decides about one call, without making it.
fn call(options: &PolicyTestOptions, tool: &str, start: &Path, screen: Screen) -> Result<Exit, Failure> {
    let project = Project::find(start)?;
    let agent = agent(&project, options, screen)?;
    let declaration = declaration(&project, tool)?;
    let arguments = arguments(&options.arguments)?;
    let expected = options.expect.as_deref().map(expected).transpose()?;
    let policy = project.policy(agent.as_ref())?;
    let Ruled { decision, matched } = policy.decide(tool, &declaration, &arguments);
    let document = json!({
        "tool": tool,
        "arguments": arguments,
        "agent": agent.map(|agent| agent.head.name),
        "decision": decision.to_value(),
        "matched": matched.iter().map(document).collect::<Vec<_>>(),
    });
    screen.show(&document, || {
        let word = Answer::of(&decision).shown();
        let mut lines = vec![format!("{word}: {}  [{}: {}]", decision.reason, decision.layer, decision.rule)];
        lines.extend(matched.iter().map(line));
        lines.join("\n")
    });
    match expected.filter(|expected| *expected != Answer::of(&decision)) {
        None => Ok(Exit::Done),
        Some(expected) => {
            screen.tell(&format!("expected {}", expected.shown()));
            Ok(Exit::Failed)
        }
    }
}

/// How a call may run, including the fourth result that rules have for programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Policy(ActionPolicy),
    /// A person is asked about exactly this call.
    Unclear,
}

impl Answer {
    const UNCLEAR: &str = "unclear";

    fn of(decision: &Decision<ActionPolicy>) -> Self {
        if decision.is_person_only() { Self::Unclear } else { Self::Policy(decision.verdict) }
    }

    fn shown(self) -> &'static str {
        match self {
            Self::Policy(policy) => policy.word(),
            Self::Unclear => "unclear, asks a person (denied where none can be asked)",
        }
    }
}

fn document(applies: &Applies) -> Value {
    let Applies { rule, reason, unclear, person_only, .. } = applies;
    let decision = word(applies);
    json!({
        "rule": rule, "decision": decision, "reason": reason, "unclear": unclear, "person_only": person_only,
    })
}

fn word(applies: &Applies) -> &'static str {
    if applies.person_only { Answer::UNCLEAR } else { applies.policy.word() }
}

fn line(applies: &Applies) -> String {
    let Applies { rule, reason, unclear, .. } = applies;
    let sure = unclear.as_ref().map(|why| format!(" (unclear: {why})")).unwrap_or_default();
    format!("  {rule:<16} {:<10} {reason}{sure}", word(applies))
}

/// Returns the agent whose policy applies; by default the one that a run would use.
fn agent(
    project: &Project,
    options: &PolicyTestOptions,
    screen: Screen,
) -> Result<Option<AgentFile>, Failure> {
    match project.agent(options.agent.as_deref()) {
        Ok(agent) => Ok(Some(agent)),
        Err(failure) if options.agent.is_some() => Err(failure),
        Err(_) => {
            screen.tell("no agent is named: its own words do not count");
            Ok(None)
        }
    }
}

fn declaration(project: &Project, tool: &str) -> Result<Value, Failure> {
    let all = json::into_object(project.tools()?.offered());
    let unknown = || {
        let failure = Failure::new(Code::Config, format!("there is no tool `{tool}`"));
        match did_you_mean(tool, all.keys().map(String::as_str)) {
            Some(meant) => failure.hint(format!("did you mean `{meant}`?")),
            None => failure.hint("provost tools lists them"),
        }
    };
    all.get(tool).cloned().ok_or_else(unknown)
}

fn arguments(text: &str) -> Result<Object, Failure> {
    let refused = |why: &str| {
        Failure::new(Code::Config, format!("the arguments are no JSON object: {why}"))
            .hint("such as '{\"path\": \"notes.txt\"}'")
    };
    match json::parse_text(text) {
        Ok(Value::Object(arguments)) => Ok(arguments),
        Ok(other) => Err(refused(&other.to_string())),
        Err(error) => Err(refused(&error.to_string())),
    }
}

fn expected(word: &str) -> Result<Answer, Failure> {
    if word.trim().eq_ignore_ascii_case(Answer::UNCLEAR) {
        return Ok(Answer::Unclear);
    }
    action_policy(word)
        .map(Answer::Policy)
        .map_err(|refused| refused.hint("say direct, preview, forbidden or unclear"))
}

/// Checks every example of every rule.
fn examples(start: &Path, screen: Screen) -> Result<Exit, Failure> {
    let project = Project::find_with(start, Examples::Shown)?;
    let checked = checked(&project.file, &project.root());
    for one in &checked {
        screen.show(&example(one), || row(one));
    }
    let wrong = checked.iter().filter(|one| !one.holds()).count();
    let rules = project.file.policy.rule_set.rules().len();
    screen.tell(&match (rules, wrong) {
        (0, _) => "the project has no rules about arguments".to_owned(),
        (_, 0) => format!("{rules} rules, {} examples, all hold", checked.len()),
        (_, _) => format!("{rules} rules, {} examples, {wrong} do not hold", checked.len()),
    });
    Ok(if wrong == 0 { Exit::Done } else { Exit::Failed })
}

fn example(one: &Checked<'_>) -> Value {
    json!({
        "rule": one.rule,
        "example": one.example.place,
        "tool": one.example.tool,
        "arguments": one.example.arguments,
        "holds": one.holds(),
        "applies": one.applies.as_ref().map(document),
    })
}

fn row(one: &Checked<'_>) -> String {
    let call = format!("{} {}", one.example.tool, Value::Object(one.example.arguments.clone()));
    let got = one.applies.as_ref().map_or("no match", word);
    let holds = if one.holds() { "holds" } else { "WRONG" };
    format!("{holds}  {:<16} {:<10} {got:<10} {call}", one.rule, one.example.place)
}
