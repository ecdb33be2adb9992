//! The records of one append as bytes.
//!
//! Sequence numbers follow from the row's last one and the epoch is the row's, so a record is: time,
//! version, kind, hash and body, each with its length where it has none by itself.

use std::borrow::Cow;

use provost_runtime::port::{Epoch, Record, Seq};

use super::broken::Broken;
use super::packed::{self, Packing};

/// Writes records; the caller has checked that none is too long.
pub(super) fn encode(records: &[Record], packing: Packing) -> Vec<u8> {
    let bytes = records.iter().map(|record| 64 + record.kind.len() + record.body.len()).sum();
    let mut plain = Vec::with_capacity(bytes);
    for record in records {
        plain.extend_from_slice(&record.at_ms.to_le_bytes());
        plain.extend_from_slice(&record.version.to_le_bytes());
        put(&mut plain, record.kind.as_bytes());
        plain.extend_from_slice(&record.hash);
        put(&mut plain, &record.body);
    }
    packed::pack_records(&plain, packing)
}

/// Reads records back: the last one has the sequence number `last`.
pub(super) fn decode(bytes: &[u8], last: Seq, epoch: Epoch) -> Result<Vec<Record>, Broken> {
    let plain = packed::unpack(bytes)?;
    let damaged = || Broken::Damaged(format!("the records up to {last} end in the middle"));
    let mut rest = plain.as_slice();
    let mut records = Vec::new();
    while !rest.is_empty() {
        records.push(take_record(&mut rest, epoch).ok_or_else(damaged)?);
    }
    let before = last.0.checked_sub(records.len() as u64).ok_or_else(damaged)?;
    for (record, seq) in records.iter_mut().zip(before + 1..) {
        record.seq = Seq(seq);
    }
    Ok(records)
}

fn put(plain: &mut Vec<u8>, bytes: &[u8]) {
    debug_assert!(u32::try_from(bytes.len()).is_ok(), "an append is checked before it is written");
    plain.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    plain.extend_from_slice(bytes);
}

fn take_record(rest: &mut &[u8], epoch: Epoch) -> Option<Record> {
    Some(Record {
        seq: Seq::NONE,
        at_ms: i64::from_le_bytes(take_chunk(rest)?),
        epoch,
        version: u16::from_le_bytes(take_chunk(rest)?),
        kind: Cow::Owned(String::from_utf8(take(rest)?.to_vec()).ok()?),
        hash: take_chunk(rest)?,
        body: take(rest)?.into(),
    })
}

fn take_chunk<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (chunk, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*chunk)
}

fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = u32::from_le_bytes(take_chunk(rest)?);
    let (bytes, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = after;
    Some(bytes)
}
