//! A tool: its declaration and its implementation.

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

use super::{Call, ToolError, ToolReply, TypedTool};

pub(super) type Body = Arc<dyn Fn(Object, Call) -> Boxed<'static, Result<Value, ToolError>> + Send + Sync>;
pub(super) type Preview =
    Arc<dyn Fn(Object) -> Boxed<'static, Result<Option<Value>, ToolError>> + Send + Sync>;
pub(super) type Probe = Arc<dyn Fn(Object, Call) -> Boxed<'static, EffectStatus> + Send + Sync>;

/// Whether a call that was running when its process died took effect.
///
/// ```
/// use provost::EffectStatus;
/// assert_eq!(EffectStatus::Done(7.into()), EffectStatus::Done(serde_json::json!(7)));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum EffectStatus {
    /// Unknown: a person is asked, unless the tool may be repeated.
    Unknown,
    /// It did not take effect: it runs again, if its earlier process is gone.
    NotDone,
    /// It took effect, and this was the result.
    Done(Value),
}

/// A tool that a model can call. A tool without declared effects counts as one that writes: it
/// runs alone, and is never repeated without a question.
///
/// ```
/// use provost::Tool;
///
/// #[derive(serde::Deserialize, provost::JsonSchema)]
/// struct Sum { left: i64, right: i64 }
///
/// let add = Tool::new("math/add", "Adds two numbers.", |sum: Sum| async move { Ok(sum.left + sum.right) }).reads();
/// assert_eq!(add.name(), "math/add");
/// ```
#[derive(Clone)]
pub struct Tool {
    pub(super) name: String,
    pub(super) declaration: Object,
    pub(super) body: Body,
    pub(super) preview: Option<Preview>,
    pub(super) probe: Option<Probe>,
}

impl Tool {
    /// Creates a tool from a closure. The JSON Schema comes from the type of its argument.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Name { name: String }
    /// let greet = provost::Tool::new("me/greet", "Greets.", |who: Name| async move { Ok(format!("Hi, {}", who.name)) });
    /// # drop(greet);
    /// ```
    pub fn new<I, O, F, W>(name: &str, description: &str, work: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: ToolReply,
        F: Fn(I) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        Self::with_call(name, description, move |input: I, _call| work(input))
    }

    /// Creates a tool from a closure that also receives the [`Call`], to read its context or report progress.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Note { text: String }
    /// let note = provost::Tool::with_call("note/put", "Puts a note.", |note: Note, call: provost::Call| async move {
    ///     Ok(format!("{} is stored under {}", note.text, call.key))
    /// });
    /// # drop(note);
    /// ```
    pub fn with_call<I, O, F, W>(name: &str, description: &str, work: F) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: ToolReply,
        F: Fn(I, Call) -> W + Send + Sync + 'static,
        W: Future<Output = Result<O, ToolError>> + Send + 'static,
    {
        let work = Arc::new(work);
        let body: Body = Arc::new(move |arguments, call| {
            let work = work.clone();
            Box::pin(async move { work(decoded(arguments)?, call).await?.into_reply() })
        });
        Self::raw(name, description, schema_of::<I>(), body)
    }

    /// Creates a tool from a type.
    ///
    /// ```
    /// use provost::{Call, Tool, ToolError, TypedTool};
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// struct Now;
    /// impl TypedTool for Now {
    ///     type Input = No;
    ///     type Output = &'static str;
    ///     const NAME: &'static str = "clock/now";
    ///     const DESCRIPTION: &'static str = "Tells the time.";
    ///     async fn run(&self, _: No, _: Call) -> Result<&'static str, ToolError> {
    ///         Ok("noon")
    ///     }
    /// }
    /// let tool = Tool::typed(Now).reads();
    /// # drop(tool);
    /// ```
    pub fn typed<T: TypedTool>(tool: T) -> Self {
        let tool = Arc::new(tool);
        let (shown, probed) = (tool.clone(), tool.clone());
        let body: Body = Arc::new(move |arguments, call| {
            let tool = tool.clone();
            Box::pin(async move { tool.run(decoded(arguments)?, call).await?.into_reply() })
        });
        let preview: Preview = Arc::new(move |arguments| {
            let tool = shown.clone();
            Box::pin(async move { tool.preview(decoded(arguments)?).await })
        });
        let probe: Probe = Arc::new(move |arguments, call| {
            let tool = probed.clone();
            Box::pin(async move {
                match decoded(arguments) {
                    Ok(input) => tool.probe_effect(input, call).await,
                    Err(_) => EffectStatus::Unknown,
                }
            })
        });
        let raw = Self::raw(T::NAME, T::DESCRIPTION, schema_of::<T::Input>(), body);
        Self { preview: Some(preview), probe: Some(probe), ..raw }
    }

    /// Sets a preview of a call, for the approver. It must not change anything. An error means that the call
    /// would fail: then no one is asked, and the model reads the error.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Pay { cents: u64 }
    /// let pay = provost::Tool::new("shop/pay", "Pays.", |pay: Pay| async move { Ok(pay.cents) })
    ///     .asks()
    ///     .preview(|pay: Pay| async move { Ok(format!("pays {} cents", pay.cents)) });
    /// # drop(pay);
    /// ```
    #[must_use]
    pub fn preview<I, P, F, W>(mut self, preview: F) -> Self
    where
        I: DeserializeOwned + Send + 'static,
        P: Serialize + Send + 'static,
        F: Fn(I) -> W + Send + Sync + 'static,
        W: Future<Output = Result<P, ToolError>> + Send + 'static,
    {
        let preview = Arc::new(preview);
        self.preview = Some(Arc::new(move |arguments| {
            let preview = preview.clone();
            Box::pin(async move {
                let shown = preview(decoded(arguments)?).await?;
                serde_json::to_value(shown).map(Some).map_err(ToolError::from)
            })
        }));
        self
    }

