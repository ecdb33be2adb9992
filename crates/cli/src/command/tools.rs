//! `provost tools`: lists the tools that an agent sees, and how each may run.

use std::path::Path;

use provost::Request;
use provost_contract::json::{self, Object};
use provost_policy::rules::Rule;
use provost_policy::{ActionPolicy, Decision, visibility};
use provost_project::{AgentFile, Project, ProjectPolicy, is_declared};
use serde_json::{Value, json};

use crate::args::ToolsOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::{Screen, Stream};
use crate::text::{Line, Mark, Role, Span, Style, counted, padded};
use crate::view::verdict;

const NAME: usize = 12;
const DOES: usize = 11;
const CALL: usize = 9;

pub(crate) fn run(options: &ToolsOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let start = options.folder.as_deref().unwrap_or(start);
    let project = Project::find(start)?;
    let agent = project.agent(options.agent.as_deref())?;
    let tools = tools(&project, &agent)?;
    if screen.is_json() {
        tools.iter().for_each(|tool| screen.document(&tool.document()));
    } else {
        screen.lines(&lines(&agent, &tools, options.why, *screen));
    }
    Ok(Exit::Done)
}

/// One tool, as an agent has it.
struct Tool {
    name: String,
    declaration: Value,
    /// Why it is not shown.
    hidden: Option<Hidden>,
    visibility: Value,
    decision: Decision<ActionPolicy>,
    /// The rules that may decide otherwise, each with its place.
    rules: Vec<(Rule, Option<String>)>,
    declared: bool,
}

/// Why a model does not see a tool, and where that is written.
struct Hidden {
    reason: String,
    source: String,
}

/// The tools that the agent has, in its order, then those it has not.
fn tools(project: &Project, agent: &AgentFile) -> Result<Vec<Tool>, Failure> {
    let all = project.tools()?;
    let own = project.declarations(&all, Some(agent));
    let policy = project.policy(Some(agent))?;
    let run = Request::default().policy(&project.runtime_agent(agent)?, &own);
    let run = run.map_err(|error| Failure::of(Code::Run, &error))?;
    let context = visibility::Context::parse(&run, |_| None, Vec::new());
    let own = json::into_object(own);
    let mut tools = Vec::new();
    for seen in visibility::resolve(&own, &context, |_| Ok(None)) {
        let hidden = (!seen.is_visible()).then(|| {
            let decision = &seen.explained.decision;
            Hidden { reason: decision.reason.clone(), source: agent.place_of(decision.layer, "") }
        });
        let visibility = seen.explained.decision.to_value();
        tools.push(tool(project, &policy, &seen.name, &own, hidden, visibility));
    }
    let others = json::into_object(project.declarations(&all, None));
    for name in others.keys().filter(|name| !own.contains_key(*name)) {
        let reason = "not in the agent's tools".to_owned();
        let hidden = Hidden { reason, source: agent.place_of("tools", "") };
        tools.push(tool(project, &policy, name, &others, Some(hidden), Value::Null));
    }
    Ok(tools)
}

fn tool(
    project: &Project,
    policy: &ProjectPolicy,
    name: &str,
    declarations: &Object,
    hidden: Option<Hidden>,
    visibility: Value,
) -> Tool {
    let declaration = declarations.get(name).cloned().unwrap_or_default();
    let rules = policy.rules_about(name);
    Tool {
        decision: policy.word(name, &declaration),
        rules: rules
            .into_iter()
            .map(|rule| (rule.clone(), policy.place_of_rule(rule.name()).map(str::to_owned)))
            .collect(),
        declared: is_declared(&project.file.tools, name),
        name: name.to_owned(),
        declaration,
        hidden,
        visibility,
    }
}

impl Tool {
    fn document(&self) -> Value {
        let rules = self.rules.iter().map(|(rule, place)| {
            let said = rule.decision().spoken();
            json!({ "rule": rule.name(), "verdict": said, "reason": rule.reason(), "source": place })
        });
        let hidden = self.hidden.as_ref();
        json!({
            "type": "tool",
            "name": self.name,
            "description": self.declaration.get("description"),
            "side_effects": self.declaration.get("side_effects"),
            "categories": self.declaration.get("categories"),
            "modes": self.declaration.get("modes"),
            "shown": hidden.is_none(),
            "hidden": hidden.map(|hidden| json!({ "reason": hidden.reason, "source": hidden.source })),
            "visibility": self.visibility,
            "decision": verdict::document(&self.decision),
            "rules": rules.collect::<Vec<_>>(),
            "declared_command": self.declared,
        })
    }

