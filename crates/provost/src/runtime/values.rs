//! Rejects values that mean nothing: a limit of zero, an approver without a name, a file without a name.

#[cfg(feature = "sqlite")]
use std::path::Path;

use provost_runtime::port::Backoff;

use super::Ignored;
use crate::{Agent, CallRule};

/// Checks the values of an agent.
pub(super) fn agent(agent: &Agent) -> Result<(), Ignored> {
    if agent.max_turns == 0 {
        return Err(Ignored::new("`max_turns` is 0", "write at least 1"));
    }
    if agent.repetition_limit == 1 {
        return Err(Ignored::new("`repetition_limit` is 1", "write at least 2, or 0 to switch it off"));
    }
    if agent.tiers.as_ref().is_some_and(|tiers| tiers.most == 0) {
        let instead = "write at least 1, or leave `Agent::tiers` out to show all";
        return Err(Ignored::new("`ToolTiers::at_most` is 0", instead));
    }
    agent.rules.iter().try_for_each(rule)?;
    approvers(agent)
}

fn rule(rule: &CallRule) -> Result<(), Ignored> {
    if rule.after.is_some() {
        return Ok(());
    }
    if !rule.one_of.is_empty() || !rule.limited.is_empty() {
        let instead = "write CallRule::after, or CallRule::at_least alone";
        return Err(Ignored::new("`CallRule::at_least` is about calls of any tools", instead));
    }
    if rule.calls == 0 {
        return Err(Ignored::new("`CallRule::at_least` is 0", "write at least 1, or leave the rule out"));
    }
    Ok(())
}

/// An empty list of approvers would let everyone decide.
fn approvers(agent: &Agent) -> Result<(), Ignored> {
    let Some(given) = agent.policy.get("approvers").and_then(|given| given.as_array()) else { return Ok(()) };
    if given.is_empty() {
        let instead = "name at least one person, or leave `Agent::approvers` out to let everyone decide";
        return Err(Ignored::new("`approvers` is empty", instead));
    }
    let is_blank = |name: &serde_json::Value| name.as_str().is_none_or(|name| name.trim().is_empty());
    if given.iter().any(is_blank) {
        return Err(Ignored::new("an approver has no name", "write who may decide, such as `user:ada`"));
    }
    Ok(())
}

/// Checks how many runs are active at once.
pub(super) fn runs_max(runs: usize) -> Result<usize, Ignored> {
    match runs {
        0 => Err(Ignored::new("`runs_max` is 0, so no run would start", "write at least 1")),
        runs => Ok(runs),
    }
}

/// Checks how often a model is asked.
pub(super) fn retries(backoff: &Backoff) -> Result<(), Ignored> {
    match backoff.attempts {
        0 => Err(Ignored::new(
            "`Backoff::attempts` is 0, and it counts the first request too",
            "write 1 for no retry",
        )),
        _ => Ok(()),
    }
}

/// Checks the name of a database: SQLite gives some names a meaning of its own.
#[cfg(feature = "sqlite")]
pub(super) fn database(path: &Path) -> Result<(), Ignored> {
    let instead = "write the path of a file; for runs in memory leave `.sqlite(…)` out, or use `.store(…)` with a \
                   MemoryStore";
    if path.as_os_str().is_empty() {
        return Err(Ignored::new("the path of the database is empty", instead));
    }
    if path.to_str().is_some_and(|path| path == ":memory:") {
        return Err(Ignored::new(
            "`:memory:` is not a file, so other processes cannot share its runs",
            instead,
        ));
    }
    Ok(())
}