    /// Sets a function that finds out by its key whether a call took effect before its process died. Without
    /// it a person is asked, unless the tool may be repeated.
    ///
    /// ```
    /// use provost::{Call, EffectStatus};
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Pay { cents: u64 }
    /// # async fn receipt(_key: &str) -> Option<String> { None }
    /// let pay = provost::Tool::new("shop/pay", "Pays.", |pay: Pay| async move { Ok(pay.cents) })
    ///     .probe_effect(|_pay: Pay, call: Call| async move {
    ///         match receipt(&call.key).await {
    ///             Some(receipt) => EffectStatus::Done(receipt.into()),
    ///             None => EffectStatus::NotDone,
    ///         }
    ///     });
    /// # drop(pay);
    /// ```
    #[must_use]
    pub fn probe_effect<I, F, W>(mut self, probe: F) -> Self
    where
        I: DeserializeOwned + Send + 'static,
        F: Fn(I, Call) -> W + Send + Sync + 'static,
        W: Future<Output = EffectStatus> + Send + 'static,
    {
        let probe = Arc::new(probe);
        self.probe = Some(Arc::new(move |arguments, call| {
            let probe = probe.clone();
            Box::pin(async move {
                match decoded(arguments) {
                    Ok(input) => probe(input, call).await,
                    Err(_) => EffectStatus::Unknown,
                }
            })
        }));
        self
    }

    /// Creates a tool that a client of the run executes: a browser, a phone, another program. Its name is in
    /// the namespace `client`; a call waits until [`crate::Runtime::submit`] supplies the result.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)]
    /// # struct Question { text: String }
    /// let pick = provost::Tool::for_client::<Question>("client/pick", "Lets the user pick.");
    /// # drop(pick);
    /// ```
    pub fn for_client<I: JsonSchema>(name: &str, description: &str) -> Self {
        let body: Body = Arc::new(|_, _| {
            Box::pin(async { Err(ToolError::new("a client executes this tool, not the host")) })
        });
        Self::raw(name, description, schema_of::<I>(), body).says("executor", "client".into())
    }

    fn raw(name: &str, description: &str, parameters: Value, body: Body) -> Self {
        let declaration = json!({ "name": name, "description": description, "parameters": parameters });
        let declaration = json::into_object(declaration);
        Self { name: name.to_owned(), declaration, body, preview: None, probe: None }
    }

    /// Returns the name.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// assert_eq!(tool.name(), "a/b");
    /// # drop(tool);
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Declares that the tool only reads: it may run in parallel with other reads, and again after a crash.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.reads();
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn reads(self) -> Self {
        self.effects([SideEffect::Read])
    }

    /// Declares the effects.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// use provost::SideEffect;
    /// let tool = tool.effects([SideEffect::Write, SideEffect::Send]);
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn effects(self, effects: impl IntoIterator<Item = SideEffect>) -> Self {
        let effects: Vec<SideEffect> = effects.into_iter().collect();
        self.says("side_effects", json!(effects))
    }

    /// Declares that repeating a call under the same key has no further effect, so it is repeated after a
    /// crash.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.idempotent();
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn idempotent(self) -> Self {
        self.says("idempotency", json!(Idempotency::Keyed))
    }

    /// Sets the categories for policies, such as `write` or `destructive`.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.categories(["write"]);
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn categories<T: Into<String>>(self, names: impl IntoIterator<Item = T>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        self.says("categories", json!(names))
    }

    /// Makes every call ask a person, unless a policy decides otherwise.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.asks();
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn asks(self) -> Self {
        self.says("action_policy", ActionPolicy::Preview.word().into())
    }

    /// Declares that equal calls in a row are normal, as for a tool that polls: they do not
    /// count as repetition.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.repeatable();
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn repeatable(self) -> Self {
        self.says("runtime", json!({ "duplicate_policy": "repeatable" }))
    }

    /// Sets the time limit of a call; at least one millisecond.
    ///
    /// ```
    /// # #[derive(serde::Deserialize, provost::JsonSchema)] struct No {}
    /// # let tool = provost::Tool::new("a/b", "Works.", |_: No| async { Ok(()) });
    /// let tool = tool.timeout(std::time::Duration::from_millis(300));
    /// # drop(tool);
    /// ```
    #[must_use]
    pub fn timeout(self, time: Duration) -> Self {
        let ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        // Less than a millisecond is one; no time at all is an error when the runtime is built.
        let least = u64::from(!time.is_zero());
        self.says("timeout_ms", ms.max(least).into())
    }

    fn says(mut self, field: &str, value: Value) -> Self {
        self.declaration.insert(field.to_owned(), value);
        self
    }
}

pub(crate) fn schema_of<I: JsonSchema>() -> Value {
    let mut schema = schema_for!(I).to_value();
    if let Some(members) = schema.as_object_mut() {
        // They name the Rust type and the schema dialect, which are useless to a model.
        members.shift_remove("$schema");
        members.shift_remove("title");
    }
    schema
}

fn decoded<I: DeserializeOwned>(arguments: Object) -> Result<I, ToolError> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| ToolError::new(format!("the arguments do not fit: {error}")))
}