    /// What it does, in verbs.
    fn does(&self) -> String {
        let effects = self.declaration.get("side_effects").and_then(Value::as_array);
        let verb = |effect: &str| match effect {
            "read" => "reads",
            "write" => "writes",
            "send" => "sends",
            "delete" => "deletes",
            "purchase" => "pays",
            "publish" => "publishes",
            "execute" => "executes",
            _ => "nothing",
        };
        let verbs = effects.into_iter().flatten().filter_map(Value::as_str).map(verb);
        let verbs = verbs.collect::<Vec<_>>().join(", ");
        if verbs.is_empty() { "not said".to_owned() } else { verbs }
    }

    fn rows(&self, why: bool, columns: bool) -> Vec<Line> {
        let does = self.does();
        if let Some(hidden) = &self.hidden {
            let said = Said {
                mark: Mark::Denied,
                word: (if columns { "" } else { "hidden" }, Role::Text),
                why: hidden.reason.clone(),
            };
            return vec![said.row((&self.name, &does), &hidden.source, why, columns)];
        }
        let word = self.decision.verdict;
        let (mark, role) = verdict::mark(word);
        let first = Said { mark, word: (word.spoken(), role), why: verdict::because(&self.decision) };
        let mut rows =
            vec![first.row((&self.name, &does), self.decision.source().unwrap_or("default"), why, columns)];
        if !why {
            return rows;
        }
        let trusted =
            if self.declared { " (its parameters; its program is trusted as declared)" } else { "" };
        rows.extend(self.rules.iter().map(|(rule, place)| {
            let (_, role) = verdict::mark(rule.decision());
            let text = format!("rule {}: {}{trusted}", rule.name(), rule.reason());
            let said = Said { mark: Mark::Nothing, word: (rule.decision().spoken(), role), why: text };
            said.row((&self.name, ""), place.as_deref().unwrap_or_default(), true, columns)
        }));
        rows
    }
}

/// One row: a verdict, and why.
struct Said {
    mark: Mark,
    word: (&'static str, Role),
    why: String,
}

impl Said {
    fn row(self, (name, does): (&str, &str), source: &str, why: bool, columns: bool) -> Line {
        let Self { mark, word: (word, role), why: text } = self;
        let source = if why { vec![Span::quiet(source)] } else { Vec::new() };
        let text = if why { text } else { String::new() };
        if !columns {
            let parts = [does, word, &text].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
            return Line::new(mark, name, vec![Span::text(parts.join(", "))]).right(source);
        }
        // A name stands only before the first row of its tool.
        let name = if does.is_empty() { "" } else { name };
        let spans = vec![
            Span::strong(padded(name, NAME.max(name.len() + 1))),
            Span::text(padded(does, DOES)),
            Span::new(padded(word, CALL), role),
            Span::text(text),
        ];
        let mut line = Line::new(mark, name, spans).right(source);
        line.hang = NAME + DOES + CALL;
        line
    }
}

fn lines(agent: &AgentFile, tools: &[Tool], why: bool, screen: Screen) -> Vec<Line> {
    let columns = screen.paint(Stream::Data).style != Style::Plain;
    let (shown, hidden): (Vec<&Tool>, Vec<&Tool>) = tools.iter().partition(|tool| tool.hidden.is_none());
    let all = counted(tools.len() as u64, "tool", "tools");
    let head = vec![Span::strong(&agent.head.name), Span::text(format!(" sees {} of {all}", shown.len()))];
    let mut lines = vec![Line::note("", head).gutter(3), Line::blank()];
    if columns {
        let decided = if why { "decided by" } else { "" };
        let text = format!("{:<NAME$}{:<DOES$}{:<CALL$}{decided}", "tool", "does", "a call");
        lines.push(Line::note("", vec![Span::quiet(text.trim_end())]));
    }
    lines.extend(shown.iter().flat_map(|tool| tool.rows(why, columns)));
    if !hidden.is_empty() {
        lines.extend([Line::blank(), Line::note("", vec![Span::quiet("not shown")])]);
        lines.extend(hidden.iter().flat_map(|tool| tool.rows(why, columns)));
    }
    if why {
        let text = "Deny wins over allow, a tool's own line over its category's.";
        lines.extend([Line::blank(), Line::note("", vec![Span::quiet(text)])]);
    }
    lines
}
