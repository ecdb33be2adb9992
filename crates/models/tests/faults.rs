//! What a provider refuses comes back typed, in its own words, and without the key.

use provost_models::{ApiKind, FaultKind};
use provost_runtime::port::ModelError;
use serde_json::{Value, json};

use crate::asking::{Asking, Desk, KEY};
use crate::server::{Reply, Server};

async fn refused(kind: ApiKind, reply: Reply) -> ModelError {
    let server = Server::with([reply]).await;
    let error = Asking::beds().of(&Desk::at(&server, kind).model).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(KEY), "the key is in {error:?}");
    assert_eq!(server.asked().len(), 1, "not tried again");
    assert!(error.kind.parse::<FaultKind>().is_ok(), "{}", error.kind);
    error
}

async fn check(kind: ApiKind, status: u16, error: Value, expected: [&str; 3]) {
    let ModelError { kind, message, code, .. } =
        refused(kind, Reply::json(status, &json!({ "error": error }))).await;
    assert_eq!([kind.as_str(), message.as_str(), code.as_str()], expected);
}

#[tokio::test]
async fn refusals_of_each_provider() {
    let echo = format!("Incorrect API key provided: {KEY}.");
    let hidden = "the provider says: Incorrect API key provided: [redacted].";
    check(
        ApiKind::OpenaiChat,
        401,
        json!({ "message": echo, "code": "invalid_api_key" }),
        ["auth", hidden, "invalid_api_key"],
    )
    .await;
    let long = "prompt is too long: 210000 tokens > 200000 maximum";
    check(
        ApiKind::Anthropic,
        400,
        json!({ "type": "invalid_request_error", "message": long }),
        ["context_too_long", &format!("the provider says: {long}"), "invalid_request_error"],
    )
    .await;
    check(
        ApiKind::OpenaiResponses,
        400,
        json!({ "message": "Unknown parameter: 'x'.", "code": "unknown_parameter" }),
        ["bad_request", "the provider says: Unknown parameter: 'x'.", "unknown_parameter"],
    )
    .await;
    check(
        ApiKind::Gemini,
        403,
        json!({ "code": 403, "message": "No.", "status": "PERMISSION_DENIED" }),
        ["auth", "the provider says: No.", "PERMISSION_DENIED"],
    )
    .await;
    check(
        ApiKind::OpenaiCompatible,
        402,
        json!({ "message": "No credits" }),
        ["quota_exhausted", "the provider says: No credits", "402"],
    )
    .await;
}

#[tokio::test]
async fn a_model_that_declines_is_told_apart_from_one_that_answers() {
    let chat = json!({ "choices": [{ "message": { "role": "assistant", "content": null, "refusal": "I can't help." }, "finish_reason": "stop" }] });
    let anthropic = json!({ "role": "assistant", "content": [], "stop_reason": "refusal" });
    let part = json!({ "type": "refusal", "refusal": "I can't help." });
    let responses = json!({ "status": "completed", "output": [{ "type": "message", "role": "assistant", "content": [part] }] });
    let gemini = json!({ "promptFeedback": { "blockReason": "SAFETY" } });
    let cases = [
        (ApiKind::OpenaiChat, chat, "the model refused: I can't help."),
        (ApiKind::Anthropic, anthropic, "the model refused: the model declined to answer"),
        (ApiKind::OpenaiResponses, responses, "the model refused: I can't help."),
        (ApiKind::Gemini, gemini, "the model refused: the prompt was blocked: SAFETY"),
    ];
    for (kind, body, message) in cases {
        let error = refused(kind, Reply::json(200, &body)).await;
        assert_eq!((error.kind.as_str(), error.message.as_str()), ("refused", message));
    }
}

#[tokio::test]
async fn what_is_no_answer_is_called_so() {
    let error = refused(ApiKind::Anthropic, Reply::json(200, &json!("good morning"))).await;
    assert_eq!(error.kind, "malformed_answer");
    let error = refused(ApiKind::OpenaiChat, Reply::json(200, &json!({ "choices": [] }))).await;
    assert_eq!(error.kind, "malformed_answer");
    // A server that sends its errors with a good status.
    let error = refused(
        ApiKind::OpenaiCompatible,
        Reply::json(200, &json!({ "error": { "code": 400, "message": "bad" } })),
    )
    .await;
    assert_eq!(error.kind, "bad_request");
}

/// Whoever follows a redirect takes the key along.
#[tokio::test]
async fn a_redirect_is_not_followed() {
    let server = Server::with([Reply::json(200, &json!({}))]).await;
    let away = Reply::json(307, &json!({})).with_header("location", &server.url);
    assert_eq!(refused(ApiKind::Anthropic, away).await.kind, "bad_request");
    assert_eq!(server.asked().len(), 0);
}

#[tokio::test]
async fn settings_nobody_can_follow_are_refused_before_anything_is_sent() {
    let server = Server::with([]).await;
    let desk = Desk::at(&server, ApiKind::OpenaiChat);
    let wanted = json!({ "reasoning": { "budget_tokens": 1024 } });
    let error = Asking::beds().wanting(wanted).of(&desk.model).await.unwrap_err();
    assert_eq!(error.kind, "bad_request");
    let mut asking = Asking::beds();
    asking.structured_output = Some(json!({ "schema": 7 }));
    assert_eq!(asking.of(&desk.model).await.unwrap_err().kind, "bad_request");
}
