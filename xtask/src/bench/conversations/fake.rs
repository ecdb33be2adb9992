//! The fakes: a model that calls one tool a turn, the tool, and a policy that lets it run.

use std::fmt::Display;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use provost::{Outcome, RunStatus};
use provost_contract::Message;
use provost_contract::message::MessageType;
use provost_policy::{ActionPolicy, HookAnswer};
use provost_runtime::port::{
    Boxed, ExecutorError, MediatedCall, Model, ModelError, PolicyProvider, Recalled, Ruling, ToolAction,
    ToolExecutor, TurnAnswer, TurnRequest,
};
use serde_json::{Value, json};

use super::Job;
use crate::Failure;
use crate::bench::measure::timed;

const TOOL: &str = "kb/lookup";
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789 ";
const QUERY_BYTES: usize = 170;
const RESULT_BYTES: usize = 1_000;

/// Plays every part that is not the runtime.
pub(super) struct Fake {
    pub(super) turns: u64,
    pause: Duration,
    texts: Texts,
    /// The sum of all bytes that the model must read in each turn.
    sums: Vec<u64>,
    effects: Option<Effects>,
    /// How long the model has read.
    read_ns: AtomicU64,
}

impl Fake {
    pub(super) fn new(job: &Job) -> Result<Arc<Self>, Failure> {
        let effects = job.effects.as_deref().map(Effects::open).transpose()?;
        let (pause, texts) = (Duration::from_millis(job.pause_ms), Texts::new());
        let mut fake =
            Self { turns: job.turns, pause, texts, sums: Vec::new(), effects, read_ns: AtomicU64::new(0) };
        let mut sum = sum_of("hi");
        for turn in 1..=job.turns + 1 {
            fake.sums.push(sum);
            let query = fake.texts.of(turn, QUERY_BYTES);
            sum += sum_of(TOOL) + sum_of(query) + sum_of(&fake.texts.content(turn));
        }
        Ok(Arc::new(fake))
    }

    /// The tool.
    pub(super) fn declarations() -> Value {
        json!({ TOOL: {
            "name": TOOL,
            "description": "Look something up.",
            "parameters": {
                "type": "object",
                "required": ["query", "limit"],
                "properties": { "query": { "type": "string" }, "limit": { "type": "integer" } },
            },
        } })
    }

    /// Refuses a run that did not do all of its work.
    pub(super) fn check(&self, outcome: &Outcome) -> Result<(), String> {
        let mut results = 0;
        let mut right = outcome.status == RunStatus::Completed && outcome.text() == "done";
        let messages = outcome.result.get("messages").and_then(Value::as_array).into_iter().flatten();
        for message in messages.filter(|message| message.get("type") == Some(&json!("tool_result"))) {
            results += 1;
            right &= message.get("content").and_then(Value::as_str) == Some(&self.texts.content(results));
        }
        if !right || results != self.turns {
            let failure = outcome.result.get("failure");
            let status = outcome.status.as_str();
            return Err(format!("a run ended as {status} with {results} results: {failure:?}"));
        }
        Ok(())
    }

    /// Reads every byte that a provider would be sent of the messages.
    fn read<'a>(
        &self,
        turn: u64,
        messages: impl Iterator<Item = &'a Arc<Message>>,
    ) -> Result<(), ModelError> {
        let (sum, seconds) = timed(|| messages.map(|message| bytes_read(message)).sum::<u64>());
        self.read_ns.fetch_add((seconds * 1e9) as u64, Ordering::Relaxed);
        let wanted = usize::try_from(turn).ok().and_then(|turn| self.sums.get(turn - 1));
        if wanted == Some(&sum) {
            return Ok(());
        }
        Err(ModelError::new("misread", format!("turn {turn} read {sum}, not {wanted:?}")))
    }

    /// The seconds that the model has read.
    pub(super) fn read_seconds(&self) -> f64 {
        self.read_ns.load(Ordering::Relaxed) as f64 / 1e9
    }

    /// The bytes of the two steps of a turn, as a plain log would keep them.
    pub(super) fn steps(&self, turn: u64) -> [String; 2] {
        let id = call_id(turn);
        let call = json!({ "role": "assistant", "tool_calls": [{ "id": id, "args": self.arguments(turn) }] });
        let result = json!({ "role": "tool", "id": id, "content": self.texts.result(turn) });
        [call.to_string(), result.to_string()]
    }

    fn arguments(&self, turn: u64) -> Value {
        object([("query", self.texts.of(turn, QUERY_BYTES).into()), ("limit", 10.into())])
    }

    fn effect(&self, what: impl Display) {
        if let Some(effects) = &self.effects {
            effects.tell(what);
        }
    }
}

