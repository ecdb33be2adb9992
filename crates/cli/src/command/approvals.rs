//! `provost approvals`: lists open questions and standing approvals, and revokes standing approvals.

use std::path::Path;

use provost::{ApprovalScope, Covers, StandingApproval, revoke_standing};
use provost_contract::json::Object;
use provost_contract::{canonical, timestamp};
use provost_engine::event::EventKind;
use provost_engine::{ActionId, WaitId, view};
use provost_project::{DataDir, clock};
use provost_runtime::store::{Store, WaitFilter};
use serde_json::{Value, json};

use super::approvals_table::Table;
use crate::args::RevokeOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::journal;
use crate::pending::Pending;
use crate::run_name::Names;
use crate::screen::Screen;
use crate::standing;
use crate::view::object;

/// The maximum number of listed questions.
pub(super) const WAITS_MAX: usize = 100;
/// The number of id characters that are shown, and the minimum to type.
pub(super) const ID: usize = 8;
const PREFIX_MIN: usize = 2;
const NOTHING: &str = "nothing waits for a person, and there are no standing approvals";

pub(crate) async fn run(start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let data = DataDir::find(start)?;
    if data.is_empty() {
        screen.tell(NOTHING);
        return Ok(Exit::Done);
    }
    let store = data.look()?;
    let (waits, more) = waiting(&*store).await?;
    let granted = holding(&*store).await?;
    if screen.is_json() {
        waits.iter().for_each(|pending| screen.document(&pending.document()));
        for approval in &granted {
            screen.document(&document(approval, &words(&*store, approval).await));
        }
        return Ok(Exit::Done);
    }
    if waits.is_empty() && granted.is_empty() {
        screen.tell(NOTHING);
        return Ok(Exit::Done);
    }
    let names = Names::read(&*store).await?;
    let table = Table::new(*screen, &names);
    let mut rows = Vec::new();
    for approval in &granted {
        rows.push((approval, words(&*store, approval).await));
    }
    let mut lines = table.questions(&waits, more);
    lines.extend(table.granted(&rows));
    lines.extend(table.next(&waits, &granted));
    screen.lines(&lines);
    Ok(Exit::Done)
}

/// Revokes standing approvals.
pub(crate) async fn revoke(options: &RevokeOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    let store = DataDir::find(start)?.open()?;
    let storage = |fault| Failure::storage(&fault);
    let meant = meant(holding(&*store).await?, &options.approval)?;
    for approval in &meant {
        let workspace = approval.about().map(|about| about.workspace).unwrap_or_default();
        revoke_standing(&*store, &workspace, &approval.scope, identity::actor()).await.map_err(storage)?;
        let words = words(&*store, approval).await;
        let said = || format!("asked again from now on: {words}");
        screen.show(&json!({ "type": "revoked", "id": id(approval) }), said);
    }
    if meant.is_empty() {
        screen.tell("there are no standing approvals");
    }
    Ok(Exit::Done)
}

/// Returns the approvals that an argument selects: `all`, or the prefix of one id.
fn meant(granted: Vec<StandingApproval>, word: &str) -> Result<Vec<StandingApproval>, Failure> {
    if word == "all" {
        return Ok(granted);
    }
    let is_meant = |approval: &StandingApproval| word.len() >= PREFIX_MIN && id(approval).starts_with(word);
    let found: Vec<StandingApproval> = granted.into_iter().filter(is_meant).collect();
    let wrong = match found.len() {
        1 => return Ok(found),
        0 => format!("no standing approval begins with `{word}`"),
        several => format!("{several} standing approvals begin with `{word}`"),
    };
    Err(Failure::new(Code::Decision, wrong)
        .hint("provost approvals lists them; more letters tell them apart")
        .names_nothing())
}

