//! What is asked in these tests, and who listens.

use std::sync::Arc;

use provost_contract::Message;
use provost_contract::json::{self, Object};
use provost_contract::provider_turn::ProviderTurn;
use provost_contract::tool::ToolCatalog;
use provost_models::{ApiKind, ModelConfig, Remote};
use provost_runtime::port::{
    Delta, Deltas, Hearing, Model, ModelError, Transcript, TurnAnswer, TurnCache, TurnRequest,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::clock::WatchedClock;
use crate::server::Server;

/// No test may ever see this in what leaves the crate.
pub(crate) const KEY: &str = "sk-test-0123456789-never-shown";

/// Two tools of a garden.
pub(crate) fn tools() -> Value {
    json!([
        { "name": "kb/find", "description": "Finds pages.", "executor": "host",
          "parameters": { "type": "object", "properties": { "q": { "type": "string" } }, "required": ["q"] } },
        { "name": "clock/now", "description": "Tells the time.", "executor": "host" },
    ])
}

/// Everything a request borrows.
pub(crate) struct Asking {
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: ToolCatalog,
    pub(crate) model: Object,
    pub(crate) structured_output: Option<Value>,
    pub(crate) turn: u64,
    heard: Arc<Heard>,
    shared: Vec<Arc<Message>>,
    transcript: Transcript,
    context: Object,
    pub(crate) cache: TurnCache,
}

impl Asking {
    /// Somebody asks where the beds are; two tools could tell.
    pub(crate) fn beds() -> Self {
        let catalog = ToolCatalog::read(&tools());
        assert_eq!(catalog.rejected(), [], "the tools of the test");
        Self {
            messages: vec![
                Message::text("system", "You tend a garden."),
                Message::text("user", "Where are the beds, and what time is it?"),
            ],
            tools: catalog,
            model: Object::new(),
            structured_output: None,
            turn: 1,
            heard: Arc::default(),
            shared: Vec::new(),
            transcript: Transcript::default(),
            context: Object::new(),
            cache: TurnCache::default(),
        }
    }

    /// The same, heard at a desk.
    pub(crate) fn heard_at(mut self, desk: &Desk) -> Self {
        self.heard = desk.heard.clone();
        self
    }

    /// The transcript after an answer and the results of its calls, as a run keeps it.
    pub(crate) fn after(mut self, answer: &ProviderTurn) -> Self {
        self.messages.extend(answer.message.clone());
        for call in &answer.tool_calls {
            let id = call.id.clone().unwrap();
            let metadata = json::into_object(json!({ "tool_call_id": id }));
            let said =
                Message::tool_call("", call.name(), call.parameters.clone(), self.turn, metadata.clone());
            let result = json::into_object(json!({ "success": true }));
            self.messages.push(said);
            self.messages.push(Message::tool_result(
                &format!("result of {}", call.name()),
                call.name(),
                result,
                metadata,
            ));
        }
        self.turn += 1;
        self
    }

    pub(crate) fn wanting(mut self, model: Value) -> Self {
        self.model = json::into_object(model);
        self
    }

    pub(crate) fn request(&mut self) -> TurnRequest<'_> {
        // A run adds lines and shares the ones it has.
        self.shared.extend(self.messages.iter().skip(self.shared.len()).cloned().map(Arc::new));
        self.transcript = self.shared.iter().cloned().collect();
        TurnRequest {
            turn: self.turn,
            turns_max: 5,
            session: Some("session-1"),
            messages: &self.transcript,
            tools: &self.tools,
            carrier: None,
            context: &self.context,
            model: &self.model,
            structured_output: self.structured_output.as_ref(),
            hearing: Hearing::new(self.turn, &*self.heard),
            cache: &self.cache,
        }
    }

    pub(crate) async fn of(&mut self, model: &dyn Model) -> Result<ProviderTurn, ModelError> {
        match model.turn(self.request()).await? {
            TurnAnswer::Provider(turn) => Ok(*turn),
            TurnAnswer::Host(_) => panic!("a provider's turn was expected"),
        }
    }
}

/// Writes down every piece it hears.
#[derive(Default)]
pub(crate) struct Heard(watch::Sender<Vec<String>>);

impl Deltas for Heard {
    fn hear(&self, _turn: u64, delta: Delta<'_>) {
        let line = match delta {
            Delta::Text(text) => format!("text {text:?}"),
            Delta::Reasoning(text) => format!("reasoning {text:?}"),
            Delta::Call { place, id, name } => format!("call {place} {id} {name}"),
            Delta::Arguments { place, text } => format!("arguments {place} {text}"),
            Delta::Restart => "restart".to_owned(),
            Delta::Retry { attempt, attempts_max, .. } => format!("retry {attempt} of {attempts_max}"),
        };
        self.0.send_modify(|lines| lines.push(line));
    }
}

impl Heard {
    pub(crate) fn lines(&self) -> String {
        self.0.borrow().join("\n")
    }

    /// Waits until this was heard.
    pub(crate) async fn until(&self, line: &str) {
        let mut lines = self.0.subscribe();
        lines.wait_for(|lines| lines.iter().any(|heard| heard == line)).await.unwrap();
    }
}

/// A model at a server of ours, its clock, and what was heard.
pub(crate) struct Desk {
    pub(crate) model: Remote,
    pub(crate) clock: Arc<WatchedClock>,
    pub(crate) heard: Arc<Heard>,
}

impl Desk {
    pub(crate) fn at(server: &Server, kind: ApiKind) -> Self {
        Self::configured(server, kind, |_| {})
    }

    pub(crate) fn configured(server: &Server, kind: ApiKind, change: impl FnOnce(&mut ModelConfig)) -> Self {
        let mut config = ModelConfig::new(kind, "model-1");
        config.base_url = Some(server.url.clone());
        change(&mut config);
        let clock = Arc::new(WatchedClock::new());
        let model = config.build_with(Some(crate::keys::secret(KEY)), clock.clone()).unwrap();
        Self { model, clock, heard: Arc::default() }
    }
}
