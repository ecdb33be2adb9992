//! `provost policy test`: decides about a call, or checks the examples of all rules.

use std::path::Path;

use provost_contract::json::{self, Object};
use provost_policy::rules::{Applies, Ruled};
use provost_policy::{ActionPolicy, Decision};
use provost_project::{AgentFile, Project, ProjectPolicy, action_policy, did_you_mean};
use provost_protocol::ArgumentSchema;
use provost_tools::HostRule;
use serde_json::{Value, json};

use super::policy_examples;
use crate::args::PolicyTestOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::{Screen, Stream};
use crate::text::{Line, Role, Span, Style, padded};
use crate::view::{fact, object, verdict};

const LAYER: usize = 18;
const SAYS: usize = 9;

pub(crate) fn run(options: &PolicyTestOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    match &options.tool {
        Some(tool) => call(options, tool, start, *screen),
        None => policy_examples::run(start, *screen),
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
    let name = agent.map(|agent| agent.head.name);
    let faults = faults(&project, (tool, &declaration), &arguments);
    if screen.is_json() {
        let mut document = json!({
            "type": "decision",
            "tool": tool,
            "arguments": arguments,
            "agent": name,
            "decision": verdict::document(&decision),
            "matched": matched.iter().map(|applies| self::document(applies, &policy)).collect::<Vec<_>>(),
        });
        if let Some(fields) = document.as_object_mut().filter(|_| !faults.is_empty()) {
            fields.insert("faults".to_owned(), faults.into());
        }
        screen.document(&document);
    } else {
        let said = policy.said(tool, &declaration, &arguments);
        let about = format!("{tool} {}", object(tool, &arguments));
        let columns = screen.paint(Stream::Data).style != Style::Plain;
        let mut lines = lines((about.trim(), name.as_deref()), &decision, &said, columns);
        let fault = |fault: String| fact("but", vec![Span::text(format!("the call would fail: {fault}"))]);
        lines.extend(faults.into_iter().map(fault));
        screen.lines(&lines);
    }
    match expected.filter(|expected| *expected != Answer::of(&decision)) {
        None => Ok(Exit::Done),
        Some(expected) => {
            let is = Answer::of(&decision).word();
            screen.tell(&format!("expected {}, and it is {is}", expected.word()));
            Ok(Exit::Failed)
        }
    }
}

/// Returns why a call would fail however the policy decides: its arguments, or a host that is not listed.
fn faults(project: &Project, (tool, declaration): (&str, &Value), arguments: &Object) -> Vec<String> {
    let schema = declaration.get("parameters").and_then(|schema| ArgumentSchema::compile(schema).ok());
    let unfit = schema.map(|schema| schema.faults(&Value::Object(arguments.clone()))).unwrap_or_default();
    let mut faults: Vec<String> = unfit.iter().map(|fault| format!("arguments: {fault}")).collect();
    let listed = |address: &str| {
        let mut rules = project.file.tools.hosts.iter().filter_map(|host| host.parse::<HostRule>().ok());
        rules.any(|rule| rule.allows_address(address))
    };
    if tool == "http/get"
        && let Some(address) = json::text(arguments, "url").filter(|address| !listed(address))
    {
        faults.push(format!("the host of {address} is not in tools.hosts"));
    }
    faults
}

fn lines(
    (about, agent): (&str, Option<&str>),
    decision: &Decision<ActionPolicy>,
    said: &[Decision<ActionPolicy>],
    columns: bool,
) -> Vec<Line> {
    let (mark, role) = verdict::mark(decision.verdict);
    let word = decision.verdict.spoken();
    let agent = agent.map(|agent| format!(", agent {agent}")).unwrap_or_default();
    let head = vec![Span::label(padded(word, 6), role), Span::strong(about), Span::text(agent)];
    let mut lines = vec![Line::new(mark, word, head), Line::blank()];
    if columns {
        let titles = format!("{:<LAYER$}{:<SAYS$}because", "layer", "says");
        lines.push(Line::note("", vec![Span::quiet(titles)]));
    }
    lines.extend(said.iter().map(row));
    let why = match decision.layer {
        _ if said.len() < 2 => "",
        "tool_policy" => ": a tool's entry overrides its category's",
        "agent" => ": the agent's policy applies where it is stricter",
        "rule" => ": rules override entries, and the strictest rule decides",
        _ => "",
    };
    let what = format!("{}{why}", layer(decision));
    lines.extend([Line::blank(), fact("decides", vec![Span::text(what)])]);
    if decision.is_person_only() {
        let text = "needs a one-time approval; denied if no person can be asked";
        lines.push(fact("unclear", vec![Span::text(text)]));
    }
    lines
}

fn row(said: &Decision<ActionPolicy>) -> Line {
    let (mark, role) = verdict::mark(said.verdict);
    let name = layer(said);
    let width = LAYER.max(name.len() + 1);
    let spans = vec![
        Span::label(padded(&name, width), Role::Text),
        Span::label(padded(said.verdict.spoken(), SAYS), role),
        Span::text(verdict::because(said)),
    ];
    let mut line = Line::new(mark, format!("{name} {}", said.verdict.spoken()), spans);
    line.hang = LAYER + SAYS;
    line.right(said.source().map(Span::quiet).into_iter().collect())
}

/// The name of what speaks.
fn layer(said: &Decision<ActionPolicy>) -> String {
    let category = || said.inputs.get("category").and_then(Value::as_str).unwrap_or_default();
    match said.layer {
        "tool_policy" => "tool line".to_owned(),
        "category_policy" => format!("category {}", category()),
        "rule" => format!("rule {}", said.rule),
        "agent" => "agent's own file".to_owned(),
        "default" => "default".to_owned(),
        layer => layer.replace('_', " "),
    }
}

/// How a call may run, with the fourth answer that rules have for programs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Policy(ActionPolicy),
    /// A person is asked about exactly this call.
    Unclear,
}

impl Answer {
    const UNCLEAR: &str = "unclear";

    fn of(decision: &Decision<ActionPolicy>) -> Self {
        if decision.is_person_only() { Self::Unclear } else { Self::Policy(decision.verdict) }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Policy(policy) => policy.spoken(),
            Self::Unclear => Self::UNCLEAR,
        }
    }
}

/// A rule that applies, as machines read it.
pub(super) fn document(applies: &Applies, policy: &ProjectPolicy) -> Value {
    let Applies { rule, reason, unclear, person_only, .. } = applies;
    let source = policy.place_of_rule(rule);
    let verdict = word(applies);
    json!({
        "rule": rule, "verdict": verdict, "reason": reason, "source": source, "unclear": unclear,
        "person_only": person_only,
    })
}

/// What a rule says about a call.
pub(super) fn word(applies: &Applies) -> &'static str {
    if applies.person_only { Answer::UNCLEAR } else { applies.policy.spoken() }
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
            screen.tell("no agent is named: agent policies do not apply");
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
    action_policy(word).map(Answer::Policy).map_err(|refused| refused.hint("say allow, ask, deny or unclear"))
}
