//! Suggestions for misspelt names.

/// The maximum length of a list of names.
const LISTED_MAX: usize = 20;
/// The maximum edit distance of a suggestion.
const EDITS_MAX: usize = 2;
/// Longer names are not compared.
const COMPARED_CHARS_MAX: usize = 64;

/// Joins the names to a readable list, truncated if it is long.
pub(crate) fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.peekable();
    if names.peek().is_none() {
        return "none".to_owned();
    }
    let mut shown: Vec<&str> = names.by_ref().take(LISTED_MAX).collect();
    let more = names.count();
    let rest = format!("and {more} more");
    if more > 0 {
        shown.push(&rest);
    }
    shown.join(", ")
}

/// Returns the most similar name.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let folded =
        |name: &str| name.chars().take(COMPARED_CHARS_MAX).flat_map(char::to_lowercase).collect::<Vec<_>>();
    let wanted = folded(wanted);
    let near = names
        .map(|name| (edits(&wanted, &folded(name)), name))
        .filter(|(edits, name)| *edits <= EDITS_MAX && *edits * 2 < name.chars().count());
    near.min_by_key(|(edits, _)| *edits).map(|(_, name)| name)
}

/// Returns the edit distance of two names.
fn edits(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.iter().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        let mut next = vec![before];
        for (other, above) in right.iter().zip(row.iter().skip(1)) {
            before = (diagonal + usize::from(letter != other)).min(before + 1).min(above + 1);
            diagonal = *above;
            next.push(before);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_noticed_and_another_word_is_not() {
        let names = ["fs_read", "fs_find", "clock"];
        let near = |wanted| nearest(wanted, names.into_iter());
        assert_eq!(near("FS_READ"), Some("fs_read"));
        assert_eq!(near("fs-raed"), None);
        assert_eq!(near("fs_raed"), Some("fs_read"));
        assert_eq!(near("clok"), Some("clock"));
        assert_eq!(near("shell"), None);
    }
}
