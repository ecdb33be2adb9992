//! Formats numbers, durations and commands for people.

use super::width;

/// A duration; `None` if too short to show.
pub(crate) fn duration(ms: u64) -> Option<String> {
    (ms >= 100).then(|| match ms {
        0..=59_999 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => spoken_limit(ms),
    })
}

/// Formats a duration of any length: a limit, or an age.
pub(crate) fn spoken_limit(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..=59 if ms.is_multiple_of(1_000) => format!("{seconds} s"),
        0..=59 => format!("{seconds}.{} s", ms % 1_000 / 100),
        60..=3_599 => format!("{}:{:02}", seconds / 60, seconds % 60),
        3_600..=86_399 => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => counted(seconds / 86_400, "day", "days"),
    }
}

/// Formats a running clock: `0:04`.
pub(crate) fn elapsed(ms: u64) -> String {
    let seconds = ms / 1_000;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Formats a number with thousands separators: `7,486`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number in a line that is redrawn: `61k`.
pub(crate) fn short_count(number: u64) -> String {
    match number {
        0..=9_999 => count(number),
        10_000..=9_999_999 => format!("{}k", count(number / 1_000)),
        _ => format!("{}M", count(number / 1_000_000)),
    }
}

/// Formats a number with its noun: `1 turn`, `5 turns`.
pub(crate) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { several })
}

/// Formats money: `USD 0.84`. Less than a cent is shown as such.
pub(crate) fn money(microusd: u64) -> String {
    match microusd {
        1..=9_999 => "USD <0.01".to_owned(),
        _ => format!("USD {}.{:02}", count(microusd / 1_000_000), microusd % 1_000_000 / 10_000),
    }
}

/// A text that takes so many cells at least.
pub(crate) fn padded(text: &str, to: usize) -> String {
    format!("{text}{}", " ".repeat(to.saturating_sub(width(text))))
}

/// A command as a shell would take it.
pub(crate) fn quoted<'a>(argv: impl IntoIterator<Item = &'a str>) -> String {
    let plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=@%+,^~".contains(c))
    };
    let word = |word: &str| match plain(word) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    argv.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the first line of a text that is not blank.
pub(crate) fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_people() {
        let felt = |ms| duration(ms).unwrap_or_default();
        assert_eq!((felt(99), felt(100), felt(22_149)), (String::new(), "0.1 s".into(), "22.1 s".into()));
        assert_eq!((felt(86_000), felt(796_000)), ("1:26".into(), "13:16".into()));
        assert_eq!((felt(7_440_000), felt(259_200_000)), ("2 h 04 min".into(), "3 days".into()));
        assert_eq!((spoken_limit(30_000), elapsed(4_900)), ("30 s".into(), "0:04".into()));
    }

    #[test]
    fn numbers_have_their_thousands_and_their_nouns() {
        assert_eq!(
            (count(7_486), count(999), count(1_234_567)),
            ("7,486".into(), "999".into(), "1,234,567".into())
        );
        assert_eq!((short_count(2_961), short_count(61_499)), ("2,961".into(), "61k".into()));
        assert_eq!(
            (counted(1, "turn", "turns"), counted(0, "turn", "turns")),
            ("1 turn".into(), "0 turns".into())
        );
        assert_eq!(
            (money(840_000), money(0), money(5)),
            ("USD 0.84".into(), "USD 0.00".into(), "USD <0.01".into())
        );
    }

    #[test]
    fn a_command_can_be_pasted() {
        assert_eq!(quoted(["cargo", "test", "-p", "till"]), "cargo test -p till");
        assert_eq!(quoted(["sh", "-c", "echo it's $HOME", ""]), r"sh -c 'echo it'\''s $HOME' ''");
    }
}
