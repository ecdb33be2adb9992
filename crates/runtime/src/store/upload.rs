//! Artifacts that are stored while they are produced.

use provost_engine::Digest;
use sha2::{Digest as _, Sha256};

use super::ArtifactInfo;
use crate::port::{Boxed, Fault};

/// An artifact on its way into the store, part by part. Dropping it abandons the artifact; what was stored
/// of it is removed by the next prune.
pub trait Upload: Send {
    /// Stores the next part. Parts of 64 KiB to 1 MiB are a good size.
    fn append(&mut self, part: Vec<u8>) -> Boxed<'_, Result<(), Fault>>;

    /// Returns how many bytes were appended so far.
    fn size(&self) -> u64;

    /// Completes the artifact. Only now it exists under its digest; an equal one that is stored stays.
    fn finish(self: Box<Self>) -> Boxed<'static, Result<ArtifactInfo, Fault>>;
}

/// The hash of an artifact that arrives in parts.
#[derive(Clone, Debug, Default)]
pub struct PartHasher {
    hash: Sha256,
    size: u64,
}

impl PartHasher {
    /// Adds a part.
    pub fn update(&mut self, part: &[u8]) {
        self.hash.update(part);
        self.size += part.len() as u64;
    }

    /// Returns how many bytes were added.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns the digest of all parts.
    pub fn finish(self) -> Digest {
        Digest(self.hash.finalize().into())
    }
}
