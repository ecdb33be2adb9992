//! A part of a transcript, written with what the messages before it settled.

use std::collections::HashSet;

use serde_json::Value;

use super::encoded::{Encoded, Loss, Losses};
use crate::json::Object;

/// What the messages before a segment settled for it. The default describes the beginning of a transcript.
#[derive(Debug, Default)]
pub(super) struct Prior {
    /// Whether there are any.
    pub(super) begun: bool,
    /// The ids and names reported as lost.
    pub(super) reported: HashSet<String>,
    /// The ids of their items, in formats that name items.
    pub(super) item_ids: HashSet<String>,
    /// The signatures of the calls since the user spoke last.
    pub(super) signatures: Signatures,
}

/// Whether the calls of a turn are signed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Signatures {
    /// There are no calls.
    #[default]
    NoCalls,
    /// No call is signed.
    Unsigned,
    /// At least one call is signed.
    Signed {
        /// Whether unsigned steps were sent with the documented value.
        filled: bool,
    },
}

/// Whether a segment can stay as it is written, whatever follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// It can.
    Closed,
    /// What follows may change how it is written.
    Open,
    /// It changes how an earlier segment is written.
    Restart,
}

/// A written segment.
#[derive(Debug)]
pub(super) struct Segment {
    /// The keys of the provider's request.
    pub(super) body: Object,
    pub(super) losses: Vec<Loss>,
    pub(super) fit: Fit,
    /// What it settles, beyond what was settled before.
    pub(super) settled: Prior,
}

impl Segment {
    pub(super) fn new(body: Object, losses: Losses, reported: HashSet<String>) -> Self {
        let settled = Prior { begun: true, reported, ..Prior::default() };
        Self { body, losses: losses.sorted(), fit: Fit::Closed, settled }
    }
}

impl Prior {
    /// Takes over what another segment settled.
    pub(super) fn extend(&mut self, settled: Self) {
        self.begun |= settled.begun;
        self.reported.extend(settled.reported);
        self.item_ids.extend(settled.item_ids);
        self.signatures = settled.signatures;
    }
}

impl From<Segment> for Encoded {
    fn from(segment: Segment) -> Self {
        Self { body: Value::Object(segment.body), losses: segment.losses }
    }
}
