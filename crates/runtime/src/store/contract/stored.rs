//! Artifacts, sealed arguments, and everything after a restart.

use provost_engine::{Commit, Digest, Seq};

use super::sample::{ended, id, must, new_run, new_session, run, some, wait};
use super::{Subject, promises};

promises![
    an_artifact_is_stored_once_under_its_digest,
    an_artifact_arrives_in_parts,
    an_upload_that_is_dropped_is_no_artifact,
    sealed_arguments_are_stored_and_deleted,
    sealed_arguments_do_not_outlive_their_run,
    a_store_that_is_opened_again_has_everything,
];

async fn an_artifact_is_stored_once_under_its_digest(subject: Subject) {
    let bytes = b"output ".repeat(5_000);
    let digest = Digest::of(&bytes);
    assert_eq!(must(subject.store.artifact(digest).await), None);
    for _ in 0..2 {
        let info = must(subject.store.put_artifact("text/plain".to_owned(), bytes.clone()).await);
        assert_eq!((info.digest, info.size, info.parts), (digest, bytes.len() as u64, 1));
    }
    assert_eq!(must(subject.store.artifact(digest).await), Some(bytes.clone()));
    assert_eq!(must(subject.store.artifact_part(digest, 0).await), Some(bytes));
    assert_eq!(must(subject.store.artifact_part(digest, 1).await), None);
    assert_eq!(some(must(subject.store.artifact_info(digest).await)).media, "text/plain");
    assert_eq!(must(subject.store.stats().await).artifacts, 1);
    let empty = must(subject.store.put_artifact(String::new(), Vec::new()).await);
    assert_eq!(must(subject.store.artifact(empty.digest).await), Some(Vec::new()));
}

async fn an_artifact_arrives_in_parts(subject: Subject) {
    let mut upload = subject.store.upload("text/plain".to_owned());
    let parts = [b"one ".repeat(3_000), b"two ".to_vec(), vec![0xff; 100]];
    for part in &parts {
        must(upload.append(part.clone()).await);
    }
    let bytes = parts.concat();
    assert_eq!(upload.size(), bytes.len() as u64);
    assert_eq!(must(subject.store.artifact_info(Digest::of(&bytes)).await), None, "not before it is whole");
    let info = must(upload.finish().await);
    assert_eq!((info.digest, info.size, info.parts), (Digest::of(&bytes), bytes.len() as u64, 3));
    assert_eq!(must(subject.store.artifact(info.digest).await), Some(bytes.clone()));
    assert_eq!(must(subject.store.artifact_part(info.digest, 1).await), Some(parts[1].clone()));
    // The same bytes in one piece are the same artifact.
    let again = must(subject.store.put_artifact("text/plain".to_owned(), bytes).await);
    assert_eq!(again, info);
}

async fn an_upload_that_is_dropped_is_no_artifact(subject: Subject) {
    let mut upload = subject.store.upload("text/plain".to_owned());
    must(upload.append(b"half".to_vec()).await);
    drop(upload);
    assert_eq!(must(subject.store.artifact(Digest::of(b"half")).await), None);
    assert_eq!(must(subject.store.stats().await).artifacts, 0);
    let empty = must(subject.store.upload(String::new()).finish().await);
    assert_eq!(must(subject.store.artifact(empty.digest).await), Some(Vec::new()));
}

async fn sealed_arguments_are_stored_and_deleted(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    let put = Commit { sealed_put: vec![(id("1.0"), vec![0, 255])], ..held.commit(&["note"]) };
    held.write(&subject, put).await;
    assert_eq!(must(subject.store.sealed(run("a"), id("1.0")).await), Some(vec![0, 255]));
    assert_eq!(must(subject.store.sealed(run("a"), id("1.1")).await), None);
    held.write(&subject, Commit { sealed_delete: vec![id("1.0")], ..held.commit(&["note"]) }).await;
    assert_eq!(must(subject.store.sealed(run("a"), id("1.0")).await), None);
}

async fn sealed_arguments_do_not_outlive_their_run(subject: Subject) {
    let mut held = subject.begin(new_run("a")).await;
    held.write(&subject, Commit { sealed_put: vec![(id("1.0"), vec![1])], ..held.commit(&["note"]) }).await;
    held.write(&subject, Commit { row: Some(ended("failed")), ..held.commit(&["run_ended"]) }).await;
    assert_eq!(must(subject.store.sealed(run("a"), id("1.0")).await), None);
}

async fn a_store_that_is_opened_again_has_everything(subject: Subject) {
    must(subject.store.create_session(new_session("s")).await);
    let mut held = subject.begin(super::sample::start("a", "s", 0, provost_engine::WhenBusy::Refuse)).await;
    let info = must(subject.store.put_artifact("text/plain".to_owned(), b"output".to_vec()).await);
    let mut question = wait(&run("a"), 1);
    question.path = "1.0/2.3".to_owned();
    let commit = Commit {
        waits_opened: vec![question],
        artifacts: vec![info.digest],
        sealed_put: vec![(id("1.0"), vec![7])],
        ..held.commit(&["note", "wait_opened"])
    };
    held.write(&subject, commit).await;
    let before = subject.everything().await;
    let Subject { store, clock, reopen } = subject;
    drop(store);
    let subject = Subject { store: reopen(), clock, reopen };
    assert_eq!(subject.everything().await, before);
    assert_eq!(must(subject.store.artifact(info.digest).await), Some(b"output".to_vec()));
    assert_eq!(must(subject.store.sealed(run("a"), id("1.0")).await), Some(vec![7]));
    held.write(&subject, held.commit(&["note"])).await;
    assert_eq!(subject.row(&run("a")).await.head, Seq(4));
    assert!(must(subject.store.verify_rows().await).is_empty());
}
