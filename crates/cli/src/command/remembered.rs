//! `provost remembered`: lists standing approvals.

use std::path::Path;

use provost_contract::timestamp;
use provost_engine::StandingApproval;
use provost_project::DataDir;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) async fn run(start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let data = DataDir::find(start)?;
    let remembered = match data.is_empty() {
        true => Vec::new(),
        false => data.look()?.all_standing().await.map_err(|fault| Failure::storage(&fault))?,
    };
    for standing in &remembered {
        screen.show(&document(standing), || line(standing));
    }
    if remembered.is_empty() {
        screen.tell("nothing is remembered: every question is asked");
    }
    Ok(Exit::Done)
}

/// What a standing approval covers.
struct Covers {
    workspace: String,
    principal: String,
    agent: String,
    layer: String,
    rule: String,
}

fn covers(standing: &StandingApproval) -> Covers {
    let scope: Value = serde_json::from_str(&standing.scope).unwrap_or_default();
    let text = |pointer: &str| scope.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Covers {
        workspace: text("/0"),
        principal: format!("{}:{}", text("/1/0"), text("/1/1")),
        agent: text("/3"),
        layer: text("/5"),
        rule: text("/6"),
    }
}

/// The workspace of a standing approval.
pub(super) fn workspace(standing: &StandingApproval) -> String {
    covers(standing).workspace
}

/// A short name for a standing approval: a prefix of the hash of its scope.
pub(super) fn id(standing: &StandingApproval) -> String {
    let hash = provost_contract::canonical::sha256_hex(standing.scope.as_bytes());
    hash.chars().take(12).collect()
}

fn at(standing: &StandingApproval) -> String {
    timestamp::iso8601(standing.at.0.div_euclid(1_000))
}

/// Formats a standing approval as JSON.
fn document(standing: &StandingApproval) -> Value {
    let covers = covers(standing);
    json!({
        "question": id(standing),
        "project": covers.workspace,
        "principal": covers.principal,
        "agent": covers.agent,
        "tool": standing.tool,
        "layer": covers.layer,
        "rule": covers.rule,
        "by": standing.by.name(),
        "at": at(standing),
        "run": standing.run.as_str(),
    })
}

/// Formats a standing approval for people.
pub(super) fn line(standing: &StandingApproval) -> String {
    let covers = covers(standing);
    format!(
        "{}  {} may {} for {} in {}: {} said so at {}  [{}: {}]",
        id(standing),
        covers.agent,
        standing.tool,
        covers.principal,
        covers.workspace,
        standing.by.name(),
        at(standing),
        covers.layer,
        covers.rule,
    )
}
