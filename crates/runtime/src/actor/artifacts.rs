//! Results above a threshold are artifacts: stored first, named by the journal, and read back for the model.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_engine::event::{ERASED, Outcome};
use provost_engine::state::{Transcript, artifact_of, with_result};
use provost_engine::{Agent, ArtifactRef, Digest, Payload, RunId, Seq};
use serde_json::{Value, json};

use crate::port::Fault;
use crate::store::Store;

/// Results above this many bytes of JSON are artifacts.
pub const INLINE_BYTES_MAX: usize = 8 * 1_024;
/// How much of a result a record shows.
const EXCERPT_CHARS: usize = 1_000;
/// How much of what a program printed a record shows.
const TAIL_CHARS: usize = 1_500;
/// How many bytes are stored at a time.
const PART: usize = 256 * 1_024;
const MEDIA: &str = "application/json";

/// Stores a large result, and names it in its place.
///
/// # Errors
/// If the store fails: the outcome is not recorded without it.
pub(super) async fn offload(store: &dyn Store, agent: &Agent, outcome: Outcome) -> Result<Outcome, Fault> {
    match outcome {
        Outcome::Completed { result, goal, satisfying } => {
            let result = stored(store, agent, result).await?;
            Ok(Outcome::Completed { result, goal, satisfying })
        }
        Outcome::Failed { fault, result } => {
            let result = stored(store, agent, result).await?;
            Ok(Outcome::Failed { fault, result })
        }
        outcome @ (Outcome::TimedOut { .. }
        | Outcome::Stopped
        | Outcome::Lost { .. }
        | Outcome::NotStarted { .. }
        | Outcome::Stale { .. }
        | Outcome::Proposed { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. }) => Ok(outcome),
    }
}

async fn stored(store: &dyn Store, agent: &Agent, payload: Payload) -> Result<Payload, Fault> {
    let Payload::Inline { value } = &payload else { return Ok(payload) };
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    if bytes.len() <= INLINE_BYTES_MAX {
        return Ok(payload);
    }
    let mut upload = store.upload(MEDIA.to_owned());
    for part in bytes.chunks(PART) {
        upload.append(part.to_vec()).await?;
    }
    let info = upload.finish().await?;
    let truncation = agent.truncator.zip(value.as_object()).map(|(truncator, wire)| truncator.truncate(wire));
    let truncated =
        truncation.filter(|truncation| truncation.truncated).map(|truncation| truncation.metadata);
    Ok(Payload::Artifact(ArtifactRef {
        digest: info.digest,
        size: info.size,
        media: info.media,
        excerpt: excerpt(value, bytes.len()),
        truncated,
    }))
}

/// What a record shows of a large result: whether it succeeded, how a program ended and what it printed last, and how
/// the result begins. Lines about a call are made from it.
fn excerpt(result: &Value, bytes: usize) -> Value {
    let Some(wire) = result.as_object() else {
        return json!({ "excerpt": begin(result), "bytes": bytes });
    };
    let mut shown = json::without(wire, &["result", "error"]);
    if let Some(error) = json::text(wire, "error") {
        shown.insert("error".into(), error.chars().take(EXCERPT_CHARS).collect::<String>().into());
    }
    let payload = wire.get("result").map(begin).unwrap_or_default();
    let mut result = json::object(wire, "result").map(of_program).unwrap_or_default();
    result.insert("excerpt".into(), payload.into());
    result.insert("bytes".into(), bytes.into());
    shown.insert("result".into(), result.into());
    Value::Object(shown)
}

/// How a program ended, and the last lines that it printed: standard output comes first, so what is left out is
/// left out there first. `lines_above` says how many lines that are.
fn of_program(result: &Object) -> Object {
    let mut shown = Object::new();
    for key in ["exit_code", "signal"] {
        shown.extend(result.get(key).filter(|value| value.is_i64()).map(|code| (key.into(), code.clone())));
    }
    let (mut room, mut above) = (TAIL_CHARS, 0);
    for key in ["stderr", "stdout"] {
        let Some(text) = json::text(result, key) else { continue };
        let (left_out, tail) = tail(text, room);
        above += left_out;
        room = if left_out > 0 { 0 } else { room.saturating_sub(tail.chars().count()) };
        shown.insert(key.into(), tail.into());
    }
    if above > 0 {
        shown.insert("lines_above".into(), above.into());
    }
    shown
}

