//! What a journal promises.

use super::promises;
use super::sample::{append, batch, must, refused, row, run};
use crate::engine::Chain;
use crate::port::{Address, Advice, Append, AppendError, Epoch, Seq, Stores};

promises![
    an_unknown_run_is_empty,
    records_come_back_as_they_went_in,
    reading_starts_and_ends_where_asked,
    runs_do_not_mix,
    a_wrong_head_writes_nothing,
    of_two_writers_at_one_head_one_wins,
    a_taken_over_writer_writes_nothing,
    an_epoch_nobody_gave_writes_nothing,
    a_released_claim_still_fences_the_ones_before,
    a_malformed_append_writes_nothing,
    row_and_artifacts_are_written_with_the_batch,
    a_refused_append_writes_neither_row_nor_artifact,
    an_append_without_a_row_keeps_the_row,
    an_empty_batch_writes_the_row_alone,
    large_and_empty_bodies_are_kept_whole,
    many_writers_at_once_lose_nothing,
];

async fn an_unknown_run_is_empty(stores: Stores) {
    let run = run("run-1");
    assert_eq!(must(stores.journal.head(&run).await), Seq::NONE);
    assert_eq!(must(stores.journal.read(&run, Seq::FIRST, 10).await), []);
}

async fn records_come_back_as_they_went_in(stores: Stores) {
    let run = run("run-1");
    assert_eq!(must(stores.journal.append(append(&run, 0, 2)).await), Seq(2));
    assert_eq!(must(stores.journal.append(append(&run, 2, 3)).await), Seq(5));
    assert_eq!(must(stores.journal.head(&run).await), Seq(5));
    assert_eq!(
        must(stores.journal.read(&run, Seq::FIRST, 100).await),
        batch(&run, Epoch::NONE, Seq::NONE, 5)
    );
}

async fn reading_starts_and_ends_where_asked(stores: Stores) {
    let run = run("run-1");
    must(stores.journal.append(append(&run, 0, 6)).await);
    assert_eq!(must(stores.journal.read(&run, Seq(3), 2).await), batch(&run, Epoch::NONE, Seq(2), 2));
    assert_eq!(must(stores.journal.read(&run, Seq::NONE, 1).await), batch(&run, Epoch::NONE, Seq::NONE, 1));
    assert_eq!(
        must(stores.journal.read(&run, Seq(6), usize::MAX).await),
        batch(&run, Epoch::NONE, Seq(5), 1)
    );
    assert_eq!(must(stores.journal.read(&run, Seq(7), 10).await), []);
    assert_eq!(must(stores.journal.read(&run, Seq(1), 0).await), []);
}

async fn runs_do_not_mix(stores: Stores) {
    let (one, other) = (run("run-1"), run("run-10"));
    must(stores.journal.append(append(&one, 0, 1)).await);
    must(stores.journal.append(append(&other, 0, 2)).await);
    must(stores.journal.append(append(&one, 1, 2)).await);
    assert_eq!(must(stores.journal.read(&one, Seq::FIRST, 10).await), batch(&one, Epoch::NONE, Seq::NONE, 3));
    assert_eq!(
        must(stores.journal.read(&other, Seq::FIRST, 10).await),
        batch(&other, Epoch::NONE, Seq::NONE, 2)
    );
}

async fn a_wrong_head_writes_nothing(stores: Stores) {
    let run = run("run-1");
    must(stores.journal.append(append(&run, 0, 2)).await);
    for expected in [0, 1, 3] {
        let error = refused(stores.journal.append(append(&run, expected, 2)).await);
        let told = matches!(&error, AppendError::Conflict { actual: Seq(2), expected: seq, .. } if seq.0 == expected);
        assert!(told, "{error}");
        assert_eq!(error.advice(), Advice::Reload);
    }
    assert_eq!(must(stores.journal.read(&run, Seq::FIRST, 10).await), batch(&run, Epoch::NONE, Seq::NONE, 2));
}

async fn of_two_writers_at_one_head_one_wins(stores: Stores) {
    let run = run("run-1");
    let (first, second) =
        tokio::join!(stores.journal.append(append(&run, 0, 1)), stores.journal.append(append(&run, 0, 2)));
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let head = first.or(second);
    assert_eq!(must(stores.journal.head(&run).await), must(head));
}

async fn a_taken_over_writer_writes_nothing(stores: Stores) {
    let run = run("run-1");
    let old = must(stores.claims.claim(&run, "old", 1_000, 0).await).epoch;
    must(stores.journal.append(by(old, &run, 0)).await);
    let new = must(stores.claims.claim(&run, "new", 1_000, 1_000).await).epoch;
    let error = refused(stores.journal.append(by(old, &run, 1)).await);
    let told =
        matches!(error, AppendError::Fenced { offered, current, .. } if offered == old && current == new);
    assert!(told, "{error}");
    assert_eq!(error.advice(), Advice::LetGo);
    assert_eq!(must(stores.journal.append(by(new, &run, 1)).await), Seq(2));
}

async fn an_epoch_nobody_gave_writes_nothing(stores: Stores) {
    let run = run("run-1");
    let error = refused(stores.journal.append(by(Epoch(1), &run, 0)).await);
    assert!(matches!(error, AppendError::Fenced { .. }), "{error}");
    must(stores.claims.claim(&run, "worker", 1_000, 0).await);
    let error = refused(stores.journal.append(append(&run, 0, 1)).await);
    assert!(matches!(error, AppendError::Fenced { offered: Epoch::NONE, .. }), "{error}");
}

