//! How long a provider asks us to wait.

use provost_contract::timestamp;
use reqwest::header::HeaderMap;
use serde_json::Value;

const SECOND_MS: f64 = 1_000.0;

/// Returns the wait that the headers, or else the body, ask for.
pub(super) fn retry_after_ms(headers: &HeaderMap, body: &Value, now_ms: i64) -> Option<u64> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let milliseconds = header("retry-after-ms").and_then(|text| text.parse().ok());
    milliseconds
        .or_else(|| header("retry-after").and_then(|text| wait_of(text, now_ms)))
        .or_else(|| delay_of(body))
}

/// Seconds, or the date of a moment.
fn wait_of(text: &str, now_ms: i64) -> Option<u64> {
    if let Ok(seconds) = text.parse::<f64>() {
        return milliseconds(seconds);
    }
    let at_ms = http_date(text)?.saturating_mul(1_000);
    Some(u64::try_from(at_ms.saturating_sub(now_ms)).unwrap_or(0))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, in seconds since 1970.
fn http_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, date) = text.split_once(", ")?;
    let words: Vec<&str> = date.split(' ').collect();
    let [day, month, year, time, "GMT"] = words.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| name == month)? + 1;
    timestamp::unix_seconds(&format!("{year}-{month:02}-{day}T{time}Z"))
}

/// Google writes the wait into the details of an error: `"retryDelay": "7s"`.
fn delay_of(body: &Value) -> Option<u64> {
    let details = body.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    milliseconds(delay.strip_suffix('s')?.parse().ok()?)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be neither negative nor absurd"
)]
fn milliseconds(seconds: f64) -> Option<u64> {
    /// The longest wait: a year.
    const SECONDS_MAX: f64 = 31_536_000.0;
    (0.0..=SECONDS_MAX).contains(&seconds).then(|| (seconds * SECOND_MS).ceil() as u64)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use serde_json::json;

    use super::*;

    fn asked(headers: &[(&'static str, &'static str)], body: Value) -> Option<u64> {
        let headers =
            headers.iter().map(|(name, value)| ((*name).parse().unwrap(), HeaderValue::from_static(value)));
        // 1994-11-06T08:49:30Z
        retry_after_ms(&headers.collect(), &body, 784_111_770_000)
    }

    #[test]
    fn every_way_of_asking_is_understood() {
        assert_eq!(asked(&[("retry-after", "7")], Value::Null), Some(7_000));
        assert_eq!(asked(&[("retry-after", "0.25")], Value::Null), Some(250));
        assert_eq!(asked(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Value::Null), Some(7_000));
        assert_eq!(asked(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Value::Null), Some(0));
        assert_eq!(asked(&[("retry-after-ms", "12"), ("retry-after", "7")], Value::Null), Some(12));
        let google = json!({ "error": { "details": [{ "@type": "a" }, { "retryDelay": "1.5s" }] } });
        assert_eq!(asked(&[], google), Some(1_500));
    }

    #[test]
    fn nonsense_asks_for_nothing() {
        for text in ["", "soon", "-3", "NaN", "inf", "Sun, 06 Foo 1994 08:49:37 GMT"] {
            assert_eq!(asked(&[("retry-after", text)], Value::Null), None, "{text}");
        }
    }
}
