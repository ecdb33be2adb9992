//! Declarations of the Agent Protocol that a program hands in: no model is asked.

use provost_contract::ContractError;
use provost_engine::{RunId, view};
use provost_protocol::Content;
use provost_protocol::tokens::Bpe;
use provost_runtime::host::{RefusedDeclaration, RunsError, SubmitError};
use provost_runtime::store::{PostError, ResumeError};
use serde_json::{Value, json};

use super::start::unknown;
use super::{Request, RunHandle, Runtime, StartError, WorkError};

/// Why a declaration was not carried out. Nothing of it ran.
///
/// ```
/// fn code(error: &provost::ExecuteError) -> &str {
///     match error {
///         provost::ExecuteError::Refused(refused) => &refused.code,
///         _ => "failed",
///     }
/// }
/// ```
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The declaration is refused, with every reason.
    #[error(transparent)]
    Refused(#[from] RefusedDeclaration),
    /// The request cannot be used.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The run that the declaration names does not take it any more.
    #[error("the run does not take it: {0}")]
    Post(#[from] PostError),
    /// The run that the declaration names cannot be taken up again.
    #[error("the run does not take it: {0}")]
    Resume(#[from] ResumeError),
}

impl From<SubmitError> for ExecuteError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(refused) => Self::Refused(refused),
            SubmitError::Runs(error) => Self::Start(error.into()),
            SubmitError::Post(error) => Self::Post(error),
            SubmitError::Resume(error) => Self::Resume(error),
        }
    }
}

impl From<RunsError> for ExecuteError {
    fn from(error: RunsError) -> Self {
        Self::Start(error.into())
    }
}

/// What became of a declaration.
///
/// ```
/// fn run(executed: provost::Executed) -> Option<provost::RunHandle> {
///     match executed {
///         provost::Executed::Began(run) | provost::Executed::Applied(run) | provost::Executed::Cancels(run) => Some(run),
///         provost::Executed::Planned(_) => None,
///     }
/// }
/// ```
pub enum Executed {
    /// A run carries it out.
    Began(RunHandle),
    /// The run that it names has it.
    Applied(RunHandle),
    /// The run that it names is cancelled.
    Cancels(RunHandle),
    /// It is a plan: checked and priced, and nothing of it runs.
    Planned(Plan),
}

/// A declaration that was checked and priced.
///
/// ```
/// fn calls(plan: &provost::Plan) -> u64 {
///     plan.price["calls"].as_u64().unwrap_or_default()
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The actions in their normal form.
    pub actions: Vec<Value>,
    /// The most that they can cost: `calls`, `effects`, `resources`, `unknown_effects`.
    pub price: Value,
    /// What was wrong with the declaration and could be corrected.
    pub violations: Vec<String>,
}

impl Runtime {
    /// Carries out a declaration of the Agent Protocol: the flat form or the envelope as JSON, or a message with one
    /// fenced block. It is read and checked like a model's, with the tools and policies of the request's agent; the
    /// message of the request is its goal. Declarations about another run (cancel, decide, revise) are applied to
    /// that run.
    ///
    /// ```
    /// use provost::{Executed, Request, Runtime, Script, Tool};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(serde::Deserialize, provost::JsonSchema)]
    /// struct Sum { left: i64, right: i64 }
    ///
    /// let add = Tool::new("math/add", "Adds.", |sum: Sum| async move { Ok(sum.left + sum.right) }).reads();
    /// let runtime = Runtime::builder().model(Script::new()).tool(add).build()?;
    /// let declaration = r#"{ "kind": "act", "calls": [
    ///     { "id": "a", "type": "tool", "name": "math/add", "args": { "left": 1, "right": 2 } },
    ///     { "id": "b", "type": "tool", "name": "math/add", "depends": "a",
    ///       "args": { "left": { "$ref": "action:a.output" }, "right": 39 } }
    /// ]}"#;
    /// let Executed::Began(run) = runtime.execute(declaration, Request::default()).await? else { panic!() };
    /// run.outcome().await?;
    /// let record = runtime.protocol_result(run.run()).await?;
    /// assert_eq!(record["status"], "completed");
    /// assert_eq!(record["actions"][1]["summary"], "42");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the declaration is refused, the request cannot be used, or the named run does not take it.
    pub async fn execute(
        &self,
        declaration: &str,
        request: impl Into<Request>,
    ) -> Result<Executed, ExecuteError> {
        self.executed(declaration, request.into(), false).await
    }

