//! Which messages of the tree are the conversation.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::entry::{Entry, Role};
use crate::session_file::Reason;
use crate::session_file::line::Line;

/// What becomes of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// It is part of the conversation, in this place; those of one place stay in the order of the file.
    Take(usize),
    LeaveOut(Reason),
}

/// Which entries are the conversation, and why the others are not.
pub(super) fn choose(lines: &[Line], entries: &[Entry<'_>]) -> Vec<Choice> {
    let unfit = unfit(entries);
    let tree = Tree::of(lines, entries, &unfit);
    // A file in which nobody follows anybody is read as it stands.
    if tree.is_list() {
        return unfit.into_iter().map(|reason| reason.map_or(Choice::Take(0), Choice::LeaveOut)).collect();
    }
    let road = tree.road();
    let compaction = road.iter().find(|line| line.text("subtype") == Some("compact_boundary"));
    let mut taken = tree.taken(&road);
    widen(&mut taken, entries, &unfit);
    let places: HashMap<usize, usize> =
        road.iter().rev().enumerate().map(|(place, line)| (line.number, place)).collect();
    let mut place = 0;
    let choice = |((entry, unfit), taken): ((&Entry<'_>, &Option<Reason>), bool)| {
        // What stands beside the road keeps to what is before it in the file.
        place = places.get(&entry.line.number).copied().unwrap_or(place);
        let summarised = compaction.is_some_and(|compaction| entry.line.number < compaction.number);
        match unfit {
            Some(reason) => Choice::LeaveOut(*reason),
            None if taken => Choice::Take(place),
            None if summarised => Choice::LeaveOut(Reason::Summarised),
            None => Choice::LeaveOut(Reason::OtherBranch),
        }
    };
    entries.iter().zip(&unfit).zip(taken).map(choice).collect()
}

/// What can be on no road: repetitions, errors of the service, and sub-agents beside a conversation.
fn unfit(entries: &[Entry<'_>]) -> Vec<Option<Reason>> {
    let only_sub_agent = entries.iter().all(Entry::is_sub_agent);
    let mut seen = HashSet::new();
    let reason = |entry: &Entry<'_>| {
        let repeated = entry.line.text("uuid").is_some_and(|uuid| !seen.insert(uuid.to_owned()));
        if repeated {
            Some(Reason::Repeated)
        } else if entry.is_service_error() {
            Some(Reason::ServiceError)
        } else if entry.is_sub_agent() && !only_sub_agent {
            Some(Reason::SubAgent)
        } else {
            None
        }
    };
    entries.iter().map(reason).collect()
}

/// Who follows whom.
struct Tree<'a> {
    /// Every line with an id: messages also follow records.
    lines: HashMap<&'a str, &'a Line>,
    /// The entries that may be on the road, by their line.
    places: HashMap<usize, usize>,
    /// What a compaction kept follows the summary, whatever it followed before.
    kept: HashMap<&'a str, &'a str>,
    entries: usize,
}

impl<'a> Tree<'a> {
    fn of(lines: &'a [Line], entries: &[Entry<'_>], left_out: &[Option<Reason>]) -> Self {
        let fit = entries.iter().zip(left_out).enumerate().filter(|(_, (_, reason))| reason.is_none());
        let places = fit.map(|(place, (entry, _))| (entry.line.number, place)).collect();
        let mut by_id = HashMap::new();
        for line in lines {
            if let Some(uuid) = line.text("uuid") {
                by_id.entry(uuid).or_insert(line);
            }
        }
        let kept = lines.iter().filter_map(kept_segment).collect();
        Self { lines: by_id, places, kept, entries: entries.len() }
    }

    /// Whether no message follows another line of the file.
    fn is_list(&self) -> bool {
        let follows = |line: &&Line| {
            let parent = line.text("parentUuid").filter(|_| self.talks(line));
            parent.is_some_and(|parent| self.lines.contains_key(parent))
        };
        !self.lines.values().any(follows)
    }

    /// The lines from the last message back to its root.
    fn road(&self) -> Vec<&'a Line> {
        let messages = self.lines.values().filter(|line| self.talks(line));
        let mut next = messages.max_by_key(|line| line.number).copied();
        let mut seen = HashSet::new();
        let mut road = Vec::new();
        while let Some(line) = next.filter(|line| seen.insert(line.number)) {
            road.push(line);
            next = self.before(line);
        }
        road
    }

    /// Which entries are on a road.
    fn taken(&self, road: &[&Line]) -> Vec<bool> {
        let mut taken = vec![false; self.entries];
        for line in road {
            if let Some(slot) = self.places.get(&line.number).and_then(|place| taken.get_mut(*place)) {
                *slot = true;
            }
        }
        taken
    }

    fn talks(&self, line: &Line) -> bool {
        self.places.contains_key(&line.number)
    }

    /// The line another one follows. Where that line is missing from the file, it is the message that stands
    /// before it: a file that lost lines still is one conversation.
    fn before(&self, line: &Line) -> Option<&'a Line> {
        let kept = line.text("uuid").and_then(|uuid| self.kept.get(uuid).copied());
        let parent = kept.or_else(|| line.text("parentUuid"))?;
        self.lines.get(parent).copied().or_else(|| {
            let earlier = self.lines.values().filter(|other| other.number < line.number);
            earlier.filter(|other| self.talks(other)).max_by_key(|other| other.number).copied()
        })
    }
}

/// What a compaction kept as it was: its first line, and the line it follows from then on.
fn kept_segment(line: &Line) -> Option<(&str, &str)> {
    let segment = line.object.get("compactMetadata")?.get("preservedSegment")?;
    let text = |key| segment.get(key).and_then(Value::as_str);
    Some((text("headUuid")?, text("anchorUuid")?))
}

/// Adds what belongs to a message on the road and stands beside it: the other pieces of the same answer, and
/// the results of its calls.
fn widen(taken: &mut [bool], entries: &[Entry<'_>], left_out: &[Option<Reason>]) {
    let fit = |place: usize| left_out.get(place).is_some_and(Option::is_none);
    let on_road = |taken: &[bool], role: Role| -> Vec<usize> {
        let of_role = entries.iter().zip(taken).enumerate();
        of_role.filter(|(_, (entry, taken))| **taken && entry.role == role).map(|(place, _)| place).collect()
    };
    let at = |places: Vec<usize>| places.into_iter().filter_map(|place| entries.get(place));
    let answers: HashSet<&str> =
        at(on_road(taken, Role::Assistant)).filter_map(|entry| entry.message_id).collect();
    for (place, (entry, taken)) in entries.iter().zip(&mut *taken).enumerate() {
        *taken |= fit(place) && entry.message_id.is_some_and(|id| answers.contains(id));
    }
    let answered: HashSet<&str> =
        at(on_road(taken, Role::User)).flat_map(|entry| entry.ids("tool_result", "tool_use_id")).collect();
    let calls = at(on_road(taken, Role::Assistant)).flat_map(|entry| entry.ids("tool_use", "id"));
    let open: HashSet<&str> = calls.filter(|id| !answered.contains(id)).collect();
    for (place, (entry, taken)) in entries.iter().zip(&mut *taken).enumerate() {
        *taken |= fit(place) && entry.ids("tool_result", "tool_use_id").any(|id| open.contains(id));
    }
}
