//! Limits, failures and broken streams: waited out where that helps, and told where it does not.

use std::time::Duration;

use provost_contract::provider::Provider;

use super::project::Garden;
use super::server::{End, Reply, Server};
use super::speech::{LAST_WORD, calls, calls_stream, last_word, refusal};

/// The two formats most servers speak.
const PROVIDERS: [Provider; 2] = [Provider::Anthropic, Provider::OpenaiChat];

fn broken(provider: Provider) -> Reply {
    refusal(provider, 500, "api_error", "not now")
}

/// What comes before the good answer does no harm: the run ends as if it had not been.
async fn check_passes(provider: Provider, trouble: Vec<Reply>) -> Duration {
    let troubles = trouble.len();
    let replies: Vec<Reply> = trouble.into_iter().chain([calls(provider), last_word(provider)]).collect();
    let server = Server::with(replies).await;
    let garden = Garden::asking(provider, &server);
    let (printed, took) = garden.timed_run();
    assert_eq!((printed.code, printed.stdout.trim()), (0, LAST_WORD), "{provider}: {}", printed.stderr);
    let asked = server.asked();
    assert_eq!(asked.len(), troubles + 2, "{provider}");
    for again in &asked[1..=troubles] {
        assert_eq!(again.body, asked[0].body, "{provider}: the same request again");
    }
    assert_eq!(garden.end(), ("completed".to_owned(), String::new()), "{provider}");
    took
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_is_waited_out_as_long_as_the_provider_says() {
    for provider in PROVIDERS {
        let limited = |seconds: &str| {
            refusal(provider, 429, "rate_limit_error", "slowly").with_header("retry-after", seconds)
        };
        assert!(check_passes(provider, vec![limited("1")]).await >= Duration::from_secs(1), "{provider}");
        check_passes(provider, vec![limited("0")]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_that_pass_are_forgotten() {
    for provider in PROVIDERS {
        check_passes(provider, vec![broken(provider), broken(provider)]).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cut_stream_is_asked_for_again() {
    for provider in PROVIDERS {
        let stream = calls_stream(provider);
        let half = stream.split_inclusive("\n\n").take(6).collect::<String>();
        check_passes(provider, vec![Reply::stream(&half).ending(End::Cut)]).await;
    }
}

/// A provider that stays broken fails the run, with a code; the run goes on where it stopped once it is well.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_failed_goes_on_when_the_provider_is_well_again() {
    for provider in PROVIDERS {
        let troubles = (0..3).map(|_| broken(provider));
        let server = Server::with([calls(provider)].into_iter().chain(troubles)).await;
        let garden = Garden::asking(provider, &server);
        let printed = garden.run();
        assert_eq!(printed.code, 1, "{provider}: {}", printed.stderr);
        assert!(printed.stderr.contains("the provider says: not now"), "{provider}: {}", printed.stderr);
        assert_eq!(garden.end(), ("failed".to_owned(), "api_error".to_owned()), "{provider}");
        let well = Server::with([last_word(provider)]).await;
        let resumed = garden.resume_at(&well);
        assert_eq!((resumed.code, resumed.stdout.trim()), (0, LAST_WORD), "{provider}: {}", resumed.stderr);
        // Nothing is done twice: the request that failed is the one that is sent.
        let (failed, sent) = (&server.asked()[1], &well.asked()[0]);
        assert_eq!(sent.body, failed.body, "{provider}");
        assert_eq!(garden.end(), ("completed".to_owned(), String::new()), "{provider}");
    }
}
