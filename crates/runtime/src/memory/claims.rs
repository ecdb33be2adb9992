//! Claims in RAM.

use super::storage::{RunEntry, Storage, at_once};
use crate::RunId;
use crate::port::{Boxed, Claim, ClaimError, Claims, Fault, RenewError, SeizeError};

impl Claims for Storage {
    fn claim<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, ClaimError>> {
        at_once(move || {
            let mut shelf = self.shelf();
            let entry = shelf.runs.entry(run.clone()).or_default();
            match &entry.claim {
                Some(held) if now_ms < held.expires_at_ms => Err(ClaimError::Held(held.clone())),
                Some(_) | None => Ok(entry.hand_over(run, owner, now_ms.saturating_add(ttl_ms))),
            }
        })
    }

    fn seize<'a>(
        &'a self,
        dead: &'a Claim,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, SeizeError>> {
        at_once(move || {
            let mut shelf = self.shelf();
            let held = shelf.runs.get_mut(&dead.run).filter(|entry| entry.is_held_by(dead));
            match held {
                Some(entry) => Ok(entry.hand_over(&dead.run, owner, now_ms.saturating_add(ttl_ms))),
                None => Err(SeizeError::Changed { run: dead.run.clone(), epoch: dead.epoch }),
            }
        })
    }

    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, RenewError>> {
        at_once(move || {
            let mut shelf = self.shelf();
            let held = shelf.runs.get_mut(&claim.run).filter(|entry| entry.is_held_by(claim));
            let Some(held) = held.and_then(|entry| entry.claim.as_mut()) else {
                return Err(RenewError::Lost { run: claim.run.clone(), epoch: claim.epoch });
            };
            held.expires_at_ms = now_ms.saturating_add(ttl_ms);
            Ok(held.clone())
        })
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> Boxed<'a, Result<(), Fault>> {
        at_once(move || {
            let mut shelf = self.shelf();
            if let Some(entry) = shelf.runs.get_mut(&claim.run).filter(|entry| entry.is_held_by(claim)) {
                entry.claim = None;
            }
            Ok(())
        })
    }

    fn holder<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<Claim>, Fault>> {
        at_once(move || Ok(self.shelf().runs.get(run).and_then(|entry| entry.claim.clone())))
    }
}

impl RunEntry {
    fn is_held_by(&self, claim: &Claim) -> bool {
        self.claim.as_ref().is_some_and(|held| held.epoch == claim.epoch)
    }

    fn hand_over(&mut self, run: &RunId, owner: &str, expires_at_ms: i64) -> Claim {
        self.epoch = self.epoch.next();
        let claim = Claim { run: run.clone(), owner: owner.to_owned(), epoch: self.epoch, expires_at_ms };
        self.claim.insert(claim).clone()
    }
}
