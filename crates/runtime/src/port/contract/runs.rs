//! What the rows of runs promise.

use super::promises;
use super::sample::{append, must, row, run};
use crate::port::{Append, Cursor, RunFilter, RunRow, Seq, Stores};

promises![
    a_row_comes_back_as_it_was_written,
    a_run_without_a_row_is_not_listed,
    each_filter_filters,
    newest_come_first_and_pages_join,
    a_rebuilt_row_replaces_an_older_one_only,
];

async fn a_row_comes_back_as_it_was_written(stores: Stores) {
    let run = run("run-1");
    let full = RunRow {
        session: Some("s".to_owned()),
        parent: Some(self::run("run-0")),
        wake_at_ms: Some(-5),
        ..row(&run, 0, i64::MAX)
    };
    must(stores.runs.rebuild(full.clone()).await);
    assert_eq!(must(stores.runs.get(&run).await), Some(full));
    assert_eq!(must(stores.runs.get(&self::run("run-2")).await), None);
}

async fn a_run_without_a_row_is_not_listed(stores: Stores) {
    must(stores.claims.claim(&run("run-1"), "worker", 1_000, 0).await);
    must(stores.journal.append(append(&run("run-2"), 0, 1)).await);
    assert_eq!(names(&stores, &RunFilter::default()).await, [""; 0]);
    assert_eq!(must(stores.runs.get(&run("run-1")).await), None);
}

async fn each_filter_filters(stores: Stores) {
    let plain = |name: &str| row(&run(name), 0, 1);
    let rows = [
        RunRow { status: "completed".to_owned(), ..plain("a") },
        RunRow { workspace: "site:2".to_owned(), ..plain("b") },
        RunRow { agent: "clerk".to_owned(), ..plain("c") },
        RunRow { session: Some("s".to_owned()), ..plain("d") },
        RunRow { parent: Some(run("a")), ..plain("e") },
        RunRow { wake_at_ms: Some(100), ..plain("f") },
    ];
    for row in rows {
        must(stores.runs.rebuild(row).await);
    }
    let all = RunFilter::default;
    let cases: [(RunFilter, &[&str]); 8] = [
        (all(), &["a", "b", "c", "d", "e", "f"]),
        (RunFilter { statuses: vec!["completed".to_owned(), "failed".to_owned()], ..all() }, &["a"]),
        (RunFilter { workspace: Some("site:2".to_owned()), ..all() }, &["b"]),
        (RunFilter { agent: Some("clerk".to_owned()), ..all() }, &["c"]),
        (RunFilter { session: Some("s".to_owned()), ..all() }, &["d"]),
        (RunFilter { parent: Some(run("a")), ..all() }, &["e"]),
        (RunFilter { wake_until_ms: Some(100), ..all() }, &["f"]),
        (RunFilter { wake_until_ms: Some(99), ..all() }, &[]),
    ];
    for (filter, expected) in cases {
        assert_eq!(names(&stores, &filter).await, expected, "{filter:?}");
    }
}

async fn newest_come_first_and_pages_join(stores: Stores) {
    for (name, created_at_ms) in [("b", 2), ("a", 2), ("old", 1), ("new", 3)] {
        let run = run(name);
        must(
            stores
                .journal
                .append(Append { row: Some(row(&run, 1, created_at_ms)), ..append(&run, 0, 1) })
                .await,
        );
    }
    let mut seen = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let page = must(stores.runs.list(&RunFilter::default(), 3, after.as_ref()).await);
        seen.push(page.rows.iter().map(|row| row.run.to_string()).collect::<Vec<_>>());
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [vec!["new", "a", "b"], vec!["old"]]);
    let least = must(stores.runs.list(&RunFilter::default(), 0, None).await);
    assert_eq!(least.rows.len(), 1, "a page has at least one row");
    let whole = must(stores.runs.list(&RunFilter::default(), 4, None).await);
    assert_eq!(whole.next, None, "a full last page has no next");
}

async fn a_rebuilt_row_replaces_an_older_one_only(stores: Stores) {
    let run = run("run-1");
    must(stores.journal.append(append(&run, 0, 3)).await);
    must(stores.runs.rebuild(row(&run, 2, 1)).await);
    must(stores.runs.rebuild(row(&run, 3, 2)).await);
    must(stores.runs.rebuild(row(&run, 1, 3)).await);
    assert_eq!(must(stores.runs.get(&run).await), Some(row(&run, 3, 2)));
    must(stores.runs.rebuild(row(&run, 3, 4)).await);
    assert_eq!(must(stores.runs.get(&run).await), Some(row(&run, 3, 4)));
    assert_eq!(must(stores.journal.head(&run).await), Seq(3), "a row changes no journal");
}

async fn names(stores: &Stores, filter: &RunFilter) -> Vec<String> {
    let page = must(stores.runs.list(filter, 100, None).await);
    page.rows.into_iter().map(|row| row.run.to_string()).collect()
}
