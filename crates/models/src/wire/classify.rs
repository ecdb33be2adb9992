//! What a provider's error means.

use serde_json::Value;

use crate::{Fault, FaultKind};

/// How much of a provider's own words is passed on.
const WORDS_MAX: usize = 1_000;

/// Words by which providers say, each its own way, that the transcript is too long.
const TOO_LONG: [&str; 9] = [
    "context_length_exceeded",
    "context length",
    "context window",
    "maximum context",
    "prompt is too long",
    "request_too_large",
    "exceeds the maximum number of tokens",
    "exceed_context_size",
    "exceeds the available context size",
];
const QUOTA: [&str; 3] = ["insufficient_quota", "billing_error", "credit balance is too low"];
const REFUSED: [&str; 2] = ["content_policy_violation", "content_filter"];
const BAD_KEY: [&str; 2] = ["api_key_invalid", "api key not valid"];

/// Reads an error object, or whatever stands in its place. Errors inside a stream have no status.
pub(super) fn classify(status: Option<u16>, error: &Value) -> Fault {
    let words = words(error);
    let code = code(error);
    let status = status.or_else(|| status_in(error));
    let haystack = format!("{} {words} {error}", code.as_deref().unwrap_or_default()).to_lowercase();
    let kind = kind(status, &haystack);
    let label = match (status, words.is_empty()) {
        (Some(status), true) => format!("the provider answered {status} without a word"),
        (None, true) => "the provider reported an error without a word".to_owned(),
        (_, false) => format!("the provider says: {words}"),
    };
    Fault { code: code.or_else(|| status.map(|status| status.to_string())), ..Fault::new(kind, label) }
}

fn kind(status: Option<u16>, haystack: &str) -> FaultKind {
    let says = |any: &[&str]| any.iter().any(|word| haystack.contains(word));
    match status {
        Some(402) => FaultKind::QuotaExhausted,
        Some(400..=499) if says(&QUOTA) => FaultKind::QuotaExhausted,
        Some(401 | 403) => FaultKind::Auth,
        Some(400..=499) if says(&BAD_KEY) => FaultKind::Auth,
        Some(429) => FaultKind::RateLimited,
        Some(413) => FaultKind::ContextTooLong,
        Some(400..=499) if says(&TOO_LONG) => FaultKind::ContextTooLong,
        Some(400..=499) if says(&REFUSED) => FaultKind::Refused,
        Some(408) => FaultKind::TimedOut,
        Some(300..=499) => FaultKind::BadRequest,
        Some(503 | 529) => FaultKind::Overloaded,
        Some(_) | None => FaultKind::ProviderFailed,
    }
}

/// The status an error stands for that came without one: its own number, or the one its word has elsewhere.
fn status_in(error: &Value) -> Option<u16> {
    let number = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let word = |key| error.get(key).and_then(Value::as_str).unwrap_or_default();
    number.or_else(|| ["type", "code", "status"].into_iter().find_map(|key| status_of(word(key))))
}

fn status_of(word: &str) -> Option<u16> {
    match word {
        "invalid_request_error" | "invalid_prompt" | "INVALID_ARGUMENT" | "context_length_exceeded" => {
            Some(400)
        }
        "authentication_error" | "permission_error" => Some(401),
        "billing_error" | "insufficient_quota" => Some(402),
        "not_found_error" => Some(404),
        "request_too_large" => Some(413),
        "rate_limit_error" | "rate_limit_exceeded" | "RESOURCE_EXHAUSTED" => Some(429),
        "api_error" | "server_error" | "INTERNAL" => Some(500),
        "overloaded_error" | "UNAVAILABLE" => Some(529),
        _ => None,
    }
}

/// The message, or else whatever the provider sent in its place.
fn words(error: &Value) -> String {
    let said = |key| error.get(key).and_then(Value::as_str).map(str::to_owned);
    let message = match error {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        error => said("message").or_else(|| said("detail")).unwrap_or_else(|| error.to_string()),
    };
    let message = message.trim();
    match message.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", message.get(..end).unwrap_or_default()),
        None => message.to_owned(),
    }
}

