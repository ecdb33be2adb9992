//! Pending actions in SQLite.

use provost_contract::WorkspaceScope;
use provost_contract::approval::{PendingAction, Resolution};
use provost_runtime::port::{
    ApprovalFilter, ApprovalSummary, Approvals, Boxed, Decided, Fault, StoreActionError,
};
use rusqlite::{Connection, OptionalExtension as _};
use serde_json::Value;

use super::broken::Broken;
use super::database::Database;
use super::record;

impl Approvals for Database {
    fn store(&self, action: PendingAction) -> Boxed<'_, Result<(), StoreActionError>> {
        let action_id = action.action_id().to_owned();
        Box::pin(async move {
            match self.write(move |connection| insert(connection, &action)).await? {
                0 => Err(StoreActionError::Taken { action_id }),
                _ => Ok(()),
            }
        })
    }

    fn get<'a>(
        &'a self,
        action_id: &'a str,
        decided: Decided,
    ) -> Boxed<'a, Result<Option<PendingAction>, Fault>> {
        let action_id = action_id.to_owned();
        Box::pin(self.read(move |connection| {
            Ok(get(connection, &action_id)?.filter(|action| match decided {
                Decided::Hidden => !action.status().is_terminal(),
                Decided::Included => true,
            }))
        }))
    }

    fn list<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<Vec<PendingAction>, Fault>> {
        let filter = filter.clone();
        Box::pin(self.read(move |connection| list(connection, &filter)))
    }

    fn summary<'a>(&'a self, filter: &'a ApprovalFilter) -> Boxed<'a, Result<ApprovalSummary, Fault>> {
        let filter = filter.clone();
        Box::pin(self.read(move |connection| {
            let mut summary = ApprovalSummary::new();
            for action in list(connection, &filter)? {
                *summary.entry(action.status().into()).or_default() += 1;
            }
            Ok(summary)
        }))
    }

    fn record_resolution<'a>(
        &'a self,
        action_id: &'a str,
        resolution: Resolution,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let action_id = action_id.to_owned();
        Box::pin(self.write(move |connection| {
            change(connection, &action_id, |action| action.resolve(resolution.clone()))
        }))
    }

    fn record_outcome<'a>(
        &'a self,
        action_id: &'a str,
        outcome: Result<Value, String>,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let action_id = action_id.to_owned();
        Box::pin(self.write(move |connection| {
            change(connection, &action_id, |action| {
                let decided = action.status().is_terminal();
                if decided {
                    action.add_outcome(outcome.clone());
                }
                decided
            })
        }))
    }

    fn expire<'a>(&'a self, at: &'a str) -> Boxed<'a, Result<usize, Fault>> {
        let at = at.to_owned();
        Box::pin(self.write(move |connection| {
            let waiting = ApprovalFilter { status: Some(Default::default()), ..ApprovalFilter::default() };
            let mut expired = 0;
            for mut action in list(connection, &waiting)? {
                if action.expire(&at) {
                    update(connection, &action)?;
                    expired += 1;
                }
            }
            Ok(expired)
        }))
    }

    fn delete<'a>(
        &'a self,
        action_id: &'a str,
        resolver: &'a str,
        at: &'a str,
    ) -> Boxed<'a, Result<bool, Fault>> {
        let [action_id, resolver, at] = [action_id, resolver, at].map(str::to_owned);
        Box::pin(self.write(move |connection| {
            change(connection, &action_id, |action| action.withdraw(&resolver, &at))
        }))
    }
}

fn insert(connection: &Connection, action: &PendingAction) -> Result<usize, Broken> {
    let status: &str = action.status().into();
    let scope = action.workspace.as_ref();
    let mut statement = connection.prepare_cached(
        "INSERT INTO approvals (action_id, status, kind, agent, workspace_type, workspace_id, record)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
    )?;
    Ok(statement.execute((
        action.action_id(),
        status,
        action.kind(),
        &action.agent,
        scope.map(WorkspaceScope::workspace_type),
        scope.map(WorkspaceScope::workspace_id),
        written(action),
    ))?)
}

fn get(connection: &Connection, action_id: &str) -> Result<Option<PendingAction>, Broken> {
    let mut statement = connection.prepare_cached("SELECT record FROM approvals WHERE action_id = ?1")?;
    let text: Option<String> = statement.query_row([action_id], |row| row.get(0)).optional()?;
    text.map(|text| record::parsed(&text, PendingAction::parse)).transpose()
}

fn list(connection: &Connection, filter: &ApprovalFilter) -> Result<Vec<PendingAction>, Broken> {
    let status: Option<&str> = filter.status.map(Into::into);
    let scope = filter.workspace.as_ref();
    let by_status = "SELECT record FROM approvals WHERE status = ?1";
    let all = "SELECT record FROM approvals WHERE ?1 IS NULL";
    let rest = " AND (?2 IS NULL OR kind = ?2) AND (?3 IS NULL OR agent = ?3)
                 AND (?4 IS NULL OR (workspace_type = ?4 AND workspace_id = ?5)) ORDER BY no";
    let sql = [if status.is_some() { by_status } else { all }, rest].concat();
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query((
        status,
        &filter.kind,
        &filter.agent,
        scope.map(WorkspaceScope::workspace_type),
        scope.map(WorkspaceScope::workspace_id),
    ))?;
    let mut actions = Vec::new();
    while let Some(row) = rows.next()? {
        actions.push(record::parsed(&row.get::<_, String>(0)?, PendingAction::parse)?);
    }
    Ok(actions)
}

/// Changes a stored action in the transaction that read it; says whether it did.
fn change(
    connection: &Connection,
    action_id: &str,
    change: impl FnOnce(&mut PendingAction) -> bool,
) -> Result<bool, Broken> {
    let Some(mut action) = get(connection, action_id)? else { return Ok(false) };
    let changed = change(&mut action);
    if changed {
        update(connection, &action)?;
    }
    Ok(changed)
}

fn update(connection: &Connection, action: &PendingAction) -> Result<(), Broken> {
    let status: &str = action.status().into();
    connection
        .prepare_cached("UPDATE approvals SET status = ?2, record = ?3 WHERE action_id = ?1")?
        .execute((action.action_id(), status, written(action)))?;
    Ok(())
}

fn written(action: &PendingAction) -> String {
    Value::Object(action.to_object()).to_string()
}
