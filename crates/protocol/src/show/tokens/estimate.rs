//! A fast estimate that needs no vocabulary.

use super::TokenCounter;

const CHARS_PER_TOKEN: usize = 4;

/// Counts four characters as a token, and an incomplete rest as one more.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate;

impl TokenCounter for Estimate {
    fn count(&self, text: &str) -> u64 {
        text.chars().count().div_ceil(CHARS_PER_TOKEN) as u64
    }

    fn prefix<'a>(&self, text: &'a str, tokens: u64) -> &'a str {
        let chars = usize::try_from(tokens).unwrap_or(usize::MAX).saturating_mul(CHARS_PER_TOKEN);
        // A character has at least one byte, so a short text need not be walked.
        if text.len() <= chars {
            return text;
        }
        let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
        text.get(..end).unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_characters_are_a_token_whatever_their_bytes() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("漢字かな🙂", 2)] {
            assert_eq!(Estimate.count(text), tokens, "{text}");
        }
        assert_eq!(Estimate.prefix("漢字かな🙂x", 1), "漢字かな");
        assert_eq!(Estimate.prefix("abc", 0), "");
        assert_eq!(Estimate.prefix("abc", u64::MAX), "abc");
    }
}
