//! Whether runs can be stored and started, and what waits in the storage.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use provost_project::{Failure, Guard, Project};
use provost_runtime::store::{Store, WaitFilter};
use rustix::fs::{Access, access};

use super::check::{Check, State};
use crate::command::db_stats::units;
use crate::failure::Code;
use crate::text::{count, counted};

const WHAT: &str = "storage";
/// How many waits are counted one by one.
const WAITS_MAX: usize = 1_000;

/// Looks at the storage; nothing is made or changed in it.
pub(super) async fn check(project: &Project) -> Vec<Check> {
    let (data, store) = match opened(project) {
        Ok(opened) => opened,
        Err(failure) => return vec![Check::failed(WHAT, State::Blocks, &failure)],
    };
    let mut checks = Vec::new();
    match &store {
        None => {
            let found = format!("{}, made with the first run", data.database().display());
            checks.push(Check::right(WHAT, found));
        }
        Some(store) => match held(&**store, data.database()).await {
            Ok(found) => checks.push(found),
            Err(failure) => return vec![Check::failed(WHAT, State::Blocks, &failure)],
        },
    }
    let mut guard = Guard::new(project, &project.root(), &data);
    if let Some(store) = &store {
        guard = guard.stopping(store.clone());
    }
    if let Err(failure) = guard.check_start().await {
        checks.push(Check::failed("governing", State::Blocks, &failure));
    }
    match project.check_anchor() {
        Ok(None) => {}
        Ok(Some(path)) => {
            checks.push(Check::right("anchor", format!("ends of runs are written to {}", path.display())));
        }
        Err(failure) => {
            let place = project.place_of(&["storage", "anchor"]);
            checks.push(Check::failed("anchor", State::Blocks, &failure).at(place));
        }
    }
    if let Some(store) = &store {
        checks.extend(waits(&**store).await);
    }
    checks
}

type Opened = (provost_project::DataDir, Option<Arc<dyn Store>>);

/// The storage, when there is one. One that cannot be written is no use to a run.
fn opened(project: &Project) -> Result<Opened, Failure> {
    let data = project.data_dir()?;
    // A run makes a database of an empty file too.
    let is_empty = fs::metadata(data.database()).is_ok_and(|about| about.is_file() && about.len() == 0);
    let store = match data.database().try_exists() {
        Ok(false) => None,
        _ if is_empty => None,
        _ => Some(data.look()?),
    };
    // SQLite writes its log beside the file.
    let there = data.database().ancestors().skip(1).find(|folder| folder.exists());
    for place in [Some(data.database()).filter(|file| file.exists()), there].into_iter().flatten() {
        if let Err(error) = access(place, Access::WRITE_OK) {
            let message = format!("{} cannot be written: {}", place.display(), std::io::Error::from(error));
            return Err(
                Failure::new(Code::Store, message).hint("check the permissions of the file and its folder")
            );
        }
    }
    Ok((data, store))
}

async fn held(store: &dyn Store, database: &Path) -> Result<Check, Failure> {
    let stats = store.stats().await.map_err(|fault| Failure::storage(&fault))?;
    let bytes = fs::metadata(database).map_or(0, |about| about.len());
    let open = [Some(database), database.parent()].into_iter().flatten().find(|place| is_open(place));
    let readers = match open {
        None => "readable by you alone".to_owned(),
        Some(place) => format!("{} is open to others until the next run", place.display()),
    };
    let found = format!("{}, {}, {readers}", counted(stats.runs, "run", "runs"), units(bytes));
    Ok(Check::new(WHAT, if open.is_some() { State::Note } else { State::Right }, found))
}

fn is_open(place: &Path) -> bool {
    fs::metadata(place).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
}

/// What people are asked for.
async fn waits(store: &dyn Store) -> Option<Check> {
    let page = store.waits(WaitFilter::default(), None, WAITS_MAX).await.ok()?;
    let of = |kind: &str| page.items.iter().filter(|wait| wait.row.kind == kind).count() as u64;
    let part = |number: u64, one: &str, several: &str| (number > 0).then(|| counted(number, one, several));
    let doubt = of("in_doubt");
    let parts = [
        part(of("approval"), "approval", "approvals"),
        part(of("question"), "question", "questions"),
        (doubt > 0).then(|| format!("{} in doubt", count(doubt))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let hint = "provost runs --status waiting lists them, provost approve last answers the newest";
    (!parts.is_empty()).then(|| Check::new("waits", State::Waits, parts.join(", ")).hint(hint))
}
