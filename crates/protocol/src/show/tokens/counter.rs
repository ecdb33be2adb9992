//! The trait of token counters.

/// Counts tokens like some model, at least approximately.
///
/// Implementations are pure: the same text always has the same count. `prefix(text, n)` is the longest
/// prefix that the counter can find with at most `n` tokens, cut between
/// characters.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of a text.
    fn count(&self, text: &str) -> u64;

    /// Returns whether a text has at most this many tokens. Every token has at least one byte, so a short text need not
    /// be counted.
    fn fits(&self, text: &str, tokens: u64) -> bool {
        text.len() as u64 <= tokens || self.count(text) <= tokens
    }

    /// Returns the longest prefix of a text with at most this many tokens.
    fn prefix<'a>(&self, text: &'a str, tokens: u64) -> &'a str;
}
