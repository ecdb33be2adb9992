//! Claims in SQLite: two columns and the epoch of the run.

use provost_runtime::RunId;
use provost_runtime::port::{Boxed, Claim, ClaimError, Claims, Epoch, Fault, RenewError, SeizeError};
use rusqlite::{Connection, OptionalExtension as _};

use super::broken::Broken;
use super::counter::{counted, stored};
use super::database::Database;
use super::journal::add_run;

impl Claims for Database {
    fn claim<'a>(
        &'a self,
        run: &'a RunId,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, ClaimError>> {
        let (run, owner) = (run.clone(), owner.to_owned());
        Box::pin(async move {
            let claimed = self.write(move |connection| {
                if !is_known(connection, &run)? {
                    add_run(connection, &run)?;
                }
                match held(connection, &run)? {
                    Some(claim) if now_ms < claim.expires_at_ms => Ok(Err(claim)),
                    Some(_) | None => {
                        hand_over(connection, &run, &owner, now_ms.saturating_add(ttl_ms)).map(Ok)
                    }
                }
            });
            claimed.await?.map_err(ClaimError::Held)
        })
    }

    fn seize<'a>(
        &'a self,
        dead: &'a Claim,
        owner: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, SeizeError>> {
        let (claim, owner) = (dead.clone(), owner.to_owned());
        Box::pin(async move {
            let seized = self.write(move |connection| match held(connection, &claim.run)? {
                Some(held) if held.epoch == claim.epoch => {
                    hand_over(connection, &claim.run, &owner, now_ms.saturating_add(ttl_ms)).map(Some)
                }
                Some(_) | None => Ok(None),
            });
            seized.await?.ok_or_else(|| SeizeError::Changed { run: dead.run.clone(), epoch: dead.epoch })
        })
    }

    fn renew<'a>(
        &'a self,
        claim: &'a Claim,
        ttl_ms: i64,
        now_ms: i64,
    ) -> Boxed<'a, Result<Claim, RenewError>> {
        Box::pin(async move {
            let renewed = Claim { expires_at_ms: now_ms.saturating_add(ttl_ms), ..claim.clone() };
            let stored = renewed.clone();
            let changed = self.write(move |connection| {
                set_holder(connection, &stored, Some(&stored.owner), Some(stored.expires_at_ms))
            });
            match changed.await? {
                0 => Err(RenewError::Lost { run: claim.run.clone(), epoch: claim.epoch }),
                _ => Ok(renewed),
            }
        })
    }

    fn release<'a>(&'a self, claim: &'a Claim) -> Boxed<'a, Result<(), Fault>> {
        let claim = claim.clone();
        Box::pin(self.write(move |connection| set_holder(connection, &claim, None, None).map(|_| ())))
    }

    fn holder<'a>(&'a self, run: &'a RunId) -> Boxed<'a, Result<Option<Claim>, Fault>> {
        let run = run.clone();
        Box::pin(self.read(move |connection| held(connection, &run)))
    }
}

fn is_known(connection: &Connection, run: &RunId) -> Result<bool, Broken> {
    Ok(connection.prepare_cached("SELECT 1 FROM runs WHERE run = ?1")?.exists([run.as_str()])?)
}

fn held(connection: &Connection, run: &RunId) -> Result<Option<Claim>, Broken> {
    let mut statement = connection.prepare_cached(
        "SELECT epoch, claim_owner, claim_expires_at_ms FROM runs WHERE run = ?1 AND claim_owner IS NOT NULL",
    )?;
    let found = statement.query_row([run.as_str()], |row| {
        Ok(Claim {
            run: run.clone(),
            epoch: Epoch(counted(row.get(0)?)),
            owner: row.get(1)?,
            expires_at_ms: row.get(2)?,
        })
    });
    Ok(found.optional()?)
}

fn hand_over(connection: &Connection, run: &RunId, owner: &str, expires_at_ms: i64) -> Result<Claim, Broken> {
    let mut statement = connection.prepare_cached(
        "UPDATE runs SET epoch = epoch + 1, claim_owner = ?2, claim_expires_at_ms = ?3 WHERE run = ?1
         RETURNING epoch",
    )?;
    let epoch = statement.query_row((run.as_str(), owner, expires_at_ms), |row| row.get(0))?;
    Ok(Claim { run: run.clone(), owner: owner.to_owned(), epoch: Epoch(counted(epoch)), expires_at_ms })
}

/// Changes the holder, if the run is still held under the claim's epoch. Says how many runs changed.
fn set_holder(
    connection: &Connection,
    claim: &Claim,
    owner: Option<&str>,
    expires_at_ms: Option<i64>,
) -> Result<usize, Broken> {
    let mut statement = connection.prepare_cached(
        "UPDATE runs SET claim_owner = ?3, claim_expires_at_ms = ?4
         WHERE run = ?1 AND epoch = ?2 AND claim_owner IS NOT NULL",
    )?;
    Ok(statement.execute((claim.run.as_str(), stored(claim.epoch.0), owner, expires_at_ms))?)
}
