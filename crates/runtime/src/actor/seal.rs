//! Secret arguments of an action that waits: sealed beside its wait, opened only to run it or to be handed to
//! the client that answers it, and deleted in the commit that ends it.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use provost_contract::json::Object;
use provost_engine::{ActionId, RunId};
use zeroize::Zeroizing;

const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;

/// The key that seals arguments. It has no printed form.
#[derive(Clone)]
pub struct SealKey(Zeroizing<[u8; KEY_BYTES]>);

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[seal key]")
    }
}

/// Why bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealKeyError {
    /// They are too few or too many.
    #[error("a seal key has {KEY_BYTES} bytes, got {0}")]
    Length(usize),
    /// The machine gives no randomness.
    #[error("the machine gives no randomness to make a key from")]
    Randomness,
}

impl SealKey {
    /// Makes a new key.
    ///
    /// # Errors
    /// If the machine gives no randomness.
    pub fn generate() -> Result<Self, SealKeyError> {
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *key).map_err(|_| SealKeyError::Randomness)?;
        Ok(Self(key))
    }

    /// Reads a key.
    ///
    /// # Errors
    /// If the bytes are too few or too many.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SealKeyError> {
        let key: [u8; KEY_BYTES] = bytes.try_into().map_err(|_| SealKeyError::Length(bytes.len()))?;
        Ok(Self(Zeroizing::new(key)))
    }

    /// Returns the bytes, for the file that holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &*self.0
    }

    /// Seals arguments for one action of one run.
    pub(crate) fn seal(&self, run: &RunId, action: ActionId, arguments: &Object) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).ok()?;
        let plain = Zeroizing::new(serde_json::to_vec(arguments).ok()?);
        let about = about(run, action);
        let payload = Payload { msg: &plain, aad: about.as_bytes() };
        let cipher = XChaCha20Poly1305::new((&*self.0).into());
        let sealed = cipher.encrypt(XNonce::from_slice(&nonce), payload).ok()?;
        Some([nonce.as_slice(), &sealed].concat())
    }

    /// Opens sealed arguments. What was sealed for another action, or changed, does not open.
    pub(crate) fn open(&self, run: &RunId, action: ActionId, sealed: &[u8]) -> Option<Object> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_BYTES)?;
        let about = about(run, action);
        let payload = Payload { msg: sealed, aad: about.as_bytes() };
        let cipher = XChaCha20Poly1305::new((&*self.0).into());
        let plain = Zeroizing::new(cipher.decrypt(XNonce::from_slice(nonce), payload).ok()?);
        serde_json::from_slice(&plain).ok()
    }
}

fn about(run: &RunId, action: ActionId) -> String {
    format!("provost sealed arguments v1 {run} {action}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_open_only_for_their_action_and_unchanged() {
        let key = SealKey::generate().unwrap();
        let run: RunId = "run-1".parse().unwrap();
        let (this, other) = (ActionId { declaration: 1, index: 0 }, ActionId { declaration: 1, index: 1 });
        let arguments = json!({ "pin": "1234" }).as_object().unwrap().clone();
        let sealed = key.seal(&run, this, &arguments).unwrap();
        assert!(!String::from_utf8_lossy(&sealed).contains("1234"));
        assert_eq!(key.open(&run, this, &sealed), Some(arguments));
        assert_eq!(key.open(&run, other, &sealed), None);
        assert_eq!(SealKey::generate().unwrap().open(&run, this, &sealed), None);
        let mut changed = sealed;
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(key.open(&run, this, &changed), None);
        assert_eq!(format!("{key:?}"), "[seal key]");
        assert!(SealKey::from_bytes(&[0; 3]).is_err());
    }
}
