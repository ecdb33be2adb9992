//! The lines before a run starts: agent, model, folder and limits.

use std::path::Path;

use provost_engine::RunId;
use provost_models::{Cassette, ModelConfig, Origin};
use provost_project::environment;
use provost_project::{ModelEntry, Project};

use crate::failure::{Code, Failure};
use crate::run_name;
use crate::text::{Line, Role, Span, counted};
use crate::view::{Gauge, seen_from_here};

/// The start of the second column.
const AT: usize = 14;

/// The head of a run or of a conversation.
pub(crate) struct Banner {
    lines: Vec<Line>,
}

impl Banner {
    /// Starts the head with a run. `strong` is the shortest unique prefix of its id.
    pub(crate) fn of_run(run: &RunId, strong: &str, agent: &str) -> Self {
        let short = run_name::short(run);
        let rest = short.strip_prefix(strong).unwrap_or_default();
        let strong = if rest.is_empty() { short } else { strong };
        let spans = vec![
            Span::label("run ", Role::Quiet),
            Span::label(strong, Role::Strong),
            Span::label(format!("{rest}  "), Role::Quiet),
            Span::strong(agent),
        ];
        Self { lines: vec![Line::note(format!("run {short}"), spans).gutter(AT)] }
    }

    /// Starts the head with an agent, because a conversation has many runs.
    pub(crate) fn of_chat(agent: &str, session: &str) -> Self {
        let spans = vec![Span::strong(agent), Span::quiet("  session "), Span::text(session)];
        Self { lines: vec![Line::note("agent", spans).gutter(AT)] }
    }

    /// Adds the model. A cassette must not be mistaken for a model.
    pub(crate) fn model(
        mut self,
        project: &Project,
        (name, entry): (&str, &ModelEntry),
    ) -> Result<Self, Failure> {
        let text = match entry {
            ModelEntry::Remote(config) => format!("{name}: {} of {}", config.settings.model, config.provider),
            ModelEntry::Cassette(path) => {
                let cassette = Cassette::read(path).map_err(|error| Failure::of(Code::Model, &error))?;
                let whose = match cassette.origin() {
                    Origin::WrittenByHand => "written by hand",
                    Origin::Recorded => "recorded from a model",
                };
                format!("{name}, a cassette {whose}: no key, no network")
            }
        };
        self.row("model", vec![Span::label("model ", Role::Quiet), Span::text(text)]);
        if let (ModelEntry::Cassette(_), Some((name, config))) = (entry, remote(project)) {
            let first = missing_key(config).map(|key| format!(", with {key}")).unwrap_or_default();
            let command = format!("--model {name}{first}");
            self.row("a real model", vec![Span::label("a real model: ", Role::Quiet), Span::text(command)]);
        }
        Ok(self)
    }

    /// Adds the folder.
    pub(crate) fn folder(mut self, project: &Project, root: &Path) -> Result<Self, Failure> {
        let text = match (project.file.workspace.copy, seen_from_here(root)?) {
            (true, _) => "a copy; the project stays as it is".to_owned(),
            (false, root) if root == Path::new(".") => return Ok(self),
            (false, root) => root.display().to_string(),
        };
        self.row("works on", vec![Span::label("works on ", Role::Quiet), Span::text(text)]);
        Ok(self)
    }

    /// Adds the limits.
    pub(crate) fn limits(mut self, limits: &[Gauge]) -> Self {
        let limit =
            |name: &str| limits.iter().find(|gauge| gauge.name == name).and_then(|gauge| gauge.ceiling);
        let turns = limit("turns").map(|turns| counted(turns, "turn", "turns"));
        let calls = limit("tool_calls").map(|calls| counted(calls, "call", "calls"));
        let tokens = limit("tokens").map(|tokens| counted(tokens, "token", "tokens"));
        let parts: Vec<String> = [turns, calls, tokens].into_iter().flatten().collect();
        if !parts.is_empty() {
            self.row("at most", vec![Span::label("at most ", Role::Quiet), Span::text(parts.join(", "))]);
        }
        self
    }

    pub(crate) fn lines(mut self) -> Vec<Line> {
        self.lines.push(Line::blank());
        self.lines
    }

    fn row(&mut self, subject: &str, spans: Vec<Span>) {
        let mut all = vec![Span::label(" ".repeat(AT), Role::Text)];
        all.extend(spans);
        self.lines.push(Line::note(subject, all).gutter(AT));
    }
}

fn remote(project: &Project) -> Option<(&String, &ModelConfig)> {
    project.models.iter().find_map(|(name, entry)| match entry {
        ModelEntry::Remote(config) => Some((name, &**config)),
        ModelEntry::Cassette(_) => None,
    })
}

/// Returns the environment variable of a key that is not set.
fn missing_key(config: &ModelConfig) -> Option<&str> {
    let variable = config.key_env.as_deref().or(config.provider.key_variable())?;
    (config.key_file.is_none() && !environment::has(variable)).then_some(variable)
}