async fn a_released_claim_still_fences_the_ones_before(stores: Stores) {
    let run = run("run-1");
    let old = must(stores.claims.claim(&run, "old", 1_000, 0).await).epoch;
    let new = must(stores.claims.claim(&run, "new", 1_000, 2_000).await);
    must(stores.claims.release(&new).await);
    let error = refused(stores.journal.append(by(old, &run, 0)).await);
    assert!(matches!(error, AppendError::Fenced { .. }), "{error}");
}

async fn a_malformed_append_writes_nothing(stores: Stores) {
    let run = run("run-1");
    let gap = Append { batch: batch(&run, Epoch::NONE, Seq(1), 1), ..append(&run, 0, 1) };
    let stamped = Append { batch: batch(&run, Epoch(3), Seq(0), 1), ..append(&run, 0, 1) };
    let other_run = Append { row: Some(row(&self::run("run-2"), 1, 0)), ..append(&run, 0, 1) };
    let other_head = Append { row: Some(row(&run, 2, 0)), ..append(&run, 0, 1) };
    let mut too_large = append(&run, 0, 1);
    too_large.batch.iter_mut().for_each(|record| record.body = vec![b' '; Append::BYTES_MAX].into());
    for malformed in [gap, stamped, other_run, other_head, too_large] {
        let error = refused(stores.journal.append(malformed).await);
        assert!(matches!(error, AppendError::Malformed { .. }), "{error}");
        assert_eq!(error.advice(), Advice::Stop);
    }
    assert_eq!(must(stores.journal.head(&run).await), Seq::NONE);
    assert_eq!(must(stores.runs.get(&run).await), None);
}

async fn row_and_artifacts_are_written_with_the_batch(stores: Stores) {
    let run = run("run-1");
    let full = b"full output".to_vec();
    let address = Address::of(&full);
    let append =
        Append { row: Some(row(&run, 1, 5)), artifacts: vec![(address, full.clone())], ..append(&run, 0, 1) };
    must(stores.journal.append(append).await);
    assert_eq!(must(stores.runs.get(&run).await), Some(row(&run, 1, 5)));
    assert_eq!(must(stores.artifacts.get(&address).await), Some(full));
}

async fn a_refused_append_writes_neither_row_nor_artifact(stores: Stores) {
    let run = run("run-1");
    let full = b"full output".to_vec();
    let address = Address::of(&full);
    let append =
        Append { row: Some(row(&run, 5, 5)), artifacts: vec![(address, full)], ..append(&run, 4, 1) };
    refused(stores.journal.append(append).await);
    assert_eq!(must(stores.runs.get(&run).await), None);
    assert_eq!(must(stores.artifacts.get(&address).await), None);
}

async fn an_append_without_a_row_keeps_the_row(stores: Stores) {
    let run = run("run-1");
    must(stores.journal.append(Append { row: Some(row(&run, 1, 5)), ..append(&run, 0, 1) }).await);
    must(stores.journal.append(append(&run, 1, 1)).await);
    assert_eq!(must(stores.runs.get(&run).await), Some(row(&run, 1, 5)));
}

async fn an_empty_batch_writes_the_row_alone(stores: Stores) {
    let run = run("run-1");
    must(stores.journal.append(append(&run, 0, 1)).await);
    let only_row = Append { row: Some(row(&run, 1, 5)), ..append(&run, 1, 0) };
    assert_eq!(must(stores.journal.append(only_row).await), Seq(1));
    assert_eq!(must(stores.runs.get(&run).await), Some(row(&run, 1, 5)));
}

async fn large_and_empty_bodies_are_kept_whole(stores: Stores) {
    let run = run("run-1");
    let mut records = batch(&run, Epoch::NONE, Seq::NONE, 3);
    let mut chain = Chain::start(&run);
    for (record, size) in records.iter_mut().zip([0, 70_000, 5_000_000]) {
        record.body = (0..size).map(|at| (at % 251) as u8).collect();
        *record = chain.seal(record.clone());
    }
    must(stores.journal.append(Append { batch: records.clone(), ..append(&run, 0, 0) }).await);
    assert_eq!(must(stores.journal.read(&run, Seq::FIRST, 3).await), records);
}

async fn many_writers_at_once_lose_nothing(stores: Stores) {
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..32 {
        let journal = stores.journal.clone();
        writers.spawn(async move {
            let run = run(&format!("run-{number}"));
            for head in 0..8 {
                must(journal.append(append(&run, head, 1)).await);
            }
        });
    }
    writers.join_all().await;
    for number in 0..32 {
        let run = run(&format!("run-{number}"));
        let records = must(stores.journal.read(&run, Seq::FIRST, 100).await);
        assert_eq!(records, batch(&run, Epoch::NONE, Seq::NONE, 8), "run {number}");
    }
}

/// One record by the holder of a claim.
fn by(epoch: Epoch, run: &crate::RunId, expected: u64) -> Append {
    Append::new(run.clone(), epoch, Seq(expected), batch(run, epoch, Seq(expected), 1))
}
