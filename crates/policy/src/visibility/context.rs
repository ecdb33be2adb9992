//! Everything the layers look at besides the tool.

use provost_contract::json::{self, Object};

use super::attendance::Attendance;
use super::fragment::Fragment;
use crate::agent_policy;
use crate::hook::{HookAnswer, HookFailure};

const DEFAULT_MODE: &str = "chat";

/// Whose policy a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The agent's configuration.
    Agent,
    /// The tool policy given with the run.
    Run,
    /// The provider at this place.
    Provider(usize),
    /// The run's own lists, outside any policy.
    RunLists,
}

impl Source {
    /// The words for a person.
    pub(super) fn words(self) -> String {
        match self {
            Self::Agent => "the agent's policy".to_owned(),
            Self::Run => "the run's policy".to_owned(),
            Self::Provider(place) => format!("policy provider {place}"),
            Self::RunLists => "the run".to_owned(),
        }
    }
}

/// The policies and facts of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Empty when modes do not matter.
    pub(super) mode: String,
    /// Only tools with one of these, when there are any.
    pub(super) categories: Vec<String>,
    pub(super) fragments: Vec<(Source, Fragment)>,
    pub(super) failed_providers: Vec<(usize, HookFailure)>,
    pub(super) attendance: Attendance,
}

impl Context {
    /// Reads a runtime context. `registered_config` finds the configuration of the agent it names;
    /// `providers` are what the policy providers answered, in order.
    pub fn parse(
        context: &Object,
        registered_config: impl FnOnce(&str) -> Option<Object>,
        providers: Vec<HookAnswer<Fragment>>,
    ) -> Self {
        let agent = agent_policy::policy_of(context, registered_config, "tool_policy");
        let run = json::object(context, "tool_policy");
        let mut fragments = vec![(Source::RunLists, Fragment::of_run(context))];
        fragments.extend(agent.map(|policy| (Source::Agent, Fragment::parse(&policy))));
        fragments.extend(run.map(|policy| (Source::Run, Fragment::parse(policy))));
        let mut failed_providers = Vec::new();
        for (place, answer) in providers.into_iter().enumerate() {
            match answer {
                Ok(Some(fragment)) => fragments.push((Source::Provider(place), fragment)),
                Ok(None) => {}
                Err(failure) => failed_providers.push((place, failure)),
            }
        }
        Self {
            mode: json::text(context, "mode").unwrap_or(DEFAULT_MODE).to_owned(),
            categories: context.get("categories").map(json::string_list).unwrap_or_default(),
            fragments,
            failed_providers,
            attendance: Attendance::of(context),
        }
    }

    /// The first fragment that says something about a tool.
    pub(super) fn first_source(&self, says: impl Fn(&Fragment) -> bool) -> Option<Source> {
        self.fragments.iter().find(|(_, fragment)| says(fragment)).map(|(source, _)| *source)
    }
}
