//! Power loss: the writes and syncs of a child are recorded, and files are rebuilt as a machine could leave
//! them that lost its power at some moment: what was not synced is there, missing, torn or out of order.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use fastrand::Rng;

use super::real::{self, Ack};
use super::report::Report;
use crate::Failure;

/// What the recorded child plays.
const PLAYED: &str = "chat";
/// A torn write ends at a multiple of this.
const SECTOR: usize = 512;
const FILES: [&str; 3] = ["provost.db", "provost.db-wal", "provost.db-journal"];

/// One recorded call.
#[derive(Clone, Debug)]
enum Call {
    Write {
        file: String,
        at: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: String,
        to: usize,
    },
    Unlink {
        file: String,
    },
    Sync {
        file: String,
    },
    /// The folder is synced: files that were removed before stay so.
    SyncFolder,
    Acknowledged(Ack),
}

/// Rebuilds so many states by a seed and opens each.
pub(super) fn states(seed: u64, states: u64, report: &mut Report) -> Result<(), Failure> {
    let calls = record()?;
    if calls.len() < 100 {
        return Err(format!("only {} calls were recorded", calls.len()).into());
    }
    for number in 0..states {
        let mut rng = Rng::with_seed(seed.wrapping_mul(7_919).wrapping_add(number));
        let at = rng.usize(0..=calls.len());
        let folder = tempfile::tempdir()?;
        let before = calls.get(..at).unwrap_or_default();
        rebuild(before, folder.path(), &mut rng)?;
        let acks = before.iter().filter_map(|call| match call {
            Call::Acknowledged(ack) => Some(ack.clone()),
            _ => None,
        });
        let acks: Vec<Ack> = acks.collect();
        let found = match real::check_files(PLAYED, folder.path(), &acks) {
            Ok(found) => found,
            Err(error) => vec![error.to_string()],
        };
        report.tried(PLAYED, &format!("power lost after call {at}, seed {seed}, state {number}"), &found);
    }
    Ok(())
}

/// Plays in a child and returns its calls.
fn record() -> Result<Vec<Call>, Failure> {
    let folder = tempfile::tempdir()?;
    let trace = folder.path().join("trace");
    let names = "trace=pwrite64,write,fsync,fdatasync,ftruncate,unlink";
    let status = Command::new("strace")
        .args(["-f", "-qq", "-y", "-xx", "-s", "1000000", "-e", names, "-o"])
        .arg(&trace)
        .arg(std::env::current_exe()?)
        .args(["crash-child", PLAYED])
        .arg(folder.path())
        .args(["recorded", "--empties-log"])
        .stdout(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("the recorded child failed: {status}").into());
    }
    let text = std::fs::read_to_string(&trace)?;
    let home = folder.path().to_string_lossy().into_owned();
    if text.contains("<unfinished ...>") {
        return Ok(joined(&text).iter().flat_map(|line| parse(line, &home)).collect());
    }
    Ok(text.lines().flat_map(|line| parse(line, &home)).collect())
}

