//! Standing approvals as people grant them: about which calls, and for how long.

use std::time::Duration;

use provost::{Covers, Remember, Time, standing_offers};
use provost_engine::view;

use crate::text::{Local, first_line};
use crate::view::object;

/// A standing approval that can be offered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Offer {
    /// The calls as people read them: `fs/edit in src/`.
    pub(crate) words: String,
    pub(crate) covers: Covers,
}

/// Returns the standing approvals that a person can grant, the narrowest first. The error says why there is none.
pub(crate) fn offers(asked: &view::Pending) -> Result<Vec<Offer>, &'static str> {
    let offer = |covers: Covers| Offer { words: words(&asked.tool, &covers, Some(asked)), covers };
    Ok(standing_offers(asked)?.into_iter().map(offer).collect())
}

/// Returns the calls that an approval covers, as text. `asked` is the call that it was granted with, if known.
pub(crate) fn words(tool: &str, covers: &Covers, asked: Option<&view::Pending>) -> String {
    match covers {
        Covers::Tool if tool.starts_with("fs/") => format!("{tool} anywhere"),
        Covers::Tool => format!("every call of {tool}"),
        Covers::Place(place) => {
            let is_file = asked.and_then(|asked| asked.place.as_ref()) == Some(place);
            if is_file { of_file(tool, place) } else { format!("{tool} in {place}/") }
        }
        Covers::Call => match asked {
            Some(asked) => exactly(tool, first_line(&object(tool, &asked.arguments))),
            None => format!("one call of {tool}"),
        },
    }
}

/// Returns the text for calls about one file.
pub(crate) fn of_file(tool: &str, path: &str) -> String {
    format!("{tool} of {path}")
}

/// Returns the text for a call that is covered with these arguments only.
pub(crate) fn exactly(tool: &str, about: &str) -> String {
    format!("{tool} {about}, with exactly these arguments")
}

/// Reads how long: `run`, `8h`, `30d`, `45m`, `always`.
pub(crate) fn how_long(word: &str) -> Option<Remember> {
    match word {
        "run" => return Some(Remember::Run),
        "always" => return Some(Remember::Always),
        _ => {}
    }
    let unit = match word.chars().last()? {
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let number: u64 = word.get(..word.len() - 1)?.parse().ok()?;
    let seconds = number.checked_mul(unit).filter(|seconds| (1..=TEN_YEARS).contains(seconds))?;
    Some(Remember::For(Duration::from_secs(seconds)))
}

/// The same as an argument of the command line.
pub(crate) fn lasting(word: &str) -> Result<Remember, String> {
    how_long(word).ok_or_else(|| "say run, a time such as 45m, 8h or 30d, or always".to_owned())
}

const TEN_YEARS: u64 = 10 * 366 * 86_400;

/// When an approval ends, in words: `until 19:04`, `in this run`, `until it is revoked`.
pub(crate) fn ends(remember: Remember, local: &Local) -> String {
    match remember {
        Remember::No => String::new(),
        Remember::Run => "in this run".to_owned(),
        Remember::Always => "until it is revoked".to_owned(),
        Remember::For(time) => {
            let now = Time(local.now_ms());
            let end = now.plus_ms(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
            format!("until {}", local.ahead(end.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_is_a_run_a_time_or_always() {
        let hours = |hours: u64| Some(Remember::For(Duration::from_secs(hours * 3_600)));
        assert_eq!(how_long("run"), Some(Remember::Run));
        assert_eq!(how_long("always"), Some(Remember::Always));
        assert_eq!((how_long("8h"), how_long("30d")), (hours(8), hours(720)));
        assert_eq!(how_long("45m"), Some(Remember::For(Duration::from_secs(2_700))));
        for wrong in ["", "h", "8", "0h", "-1h", "8 h", "8w", "99999999999999999999d", "4000d", "ähh", "8hä"]
        {
            assert_eq!(how_long(wrong), None, "{wrong}");
        }
    }
}
