//! Recording a model and playing it back, without a network and without secrets.

use std::path::Path;
use std::sync::Arc;

use provost_contract::Message;
use provost_models::{ApiKind, Cassette, Player, PriceTable, Priced, Recorder};
use provost_runtime::port::{Model, Reservation};
use serde_json::{Value, json};

use crate::asking::{Asking, Desk, KEY};
use crate::keys::secret;
use crate::server::{Reply, Server};

const STREAM: &str = include_str!("streams/anthropic.sse");

/// Two turns, the second of which fails, as they were recorded.
async fn record(path: &Path) -> Asking {
    let refusal = json!({ "error": { "type": "invalid_request_error", "message": format!("bad: {KEY}") } });
    let server = Server::with([Reply::stream(STREAM), Reply::json(400, &refusal)]).await;
    let model = Desk::at(&server, ApiKind::Anthropic).model;
    let recorder = model.recorded(path.to_owned());
    let turn = Asking::beds().of(&recorder).await.unwrap();
    let mut second = Asking::beds().after(&turn);
    second.messages.push(Message::text("user", format!("my key is {KEY}")));
    assert_eq!(second.of(&recorder).await.unwrap_err().kind, "bad_request");
    second
}

#[tokio::test]
async fn a_recording_answers_as_the_model_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    let mut second = record(&path).await;
    let player = Player::new(Cassette::read(&path).unwrap(), vec![secret(KEY)]);
    // Whoever asks in another order gets the same answers.
    let error = second.of(&player).await.unwrap_err();
    assert_eq!(
        (error.kind.as_str(), error.message.as_str()),
        ("bad_request", "the provider says: bad: [redacted]")
    );
    let turn = Asking::beds().of(&player).await.unwrap();
    assert_eq!(turn.tool_calls.len(), 2);
    assert_eq!(player.left(), 0);
    let over = Asking::beds().of(&player).await.unwrap_err();
    assert_eq!(over.kind, "cassette_over");
}

#[tokio::test]
async fn a_changed_request_is_shown_with_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    record(&path).await;
    let player = Player::new(Cassette::read(&path).unwrap(), Vec::new());
    let mut asking = Asking::beds();
    asking.messages[1] = Message::text("user", "Where is the shed?");
    let error = asking.of(&player).await.unwrap_err();
    assert_eq!(error.kind, "cassette_changed");
    insta::assert_snapshot!(error.message);
    assert_eq!(player.left(), 2, "nothing was played");
}

#[tokio::test]
async fn a_cassette_can_be_read_and_holds_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    record(&path).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains(KEY) && text.contains("[redacted]"));
    let cassette: Value = serde_json::from_str(&text).unwrap();
    insta::assert_json_snapshot!(cassette);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no half file is left behind");
}

/// Arguments that are credentials by name are hidden, whatever they are.
#[tokio::test]
async fn credentials_in_arguments_are_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    let stream = STREAM.replace("\\\"q\\\"", "\\\"password\\\"");
    let server = Server::with([Reply::stream(&stream)]).await;
    let recorder = Recorder::new(Desk::at(&server, ApiKind::Anthropic).model, path.clone(), Vec::new());
    let turn = Asking::beds().of(&recorder).await.unwrap();
    assert_eq!(turn.tool_calls[0].parameters["password"], json!("beds"));
    let player = Player::new(Cassette::read(&path).unwrap(), Vec::new());
    let played = Asking::beds().of(&player).await.unwrap();
    assert_eq!(played.tool_calls[0].parameters["password"], json!("[redacted]"));
}

#[test]
fn what_is_no_cassette_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Cassette::read(&path).map(drop).unwrap_err().to_string()
    };
    assert!(read("{}").contains("is not a cassette"));
    assert!(read("{\"version\": 9, \"turns\": []}").contains("version 9"));
    assert!(Cassette::read(&folder.path().join("none.json")).is_err());
}

#[tokio::test]
async fn a_recorder_that_cannot_write_says_so() {
    let server = Server::with([Reply::stream(STREAM)]).await;
    let model = Desk::at(&server, ApiKind::Anthropic).model;
    let recorder = Recorder::new(model, "/no/such/folder/beds.json".into(), Vec::new());
    assert_eq!(Asking::beds().of(&recorder).await.unwrap_err().kind, "cassette_unwritten");
}

/// Prices work with a recording as with a provider.
#[tokio::test]
async fn turns_say_what_they_cost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beds.json");
    record(&path).await;
    let cost = async |prices: &str| {
        let player = Player::new(Cassette::read(&path).unwrap(), vec![secret(KEY)]);
        let priced = Priced::new(player, Arc::new(prices.parse::<PriceTable>().unwrap()));
        Asking::beds().of(&priced).await.unwrap().usage.get("cost_microusd").cloned()
    };
    let sonnet =
        "[models.\"claude-sonnet-4-5*\"]\ninput = 3_000_000\noutput = 15_000_000\ncache_write = 3_750_000\n";
    // 20 fresh · 3 + 100 cached · 3.75 + 89 written · 15
    assert_eq!(cost(sonnet).await, Some(json!(60 + 375 + 1_335)));
    assert_eq!(cost("").await, None);
}

/// What a turn may cost is told before it is asked for; a recording costs nothing.
#[tokio::test]
async fn a_turn_is_forecast_at_its_price() {
    let server = Server::with([]).await;
    let desk =
        Desk::configured(&server, ApiKind::Anthropic, |config| config.settings.max_tokens = Some(1_000));
    let plain = desk.model.reserve(Asking::beds().request());
    assert!((1_100..1_500).contains(&plain.tokens), "{plain:?}");
    let prices = "[models.model-1]\ninput = 1_000_000\noutput = 3_000_000\n".parse::<PriceTable>().unwrap();
    let priced = Priced::new(desk.model, Arc::new(prices.clone())).reserve(Asking::beds().request());
    assert_eq!((priced.tokens, priced.cost_microusd), (plain.tokens, plain.tokens - 1_000 + 3_000));
    let player = Priced::new(Player::new(Cassette::default(), Vec::new()), Arc::new(prices));
    assert!(player.reserve(Asking::beds().request()) == Reservation::default());
}
