//! What people type for a run: its whole id, the beginning of it, or `last`.

use provost_contract::timestamp;
use provost_engine::RunId;
use provost_project::did_you_mean;
use provost_runtime::store::{ListedRun, RunCursor, RunFilter, Store};

use crate::failure::{Code, Failure};

/// How much of an id people see.
const SHORT: usize = 8;
/// How many letters of an id are the time at which the run began: its first letters say little.
const TIME: usize = 10;
const LENGTH: usize = 26;
/// The least that names a run.
const PREFIX_MIN: usize = 2;
/// Short names are unique among this many newest runs: a list costs the same in a large database. An older run is
/// found too, if no newer one is meant.
pub(crate) const NEWEST: usize = 1_000;
const CANDIDATES_MAX: usize = 8;

/// The part of an id that tells runs apart.
fn random(run: &RunId) -> &str {
    let id = bare(run);
    if id.len() == LENGTH { id.get(TIME..).unwrap_or(id) } else { id }
}

fn bare(run: &RunId) -> &str {
    run.as_str().strip_prefix("run_").unwrap_or(run.as_str())
}

/// The id of a run as people see it.
pub(crate) fn short(run: &RunId) -> &str {
    random(run).get(..SHORT).unwrap_or(random(run))
}

/// Whether some letters begin any form of a run's id.
fn is_meant(run: &RunId, word: &str) -> bool {
    random(run).starts_with(word) || bare(run).starts_with(word) || run.as_str().starts_with(word)
}

/// The runs there are.
#[derive(Debug, Default)]
pub(crate) struct Names(Vec<RunId>);

impl Names {
    /// The newest runs.
    pub(crate) async fn read(store: &dyn Store) -> Result<Self, Failure> {
        Ok(Self::page(store, None).await?.0)
    }

    async fn page(store: &dyn Store, after: Option<RunCursor>) -> Result<(Self, Option<RunCursor>), Failure> {
        let page = store.runs(RunFilter::default(), after, NEWEST).await;
        let page = page.map_err(|fault| Failure::storage(&fault))?;
        Ok((Self(page.items.into_iter().map(|listed| listed.row.run).collect()), page.next))
    }

    /// The shortest beginning of a run's short id that means no other run.
    pub(crate) fn prefix<'r>(&self, run: &'r RunId) -> &'r str {
        let whole = random(run);
        let ends = whole.char_indices().map(|(index, letter)| index + letter.len_utf8()).skip(PREFIX_MIN - 1);
        let beginnings = ends.filter_map(|end| whole.get(..end));
        let is_unique = |word: &&str| self.0.iter().all(|other| other == run || !is_meant(other, word));
        beginnings.into_iter().find(is_unique).unwrap_or(run.as_str())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    fn meant(&self, word: &str) -> Vec<&RunId> {
        self.0.iter().filter(|run| is_meant(run, word)).collect()
    }
}

/// What to type for a run.
pub(crate) async fn typed(store: &dyn Store, run: &RunId) -> String {
    Names::read(store).await.map_or_else(|_| run.to_string(), |names| names.prefix(run).to_owned())
}

/// The run that a word means: an id, the beginning of one, or `last` for the run that was started last.
pub(crate) async fn find(store: &dyn Store, word: &str) -> Result<ListedRun, Failure> {
    let storage = |fault| Failure::storage(&fault);
    if word == "last" {
        let page = store.runs(RunFilter::default(), None, 1).await.map_err(storage)?;
        let none = || Failure::new(Code::UnknownRun, "there are no runs yet");
        return page.items.into_iter().next().ok_or_else(|| none().hint("start one with provost run"));
    }
    if let Some(listed) = exactly(store, word).await? {
        return Ok(listed);
    }
    let (mut names, mut older) = Names::page(store, None).await?;
    while names.meant(word).is_empty()
        && let Some(after) = older
    {
        (names, older) = Names::page(store, Some(after)).await?;
    }
    let meant = if word.len() < PREFIX_MIN { Vec::new() } else { names.meant(word) };
    match &meant[..] {
        [run] => exactly(store, run.as_str()).await?.ok_or_else(|| unknown(word, &names)),
        [] => Err(pruned(store, word).await?.unwrap_or_else(|| unknown(word, &names))),
        several => Err(ambiguous(word, several, &names)),
    }
}

async fn exactly(store: &dyn Store, word: &str) -> Result<Option<ListedRun>, Failure> {
    match word.parse() {
        Ok(run) => store.run(run).await.map_err(|fault| Failure::storage(&fault)),
        Err(_) => Ok(None),
    }
}

fn unknown(word: &str, names: &Names) -> Failure {
    let failure = Failure::new(Code::UnknownRun, format!("no run begins with `{word}`"));
    let near = did_you_mean(word, names.0.iter().map(|run| names.prefix(run)));
    let near = near.map(|near| format!("the nearest is {near}; ")).unwrap_or_default();
    failure.hint(format!("{near}provost runs lists them, and `last` is the one started last"))
}

fn ambiguous(word: &str, several: &[&RunId], names: &Names) -> Failure {
    let shown: Vec<&str> = several.iter().take(CANDIDATES_MAX).map(|run| names.prefix(run)).collect();
    let more = several.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!("{} runs begin with `{word}`", several.len());
    Failure::new(Code::UnknownRun, message).hint(format!("name one of {}{more}", shown.join(", ")))
}

async fn pruned(store: &dyn Store, word: &str) -> Result<Option<Failure>, Failure> {
    let pruned = store.pruned().await.map_err(|fault| Failure::storage(&fault))?;
    let found = pruned.into_iter().find(|pruned| word.len() >= PREFIX_MIN && is_meant(&pruned.run, word));
    Ok(found.map(|pruned| {
        let at = timestamp::date_time(pruned.at.0.div_euclid(1_000));
        let message = format!("{} was pruned at {at} UTC; its last record was {}", pruned.run, pruned.head);
        Failure::new(Code::UnknownRun, message).hint("a backup from before may have it")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ids: &[&str]) -> Names {
        Names(ids.iter().map(|id| id.parse().unwrap()).collect())
    }

    #[test]
    fn the_shortest_beginning_that_means_no_other_run() {
        let names = names(&[
            "run_01ksr49200hp6ktwx393q7k9ma",
            "run_01ksr49200hp7ktwx393q7k9ma",
            "run_01ksr49200zz6ktwx393q7k9ma",
            "run_01ksr4920001aaaaaaaaaaaaaa",
        ]);
        let prefixes: Vec<&str> = names.0.iter().map(|run| names.prefix(run)).collect();
        // `01` begins the time of every run, so it means none.
        assert_eq!(prefixes, ["hp6", "hp7", "zz", "01a"]);
        assert_eq!(short(&names.0[0]), "hp6ktwx3");
        assert_eq!(names.meant("hp").len(), 2);
        assert_eq!(names.meant("run_01ksr49200z").len(), 1);
        assert_eq!(names.meant("01ksr49200hp6").len(), 1);
    }
}
