//! What claims promise.

use super::promises;
use super::sample::{must, refused, run};
use crate::port::{ClaimError, Epoch, RenewError, SeizeError, Stores};

promises![
    a_free_run_is_given_with_a_new_epoch,
    a_held_run_is_given_to_nobody,
    a_claim_can_be_taken_at_the_moment_it_expires,
    a_released_run_can_be_taken_at_once,
    a_late_release_does_not_touch_the_next_claim,
    renewing_prolongs,
    an_expired_claim_nobody_took_can_be_renewed,
    a_lost_or_released_claim_cannot_be_renewed,
    a_dead_holder_can_be_seized_once,
    runs_are_claimed_apart,
    of_many_claimants_one_wins,
];

async fn a_free_run_is_given_with_a_new_epoch(stores: Stores) {
    let run = run("run-1");
    assert_eq!(must(stores.claims.holder(&run).await), None);
    let claim = must(stores.claims.claim(&run, "worker", 500, 1_000).await);
    assert_eq!((claim.owner.as_str(), claim.epoch, claim.expires_at_ms), ("worker", Epoch(1), 1_500));
    assert_eq!(must(stores.claims.holder(&run).await), Some(claim));
}

async fn a_held_run_is_given_to_nobody(stores: Stores) {
    let run = run("run-1");
    let held = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    for claimant in ["other", "one"] {
        let error = refused(stores.claims.claim(&run, claimant, 1_000, 999).await);
        assert!(matches!(&error, ClaimError::Held(by) if *by == held), "{error}");
    }
}

async fn a_claim_can_be_taken_at_the_moment_it_expires(stores: Stores) {
    let run = run("run-1");
    must(stores.claims.claim(&run, "one", 1_000, 0).await);
    assert_eq!(must(stores.claims.claim(&run, "other", 1_000, 1_000).await).epoch, Epoch(2));
}

async fn a_released_run_can_be_taken_at_once(stores: Stores) {
    let run = run("run-1");
    let claim = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    must(stores.claims.release(&claim).await);
    must(stores.claims.release(&claim).await);
    assert_eq!(must(stores.claims.holder(&run).await), None);
    assert_eq!(must(stores.claims.claim(&run, "other", 1_000, 1).await).epoch, Epoch(2));
}

async fn a_late_release_does_not_touch_the_next_claim(stores: Stores) {
    let run = run("run-1");
    let old = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    let new = must(stores.claims.claim(&run, "other", 1_000, 2_000).await);
    must(stores.claims.release(&old).await);
    assert_eq!(must(stores.claims.holder(&run).await), Some(new));
}

async fn renewing_prolongs(stores: Stores) {
    let run = run("run-1");
    let claim = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    let renewed = must(stores.claims.renew(&claim, 1_000, 900).await);
    assert_eq!((renewed.epoch, renewed.expires_at_ms), (claim.epoch, 1_900));
    refused(stores.claims.claim(&run, "other", 1_000, 1_899).await);
    must(stores.claims.claim(&run, "other", 1_000, 1_900).await);
}

async fn an_expired_claim_nobody_took_can_be_renewed(stores: Stores) {
    let run = run("run-1");
    let claim = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    assert_eq!(must(stores.claims.renew(&claim, 1_000, 5_000).await).expires_at_ms, 6_000);
}

async fn a_lost_or_released_claim_cannot_be_renewed(stores: Stores) {
    let run = run("run-1");
    let old = must(stores.claims.claim(&run, "one", 1_000, 0).await);
    let new = must(stores.claims.claim(&run, "other", 1_000, 2_000).await);
    let error = refused(stores.claims.renew(&old, 1_000, 2_001).await);
    assert!(matches!(error, RenewError::Lost { epoch: Epoch(1), .. }), "{error}");
    must(stores.claims.release(&new).await);
    refused(stores.claims.renew(&new, 1_000, 2_002).await);
}

async fn a_dead_holder_can_be_seized_once(stores: Stores) {
    let run = run("run-1");
    let dead = must(stores.claims.claim(&run, "dead", 60_000, 0).await);
    let seized = must(stores.claims.seize(&dead, "one", 1_000, 10).await);
    assert_eq!((seized.epoch, seized.owner.as_str(), seized.expires_at_ms), (Epoch(2), "one", 1_010));
    let error = refused(stores.claims.seize(&dead, "other", 1_000, 10).await);
    assert!(matches!(error, SeizeError::Changed { epoch: Epoch(1), .. }), "{error}");
    must(stores.claims.release(&seized).await);
    refused(stores.claims.seize(&seized, "other", 1_000, 10).await);
}

async fn runs_are_claimed_apart(stores: Stores) {
    must(stores.claims.claim(&run("run-1"), "one", 1_000, 0).await);
    assert_eq!(must(stores.claims.claim(&run("run-2"), "one", 1_000, 0).await).epoch, Epoch(1));
}

async fn of_many_claimants_one_wins(stores: Stores) {
    let mut claimants = tokio::task::JoinSet::new();
    for number in 0..16 {
        let claims = stores.claims.clone();
        claimants.spawn(async move {
            claims.claim(&run("run-1"), &format!("worker-{number}"), 1_000, 0).await.is_ok()
        });
    }
    assert_eq!(claimants.join_all().await.into_iter().filter(|won| *won).count(), 1);
}
