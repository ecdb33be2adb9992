//! What a provider refuses for good: said once, in its own words, and never asked for again.

use provost_contract::provider::Provider;

use super::project::{Garden, KEY};
use super::server::{Reply, Server};
use super::speech::{LAST_WORD, last_word, refusal};

struct Refused {
    stderr: String,
    code: String,
}

async fn refused(provider: Provider, reply: Reply) -> Refused {
    let server = Server::with([reply, last_word(provider)]).await;
    let garden = Garden::asking(provider, &server);
    let printed = garden.run();
    assert_eq!(printed.code, 1, "{provider}: {}", printed.stderr);
    assert_eq!(server.asked().len(), 1, "{provider}: asked once");
    let (status, code) = garden.end();
    assert_eq!(status, "failed", "{provider}");
    // The control: the same run, once the provider answers.
    let well = Server::with([last_word(provider)]).await;
    let resumed = garden.resume_at(&well);
    assert_eq!((resumed.code, resumed.stdout.trim()), (0, LAST_WORD), "{provider}: {}", resumed.stderr);
    Refused { stderr: printed.stderr, code }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_refused_and_not_repeated() {
    let echo = format!("Incorrect API key provided: {KEY}.");
    for (provider, code) in
        [(Provider::Anthropic, "authentication_error"), (Provider::OpenaiChat, "invalid_api_key")]
    {
        let refused = refused(provider, refusal(provider, 401, code, &echo)).await;
        assert!(refused.stderr.contains("Incorrect API key provided: [redacted]."), "{}", refused.stderr);
        assert_eq!(refused.code, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_that_is_too_long_is_told() {
    let cases = [
        (Provider::Anthropic, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
        (
            Provider::OpenaiChat,
            "context_length_exceeded",
            "This model's maximum context length is 8192 tokens.",
        ),
    ];
    for (provider, code, message) in cases {
        let refused = refused(provider, refusal(provider, 400, code, message)).await;
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
        assert_eq!(refused.code, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_model_is_told() {
    let cases = [
        (Provider::Anthropic, "not_found_error", "model: rose-1"),
        (Provider::OpenaiChat, "model_not_found", "The model `rose-1` does not exist"),
    ];
    for (provider, code, message) in cases {
        let refused = refused(provider, refusal(provider, 404, code, message)).await;
        assert!(refused.stderr.contains(message), "{}", refused.stderr);
        assert_eq!(refused.code, code);
    }
}
