//! What the questions of every moment cost in a database of 10,000 runs: their plans, and the steps that SQLite
//! takes for them.

use provost_engine::{RunId, Time};
use provost_runtime::store::{ClaimFilter, Cursor, RunFilter, SessionFilter, WaitFilter, WaitState};
use rusqlite::{Connection, StatementStatus, ToSql};
use tempfile::TempDir;

use super::lists::{Query, runs_query, sessions_query, waits_query};
use super::ready::Ready;
use super::{SqliteOptions, open};

const PAGE: usize = 20;

/// Fills a database: every tenth run is open, every 25th is ready, every second is delegated by the run before it. Every run has a wait, settled if the run ended, and a session.
fn filled(runs: u32) -> (TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let connection = open::writing(&folder.path().join("provost.db"), &SqliteOptions::default()).unwrap();
    let sql = format!(
        "BEGIN;
        CREATE TEMP TABLE n AS WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n LIMIT {runs})
            SELECT n, printf('run-%05d', n) AS run, printf('run-%05d', n - n % 2) AS root,
                printf('ses-%05d', n / 2) AS session, 'site:' || (n % 7) AS workspace FROM n;
        INSERT INTO runs (run, root, parent, workspace, agent, agent_digest, session, status, head, head_hash,
                ready, due, created, updated, ended, summary)
            SELECT run, root, iif(n % 2, root, NULL), workspace, 'coach', '', iif(n % 2, NULL, session),
                'completed', 1, zeroblob(32), n % 25 = 0, iif(n % 25 = 0, n, NULL), n, n, iif(n % 10, n, NULL), '{{}}'
            FROM n;
        INSERT INTO waits (wait, run, root, path, workspace, kind, actions, opened, on_due, ask, binding,
                may_answer, supersedable, answered, settled)
            SELECT run || '/1', run, root, '', workspace, 'approval', '[]', n, '{{}}', '{{}}', '', '[]', 0,
                iif(n % 10, n, NULL), iif(n % 10, n, NULL) FROM n;
        INSERT INTO sessions (session, workspace, owner, agent, context, metadata, version, head, created, updated)
            SELECT printf('ses-%05d', n), workspace, 'user:' || (n % 100), 'coach', '', '{{}}', 1, 0, n, n FROM n;
        COMMIT"
    );
    connection.execute_batch(&sql).unwrap();
    (folder, connection)
}

