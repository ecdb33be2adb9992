//! A real tokenizer. Its vocabulary is loaded on first use: a tenth of a second or more, and some 45 MB.

use tiktoken_rs::CoreBPE;

use super::TokenCounter;

/// Byte pair encoding with the vocabulary `o200k_base`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bpe;

impl Bpe {
    fn vocabulary() -> &'static CoreBPE {
        tiktoken_rs::o200k_base_singleton()
    }
}

impl TokenCounter for Bpe {
    fn count(&self, text: &str) -> u64 {
        Self::vocabulary().encode_ordinary(text).len() as u64
    }

    fn prefix<'a>(&self, text: &'a str, tokens: u64) -> &'a str {
        if text.len() as u64 <= tokens {
            return text;
        }
        let encoded = Self::vocabulary().encode_ordinary(text);
        let kept = usize::try_from(tokens).unwrap_or(usize::MAX);
        let Some(first) = encoded.get(..kept) else { return text };
        let bytes: usize = Self::vocabulary().decode_bytes(first).map_or(0, |bytes| bytes.len());
        // A token may end inside a character, and a shorter text may be encoded less densely.
        let mut end = text.floor_char_boundary(bytes);
        while end > 0 && self.count(text.get(..end).unwrap_or_default()) > tokens {
            end = text.floor_char_boundary(end - 1);
        }
        text.get(..end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::show::tokens::Estimate;

    #[test]
    fn known_texts_have_known_counts() {
        for (text, tokens) in [("", 0), ("hello world", 2), ("tiktoken is great!", 6), ("<|endoftext|>", 7)] {
            assert_eq!(Bpe.count(text), tokens, "{text}");
        }
    }

    #[test]
    fn a_prefix_never_counts_more_than_asked_and_never_splits_a_character() {
        let text = "漢字かな🙂 naïve fn main() { println!(\"🙂🙂\"); }\n    indented\n\n\n".repeat(3);
        for tokens in 0..Bpe.count(&text) + 2 {
            let prefix = Bpe.prefix(&text, tokens);
            assert!(text.starts_with(prefix) && Bpe.count(prefix) <= tokens, "{tokens}");
        }
        assert_eq!(Bpe.prefix(&text, u64::MAX), text);
    }

    #[test]
    fn the_estimate_is_on_the_safe_side_for_prose() {
        let prose = "The runtime decides whether an action may run, by whom, and what the model sees of it. "
            .repeat(20);
        assert!(Estimate.count(&prose) >= Bpe.count(&prose));
    }
}
