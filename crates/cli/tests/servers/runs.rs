//! A whole run with each provider: a streamed turn of two calls, their results, and the last word.

use provost_contract::provider::Provider;
use serde_json::Value;
use strum::VariantArray as _;

use super::project::{Garden, KEY};
use super::server::{Reply, Server};
use super::speech::{LAST_WORD, calls, calls_stream, last_word};

/// The header of each provider's key.
fn key_header(provider: Provider) -> (&'static str, String) {
    match provider {
        Provider::Anthropic => ("x-api-key", KEY.to_owned()),
        Provider::OpenaiChat | Provider::OpenaiResponses => ("authorization", format!("Bearer {KEY}")),
        Provider::Gemini => ("x-goog-api-key", KEY.to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_provider_is_streamed_called_back_and_recorded() {
    for provider in Provider::VARIANTS.iter().copied() {
        let server = Server::with([calls(provider), last_word(provider)]).await;
        let garden = Garden::asking(provider, &server);
        let printed = garden.provost(&["run", "-C", "garden", "--record", "garden.json"], &[]);
        assert_eq!(printed.code, 0, "{provider}: {}", printed.stderr);
        assert_eq!(printed.stdout.trim(), LAST_WORD, "{provider}");
        let asked = server.asked();
        let (header, value) = key_header(provider);
        assert_eq!(asked.len(), 2, "{provider}");
        for request in &asked {
            assert_eq!(request.header(header), Some(value.as_str()), "{provider}");
            assert_eq!(provider.validate(&request.body), [], "{provider}");
        }
        let named = |body: &Value, word: &str| body.to_string().contains(word);
        let model = if provider == Provider::Gemini {
            named(&asked[0].line.clone().into(), "rose-1")
        } else {
            asked[0].body["model"] == "rose-1"
        };
        assert!(model, "{provider}: {}", asked[0].line);
        assert!(named(&asked[0].body, "fs__read") && !named(&asked[0].body, "bed 1: free"), "{provider}");
        assert!(named(&asked[1].body, "bed 1: free"), "{provider}: the result of fs/read");
        let shown = garden.shown();
        assert_eq!(shown["run"]["status"], "completed", "{provider}");
        let results = shown["result"]["tool_execution_results"].as_array().map(Vec::len);
        assert_eq!(results, Some(2), "{provider}: both calls were made");
        // The recording answers like the server, without it and without a key.
        drop(server);
        let replayed = garden.world.provost(&["run", "-C", "garden", "--cassette", "garden.json"]);
        assert_eq!(
            (replayed.code, replayed.stdout.trim()),
            (0, LAST_WORD),
            "{provider}: {}",
            replayed.stderr
        );
    }
}

/// A stream whose call has spoilt arguments: the call is not made, its model is told, and the run goes on.
#[tokio::test(flavor = "multi_thread")]
async fn arguments_that_cannot_be_read_go_back_to_the_model() {
    for provider in Provider::VARIANTS.iter().copied() {
        let stream = calls_stream(provider);
        let spoilt = match provider {
            Provider::Gemini => stream.replace("{\"path\":\"beds\"}", "\"{\\\"path\\\": \\\"beds\""),
            Provider::Anthropic | Provider::OpenaiChat | Provider::OpenaiResponses => {
                stream.replace("ds\\\"}", "ds")
            }
        };
        assert_ne!(spoilt, stream, "{provider}");
        let server = Server::with([Reply::stream(&spoilt), last_word(provider)]).await;
        let garden = Garden::asking(provider, &server);
        let printed = garden.run();
        assert_eq!((printed.code, printed.stdout.trim()), (0, LAST_WORD), "{provider}: {}", printed.stderr);
        let asked = server.asked();
        assert_eq!((asked.len(), provider.validate(&asked[1].body)), (2, Vec::new()), "{provider}");
        let told = asked[1].body.to_string();
        assert!(told.contains("cannot be read: they are no JSON"), "{provider}: {told}");
        assert!(!told.contains("bed 1: free"), "{provider}: the call is not made");
    }
}