fn plan(connection: &Connection, sql: &str, params: &[(&str, &dyn ToSql)]) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    statement.query_map(params, |row| row.get(3)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Returns the lines of a plan that read a whole table without an index.
fn scans(plan: &[String]) -> Vec<&String> {
    let tables = ["runs", "waits", "sessions", "next"];
    let is_scan = |line: &&String| {
        let table = line.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
        table.is_some_and(|table| tables.contains(&table)) && !line.contains("USING")
    };
    plan.iter().filter(is_scan).collect()
}

/// Runs a query. Returns the steps of SQLite's machine and the number of rows.
fn steps(connection: &Connection, query: &Query) -> (i32, usize) {
    let mut statement = connection.prepare(&query.sql).unwrap();
    let mut rows = statement.query(rusqlite::params_from_iter(&query.values)).unwrap();
    let mut count = 0;
    while rows.next().unwrap().is_some() {
        count += 1;
    }
    drop(rows);
    (statement.get_status(StatementStatus::VmStep), count)
}

fn run(number: usize) -> RunId {
    format!("run-{number:05}").parse().unwrap()
}

fn run_lists() -> Vec<RunFilter> {
    let all = RunFilter::default;
    let site = || Some("site:3".to_owned());
    vec![
        all(),
        RunFilter { workspace: site(), ..all() },
        RunFilter { ended: Some(false), ..all() },
        RunFilter { ended: Some(true), ..all() },
        RunFilter { workspace: site(), ended: Some(false), ..all() },
        RunFilter { workspace: site(), ended: Some(true), ..all() },
        RunFilter { session: Some("ses-00020".parse().unwrap()), ..all() },
        RunFilter { session: Some("ses-00020".parse().unwrap()), workspace: site(), ..all() },
        RunFilter { parent: Some(run(40)), ..all() },
        RunFilter { root: Some(run(40)), ..all() },
        RunFilter { root: Some(run(40)), workspace: site(), ended: Some(false), ..all() },
        RunFilter { status: Some("completed".to_owned()), ..all() },
        RunFilter { agent: Some("coach".to_owned()), workspace: site(), ..all() },
    ]
}

fn wait_lists() -> Vec<WaitFilter> {
    let mut lists = Vec::new();
    for state in [WaitState::Unanswered, WaitState::Unsettled, WaitState::Any] {
        let all = || WaitFilter { state, ..WaitFilter::default() };
        let site = || Some("site:3".to_owned());
        lists.extend([
            all(),
            WaitFilter { workspace: site(), ..all() },
            WaitFilter { run: Some(run(40)), ..all() },
            WaitFilter { run: Some(run(40)), workspace: site(), ..all() },
            WaitFilter { root: Some(run(40)), ..all() },
            WaitFilter { root: Some(run(40)), workspace: site(), ..all() },
            WaitFilter { session: Some("ses-00020".parse().unwrap()), ..all() },
            WaitFilter { session: Some("ses-00020".parse().unwrap()), workspace: site(), ..all() },
            WaitFilter { kind: Some("approval".to_owned()), ..all() },
        ]);
    }
    lists
}

fn session_lists() -> Vec<SessionFilter> {
    let all = SessionFilter::default;
    let site = || Some("site:3".to_owned());
    let ada = || Some("user:3".to_owned());
    vec![
        all(),
        SessionFilter { workspace: site(), ..all() },
        SessionFilter { workspace: site(), owner: ada(), ..all() },
        SessionFilter { workspace: site(), owner: ada(), context: Some(String::new()), ..all() },
        SessionFilter { workspace: site(), agent: Some("coach".to_owned()), ..all() },
    ]
}

/// Every list, from its beginning and from its middle.
fn lists() -> Vec<(String, Query)> {
    let mut lists = Vec::new();
    let at = Time(40);
    for filter in run_lists() {
        for after in [None, Some(Cursor { at, id: run(40) })] {
            lists.push((format!("{filter:?} {after:?}"), runs_query(filter.clone(), after, PAGE)));
        }
    }
    for filter in wait_lists() {
        for after in [None, Some(Cursor { at, id: "run-00040/1".parse().unwrap() })] {
            lists.push((format!("{filter:?} {after:?}"), waits_query(filter.clone(), after, PAGE)));
        }
    }
    for filter in session_lists() {
        for after in [None, Some(Cursor { at, id: "ses-00040".parse().unwrap() })] {
            lists.push((format!("{filter:?} {after:?}"), sessions_query(filter.clone(), after, PAGE)));
        }
    }
    lists
}

#[test]
fn lists_cost_the_same_in_a_large_database() {
    let (small, large) = (filled(1_000), filled(10_000));
    for (name, query) in lists() {
        let values: Vec<&dyn ToSql> = query.values.iter().map(|value| value as &dyn ToSql).collect();
        let mut statement = large.1.prepare(&format!("EXPLAIN QUERY PLAN {}", query.sql)).unwrap();
        let rows = statement.query_map(values.as_slice(), |row| row.get::<_, String>(3)).unwrap();
        let plan: Vec<String> = rows.collect::<Result<_, _>>().unwrap();
        assert!(scans(&plan).is_empty(), "{name}\n{plan:#?}");
        let (before, after) = (steps(&small.1, &query), steps(&large.1, &query));
        assert!(after.0 <= before.0 * 3 / 2 + 500, "{name}: {before:?}, {after:?}\n{plan:#?}");
    }
}

/// Returns the plan, the rows and the steps of a query for ready runs.
fn ready(connection: &Connection, sql: &str, ready: &Ready) -> (Vec<String>, Vec<String>, i32) {
    let plan = plan(connection, sql, &ready.params());
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map(ready.params().as_slice(), |row| row.get(0)).unwrap();
    let rows = rows.collect::<Result<_, _>>().unwrap();
    (plan, rows, statement.get_status(StatementStatus::VmStep))
}

#[test]
fn a_claim_starts_from_the_ready_runs() {
    let (_folder, connection) = filled(10_000);
    let list = |runs: Vec<usize>| ClaimFilter {
        runs: Some(std::sync::Arc::new(runs.into_iter().map(run).collect())),
        ..ClaimFilter::default()
    };
    // 400 runs are ready. What a claim costs follows from that number, not from the 10,000 runs.
    let steps_max = 400 * 40;
    let cases = [
        (ClaimFilter::default(), 400),
        (list((3..20).collect()), 0),
        (list((51..400).collect()), 13),
        // Run 25 is delegated by run 24.
        (list(vec![24]), 1),
    ];
    for (filter, expected) in cases {
        let mut found = 0;
        for site in 0..7 {
            let mut query = Ready::new(&filter, 1_000);
            let sql = query.runs(&format!("site:{site}"));
            let (plan, runs, steps) = ready(&connection, &sql, &query);
            assert!(plan.iter().any(|line| line.contains("runs_ready (workspace=?)")), "{plan:#?}");
            assert!(scans(&plan).is_empty() && steps < steps_max, "{steps} steps, {plan:#?}");
            found += runs.len();
        }
        assert_eq!(found, expected);
        for after in [None, Some("site:3")] {
            let mut query = Ready::new(&filter, 1_000);
            let sql = query.workspaces(after);
            let (plan, _, steps) = ready(&connection, &sql, &query);
            let starts: Vec<_> = plan.iter().filter(|line| line.contains(" runs USING ")).collect();
            assert!(starts.iter().all(|line| line.contains("INDEX runs_ready")), "{plan:#?}");
            assert!(scans(&plan).is_empty() && steps < steps_max, "{steps} steps, {plan:#?}");
        }
    }
}

/// After most changes nothing is ready, and some hundred runs are asked for.
#[test]
fn a_claim_without_ready_runs_does_not_read_its_list() {
    let (_folder, connection) = filled(10_000);
    connection.execute("UPDATE runs SET ready = 0", []).unwrap();
    let runs = Some(std::sync::Arc::new((0..500).map(run).collect()));
    let mut query = Ready::new(&ClaimFilter { runs, ..ClaimFilter::default() }, 10);
    let sql = query.workspaces(None);
    let (_, workspaces, steps) = ready(&connection, &sql, &query);
    assert!(workspaces.is_empty() && steps < 100, "{steps} steps");
}
