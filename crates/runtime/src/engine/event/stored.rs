//! Events as records and back. A record of an older version is brought up to date on its JSON.

use serde_json::Value;

use super::{Chain, Event, Kind};
use crate::port::{Epoch, Record, Seq};

/// Why a record is no event this program knows.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// A newer program wrote it.
    #[error(
        "record {seq} is of the kind `{kind}`, version {version}, which a newer provost wrote: update this one"
    )]
    Newer { seq: Seq, kind: String, version: u16 },
    /// Its body is not what its kind says.
    #[error("record {seq} of the kind `{kind}` cannot be read")]
    Body {
        seq: Seq,
        kind: String,
        #[source]
        cause: serde_json::Error,
    },
}

/// Writes an event as the next record of a chain.
pub fn encode(event: &Event, epoch: Epoch, chain: &mut Chain) -> Record {
    let (kind, version) = event.kind.stored_as();
    let record = Record {
        seq: event.seq,
        at_ms: event.at_ms,
        epoch,
        kind: kind.into(),
        version,
        body: event.body().clone(),
        hash: [0; 32],
    };
    chain.seal(record)
}

/// Reads an event.
///
/// # Errors
/// When a newer program wrote it, or its body cannot be read.
pub fn decode(record: &Record) -> Result<Event, DecodeError> {
    let newest = Kind::newest(&record.kind).filter(|newest| record.version <= *newest);
    let newer =
        || DecodeError::Newer { seq: record.seq, kind: record.kind.to_string(), version: record.version };
    let newest = newest.ok_or_else(newer)?;
    let body = |cause| DecodeError::Body { seq: record.seq, kind: record.kind.to_string(), cause };
    let current = if record.version == newest {
        record.body.clone()
    } else {
        let old = serde_json::from_slice(&record.body).map_err(body)?;
        serde_json::to_vec(&upcast(&record.kind, record.version, old)).map_err(body)?.into()
    };
    let kind = Kind::from_body(&record.kind, &current).ok_or_else(newer)?.map_err(body)?;
    Ok(Event::stored(record.seq, record.at_ms, kind, current))
}

/// Brings the body of an older version up to date. A new version of a kind adds its arm here, unless all it
/// did was to leave out what follows from the rest, and a journal fixture that must still fold.
fn upcast(kind: &str, version: u16, mut body: Value) -> Value {
    if let ("turn_answered", 1 | 2, Some(answered)) = (kind, version, body.as_object_mut()) {
        // All calls were counted; now only those that are not listed.
        let asked_for =
            answered.shift_remove("asked_for").and_then(|count| count.as_u64()).unwrap_or_default();
        let listed = answered.get("calls").and_then(Value::as_array).map_or(0, Vec::len) as u64;
        answered.insert("left_out".into(), asked_for.saturating_sub(listed).into());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::TurnAnswered;

    fn answered(version: u16, body: &str) -> TurnAnswered {
        let (kind, body) = ("turn_answered".into(), body.as_bytes().into());
        let record = Record { seq: Seq(3), at_ms: 0, epoch: Epoch::NONE, kind, version, body, hash: [0; 32] };
        match decode(&record).unwrap().kind {
            Kind::TurnAnswered(answered) => TurnAnswered::clone(&answered),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn calls_that_are_none_are_counted_whichever_version_tells_of_them() {
        let call = r#"{"id":"call-1","name":"kb/find","declared":true,"parameters":{"q":"bed"},"parameters_sha256":"sha256:1"}"#;
        let old = answered(2, &format!(r#"{{"calls":[{call}],"asked_for":3}}"#));
        let new = answered(
            3,
            r#"{"calls":[{"id":"call-1","name":"kb/find","parameters":{"q":"bed"}}],"left_out":2}"#,
        );
        assert_eq!((old.asked_for(), new.asked_for()), (3, 3));
        let hash =
            |answered: &TurnAnswered| answered.calls.clone().unwrap().remove(0).parameters_sha256.clone();
        assert_eq!(hash(&old), "sha256:1", "what was recorded stays");
        assert_eq!(hash(&new), provost_contract::canonical::hash(&serde_json::json!({ "q": "bed" })));
    }
}
