//! Bad weather: limits, failures, streams that break, and servers that fall silent. Nobody really waits.

use std::ops::RangeInclusive;

use provost_contract::provider_turn::ProviderTurn;
use provost_models::ApiKind;
use provost_runtime::port::ModelError;
use serde_json::{Value, json};

use crate::asking::{Asking, Desk};
use crate::server::{End, Reply, Server};

const STREAM: &str = include_str!("streams/anthropic.sse");

/// One turn, while the clock is moved on to each wait in turn.
async fn turn(desk: &Desk, waits: &[RangeInclusive<i64>]) -> Result<ProviderTurn, ModelError> {
    turn_beside(desk, wake_each(desk, waits)).await
}

async fn turn_beside(desk: &Desk, beside: impl Future<Output = ()>) -> Result<ProviderTurn, ModelError> {
    let mut asking = Asking::beds().heard_at(desk);
    let mut turn = std::pin::pin!(asking.of(&desk.model));
    tokio::select! {
        turn = &mut turn => return turn,
        () = beside => {}
    }
    turn.await
}

async fn wake_each(desk: &Desk, waits: &[RangeInclusive<i64>]) {
    let mut now_ms = 0;
    for wait in waits {
        now_ms = desk.clock.wake_sleeper(now_ms + wait.start()..=now_ms + wait.end()).await;
    }
}

fn error(status: u16, kind: &str) -> Reply {
    Reply::json(status, &json!({ "type": "error", "error": { "type": kind, "message": "not now" } }))
}

fn attempts(turn: &ProviderTurn) -> &Value {
    &turn.request_metadata["attempts"]
}

#[tokio::test]
async fn a_limit_is_waited_out_as_long_as_the_provider_says() {
    let limited = error(429, "rate_limit_error").with_header("retry-after", "7");
    let server = Server::with([limited, Reply::stream(STREAM)]).await;
    let desk = Desk::at(&server, ApiKind::Anthropic);
    let turn = turn(&desk, &[7_000..=7_000]).await.unwrap();
    assert_eq!((attempts(&turn), turn.tool_calls.len()), (&json!(2), 2));
    let [first, second] = &server.asked()[..] else { panic!("two requests") };
    assert_eq!(first.body, second.body);
}

#[tokio::test]
async fn failures_are_tried_again_with_growing_waits() {
    let server =
        Server::with([error(500, "api_error"), error(529, "overloaded_error"), Reply::stream(STREAM)]).await;
    let desk = Desk::at(&server, ApiKind::Anthropic);
    let turn = turn(&desk, &[1_000..=1_250, 2_000..=2_500]).await.unwrap();
    assert_eq!(attempts(&turn), &json!(3));
}

