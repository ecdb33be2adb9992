//! Which ready runs a worker may take.

use provost_engine::RunId;
use provost_runtime::port::Fault;
use provost_runtime::store::ClaimFilter;
use rusqlite::ToSql;
use rusqlite::types::Value;

use super::columns::{json, limit, parsed};
use super::db::Db;

/// The condition for ready runs that a filter takes. It names only what the filter limits, so that the planner
/// starts from the index of ready runs, or from the runs that are asked for.
struct Ready {
    condition: String,
    params: Vec<(&'static str, Value)>,
}

impl Ready {
    fn new(filter: &ClaimFilter) -> Self {
        let mut ready = Self { condition: "ready".to_owned(), params: Vec::new() };
        if let Some(runs) = &filter.runs {
            // The plus hides `ready` from the planner, which then looks the few runs up by their ids.
            ready.condition = "+ready AND run IN (
                WITH RECURSIVE tree(run) AS (
                    SELECT value FROM json_each(:runs)
                    UNION SELECT child.run FROM runs child JOIN tree ON child.parent = tree.run)
                SELECT run FROM tree)"
                .to_owned();
            ready.params.push((":runs", json(runs).into()));
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

    fn params(&self) -> Vec<(&str, &dyn ToSql)> {
        self.params.iter().map(|(name, value)| (*name, value as &dyn ToSql)).collect()
    }
}

impl Db<'_> {
    /// Returns, in order, workspaces behind `after` with a ready run that fits. Each step jumps to the next
    /// workspace in the index, however many runs are ready in between.
    pub(super) fn find_workspaces(
        &self,
        after: Option<&str>,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<String>, Fault> {
        let mut ready = Ready::new(filter);
        ready.params.push((":most", limit(most).into()));
        let condition = &ready.condition;
        let behind = if after.is_some() { "workspace > :after" } else { "true" };
        let sql = format!(
            "WITH RECURSIVE found(workspace, n) AS (
                SELECT (SELECT min(workspace) FROM runs WHERE {condition} AND {behind}), 1
                UNION ALL
                SELECT (SELECT min(workspace) FROM runs WHERE {condition} AND workspace > found.workspace),
                    n + 1 FROM found WHERE found.workspace IS NOT NULL AND n < :most)
             SELECT workspace FROM found WHERE workspace IS NOT NULL"
        );
        if let Some(after) = after {
            ready.params.push((":after", after.to_owned().into()));
        }
        self.many(&sql, ready.params().as_slice(), |row| row.get(0))
    }

    /// Returns ready runs of a workspace that fit, by priority and how long they are ready.
    pub(super) fn find_ready(
        &self,
        workspace: &str,
        filter: &ClaimFilter,
        most: usize,
    ) -> Result<Vec<RunId>, Fault> {
        let mut ready = Ready::new(filter);
        ready.params.push((":most", limit(most).into()));
        ready.params.push((":workspace", workspace.to_owned().into()));
        let sql = format!(
            "SELECT run FROM runs WHERE {} AND workspace = :workspace ORDER BY priority, due, run LIMIT :most",
            ready.condition
        );
        self.many(&sql, ready.params().as_slice(), |row| parsed(row, 0))
    }
}
