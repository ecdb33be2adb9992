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

/// Brings the body of an older version up to date. A new version of a kind adds its arm here, and a
/// journal fixture that must still fold.
fn upcast(kind: &str, version: u16, mut body: Value) -> Value {
    if let ("call_settled", 1, Some(settled)) = (kind, version, body.as_object_mut()) {
        // The whole audit record stood there; all of it but the hash of the result is said elsewhere.
        let audit = settled.shift_remove("audit").unwrap_or_default();
        settled.insert("result_sha256".into(), audit.get("result_sha256").cloned().unwrap_or_default());
    }
    body
}
