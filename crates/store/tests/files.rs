//! Files that cannot be used are told apart, in words, and left as they are.

use std::fs;
use std::path::Path;

use provost_runtime::port::{Address, AppendError, Fault, Seq};
use provost_store::sqlite::{Access, Check, Database, OpenError, Options};
use rusqlite::Connection;

use crate::sample::{Place, append, run};

fn refused(path: &Path) -> OpenError {
    let before = fs::read(path).unwrap();
    let error = Database::open(path, &Options::default()).err().expect("the file must be refused");
    assert_eq!(fs::read(path).unwrap(), before, "a refused file is left as it is");
    error
}

#[expect(clippy::disallowed_methods, reason = "these tests tamper with files behind the store's back")]
fn tamper(path: &Path, sql: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

async fn filled(place: &Place, appends: u64) {
    let stores = place.open().stores();
    for expected in 0..appends {
        stores.journal.append(append(&run("run-1"), expected, 3_000)).await.unwrap();
    }
}

#[test]
fn the_file_of_another_program_is_foreign() {
    let place = Place::new();
    tamper(&place.path(), "CREATE TABLE photos (id INTEGER)");
    let error = refused(&place.path());
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains("another program"), "{error}");
}

#[test]
fn a_file_that_is_no_database_is_foreign() {
    let place = Place::new();
    fs::create_dir_all(place.path().parent().unwrap()).unwrap();
    fs::write(place.path(), "Dear diary, ".repeat(1_000)).unwrap();
    let error = refused(&place.path());
    assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    assert!(error.to_string().contains("not an SQLite file"), "{error}");
}

#[tokio::test]
async fn a_newer_format_is_told_with_both_versions() {
    let place = Place::new();
    filled(&place, 1).await;
    tamper(&place.path(), "PRAGMA user_version = 999");
    let error = refused(&place.path());
    assert!(matches!(error, OpenError::Newer { found: 999, .. }), "{error}");
    tamper(&place.path(), "PRAGMA user_version = 2");
    place.open();
}

#[tokio::test]
async fn a_torn_file_is_damaged() {
    let place = Place::new();
    filled(&place, 40).await;
    let whole = fs::read(place.path()).unwrap();
    fs::write(place.path(), &whole[..whole.len() / 2]).unwrap();
    let error = refused(&place.path());
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error}");
    fs::write(place.path(), &whole).unwrap();
    place.open();
}

#[tokio::test]
async fn garbage_inside_the_file_is_damaged() {
    let place = Place::new();
    filled(&place, 40).await;
    let mut bytes = fs::read(place.path()).unwrap();
    for page in bytes.chunks_mut(1_024).skip(3) {
        page[..8].fill(0xa5);
    }
    fs::write(place.path(), &bytes).unwrap();
    let options = Options { check: Check::Always, ..Options::default() };
    let error = Database::open(&place.path(), &options).err().expect("damage must be found");
    assert!(matches!(error, OpenError::Corrupt { .. }), "{error}");
}

#[tokio::test]
async fn damaged_records_are_told_when_they_are_read() {
    let place = Place::new();
    filled(&place, 2).await;
    tamper(&place.path(), "UPDATE journal SET records = x'0099' WHERE last_seq = 2");
    let stores = place.open().stores();
    let run = run("run-1");
    assert_eq!(stores.journal.read(&run, Seq::FIRST, 1).await.unwrap().len(), 1, "what is whole is read");
    let error = stores.journal.read(&run, Seq::FIRST, 2).await.unwrap_err();
    assert!(matches!(error, Fault::Corrupt { .. }), "{error}");
}

#[tokio::test]
async fn opened_for_reading_nothing_is_written() {
    let place = Place::new();
    let looking = Options { access: Access::ReadOnly, ..Options::default() };
    let missing = Database::open(&place.path(), &looking).err().expect("there is nothing to read");
    assert!(matches!(missing, OpenError::Missing { .. }), "{missing}");
    filled(&place, 2).await;
    let stores = place.open_with(&looking).stores();
    let run = run("run-1");
    assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(2));
    let error = stores.journal.append(append(&run, 2, 10)).await.unwrap_err();
    assert!(matches!(error, AppendError::Storage(Fault::ReadOnly { .. })), "{error}");
}

#[tokio::test]
async fn a_full_disk_leaves_nothing_half_written() {
    let place = Place::new();
    let stores = place.open_with(&Options { bytes_max: Some(200 << 10), ..Options::default() }).stores();
    let run = run("run-1");
    let mut head = 0;
    let full = loop {
        match stores.journal.append(append(&run, head, 10_000)).await {
            Ok(seq) => head = seq.0,
            Err(error) => break error,
        }
        assert!(head < 100, "the bound must be met");
    };
    assert!(matches!(full, AppendError::Storage(Fault::Full { .. })), "{full}");
    assert!(head > 5, "something fits");
    let mut large = append(&run, head, 10);
    let artifact = append(&run, 0, 500 << 10).batch.remove(0).body.to_vec();
    large.artifacts = vec![(Address::of(&artifact), artifact)];
    let error = stores.journal.append(large).await.unwrap_err();
    assert!(matches!(error, AppendError::Storage(Fault::Full { .. })), "{error}");
    assert_eq!(stores.journal.head(&run).await.unwrap(), Seq(head));
    drop(stores);
    let stores = place.open_with(&Options { check: Check::Always, ..Options::default() }).stores();
    assert_eq!(
        stores.journal.append(append(&run, head, 10_000)).await.unwrap(),
        Seq(head + 1),
        "with room it goes on"
    );
}