/// The provider's own code: the more particular word first.
fn code(error: &Value) -> Option<String> {
    let word =
        |key| error.get(key).and_then(Value::as_str).filter(|word| !word.is_empty() && *word != "error");
    ["code", "status", "type"].into_iter().find_map(word).map(str::to_owned)
}

/// The error a piece of JSON reports, if it reports one.
pub(super) fn error_in(data: &Value) -> Option<&Value> {
    let told = |error: &&Value| !error.is_null();
    let failed = || data.pointer("/response/error").filter(told);
    let is_error = data.get("type").and_then(Value::as_str) == Some("error");
    data.get("error").filter(told).or_else(failed).or_else(|| is_error.then_some(data))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(status: u16, error: Value, expected: FaultKind) {
        assert_eq!(classify(Some(status), &error).kind, expected, "{status} {error}");
    }

    #[test]
    fn every_provider_is_understood() {
        let message = |text: &str| json!({ "message": text });
        check(
            401,
            json!({ "type": "authentication_error", "message": "invalid x-api-key" }),
            FaultKind::Auth,
        );
        check(400, json!({ "status": "INVALID_ARGUMENT", "message": "API key not valid." }), FaultKind::Auth);
        check(429, json!({ "code": "rate_limit_exceeded" }), FaultKind::RateLimited);
        check(429, json!({ "code": "insufficient_quota" }), FaultKind::QuotaExhausted);
        check(400, message("Your credit balance is too low"), FaultKind::QuotaExhausted);
        check(400, json!({ "code": "context_length_exceeded" }), FaultKind::ContextTooLong);
        check(400, message("prompt is too long: 210000 tokens > 200000 maximum"), FaultKind::ContextTooLong);
        check(
            400,
            message("The input token count (9) exceeds the maximum number of tokens allowed (8)."),
            FaultKind::ContextTooLong,
        );
        check(413, Value::Null, FaultKind::ContextTooLong);
        check(400, json!({ "code": "content_filter" }), FaultKind::Refused);
        check(400, message("max_tokens: must be positive"), FaultKind::BadRequest);
        check(404, json!("model not found"), FaultKind::BadRequest);
        check(307, Value::Null, FaultKind::BadRequest);
        check(529, json!({ "type": "overloaded_error" }), FaultKind::Overloaded);
        check(503, Value::Null, FaultKind::Overloaded);
        check(500, message("prompt is too long is no excuse"), FaultKind::ProviderFailed);
    }

    #[test]
    fn an_error_inside_a_stream_has_only_its_words() {
        let kind = |error: Value| classify(None, &error).kind;
        assert_eq!(kind(json!({ "type": "overloaded_error" })), FaultKind::Overloaded);
        assert_eq!(kind(json!({ "code": 429, "status": "RESOURCE_EXHAUSTED" })), FaultKind::RateLimited);
        assert_eq!(kind(json!({ "type": "error", "code": "server_error" })), FaultKind::ProviderFailed);
        assert_eq!(kind(json!({ "type": "something_new" })), FaultKind::ProviderFailed);
    }

    #[test]
    fn the_providers_words_and_code_are_kept_within_a_bound() {
        let fault = classify(Some(400), &json!({ "message": "ü".repeat(5_000), "code": "bad" }));
        assert_eq!(fault.code.as_deref(), Some("bad"));
        assert_eq!(fault.message.chars().count(), "the provider says: ".len() + WORDS_MAX + 1);
        assert_eq!(classify(Some(502), &Value::Null).code.as_deref(), Some("502"));
        let words = |error: Value| classify(Some(400), &error).message;
        assert_eq!(words(json!({ "detail": "no such field" })), "the provider says: no such field");
        assert_eq!(words(json!({ "why": 7 })), r#"the provider says: {"why":7}"#);
        assert_eq!(words(Value::Null), "the provider answered 400 without a word");
    }
}
