//! Files of older formats are read, and brought to the newest one by whoever may write.

use std::fs;

use provost_runtime::port::{Record, Seq};
use provost_store::sqlite::{Access, Options};
use rusqlite::Connection;

use crate::sample::{Place, append, run};

/// What a program of the third format left behind: an append as it is, and one compressed without a dictionary.
const FORMAT_3: &str = concat!(
    "PRAGMA page_size = 1024; PRAGMA journal_mode = wal; PRAGMA application_id = 0x70726f76;",
    "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;",
    include_str!("../migrations/0001_runs.sql"),
    include_str!("../migrations/0002_records.sql"),
    include_str!("../migrations/0003_inbox.sql"),
    "INSERT INTO migrations VALUES (1, 'runs'), (2, 'records'), (3, 'inbox'); PRAGMA user_version = 3;",
    "INSERT INTO runs (no, run) VALUES (1, 'run-0'), (2, 'run-1');",
    "INSERT INTO journal (run_no, last_seq, epoch, records) VALUES",
    "(2, 1, 0, x'00008844709e0100000100040000006e6f7465",
    "0707070707070707070707070707070707070707070707070707070707070707020000007b7d'),",
    "(2, 2, 0, x'01e902000028b52ffd60e901e50100d402008844709e0100000100040000006e6f746507b30200007b22746578",
    "74223a22616761696e20616e64202c227d04008f68565099bbe56a1b1006');",
);

/// What a program of the sixth format made of it.
const FORMAT_6: &str = concat!(
    include_str!("../migrations/0004_places.sql"),
    include_str!("../migrations/0005_remembered.sql"),
    include_str!("../migrations/0006_bundles.sql"),
    "INSERT INTO migrations VALUES (4, 'places'), (5, 'remembered'), (6, 'bundles'); PRAGMA user_version = 6;",
);

fn check(records: &[Record]) {
    let body = format!("{{\"text\":\"{}\"}}", "again and again, ".repeat(40));
    let bodies: Vec<_> = records.iter().take(2).map(|record| &*record.body).collect();
    assert_eq!(bodies, [b"{}".as_slice(), body.as_bytes()]);
    assert!(records.iter().map(|record| record.seq.0).eq(1..=records.len() as u64));
}

#[tokio::test]
async fn the_third_format_is_read_and_brought_up() {
    read_and_bring_up(&[FORMAT_3]).await;
}

#[tokio::test]
async fn the_sixth_format_is_read_and_brought_up() {
    read_and_bring_up(&[FORMAT_3, FORMAT_6]).await;
}

async fn read_and_bring_up(format: &[&str]) {
    let place = Place::new();
    fs::create_dir_all(place.path().parent().unwrap()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "an older program wrote it")]
    Connection::open(place.path()).unwrap().execute_batch(&format.concat()).unwrap();
    let run = run("run-1");

    let looking = Options { access: Access::ReadOnly, ..Options::default() };
    let before = fs::read(place.path()).unwrap();
    let stores = place.open_with(&looking).stores();
    assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(2));
    check(&stores.journal.read(&run, Seq::FIRST, 10).await.unwrap());
    assert!(stores.memory.remembered().await.unwrap().is_empty(), "nobody could say so then");
    assert_eq!(fs::read(place.path()).unwrap(), before, "whoever only looks changes nothing");

    // So many that most have got their places.
    let writing = place.open().stores();
    for expected in 2..100 {
        assert_eq!(writing.journal.append(append(&run, expected, 10)).await.unwrap(), Seq(expected + 1));
    }
    // Whoever was looking at it all the time sees them too.
    for stores in [stores, writing, place.open_with(&looking).stores()] {
        assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(100));
        let records = stores.journal.read(&run, Seq::FIRST, 500).await.unwrap();
        assert_eq!(records.len(), 100);
        check(&records);
    }
}