/// The whole lines at the end of a text that fit, and how many lines are above them. Of a last line that is too long,
/// its beginning.
fn tail(text: &str, chars: usize) -> (usize, String) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut room = chars;
    let fits = |line: &&&str| {
        let length = line.chars().count();
        let fits = length <= room;
        room = if fits { room - length } else { 0 };
        fits
    };
    let whole = lines.iter().rev().take_while(fits).count();
    let above = lines.len() - whole;
    match lines.last().filter(|_| whole == 0 && chars > 0) {
        Some(last) => (above - 1, last.chars().take(chars).collect()),
        None => (above, lines.get(above..).unwrap_or_default().concat()),
    }
}

fn begin(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.chars().take(EXCERPT_CHARS).collect()
}

/// Reads a payload, from its artifact if it is one.
///
/// # Errors
/// If the store fails.
pub(crate) async fn whole(store: &dyn Store, payload: &Payload) -> Result<Payload, Fault> {
    let Some(artifact) = payload.artifact() else { return Ok(payload.clone()) };
    Ok(Payload::inline(read(store, artifact.digest).await?))
}

/// Reads an artifact. One that is missing is damage: an excerpt never stands in for it.
async fn read(store: &dyn Store, digest: Digest) -> Result<Value, Fault> {
    let damaged = |problem: String| Fault::Corrupt { place: format!("artifact {digest}"), problem };
    let bytes = store.artifact(digest).await?.ok_or_else(|| damaged("it is missing".to_owned()))?;
    serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))
}

/// Whether the words of a record were erased since it was read.
async fn is_erased(store: &dyn Store, run: &RunId, seq: Seq) -> Result<bool, Fault> {
    let records = store.journal(run.clone(), Seq(seq.0.saturating_sub(1)), 1).await?;
    Ok(records.first().is_some_and(|record| record.seq == seq && record.erased.is_some()))
}

/// Returns a transcript in which every artifact is read. One without artifacts is returned as it is.
///
/// # Errors
/// If the store fails.
pub(super) async fn read_all(
    store: &dyn Store,
    (run, agent): (&RunId, &Agent),
    transcript: Transcript,
) -> Result<Transcript, Fault> {
    if !transcript.messages().any(|message| artifact_of(message).is_some()) {
        return Ok(transcript);
    }
    let mut read_back = Transcript::default();
    for line in transcript.iter() {
        let message: Arc<Message> = match artifact_of(&line.message) {
            None => line.message.clone(),
            Some(digest) => {
                let result = match read(store, digest).await {
                    Err(fault) if is_erased(store, run, line.seq).await? => {
                        drop(fault);
                        json!({ "success": true, "tool_name": line.message.tool_name(), "result": ERASED })
                    }
                    read => read?,
                };
                Arc::new(with_result(agent, &line.message, &result))
            }
        };
        read_back.push(line.seq, message);
    }
    Ok(read_back)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::RangeInclusive<u32>) -> String {
        range.map(|line| format!("line {line}\n")).collect()
    }

    #[test]
    fn an_excerpt_says_how_a_program_ended_and_what_it_printed_last() {
        let result = json!({
            "success": true, "metadata": { "summary": "exit status: 3" },
            "result": { "exit_code": 3, "stdout": lines(1..=2_000), "stderr": "warning\n" },
        });
        let shown = excerpt(&result, 20_000);
        assert_eq!(shown["result"]["exit_code"], 3);
        assert_eq!(shown["metadata"], result["metadata"]);
        assert_eq!(shown["result"]["stderr"], "warning\n");
        let stdout = shown["result"]["stdout"].as_str().unwrap();
        let above = u32::try_from(shown["result"]["lines_above"].as_u64().unwrap()).unwrap();
        assert_eq!(stdout, lines(above + 1..=2_000));
        assert!(above < 1_980 && stdout.len() <= TAIL_CHARS, "{above}");

        let killed =
            json!({ "success": true, "result": { "signal": 9, "stdout": "a\n", "stderr": lines(1..=900) } });
        let shown = excerpt(&killed, 9_000);
        assert_eq!((&shown["result"]["signal"], shown["result"].get("exit_code")), (&json!(9), None));
        assert_eq!(shown["result"]["stdout"], "", "it comes before lines that are left out");
        assert!(shown["result"]["stderr"].as_str().unwrap().ends_with("line 900\n"));
    }

    #[test]
    fn an_excerpt_of_another_result_is_its_beginning() {
        let result = json!({ "success": true, "result": { "text": "x".repeat(20_000) } });
        let shown = excerpt(&result, 20_013);
        let keys: Vec<&str> = shown["result"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((keys, &shown["result"]["bytes"]), (vec!["excerpt", "bytes"], &json!(20_013)));
        let (above, last) = tail(&format!("a\n{}", "x".repeat(9_000)), 100);
        assert_eq!((above, last), (1, "x".repeat(100)));
    }
}