#[tokio::test]
async fn a_provider_that_stays_broken_is_given_up() {
    let server = Server::with((0..3).map(|_| error(500, "api_error"))).await;
    let desk = Desk::configured(&server, ApiKind::Anthropic, |config| config.retry.attempts_max = 3);
    let error = turn(&desk, &[1_000..=1_250, 2_000..=2_500]).await.unwrap_err();
    assert_eq!(
        error,
        ModelError {
            code: "api_error".into(),
            ..ModelError::new("provider_failed", "the provider says: not now")
        }
    );
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn overload_inside_a_stream_is_tried_again_and_told_to_the_listener() {
    let start: String = STREAM.split_inclusive("\n\n").take(4).collect();
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let server = Server::with([Reply::stream(&(start + overloaded)), Reply::stream(STREAM)]).await;
    let desk = Desk::at(&server, ApiKind::Anthropic);
    assert_eq!(attempts(&turn(&desk, &[1_000..=1_250]).await.unwrap()), &json!(2));
    let heard = desk.heard.lines();
    assert!(
        heard.starts_with(
            "reasoning \"Two questions, \"\nrestart\nretry 1 of 5\nreasoning \"Two questions, \"\n"
        ),
        "{heard}"
    );
}

/// However a stream breaks off, and wherever: nothing of it counts, and it is asked for again.
#[tokio::test]
async fn a_cut_stream_is_asked_for_again() {
    let events: Vec<&str> = STREAM.split_inclusive("\n\n").collect();
    for cut in 0..events.len() {
        for end in [End::Properly, End::Cut] {
            let start = events[..cut].concat();
            let server = Server::with([Reply::stream(&start).ending(end), Reply::stream(STREAM)]).await;
            let desk = Desk::at(&server, ApiKind::Anthropic);
            let turn = turn(&desk, &[1_000..=1_250]).await.unwrap();
            // What follows the last event matters to nobody.
            assert_eq!((attempts(&turn), turn.tool_calls.len()), (&json!(2), 2), "cut {cut} {end:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_whole_before_the_connection_broke_counts() {
    let stream = include_str!("streams/openai_chat.sse").replace("data: [DONE]\n\n", "");
    let server = Server::with([Reply::stream(&stream).ending(End::Cut)]).await;
    let turn = turn(&Desk::at(&server, ApiKind::OpenaiChat), &[]).await.unwrap();
    assert_eq!((attempts(&turn), turn.tool_calls.len()), (&json!(1), 2));
}

/// The beginning of an answer, and then nothing.
fn silence() -> Reply {
    let start: String = STREAM.split_inclusive("\n\n").take(5).collect();
    Reply::stream(&start).ending(End::Silence)
}

const LAST_WORDS: &str = "reasoning \"two tools.\"";

#[tokio::test]
async fn silence_is_not_waited_for_for_ever() {
    let server = Server::with([silence(), Reply::stream(STREAM)]).await;
    let desk = Desk::configured(&server, ApiKind::Anthropic, |config| config.timeouts.idle_ms = 60_000);
    let turn = turn_beside(&desk, async {
        desk.heard.until(LAST_WORDS).await;
        wake_each(&desk, &[60_000..=60_000, 1_000..=1_250]).await;
    });
    assert_eq!(attempts(&turn.await.unwrap()), &json!(2));
}

#[tokio::test]
async fn the_turn_as_a_whole_has_an_end() {
    let server = Server::with([silence()]).await;
    let desk = Desk::configured(&server, ApiKind::Anthropic, |config| config.timeouts.total_ms = 50_000);
    let turn = turn_beside(&desk, async {
        desk.heard.until(LAST_WORDS).await;
        wake_each(&desk, &[50_000..=50_000]).await;
    });
    let error = turn.await.unwrap_err();
    assert_eq!((error.kind.as_str(), server.asked().len()), ("timed_out", 1));
    assert!(error.message.contains("50000 ms"), "{error}");
}

#[tokio::test]
async fn nobody_at_the_address_is_a_failure_of_its_own() {
    let server = Server::with([]).await;
    let desk = Desk::configured(&server, ApiKind::Anthropic, |config| {
        config.base_url = Some("http://127.0.0.1:1/v1".to_owned());
        config.retry.attempts_max = 2;
    });
    let error = turn(&desk, &[1_000..=1_250]).await.unwrap_err();
    assert_eq!(error.kind, "unreachable");
}

/// Each provider, a stream with one call spoilt, and the stream as it should be.
fn spoilt() -> [(ApiKind, String, &'static str); 4] {
    let chat = include_str!("streams/openai_chat.sse");
    let responses = include_str!("streams/openai_responses.sse");
    let gemini = include_str!("streams/gemini.sse");
    let cut = |stream: &str| stream.replace("ds\\\"}", "ds");
    [
        (ApiKind::Anthropic, cut(STREAM), STREAM),
        (ApiKind::OpenaiChat, cut(chat), chat),
        (ApiKind::OpenaiResponses, cut(responses), responses),
        (ApiKind::Gemini, gemini.replace("{\"q\":\"beds\"}", "\"{\\\"q\\\": \\\"beds\""), gemini),
    ]
}

/// The reason a call of the turn is not made, and whether anything of its arguments is left.
fn unread(turn: &ProviderTurn) -> (String, bool) {
    let call = turn.tool_calls.iter().find(|call| call.metadata.is_some()).unwrap();
    let reason = call.metadata.as_ref().unwrap()["unread_arguments"].as_str().unwrap().to_owned();
    (reason, call.parameters.is_empty())
}

/// A call whose arguments are lost is another call: it is never made, and the model learns why.
#[tokio::test]
async fn arguments_that_are_no_json_go_back_to_the_model() {
    for (kind, broken, _) in spoilt() {
        let server = Server::with([Reply::stream(&broken)]).await;
        let answer = turn(&Desk::at(&server, kind), &[]).await.unwrap();
        let (reason, nothing_left) = unread(&answer);
        assert!(reason.starts_with("they are no JSON") && nothing_left, "{kind}: {reason}");
        assert!(!reason.contains("be"), "{kind}: arguments may hold secrets: {reason}");
    }
}

#[tokio::test]
async fn a_call_cut_by_the_limit_of_tokens_goes_back_to_the_model() {
    let cut = STREAM
        .replace("ds\\\"}", "ds")
        .replace("\"stop_reason\":\"tool_use\"", "\"stop_reason\":\"max_tokens\"");
    let server = Server::with([Reply::stream(&cut)]).await;
    let answer = turn(&Desk::at(&server, ApiKind::Anthropic), &[]).await.unwrap();
    assert!(unread(&answer).0.contains("limit of tokens"), "{:?}", unread(&answer));
}

#[tokio::test]
async fn a_call_its_provider_could_not_read_goes_back_to_the_model() {
    let malformed =
        json!({ "candidates": [{ "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "call: kb" }] });
    let server = Server::with([Reply::json(200, &malformed)]).await;
    let answer = turn(&Desk::at(&server, ApiKind::Gemini), &[]).await.unwrap();
    assert!(unread(&answer).0.contains("call: kb"), "{:?}", unread(&answer));
}