    /// Checks and prices a declaration as [`execute`](Self::execute) would, and runs nothing of it.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime) -> Result<(), provost::ExecuteError> {
    /// let declaration = r#"{ "kind": "done" }"#;
    /// let plan = runtime.plan(declaration, provost::Request::default()).await?;
    /// assert_eq!(plan.price["calls"], 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the declaration is refused, or the request cannot be used.
    pub async fn plan(&self, declaration: &str, request: impl Into<Request>) -> Result<Plan, ExecuteError> {
        match self.executed(declaration, request.into(), true).await? {
            Executed::Planned(plan) => Ok(plan),
            Executed::Began(_) | Executed::Applied(_) | Executed::Cancels(_) => {
                Err(StartError::from(ContractError::whole("invalid_plan", "the plan was executed")).into())
            }
        }
    }

    async fn executed(
        &self,
        declaration: &str,
        request: Request,
        only_plan: bool,
    ) -> Result<Executed, ExecuteError> {
        let (mut new, context) = self.new_run(&request)?;
        let runs = self.runs().await?;
        // A model is not asked, so that its instructions have no reader.
        new.spec.output_schema = None;
        let about = (new.spec.workspace.as_str(), request.after.as_ref());
        let submission = runs.read_declaration(declaration, &new.agent, &context, about).await?;
        if only_plan || submission.is_plan() {
            let accepted = &submission.accepted;
            return Ok(Executed::Planned(Plan {
                actions: match &accepted.content {
                    Content::Plan(preview) => preview.to_values(),
                    content => content.actions().iter().map(provost_contract::Action::to_value).collect(),
                },
                price: submission.price.to_value(),
                violations: accepted.violations.iter().map(ToString::to_string).collect(),
            }));
        }
        if !submission.is_own_run() {
            let cancels = matches!(submission.accepted.content, Content::Cancel { .. });
            let run = runs.apply(submission, &new.spec.workspace, request.actor()).await?;
            let run = self.handle(run);
            return Ok(if cancels { Executed::Cancels(run) } else { Executed::Applied(run) });
        }
        let accepted = runs.execute(submission, new, context).await.map_err(|error| match error {
            RunsError::Start(error) => StartError::from(error),
            error => error.into(),
        })?;
        Ok(Executed::Began(self.handle(accepted.run)))
    }

    /// Returns the result record of a run in the words of the Agent Protocol (`agent.protocol.result`): every declared
    /// action with its status, reason and observation, the open waits, the answer and the price.
    ///
    /// ```
    /// # async fn example(runtime: &provost::Runtime, run: &provost::RunId) -> Result<(), provost::WorkError> {
    /// let record = runtime.protocol_result(run).await?;
    /// println!("{}", record["status"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the run does not exist or cannot be read.
    pub async fn protocol_result(&self, run: &RunId) -> Result<Value, WorkError> {
        let read = self.runs().await?.read(run).await.map_err(unknown)?;
        let record = view::protocol_result(&read.agent, &read.history, &read.events, &Bpe);
        Ok(record.map_err(provost_runtime::actor::LoadError::from)?)
    }
}

impl Plan {
    /// Returns the result record of a plan: `agent.protocol.result` with the status `planned`.
    ///
    /// ```
    /// fn print(plan: &provost::Plan) {
    ///     println!("{}", plan.to_record());
    /// }
    /// ```
    #[must_use]
    pub fn to_record(&self) -> Value {
        let text = |action: &Value, key: &str| action.get(key).cloned().unwrap_or_default();
        let entry = |action: &Value| {
            json!({
                "id": text(action, "id"),
                "title": text(action, "title"),
                "description": text(action, "description"),
                "status": "pending",
                "attempts": 0,
                "summary": null,
                "observation": null,
                "reason": null,
                "artifacts": [],
                "executor": {
                    "type": action.pointer("/executor/type"),
                    "target": action.pointer("/executor/target"),
                },
                "started_at": null,
                "ended_at": null,
            })
        };
        json!({
            "type": "agent.protocol.result",
            "version": "1",
            "run_id": null,
            "status": "planned",
            "actions": self.actions.iter().map(entry).collect::<Value>(),
            "waits": [],
            "usage": {},
            "errors": [],
            "answer": null,
            "price": self.price,
            "next": null,
        })
    }
}
