//! Suggestions for misspelt names.

/// The similarity required for a suggestion.
const LIKENESS_MIN: f64 = 0.75;

/// Returns the most similar known name, if one is similar enough.
pub fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let liked = known.into_iter().map(|known| (strsim::jaro_winkler(word, known), known));
    let best = liked.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (best.0 >= LIKENESS_MIN).then_some(best.1)
}

/// The same for an error of serde such as: unknown field `agnt`, expected one of `agent`, `model`.
pub(super) fn for_unknown_field(message: &str) -> Option<String> {
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let (unknown, known) = quoted.split_first()?;
    let is_unknown = message.starts_with("unknown field") || message.starts_with("unknown variant");
    let known = known.iter().copied();
    if !is_unknown {
        return None;
    }
    match did_you_mean(unknown, known.clone()) {
        Some(meant) => Some(format!("did you mean `{meant}`?")),
        None => Some(format!("known here: {}", known.collect::<Vec<_>>().join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let message = "unknown field `agnt`, expected one of `agent`, `model`";
        assert_eq!(for_unknown_field(message).as_deref(), Some("did you mean `agent`?"));
        let message = "unknown field `zzz`, expected `agent` or `model`";
        assert_eq!(for_unknown_field(message).as_deref(), Some("known here: agent, model"));
        assert_eq!(for_unknown_field("expected `=`"), None);
    }
}
