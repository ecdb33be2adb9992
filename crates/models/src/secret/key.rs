//! A secret text: it is never printed or serialised.

use std::fmt;
use std::sync::Arc;

use provost_contract::sensitivity;
use zeroize::Zeroizing;

/// What stands where a secret stood; the same word as in every other record.
const HIDDEN: &str = sensitivity::REDACTED;

/// A key. It has no `Display` and no `Serialize`, its `Debug` says nothing, and its memory is wiped
/// after the last use.
#[derive(Clone)]
pub struct Secret(Arc<Zeroizing<String>>);

impl Secret {
    /// Takes a key in. Blanks around it, as editors leave them, are not part of it; none is left of a blank one.
    pub(crate) fn new(text: String) -> Option<Self> {
        let text = Zeroizing::new(text);
        let trimmed = text.trim();
        (!trimmed.is_empty()).then(|| Self(Arc::new(Zeroizing::new(trimmed.to_owned()))))
    }

    /// The key itself, for the header it goes into.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// A text without the key.
    pub(crate) fn hide_in(&self, text: &str) -> String {
        text.replace(self.expose(), HIDDEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_cannot_be_read_off_what_is_printed() {
        let key = Secret::new(" sk-1234\n".to_owned()).unwrap();
        assert_eq!(format!("{key:?} {:#?}", Some(&key)), "[redacted] Some(\n    [redacted],\n)");
        assert_eq!(key.hide_in("key sk-1234 is wrong"), "key [redacted] is wrong");
        assert_eq!(key.expose(), "sk-1234");
    }

    #[test]
    fn a_blank_is_no_secret() {
        assert!(Secret::new(" \n".to_owned()).is_none());
    }
}