/// Returns the open questions, oldest first, and whether there are more.
async fn waiting(store: &dyn Store) -> Result<(Vec<Pending>, bool), Failure> {
    let (mut open, mut more) = (Vec::new(), false);
    for kind in ["approval", "in_doubt", "question", "input", "client"] {
        let filter = WaitFilter { kind: Some(kind.to_owned()), ..WaitFilter::default() };
        let page = store.waits(filter, None, WAITS_MAX).await.map_err(|fault| Failure::storage(&fault))?;
        more |= page.next.is_some();
        open.extend(page.items.into_iter().map(|wait| wait.row.wait));
    }
    let mut all = Vec::new();
    for wait in &open {
        all.extend(asked(store, wait).await?);
    }
    all.retain(|pending| !pending.asked.summary.is_empty());
    all.sort_by_key(|pending| (pending.asked.asked_at, pending.wait().number));
    Ok((all, more))
}

async fn asked(store: &dyn Store, wait: &WaitId) -> Result<Vec<Pending>, Failure> {
    let read = journal::read(store, &wait.run).await?;
    let open = view::open_waits(&read.state, &read.run.events);
    Ok(open.into_iter().filter(|asked| asked.wait == *wait).map(Pending::stored).collect())
}

/// Returns the standing approvals in force.
async fn holding(store: &dyn Store) -> Result<Vec<StandingApproval>, Failure> {
    let mut granted = store.all_standing().await.map_err(|fault| Failure::storage(&fault))?;
    let now = provost::Time(clock::clock().now_ms());
    granted.retain(|approval| approval.holds_at(now));
    granted.sort_by_key(|approval| approval.at);
    Ok(granted)
}

/// Returns the arguments that the model gave a call. The state of a run keeps none for calls that ended.
fn declared(read: &journal::Read, action: ActionId) -> Option<&Object> {
    let declared = read.run.events.iter().filter_map(|event| match &event.kind {
        EventKind::DeclarationAccepted(declaration) => Some(&declaration.add),
        _ => None,
    });
    let spec = declared.flatten().find(|spec| spec.id == action)?;
    Some(&spec.args.redacted)
}

/// Returns the calls that an approval covers, in words. The journal, if it still exists, gives the arguments of a single
/// call, and whether a path is a file or a folder.
async fn words(store: &dyn Store, approval: &StandingApproval) -> String {
    if approval.covers != Covers::Tool
        && let (Some(action), Ok(read)) = (approval.action, journal::read(store, &approval.run).await)
        && let Some(arguments) = declared(&read, action)
    {
        let path = arguments.get("path").and_then(Value::as_str).map(|path| path.trim_start_matches("./"));
        match &approval.covers {
            Covers::Call => return standing::exactly(&approval.tool, &object(&approval.tool, arguments)),
            Covers::Place(place) if path == Some(place) => return standing::of_file(&approval.tool, place),
            Covers::Place(_) | Covers::Tool => {}
        }
    }
    standing::words(&approval.tool, &approval.covers, None)
}

/// Returns the short id: a prefix of the hash of the scope.
pub(super) fn id(approval: &StandingApproval) -> String {
    canonical::sha256_hex(approval.scope.as_bytes()).chars().take(ID).collect()
}

/// Formats a standing approval as JSON.
fn document(approval: &StandingApproval, words: &str) -> Value {
    let about = approval.about();
    let of = |field: fn(&ApprovalScope) -> String| about.as_ref().map(field).unwrap_or_default();
    let time = |ms: i64| timestamp::iso8601(ms.div_euclid(1_000));
    json!({
        "type": "standing_approval",
        "id": id(approval),
        "workspace": of(|about| about.workspace.clone()),
        "principal": of(ApprovalScope::principal),
        "agent": of(|about| about.agent.clone()),
        "tool": approval.tool,
        "covers": approval.covers,
        "words": words,
        "layer": of(|about| about.layer.clone()),
        "rule": of(|about| about.rule.clone()),
        "by": approval.by.name(),
        "at": time(approval.at.0),
        "until": approval.until.map(|until| time(until.0)),
        "run": approval.run,
        "reason": approval.reason,
    })
}
