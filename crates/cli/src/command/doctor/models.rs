//! Checks that the models answer.

use std::time::Duration;

use provost_models::{Cassette, ConfigError, FaultKind, ModelConfig, Origin, ReachError};
use provost_project::{AgentFile, ModelEntry, Project, clock};
use tokio::task::JoinSet;

use super::check::{Check, State};
use crate::text::duration;

/// How long a model gets to answer.
const LONGEST: Duration = Duration::from_secs(20);
const WHAT: &str = "models";

/// Checks every model, all at once. `agent` is the one that a run would use.
pub(super) async fn check(project: &Project, agent: Option<&AgentFile>, offline: bool) -> Vec<Check> {
    let chosen = project.model(None, agent);
    let mut asked = JoinSet::new();
    for (place, (name, entry)) in project.models.iter().enumerate() {
        let needed = chosen.as_ref().is_ok_and(|(chosen, _)| chosen == name);
        let wrong = if needed { State::Blocks } else { State::Wrong };
        let written = |key: &str| project.place_of(&["models", name, key]);
        let section = project.place_of(&["models", name]);
        let looked = Looked {
            name: name.clone(),
            wrong,
            address: written("base_url").or_else(|| section.clone()),
            key: written("key_file").or_else(|| written("key_env")).or_else(|| section.clone()),
            section,
        };
        let entry = entry.clone();
        asked.spawn(async move { (place, looked.at(entry, offline).await) });
    }
    let mut checks = asked.join_all().await;
    checks.sort_by_key(|(place, _)| *place);
    let mut checks: Vec<Check> = checks.into_iter().map(|(_, check)| check).collect();
    match chosen {
        Ok((_, entry)) => {
            let unpriced = agent.and_then(|agent| project.check_prices(agent, &entry).err());
            checks.extend(unpriced.map(|failure| Check::failed(WHAT, State::Blocks, &failure)));
        }
        Err(failure) => checks.push(Check::failed(WHAT, State::Blocks, &failure)),
    }
    checks
}

/// A model, and the locations of its configuration.
struct Looked {
    name: String,
    /// The result if it does not answer.
    wrong: State,
    address: Option<String>,
    key: Option<String>,
    section: Option<String>,
}

impl Looked {
    async fn at(self, entry: ModelEntry, offline: bool) -> Check {
        match entry {
            ModelEntry::Cassette(path) => match Cassette::read(&path) {
                Ok(cassette) => {
                    let whose = match cassette.origin() {
                        Origin::WrittenByHand => "written by hand",
                        Origin::Recorded => "recorded from a model",
                    };
                    Check::right(WHAT, format!("{}: a cassette {whose}, needs no key", self.name))
                }
                Err(error) => self.wrong(&error.to_string()).at(self.section),
            },
            ModelEntry::Remote(config) => self.remote(&config, offline).await,
        }
    }

    async fn remote(self, config: &ModelConfig, offline: bool) -> Check {
        let name = &self.name;
        let key = match key(config) {
            Some(key) => format!("key from {key}"),
            None => "without a key".to_owned(),
        };
        // A model that cannot be configured is not called.
        if let Err(error) = config.build(clock::clock()) {
            let place = if key_is_wrong(&error) { &self.key } else { &self.address };
            return self.wrong(&chain(&error)).at(place.clone());
        }
        if offline {
            return Check::right(WHAT, format!("{name}: not called, {key}"));
        }
        let began = clock::clock().now_ms();
        match tokio::time::timeout(LONGEST, config.reach(clock::clock())).await {
            Ok(Ok(())) => {
                let took = clock::clock().now_ms().saturating_sub(began);
                let took = duration(u64::try_from(took).unwrap_or(0));
                let took = took.map(|took| format!(" in {took}")).unwrap_or_default();
                Check::right(WHAT, format!("{name}: {} answered{took}, {key}", config.settings.model))
            }
            Ok(Err(ReachError::Config(error))) => self.wrong(&chain(&error)).at(self.section),
            Ok(Err(ReachError::Model { kind, message })) => match kind {
                FaultKind::Unreachable => {
                    self.wrong(&message).hint("start the server, or correct base_url").at(self.address)
                }
                FaultKind::TimedOut => self.wrong(&message).hint("check base_url").at(self.address),
                FaultKind::Auth => self.wrong(&message).hint(format!("check the {key}")).at(self.key),
                _ => self.wrong(&message).at(self.section),
            },
            Err(_) => {
                let problem = format!("no answer in {} s", LONGEST.as_secs());
                self.wrong(&problem).hint("check base_url").at(self.address)
            }
        }
    }

    fn wrong(&self, problem: &str) -> Check {
        Check::new(WHAT, self.wrong, format!("{}: {problem}", self.name))
    }
}

/// Returns the variable or file that has the key.
fn key(config: &ModelConfig) -> Option<String> {
    match &config.key_file {
        Some(file) => Some(file.display().to_string()),
        None => config.key_env.as_deref().or(config.provider.key_variable()).map(str::to_owned),
    }
}

fn key_is_wrong(error: &ConfigError) -> bool {
    matches!(error, ConfigError::Key(_) | ConfigError::TwoKeys)
}

/// Formats an error with its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