/// Joins the two halves of calls that another thread interrupted. The call took place when it ended.
fn joined(text: &str) -> Vec<String> {
    let (mut begun, mut lines) = (BTreeMap::new(), Vec::new());
    for line in text.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        if let Some(half) = call.trim_start().strip_suffix(" <unfinished ...>") {
            begun.insert(thread, half);
        } else if let Some((_, rest)) = call.split_once(" resumed>") {
            lines.push(format!("{thread} {}{rest}", begun.remove(thread).unwrap_or_default()));
        } else {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// Reads a line of the trace. One that failed or is about other files is nothing.
fn parse(line: &str, folder: &str) -> Vec<Call> {
    let call = line.split_once(' ').map_or(line, |(_, call)| call.trim_start());
    let Some((name, rest)) = call.split_once('(') else { return Vec::new() };
    if call.contains(") = -1") {
        return Vec::new();
    }
    if name == "write" {
        let text = String::from_utf8(text_of(rest)).unwrap_or_default();
        return text.lines().filter_map(real::ack).map(Call::Acknowledged).collect();
    }
    let path = match name {
        "unlink" => String::from_utf8(text_of(rest)).unwrap_or_default(),
        _ => decoded(
            rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(path, _)| path),
        ),
    };
    if path == folder && name.ends_with("sync") {
        return vec![Call::SyncFolder];
    }
    let Some(file) =
        FILES.iter().find(|file| path.ends_with(&format!("/{file}"))).map(|file| (*file).to_owned())
    else {
        return Vec::new();
    };
    let inside = rest.rsplit_once(") = ").map_or(rest, |(inside, _)| inside);
    let last = inside.rsplit_once(", ").and_then(|(_, last)| last.parse().ok()).unwrap_or_default();
    vec![match name {
        "pwrite64" => Call::Write { file, at: last, bytes: text_of(rest) },
        "ftruncate" => Call::Truncate { file, to: last },
        "unlink" => Call::Unlink { file },
        _ => Call::Sync { file },
    }]
}

/// The bytes between the first quotes, each as `\x..`.
fn text_of(rest: &str) -> Vec<u8> {
    let quoted = rest.split('"').nth(1).unwrap_or_default();
    quoted.split("\\x").filter_map(|digits| u8::from_str_radix(digits.get(..2)?, 16).ok()).collect()
}

/// A path, which may be written as `\x..`.
fn decoded(path: &str) -> String {
    match path.contains("\\x") {
        true => String::from_utf8(text_of(&format!("\"{path}\""))).unwrap_or_default(),
        false => path.to_owned(),
    }
}

/// Writes the files as they could be after the calls.
fn rebuild(calls: &[Call], folder: &Path, rng: &mut Rng) -> Result<(), Failure> {
    for name in FILES {
        let folder_synced =
            calls.iter().rposition(|call| matches!(call, Call::SyncFolder)).unwrap_or_default();
        let is_durable = |at: usize, call: &Call| match call {
            Call::Sync { .. } => true,
            Call::Unlink { .. } => at < folder_synced,
            _ => false,
        };
        let mine: Vec<(usize, &Call)> =
            calls.iter().enumerate().filter(|(_, call)| file_of(call) == Some(name)).collect();
        let synced = mine.iter().rposition(|(at, call)| is_durable(*at, call)).map_or(0, |at| at + 1);
        let mine: Vec<&Call> = mine.into_iter().map(|(_, call)| call).collect();
        let mut content = None;
        for call in mine.iter().take(synced) {
            apply(&mut content, call, usize::MAX);
        }
        let mut rest: Vec<&Call> = mine.into_iter().skip(synced).collect();
        if rng.bool() {
            rng.shuffle(&mut rest);
        }
        let loses = rng.u8(0..4);
        for call in rest {
            match (loses, rng.u8(0..4)) {
                (0, _) | (1 | 2, 0) => {}
                (2, 1) => apply(&mut content, call, SECTOR * rng.usize(0..4)),
                (_, _) => apply(&mut content, call, usize::MAX),
            }
        }
        if let Some(content) = content {
            std::fs::write(folder.join(name), content)?;
        }
    }
    Ok(())
}

fn file_of(call: &Call) -> Option<&str> {
    match call {
        Call::Write { file, .. }
        | Call::Truncate { file, .. }
        | Call::Unlink { file }
        | Call::Sync { file } => Some(file),
        Call::SyncFolder | Call::Acknowledged(_) => None,
    }
}

/// Does a call to a file, at most so many bytes of it.
fn apply(content: &mut Option<Vec<u8>>, call: &Call, most: usize) {
    match call {
        Call::Write { at, bytes, .. } => {
            let content = content.get_or_insert_default();
            let bytes = bytes.get(..most.min(bytes.len())).unwrap_or_default();
            let end = at + bytes.len();
            if content.len() < end {
                content.resize(end, 0);
            }
            if let Some(place) = content.get_mut(*at..end) {
                place.copy_from_slice(bytes);
            }
        }
        Call::Truncate { to, .. } => content.get_or_insert_default().resize(*to, 0),
        Call::Unlink { .. } => *content = None,
        Call::Sync { .. } | Call::SyncFolder | Call::Acknowledged(_) => {}
    }
}
