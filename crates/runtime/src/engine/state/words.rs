//! The words by which calls were let run, so that one that comes again is named and not repeated.

use crate::engine::{ActionStarted, Word};
use crate::port::Seq;

/// So many are known. An older one that comes again is written in full again.
const KNOWN_MAX: usize = 8;

/// The newest words, each with the record in which it stands.
#[derive(Clone, Debug, Default)]
pub struct Words(Vec<(Seq, Word)>);

impl Words {
    /// Where the same word stands already.
    pub fn place_of(&self, word: &Word) -> Option<Seq> {
        self.0.iter().rev().find_map(|(seq, known)| (known == word).then_some(*seq))
    }

    /// The word by which a call was started: in its own record, or in the earlier one that it names.
    pub fn of<'a>(&'a self, started: &'a ActionStarted) -> Option<&'a Word> {
        let named =
            || self.0.iter().find_map(|(seq, word)| (Some(seq.0) == started.allowed_as).then_some(word));
        started.allowed_by.as_ref().or_else(named)
    }

    pub(super) fn note(&mut self, seq: Seq, started: &ActionStarted) {
        let Some(word) = &started.allowed_by else { return };
        if self.0.len() >= KNOWN_MAX {
            self.0.remove(0);
        }
        self.0.push((seq, word.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(rule: &str) -> Word {
        serde_json::from_str(&format!(r#"{{"rule":"{rule}"}}"#)).unwrap()
    }

    fn started(allowed_by: Option<Word>, allowed_as: Option<u64>) -> ActionStarted {
        ActionStarted { call: 0, key: "k".to_owned(), attempt: 1, process: None, allowed_by, allowed_as }
    }

    #[test]
    fn a_word_is_found_by_its_text_and_by_its_record() {
        let mut words = Words::default();
        words.note(Seq(4), &started(Some(word("a")), None));
        words.note(Seq(9), &started(Some(word("b")), None));
        words.note(Seq(12), &started(None, Some(4)));
        assert_eq!(words.place_of(&word("a")), Some(Seq(4)));
        assert_eq!(words.place_of(&word("c")), None);
        assert_eq!(words.of(&started(None, Some(9))), Some(&word("b")));
        assert_eq!(words.of(&started(Some(word("c")), None)), Some(&word("c")));
        assert_eq!(words.of(&started(None, None)), None, "nobody decided");
    }

    #[test]
    fn only_the_newest_are_known() {
        let mut words = Words::default();
        let rules: Vec<String> = (0..=KNOWN_MAX).map(|number| format!("rule-{number}")).collect();
        for (seq, rule) in (1..).zip(&rules) {
            words.note(Seq(seq), &started(Some(word(rule)), None));
        }
        assert_eq!(words.place_of(&word("rule-0")), None, "it is written in full again");
        assert!(rules.iter().skip(1).all(|rule| words.place_of(&word(rule)).is_some()));
    }
}