impl Model for Fake {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        Box::pin(async move {
            if !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            let turn = request.turn;
            self.read(turn, request.messages.messages())?;
            self.effect(format_args!("model {turn}"));
            if turn > self.turns {
                return Ok(TurnAnswer::Host(json!({ "content": "done", "tool_calls": [] })));
            }
            let parameters = self.arguments(turn);
            let call =
                object([("id", call_id(turn).into()), ("name", TOOL.into()), ("parameters", parameters)]);
            Ok(TurnAnswer::Host(object([("content", "".into()), ("tool_calls", vec![call].into())])))
        })
    }
}

impl ToolExecutor for Fake {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            self.effect(format_args!("tool {}", action.key));
            Ok(self.reply(action))
        })
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        let done = self.effects.as_ref().map(|effects| effects.holds(&format!("tool {}", action.key)));
        Box::pin(async move {
            match done {
                None => Recalled::Unknown,
                Some(false) => Recalled::NotDone,
                Some(true) => Recalled::Done(self.reply(action)),
            }
        })
    }
}

impl Fake {
    fn reply(&self, action: ToolAction<'_>) -> Value {
        let turn = action.context.get("turn").and_then(Value::as_u64).unwrap_or_default();
        let result = object([("text", self.texts.result(turn).into())]);
        object([("success", true.into()), ("result", result)])
    }
}

impl PolicyProvider for Fake {
    fn rule<'a>(&'a self, _call: MediatedCall<'a>) -> Boxed<'a, HookAnswer<Ruling>> {
        let ruling = Ruling::new(ActionPolicy::Direct, "lookups-run", "looking something up is allowed");
        Box::pin(async move { Ok(Some(ruling)) })
    }
}

/// The sum of the bytes of a message: what it says, and the arguments of a call. The payload of a result is what
/// its content was made of.
fn bytes_read(message: &Message) -> u64 {
    let said = message.content.as_text().map(sum_of).unwrap_or_default();
    match message.kind {
        MessageType::ToolCall => said + message.payload.values().map(sum_of_strings).sum::<u64>(),
        _ => said,
    }
}

fn sum_of(text: &str) -> u64 {
    text.bytes().map(u64::from).sum()
}

fn sum_of_strings(value: &Value) -> u64 {
    match value {
        Value::String(text) => sum_of(text),
        Value::Array(items) => items.iter().map(sum_of_strings).sum(),
        Value::Object(fields) => fields.values().map(sum_of_strings).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// The macro copies every value it is given; what is measured is not the fake.
fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn call_id(turn: u64) -> String {
    format!("call_{turn}")
}

/// Texts that do not repeat from turn to turn, so that compression gains nothing by it.
struct Texts(String);

impl Texts {
    const BYTES: usize = 1 << 20;
    /// Prime, so that turns begin in different places.
    const STRIDE: usize = 1_009;

    fn new() -> Self {
        let mut random = fastrand::Rng::with_seed(20_261_115);
        let letter = |_| char::from(random.choice(LETTERS.iter().copied()).unwrap_or(b' '));
        Self((0..Self::BYTES).map(letter).collect())
    }

    fn result(&self, turn: u64) -> &str {
        self.of(turn, RESULT_BYTES)
    }

    /// A result as the model reads it.
    fn content(&self, turn: u64) -> String {
        json!({ "text": self.result(turn) }).to_string()
    }

    fn of(&self, turn: u64, bytes: usize) -> &str {
        let start = turn as usize * Self::STRIDE % (Self::BYTES - RESULT_BYTES);
        self.0.get(start..start + bytes).unwrap_or_default()
    }
}

/// What was really done, one line each, whatever becomes of the process.
struct Effects {
    path: PathBuf,
    file: File,
}

impl Effects {
    fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn tell(&self, what: impl Display) {
        // One write a line: a line is there or it is not.
        let written = (&self.file).write_all(format!("{what}\n").as_bytes());
        debug_assert!(written.is_ok(), "the log of effects can be written");
    }

    fn holds(&self, what: &str) -> bool {
        std::fs::read_to_string(&self.path).is_ok_and(|told| told.lines().any(|line| line == what))
    }
}
