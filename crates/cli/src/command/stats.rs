//! `provost stats`: how well models speak the Agent Protocol, per agent and model, counted from the journals.

use std::collections::BTreeMap;
use std::path::Path;

use provost_contract::json;
use provost_engine::event::{Event, EventKind, Mode, ModelUse, Origin, RunSpec};
use provost_project::{DataDir, MODEL};
use provost_runtime::store::{ListedRun, RunFilter, Store};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::journal;
use crate::screen::Screen;

/// How many runs are listed at a time.
const PAGE: usize = 200;

/// What the models of one agent declared.
#[derive(Default)]
struct Counts {
    runs: u64,
    declarations: u64,
    compliant: u64,
    recovered: u64,
    refused: u64,
    retries: u64,
    violations: BTreeMap<String, u64>,
    refusals: BTreeMap<String, u64>,
}

pub(crate) async fn run(start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.look()?;
    let mut all: BTreeMap<(String, String), Counts> = BTreeMap::new();
    for listed in declaring(&*store).await? {
        let read = journal::read(&*store, &listed.row.run).await?;
        let spec = &read.state.spec;
        if spec.mode == Mode::Protocol && spec.model == ModelUse::Asked {
            all.entry((spec.agent.clone(), model(spec))).or_default().add(&read.run.events);
        }
    }
    for ((agent, model), counts) in &all {
        screen.show(&counts.document(agent, model), || counts.text(agent, model));
    }
    if all.is_empty() {
        screen.tell("no run has declared anything yet: write `speaks: protocol` in an agent file");
    }
    Ok(Exit::Done)
}

/// The runs of protocol agents, as their rows say.
async fn declaring(store: &dyn Store) -> Result<Vec<ListedRun>, Failure> {
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page =
            store.runs(RunFilter::default(), after, PAGE).await.map_err(|fault| Failure::storage(&fault))?;
        let declares =
            |listed: &ListedRun| listed.summary.get("mode").and_then(Value::as_str) == Some("protocol");
        found.extend(page.items.into_iter().filter(declares));
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(found),
        }
    }
}

fn model(spec: &RunSpec) -> String {
    json::text(&spec.context, MODEL).unwrap_or("unknown").to_owned()
}

impl Counts {
    fn add(&mut self, events: &[Event]) {
        self.runs += 1;
        for event in events {
            match &event.kind {
                EventKind::ModelResponded(responded) => {
                    let recovered = responded.provider.get("recovered") == Some(&Value::Bool(true));
                    self.recovered += u64::from(recovered);
                }
                EventKind::DeclarationAccepted(accepted) if accepted.origin == Origin::Declaration => {
                    self.declarations += 1;
                    self.compliant += u64::from(accepted.violations.is_empty());
                    for violation in accepted.violations.iter().filter_map(Value::as_str) {
                        let kind = violation.split(':').next().unwrap_or(violation);
                        *self.violations.entry(kind.to_owned()).or_default() += 1;
                    }
                }
                EventKind::ResponseRefused(refused) => {
                    self.refused += 1;
                    self.retries += u64::from(refused.retry);
                    *self.refusals.entry(refused.code.clone()).or_default() += 1;
                }
                _ => {}
            }
        }
    }

    fn document(&self, agent: &str, model: &str) -> Value {
        json!({
            "type": "stats",
            "agent": agent,
            "model": model,
            "runs": self.runs,
            "declarations": self.declarations,
            "compliant": self.compliant,
            "recovered": self.recovered,
            "refused": self.refused,
            "retries": self.retries,
            "violations": self.violations,
            "refusals": self.refusals,
        })
    }

    fn text(&self, agent: &str, model: &str) -> String {
        let listed = |counts: &BTreeMap<String, u64>| {
            counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect::<Vec<_>>().join(", ")
        };
        let mut text = format!(
            "{agent} with {model}: {} runs, {} declarations, {} without a violation, {} recovered, {} refused, {} asked again",
            self.runs, self.declarations, self.compliant, self.recovered, self.refused, self.retries
        );
        for (name, counts) in [("violations", &self.violations), ("refusals", &self.refusals)] {
            if !counts.is_empty() {
                text.push_str(&format!("\n  {name}: {}", listed(counts)));
            }
        }
        text
    }
}
