//! The model: what is asked of it for one turn, and what it answers.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use provost_contract::json::{self, Object};
use provost_contract::provider_turn::{CallSource, ProviderTurn};
use provost_contract::tool::ToolCatalog;
use serde_json::Value;

use super::{Boxed, Hearing, Transcript};

/// What the model is asked.
#[derive(Clone, Copy, Debug)]
pub struct TurnRequest<'a> {
    /// The turn; the first is 1.
    pub turn: u64,
    /// How many turns there may be.
    pub turns_max: u64,
    /// The session the run belongs to.
    pub session: Option<&'a str>,
    /// The transcript.
    pub messages: &'a Transcript,
    /// The tools the model may call.
    pub tools: &'a ToolCatalog,
    /// The one tool of a model that declares its work: what it calls with it is a declaration.
    pub carrier: Option<&'a Carrier>,
    /// The caller's context, with the turn.
    pub context: &'a Object,
    /// Which model the caller wants, in its own words.
    pub model: &'a Object,
    /// What the answer must look like, when it must be JSON.
    pub structured_output: Option<&'a Value>,
    /// Who hears the answer while it is spoken.
    pub hearing: Hearing<'a>,
    /// What the model left at an earlier turn of the run.
    pub cache: &'a TurnCache,
}

/// The tool that carries declarations. It is none of the catalog's: no policy names it, and nothing executes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Carrier {
    /// Its name, the same at every provider.
    pub name: &'static str,
    /// What the model reads of it.
    pub description: &'static str,
    /// The JSON Schema of a declaration: one plain object.
    pub schema: Value,
}

impl Carrier {
    /// The name of the carrier tool.
    pub const NAME: &'static str = provost_protocol::CARRIER_TOOL;
    /// The metadata of its call under which an adapter passes arguments that are no JSON object, as text: a declaration
    /// is read by rules of its own, which say what is wrong with it and where.
    pub const UNREAD_TEXT: &'static str = "unread_text";
}

/// A slot in which a model leaves a value for the next turn of the same run, for example a request that only
/// grows at its end. It is empty at a run's first turn and after a restart: a model may be faster because of it,
/// and must not answer differently.
///
/// ```
/// use provost_runtime::port::TurnCache;
///
/// let cache = TurnCache::default();
/// cache.put(7_u32);
/// assert_eq!(cache.take::<u32>(), Some(7));
/// assert_eq!(cache.take::<u32>(), None);
/// ```
#[derive(Clone, Debug, Default)]
pub struct TurnCache(Arc<Mutex<Option<Box<dyn Any + Send>>>>);

impl TurnCache {
    /// Takes the value out; none if there is no value of this type.
    pub fn take<T: Any>(&self) -> Option<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        value.downcast().ok().map(|value| *value)
    }

    /// Leaves a value, in the place of any other.
    pub fn put<T: Any + Send>(&self, value: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(value));
    }
}

/// What a turn may cost at most, as far as it can be told before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reservation {
    /// Tokens, in and out.
    pub tokens: u64,
    /// Millionths of a dollar.
    pub cost_microusd: u64,
}

/// What came back.
#[derive(Clone, Debug)]
pub enum TurnAnswer {
    /// The answer of a provider, in its normal form.
    Provider(Box<ProviderTurn>),
    /// The turn of a host that talks to models itself. The calls of its list `tool_calls` are carried out as
    /// those of a provider; a turn without that list is a whole result, of which nothing is executed.
    Host(Value),
}

impl TurnAnswer {
    /// What the model said, without its calls.
    pub fn text(&self) -> &str {
        match self {
            Self::Provider(turn) => &turn.content,
            Self::Host(turn) => {
                turn.as_object().and_then(|turn| json::text(turn, "content")).unwrap_or_default()
            }
        }
    }

    /// What it cost, as far as it was counted.
    pub fn usage(&self) -> &Object {
        static NOTHING: std::sync::LazyLock<Object> = std::sync::LazyLock::new(Object::new);
        match self {
            Self::Provider(turn) => &turn.usage,
            Self::Host(turn) => {
                turn.as_object().and_then(|turn| json::object(turn, "usage")).unwrap_or(&NOTHING)
            }
        }
    }

    /// Reads what a provider's adapter returned. The calls are those of its `tool_calls`: a turn without that
    /// list calls nothing, whatever its text looks like.
    ///
    /// # Errors
    /// When that is no turn: the provider failed.
    pub fn from_adapter(returned: &Value) -> Result<Self, ModelError> {
        Self::from_adapter_with(returned, CallSource::List)
    }

    /// The same, with calls from where the adapter says.
    ///
    /// # Errors
    /// When that is no turn: the provider failed.
    pub fn from_adapter_with(returned: &Value, source: CallSource) -> Result<Self, ModelError> {
        let refused = |message: &str| ModelError::new("invalid_provider_turn", message);
        let Some(raw) = returned.as_object() else {
            return Err(refused("invalid_agent_provider_turn_result: adapter must return an array"));
        };
        let turn = ProviderTurn::parse_with(raw, source).map_err(|error| refused(error.message()))?;
        Ok(Self::Provider(Box::new(turn)))
    }
}

/// The call of the model failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What kind of failure it is.
    pub kind: String,
    /// What happened.
    pub message: String,
    /// The provider's code; `0` when there is none.
    pub code: String,
    /// Whether the same request may succeed later.
    pub retry: Retry,
}

/// Whether a failed request may succeed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retry {
    /// It fails again.
    #[default]
    Never,
    /// It may; the runtime chooses the moment.
    Later,
    /// It may after this time, as the provider says.
    After(Duration),
}

impl ModelError {
    /// A failure without a code that is final.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind: kind.into(), message: message.into(), code: "0".to_owned(), retry: Retry::Never }
    }

    /// A failure that may not happen again, such as a lost connection: the turn is asked for again.
    pub fn transient(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self { retry: Retry::Later, ..Self::new(kind, message) }
    }

    /// Returns the same failure, to be retried after a time.
    #[must_use]
    pub fn retry_after(mut self, time: Duration) -> Self {
        self.retry = Retry::After(time);
        self
    }
}

/// How often a model is asked again after a transient failure, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// How many requests a turn may take.
    pub attempts: u32,
    /// The pause after the first failure; it doubles with every further one.
    pub first: Duration,
    /// The longest pause.
    pub longest: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { attempts: 3, first: Duration::from_millis(500), longest: Duration::from_secs(30) }
    }
}

impl Backoff {
    /// Returns the pause before the request after a failed one; none when there is no other.
    pub fn pause(&self, failed: u32, retry: Retry) -> Option<Duration> {
        if failed >= self.attempts {
            return None;
        }
        match retry {
            Retry::Never => None,
            Retry::After(time) => Some(time),
            Retry::Later => {
                let doubled = self.first.saturating_mul(1 << failed.saturating_sub(1).min(16));
                Some(doubled.min(self.longest))
            }
        }
    }
}

/// Asked once a turn.
pub trait Model: Send + Sync {
    /// What a turn may cost at most, as far as it can be told before; it is set aside before the model is
    /// asked. Nothing when nobody can tell.
    fn reserve(&self, request: TurnRequest<'_>) -> Reservation {
        let _ = request;
        Reservation::default()
    }

    /// The answer of one turn.
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>>;
}
