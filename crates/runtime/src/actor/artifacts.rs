//! Results above a threshold are artifacts: stored first, named by the journal, and read back for the model.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json;
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

/// What a record shows of a large result: whether it succeeded, and how it begins.
fn excerpt(result: &Value, bytes: usize) -> Value {
    let Some(wire) = result.as_object() else {
        return json!({ "excerpt": begin(result), "bytes": bytes });
    };
    let mut shown = json::without(wire, &["result", "error"]);
    if let Some(error) = json::text(wire, "error") {
        shown.insert("error".into(), error.chars().take(EXCERPT_CHARS).collect::<String>().into());
    }
    let payload = wire.get("result").map(begin).unwrap_or_default();
    shown.insert("result".into(), json!({ "excerpt": payload, "bytes": bytes }));
    Value::Object(shown)
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
