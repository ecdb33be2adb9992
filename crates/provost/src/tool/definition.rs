//! A tool: its declaration, and who does the work.

use std::sync::Arc;
use std::time::Duration;

use provost_contract::action::{Idempotency, SideEffect};
use provost_contract::json::{self, Object};
use provost_policy::ActionPolicy;
use provost_runtime::port::Boxed;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Call, ToolError, TypedTool};

pub(super) type Body = Arc<dyn Fn(Object, Call) -> Boxed<'static, Result<Value, ToolError>> + Send + Sync>;

/// A tool a model may ask for. One that says nothing of its effects is taken to change the world: it
/// runs alone, and is never repeated without a question.
#[derive(Clone)]
pub struct Tool {
    pub(super) name: String,
    pub(super) declaration: Object,
    pub(super) body: Body,
}

impl Tool {
    /// A tool from a closure. The JSON Schema comes from the type of its argument.
    pub fn new<I, O, F, W>(name: &str, description: &str, work: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        F: Fn(I) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        Self::with_call(name, description, move |input: I, _call| work(input))
    }

    /// A tool from a closure that also wants to know of the call.
    pub fn with_call<I, O, F, W>(name: &str, description: &str, work: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        F: Fn(I, Call) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let work = Arc::new(work);
        let body: Body = Arc::new(move |arguments, call| {
            let work = work.clone();
            Box::pin(async move { encoded(work(decoded(arguments)?, call).await?) })
        });
        Self::raw(name, description, schema_of::<I>(), body)
    }

    /// A tool from a type of its own.
    pub fn typed<T: TypedTool>(tool: T) -> Self {
        let tool = Arc::new(tool);
        let body: Body = Arc::new(move |arguments, call| {
            let tool = tool.clone();
            Box::pin(async move { encoded(tool.run(decoded(arguments)?, call).await?) })
        });
        Self::raw(T::NAME, T::DESCRIPTION, schema_of::<T::Input>(), body)
    }

    /// A tool that a client of the run executes: a browser, a phone, another program. Its name is in the
    /// namespace `client`; a call waits until [`crate::Runtime::submit`] brings the result.
    pub fn for_client<I: JsonSchema>(name: &str, description: &str) -> Self {
        let body: Body = Arc::new(|_, _| {
            Box::pin(async { Err(ToolError::new("a client executes this tool, not the host")) })
        });
        Self::raw(name, description, schema_of::<I>(), body).says("executor", "client".into())
    }

    fn raw(name: &str, description: &str, parameters: Value, body: Body) -> Self {
        let declaration = json!({ "name": name, "description": description, "parameters": parameters });
        Self { name: name.to_owned(), declaration: json::into_object(declaration), body }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// It changes nothing: it may run beside other readers, and again after a crash.
    #[must_use]
    pub fn reads(self) -> Self {
        self.effects([SideEffect::Read])
    }

    /// What it may do to the world.
    #[must_use]
    pub fn effects(self, effects: impl IntoIterator<Item = SideEffect>) -> Self {
        let effects: Vec<SideEffect> = effects.into_iter().collect();
        self.says("side_effects", json!(effects))
    }

    /// Doing it again under the same key changes nothing, so after a crash it is simply done again.
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.says("idempotency", json!(Idempotency::Keyed))
    }

    /// The categories policies know it by, such as `write` or `destructive`.
    #[must_use]
    pub fn categories<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.says("categories", json!(names))
    }

    /// Somebody must allow every call, unless a policy says otherwise.
    #[must_use]
    pub fn asks(self) -> Self {
        self.says("action_policy", ActionPolicy::Preview.word().into())
    }

    /// Equal calls in a row are its normal use, such as of a tool that waits or polls: they are no sign that
    /// the model is stuck.
    #[must_use]
    pub fn repeatable(self) -> Self {
        self.says("runtime", json!({ "duplicate_policy": "repeatable" }))
    }

    /// How long a call may take.
    #[must_use]
    pub fn timeout(self, time: Duration) -> Self {
        self.says("timeout_seconds", time.as_secs().max(1).into())
    }

    fn says(mut self, field: &str, value: Value) -> Self {
        self.declaration.insert(field.to_owned(), value);
        self
    }
}

fn schema_of<I: JsonSchema>() -> Value {
    let mut schema = schema_for!(I).to_value();
    if let Some(members) = schema.as_object_mut() {
        // They name the Rust type and the dialect, which tell a model nothing.
        members.shift_remove("$schema");
        members.shift_remove("title");
    }
    schema
}

fn decoded<I: DeserializeOwned>(arguments: Object) -> Result<I, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::new(format!("the arguments do not fit: {error}")))
}

fn encoded(output: impl Serialize) -> Result<Value, ToolError> {
    serde_json::to_value(output).map_err(|error| ToolError::new(format!("the result is no JSON: {error}")))
}
