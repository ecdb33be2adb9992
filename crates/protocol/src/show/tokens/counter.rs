//! What a counter promises.

/// Counts tokens the way some model does, or near enough.
///
/// Implementations are pure: the same text always has the same count, and `prefix(text, n)` is a
/// beginning of the text that counts at most `n`, as long as the counter can make it, cut between
/// characters.
pub trait TokenCounter: Send + Sync {
    /// How many tokens a text has.
    fn count(&self, text: &str) -> u64;

    /// The longest beginning of a text that has at most so many tokens.
    fn prefix<'a>(&self, text: &'a str, tokens: u64) -> &'a str;
}
