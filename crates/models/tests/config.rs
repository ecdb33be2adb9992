//! Models as a person writes them down.

use std::sync::Arc;

use provost_models::{ApiKind, ConfigError, EndpointError, ModelConfig, PriceTable, Remote};

use crate::clock::WatchedClock;
use crate::keys::secret;

fn build(text: &str) -> Result<Remote, ConfigError> {
    let config: ModelConfig = toml::from_str(text).unwrap();
    config.build(Arc::new(WatchedClock::new()))
}

#[test]
fn a_local_server_needs_an_address_and_no_key() {
    let local = "provider = \"openai_compatible\"\nsettings.model = \"qwen3\"\n";
    assert!(matches!(build(local), Err(ConfigError::NoBaseUrl(ApiKind::OpenaiCompatible))));
    assert!(build(&format!("base_url = \"http://localhost:11434/v1\"\n{local}")).is_ok());
}

#[test]
fn a_key_has_one_place() {
    let two = "provider = \"anthropic\"\nkey_env = \"A\"\nkey_file = \"b\"\nsettings.model = \"m\"\n";
    assert!(matches!(build(two), Err(ConfigError::TwoKeys)));
    let missing =
        "provider = \"anthropic\"\nkey_env = \"PROVOST_TEST_NO_SUCH_KEY\"\nsettings.model = \"m\"\n";
    assert!(matches!(build(missing), Err(ConfigError::Key(_))));
}

#[test]
fn a_key_does_not_travel_unencrypted() {
    let try_at = |url: &str| {
        let mut config = ModelConfig::new(ApiKind::OpenaiCompatible, "m");
        config.base_url = Some(url.to_owned());
        config.build_with(Some(secret("sk-1")), Arc::new(WatchedClock::new()))
    };
    assert!(matches!(
        try_at("http://models.example/v1"),
        Err(ConfigError::Endpoint(EndpointError::PlainKey(_)))
    ));
    for url in [
        "https://models.example/v1",
        "http://127.0.0.1:8000/v1",
        "http://[::1]:8000/v1",
        "http://localhost/v1",
    ] {
        assert!(try_at(url).is_ok(), "{url}");
    }
    for url in ["models.example", "ftp://models.example", ""] {
        assert!(matches!(try_at(url), Err(ConfigError::Endpoint(EndpointError::Url(_)))), "{url}");
    }
}

#[test]
fn a_misspelt_setting_is_refused() {
    let error = toml::from_str::<ModelConfig>("provider = \"gemini\"\nsettings.modle = \"m\"\n").unwrap_err();
    assert!(error.to_string().contains("modle"), "{error}");
}

/// What the page says can be copied.
#[test]
fn every_example_of_the_page_is_understood() {
    let page = include_str!("../../../docs/models.md");
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
    let (prices, models): (Vec<&str>, Vec<&str>) =
        blocks.into_iter().partition(|text| text.contains("[models."));
    assert_eq!((prices.len(), models.len()), (1, 3));
    for text in models {
        toml::from_str::<ModelConfig>(text).unwrap();
    }
    let table: PriceTable = prices[0].parse().unwrap();
    assert!(table.price("claude-sonnet-4-5-20250929").is_some());
}

/// The page says what is so when nothing is said.
#[test]
fn the_defaults_of_the_page_are_the_defaults() {
    let page = include_str!("../../../docs/models.md");
    let whole = page.split("```toml\n").find(|text| text.contains("[timeouts]")).unwrap();
    let config: ModelConfig = toml::from_str(whole.split_once("```").unwrap().0).unwrap();
    let plain = ModelConfig::new(ApiKind::OpenaiResponses, "gpt-5");
    assert_eq!(
        (config.timeouts, config.retry, config.delivery),
        (plain.timeouts, plain.retry, plain.delivery)
    );
    assert_eq!(config.base_url.as_deref(), ApiKind::OpenaiResponses.base_url());
    assert_eq!(config.settings.prompt_cache, plain.settings.prompt_cache);
}
