//! Local times in short form.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Times of one zone, relative to now.
pub(crate) struct Local {
    zone: TimeZone,
    now_ms: i64,
}

/// Returns the zone of the machine, from `TZ` or its settings.
pub(crate) fn zone() -> TimeZone {
    TimeZone::try_system().unwrap_or(TimeZone::UTC)
}

impl Local {
    pub(crate) fn new(zone: TimeZone, now_ms: i64) -> Self {
        Self { zone, now_ms }
    }

    /// Formats a time: today `14:04`, in the last days `Mon 17:20`, else a date.
    pub(crate) fn short(&self, at_ms: i64) -> String {
        self.formatted(at_ms, "%H:%M", "%a %H:%M", "%Y-%m-%d")
    }

    /// Formats a time with its day and seconds: `today 11:40:14`.
    pub(crate) fn long(&self, at_ms: i64) -> String {
        self.formatted(at_ms, "today %H:%M:%S", "%a %Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S")
    }

    /// Returns the current time.
    pub(crate) fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Formats a future time: today `19:04`, else with its date.
    pub(crate) fn ahead(&self, at_ms: i64) -> String {
        self.formatted(at_ms, "%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M")
    }

    /// Returns the current UTC offset of the zone: `+01:00`.
    pub(crate) fn offset(&self) -> String {
        self.formatted(self.now_ms, "%:z", "%:z", "%:z")
    }

    fn formatted(&self, at_ms: i64, today: &str, this_week: &str, before: &str) -> String {
        let zoned = |ms: i64| Timestamp::from_millisecond(ms).ok().map(|at| at.to_zoned(self.zone.clone()));
        let (Some(at), Some(now)) = (zoned(at_ms), zoned(self.now_ms)) else { return String::new() };
        let days = now.date().since(at.date()).map_or(i32::MAX, |span| span.get_days());
        let form = match days {
            0 => today,
            1..=6 => this_week,
            _ => before,
        };
        at.strftime(form).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_as_short_as_it_can_be() {
        let zone = TimeZone::fixed(jiff::tz::offset(1));
        let now = 1_780_000_000_000;
        let local = Local::new(zone, now);
        assert_eq!(local.short(now), "21:26");
        assert_eq!(local.short(now - 86_400_000), "Wed 21:26");
        assert_eq!(local.short(now - 30 * 86_400_000), "2026-04-28");
        assert_eq!(local.long(now), "today 21:26:40");
        assert_eq!(
            (local.ahead(now + 60_000), local.ahead(now + 86_400_000)),
            ("21:27".into(), "2026-05-29 21:26".into())
        );
        assert_eq!(local.offset(), "+01:00");
    }
}
