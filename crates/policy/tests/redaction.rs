//! Redaction: what each profile hides, and that it says why.

use proptest::prelude::*;
use provost_contract::sensitivity::REDACTED;
use provost_policy::redaction::redact;
use serde_json::json;

use crate::arbitrary;

const PROFILES: [&str; 4] = ["audit_metadata", "provider_proxy", "browser_event", "public_session_dto"];

#[test]
fn every_profile_hides_both_headers_and_none_hides_an_ordinary_field() {
    let headers = json!({"Authorization": "a", "cookie": "b", "session_id": "s", "accept": "c"});
    for profile in PROFILES {
        let redaction = redact(profile, &headers);
        let expected =
            json!({"Authorization": REDACTED, "cookie": REDACTED, "session_id": "s", "accept": "c"});
        assert_eq!(redaction.value, expected, "{profile}");
        let places: Vec<&str> = redaction.hidden.iter().map(|hidden| hidden.place.as_str()).collect();
        assert_eq!(places, ["/Authorization", "/cookie"], "{profile}");
    }
}

#[test]
fn an_unknown_profile_shows_nothing_and_a_known_one_shows_the_rest() {
    let value = json!({"accept": "c"});
    let redaction = redact("browser-event", &value);
    assert_eq!(redaction.value, json!(REDACTED));
    assert_eq!(redaction.hidden[0].decision.rule, "unknown_profile");
    assert_eq!(redact("browser_event", &value).value, value);
}

#[test]
fn names_of_variables_stay_readable_in_a_public_session_only() {
    let value = json!({"secret_env": ["A_KEY"], "secret": "s", "key": "k"});
    let public = json!({"secret_env": ["A_KEY"], "secret": REDACTED, "key": "k"});
    assert_eq!(redact("public_session_dto", &value).value, public);
    let audit = json!({"secret_env": REDACTED, "secret": REDACTED, "key": REDACTED});
    assert_eq!(redact("audit_metadata", &value).value, audit);
}

#[test]
fn a_hidden_place_says_which_rule_hid_it_and_never_what_stood_there() {
    let redaction =
        redact("audit_metadata", &json!({"a": [{"value": "s3cr3t", "x/y": {"token": "s3cr3t"}}]}));
    let told: Vec<_> =
        redaction.hidden.iter().map(|hidden| (hidden.place.as_str(), &*hidden.decision.rule)).collect();
    assert_eq!(told, [("/a/0/value", "generic_name"), ("/a/0/x~1y/token", "credential_name")]);
    assert!(!format!("{redaction:?}").contains("s3cr3t"));
}

proptest! {
    #[test]
    fn no_profile_lets_a_credential_through(
        around in arbitrary::value(),
        place in prop::collection::vec(prop_oneof![Just("list"), Just("headers"), Just("a/b")], 0..4),
        name in prop_oneof![Just("api_key"), Just("apiKey"), Just("Set-Cookie"), Just("client_secret"), Just("accessTokens")],
        profile in prop::sample::select(&PROFILES[..]),
    ) {
        let mut value = json!({ name: { "inside": ["s3cr3t-91"] }, "around": around });
        for key in place {
            value = if key == "list" { json!([value]) } else { json!({ key: value }) };
        }
        let redaction = redact(profile, &value);
        prop_assert!(!redaction.value.to_string().contains("s3cr3t-91"), "{value}");
        prop_assert!(!redaction.hidden.is_empty());
    }
}
