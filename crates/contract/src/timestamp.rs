//! Reading a moment from text, and writing one: dates and times in ISO 8601 or with a space between, UTC unless they say otherwise.

const SECONDS_PER_DAY: i64 = 86_400;

/// The Unix second of `2026-01-31`, `2026-01-31T10:00:00Z`, `2026-01-31 10:00:00.5+01:00`; none for anything else.
pub fn unix_seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = text.split_at_checked(10)?;
    let days = days_of(date)?;
    let Some(clock) = rest.strip_prefix(['T', 't', ' ']) else {
        return rest.is_empty().then_some(days * SECONDS_PER_DAY);
    };
    let (clock, offset) = split_offset(clock)?;
    Some(days * SECONDS_PER_DAY + seconds_of(clock)? - offset)
}

/// A moment as `2026-01-31 10:00:00`, in UTC.
pub fn date_time(unix_seconds: i64) -> String {
    let (days, seconds) =
        (unix_seconds.div_euclid(SECONDS_PER_DAY), unix_seconds.rem_euclid(SECONDS_PER_DAY));
    let (year, month, day) = date_of(days);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{year:04}-{month:02}-{day:02} {hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// A moment as `2026-01-31T10:00:00Z`.
pub fn iso8601(unix_seconds: i64) -> String {
    date_time(unix_seconds).replacen(' ', "T", 1) + "Z"
}

/// Whether a moment is another one or before it. Words that name no moment compare as text.
pub fn is_not_after(moment: &str, other: &str) -> bool {
    match (unix_seconds(moment), unix_seconds(other)) {
        (Some(moment), Some(other)) => moment <= other,
        (None, _) | (_, None) => moment <= other,
    }
}

/// Year, month and day, counted in eras of 400 years that begin on a first of March, so that a leap day
/// is the last day of its year.
fn date_of(days_since_1970: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    const ERA_START_TO_1970: i64 = 719_468;
    let days = days_since_1970 + ERA_START_TO_1970;
    let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let months_since_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * months_since_march + 2) / 5 + 1;
    let month = if months_since_march < 10 { months_since_march + 3 } else { months_since_march - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// Days since 1970-01-01 of `YYYY-MM-DD`.
fn days_of(date: &str) -> Option<i64> {
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    (1..=12).contains(&month).then_some(())?;
    (1..=days_in(year, month)).contains(&day).then_some(())?;
    let leap_days_before = |year: i64| year / 4 - year / 100 + year / 400;
    // A year before 1 has no day here: four digits never go below year 0.
    let days_before_year = |year: i64| year * 365 + leap_days_before((year - 1).max(0)) + i64::from(year > 0);
    let days_before_month: i64 = (1..month).map(|month| days_in(year, month)).sum();
    Some(days_before_year(year) - days_before_year(1970) + days_before_month + day - 1)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Seconds since midnight of `HH:MM` or `HH:MM:SS`; a fraction of a second is cut off.
fn seconds_of(clock: &str) -> Option<i64> {
    let (whole, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let [hours, minutes, seconds] = match whole.len() {
        5 => fields(&format!("{whole}:00"), ':', [2, 2, 2])?,
        _ => fields(whole, ':', [2, 2, 2])?,
    };
    let in_range = hours < 24 && minutes < 60 && seconds < 60;
    (is_fraction && in_range).then_some(hours * 3600 + minutes * 60 + seconds)
}

/// Splits `Z`, `+01:00`, `+0100` or nothing off the end, as seconds east of UTC.
fn split_offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(sign_at) = clock.rfind(['+', '-']) else { return Some((clock, 0)) };
    let (clock, offset) = clock.split_at_checked(sign_at)?;
    let east = if offset.starts_with('+') { 1 } else { -1 };
    let digits = offset.get(1..)?.replacen(':', "", 1);
    let (hours, minutes) = digits.split_at_checked(2)?;
    let [hours, minutes] = [number(hours, 2)?, number(minutes, 2)?];
    (hours < 24 && minutes < 60).then_some((clock.trim_end(), east * (hours * 3600 + minutes * 60)))
}

fn fields<const N: usize>(text: &str, separator: char, widths: [usize; N]) -> Option<[i64; N]> {
    let parts: Vec<&str> = text.split(separator).collect();
    let parts: [&str; N] = parts.try_into().ok()?;
    let mut numbers = [0; N];
    for (slot, (part, width)) in numbers.iter_mut().zip(parts.into_iter().zip(widths)) {
        *slot = number(part, width)?;
    }
    Some(numbers)
}

fn number(digits: &str, width: usize) -> Option<i64> {
    (digits.len() == width && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(())?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{SECONDS_PER_DAY, date_time, unix_seconds};

    #[test]
    fn moments_in_every_accepted_form() {
        let moments = [
            ("1970-01-01", 0),
            ("1969-12-31T23:59:59Z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("2000-03-01", 951_868_800),
            ("2026-01-01T00:00:00Z", 1_767_225_600),
            ("2026-01-01 00:00:00", 1_767_225_600),
            (" 2026-01-01T00:00 ", 1_767_225_600),
            ("2026-01-01T01:00:00+01:00", 1_767_225_600),
            ("2025-12-31T19:30:00.999-0430", 1_767_225_600),
            ("2100-03-01T00:00:00Z", 4_107_542_400),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ];
        for (text, second) in moments {
            assert_eq!(unix_seconds(text), Some(second), "{text}");
        }
    }

    #[test]
    fn a_moment_is_written_as_it_is_read() {
        assert_eq!(date_time(1_780_000_000), "2026-05-28 20:26:40");
        assert_eq!(date_time(-1), "1969-12-31 23:59:59");
        for day in (-719_000_i64..200_000).step_by(89) {
            let moment = day * SECONDS_PER_DAY + day.rem_euclid(SECONDS_PER_DAY);
            assert_eq!(unix_seconds(&date_time(moment)), Some(moment), "day {day}");
        }
    }

    #[test]
    fn anything_else_is_no_moment() {
        let others = [
            "",
            "soon",
            "2026-1-1",
            "2026-13-01",
            "2026-02-29",
            "2100-02-29",
            "2026-01-00",
            "2026-01-01T24:00:00Z",
            "2026-01-01T10:60",
            "2026-01-01T10",
            "2026-01-01X10:00",
            "2026-01-01T10:00:00.Z",
            "2026-01-01T10:00:00+1",
            "2026-01-01T10:00:00 UTC",
            "+026-01-01",
            "2026-01-01Tä0:00",
            "ä2026-01-01",
        ];
        for text in others {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
