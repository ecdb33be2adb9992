//! Which ready runs a worker may take.

use provost_engine::RunId;
use provost_runtime::port::Fault;
use provost_runtime::store::ClaimFilter;
use rusqlite::ToSql;
use rusqlite::types::Value;

use super::columns::{json, limit, parsed};
use super::db::Db;

/// The condition for ready runs that a filter takes. It names only what the filter limits. The planner starts from
/// the index of ready runs, which are few, and compares each with the filter.
pub(super) struct Ready {
    condition: String,
    params: Vec<(&'static str, Value)>,
}

/// Whether a run or one of those above it is in a list. The list is read once for all runs.
const IN_TREES: &str = " AND (run IN (SELECT value FROM json_each(:runs)) OR parent IS NOT NULL AND EXISTS (
    WITH RECURSIVE above(run) AS (
        SELECT runs.parent
        UNION SELECT next.parent FROM above JOIN runs next ON next.run = above.run WHERE next.parent IS NOT NULL)
    SELECT 1 FROM above WHERE above.run IN (SELECT value FROM json_each(:runs))))";

impl Ready {
    pub(super) fn new(filter: &ClaimFilter, most: usize) -> Self {
        let mut ready = Self { condition: "ready".to_owned(), params: vec![(":most", limit(most).into())] };
        if let Some(runs) = &filter.runs {
            ready.condition.push_str(IN_TREES);
            ready.params.push((":runs", json(&**runs).into()));
        }
        let lists = [
            (
                ":workspaces",
                " AND workspace IN (SELECT value FROM json_each(:workspaces))",
                &filter.workspaces,
            ),
            (":agents", " AND agent IN (SELECT value FROM json_each(:agents))", &filter.agents),
            (":queues", " AND queue IN (SELECT value FROM json_each(:queues))", &filter.queues),
        ];
        for (name, condition, list) in lists {
            if let Some(list) = list {
                ready.condition.push_str(condition);
                ready.params.push((name, json(list).into()));
            }
        }
        ready
    }

    /// Returns the query for workspaces behind another one, in order. Each step jumps to the next workspace in
    /// the index, however many runs are ready in between.
    pub(super) fn workspaces(&mut self, after: Option<&str>) -> String {
        let behind = if let Some(after) = after {
            self.params.push((":after", after.to_owned().into()));
            "workspace > :after"
        } else {
            "true"
        };
        let condition = &self.condition;
        format!(
            "WITH RECURSIVE found(workspace, n) AS (
                SELECT (SELECT min(workspace) FROM runs WHERE {condition} AND {behind}), 1
                UNION ALL
                SELECT (SELECT min(workspace) FROM runs WHERE {condition} AND workspace > found.workspace),
                    n + 1 FROM found WHERE found.workspace IS NOT NULL AND n < :most)
             SELECT workspace FROM found WHERE workspace IS NOT NULL"
        )
    }

    /// Returns the query for runs of a workspace, by priority and how long they are ready.
    pub(super) fn runs(&mut self, workspace: &str) -> String {
        self.params.push((":workspace", workspace.to_owned().into()));
        let condition = &self.condition;
        format!(
            "SELECT run FROM runs WHERE {condition} AND workspace = :workspace
             ORDER BY priority, due, run LIMIT :most"
        )
    }

    pub(super) fn params(&self) -> Vec<(&str, &dyn ToSql)> {
        self.params.iter().map(|(name, value)| (*name, value as &dyn ToSql)).collect()
    }
}

impl Db<'_> {
    /// Returns, in order, workspaces behind `after` with a ready run that fits.
    pub(super) fn find_workspaces(
        &self,
        after: Option<&str>,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<String>, Fault> {
        let mut ready = Ready::new(filter, most);
        let sql = ready.workspaces(after);
        self.many(&sql, ready.params().as_slice(), |row| row.get(0))
    }

    /// Returns ready runs of a workspace that fit, in the order in which they are claimed.
    pub(super) fn find_ready(
        &self,
        workspace: &str,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<RunId>, Fault> {
        let mut ready = Ready::new(filter, most);
        let sql = ready.runs(workspace);
        self.many(&sql, ready.params().as_slice(), |row| parsed(row, 0))
    }
}
