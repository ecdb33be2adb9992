//! An executor whose effects are counted, and stay when its process dies.

use std::sync::Arc;

use provost_contract::approval::PendingAction;
use provost_runtime::port::{Boxed, ExecutorError, Recalled, StoreActionError, ToolAction, ToolExecutor};
use serde_json::Value;

use super::fate::Point;
use super::ledger::Entry;
use super::people::post;
use super::process::Cast;
use super::scenario::{Effect, Recall, When, effect_of};
use super::world::World;

/// The executor of one process.
pub(super) struct CountingExecutor(pub(super) Arc<Cast>);

impl ToolExecutor for CountingExecutor {
    fn execute<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Result<Value, ExecutorError>> {
        Box::pin(async move {
            let cast = &self.0;
            cast.pass(Point::BeforeExecute).await;
            let posted = post(&cast.world, &cast.stores, When::During(call_id(&action))).await;
            posted.map_err(|error| ExecutorError::Failed(error.to_string()))?;
            cast.world.hang(call_id(&action)).await;
            cast.world.dawdle(action.key).await;
            let reply = cast.world.carry_out(action.call.tool_name(), call_id(&action), action.key);
            cast.keep_question(&reply).await?;
            cast.pass(Point::AfterExecute).await;
            reply
        })
    }

    fn recall<'a>(&'a self, action: ToolAction<'a>) -> Boxed<'a, Recalled> {
        let world = &self.0.world;
        let recalled = match (world.scenario.recall, world.ledger.happened(action.key)) {
            (Recall::Forgets, _) => Recalled::Unknown,
            (Recall::Remembers, false) => Recalled::NotDone,
            (Recall::Remembers, true) => {
                let reply = world.scenario.reply(action.call.tool_name(), call_id(&action));
                reply.map_or(Recalled::Unknown, Recalled::Done)
            }
        };
        Box::pin(std::future::ready(recalled))
    }
}

fn call_id<'a>(action: &ToolAction<'a>) -> &'a str {
    action.context.get("tool_call_id").and_then(Value::as_str).unwrap_or_default()
}

impl Cast {
    /// A tool that asks before it acts keeps its own question; asked again it is the same one.
    async fn keep_question(&self, reply: &Result<Value, ExecutorError>) -> Result<(), ExecutorError> {
        let Some(question) = reply.as_ref().ok().and_then(|reply| reply.pointer("/result/payload")) else {
            return Ok(());
        };
        let failed = |error: String| ExecutorError::Failed(error);
        let question = PendingAction::parse(question).map_err(|error| failed(error.to_string()))?;
        match self.stores.approvals.store(question).await {
            Ok(()) | Err(StoreActionError::Taken { .. }) => Ok(()),
            Err(error @ StoreActionError::Storage(_)) => Err(failed(error.to_string())),
        }
    }
}

impl World {
    /// Does what a tool does. Only what succeeds takes effect, and what knows its key only once.
    fn carry_out(&self, tool: &str, call_id: &str, key: &str) -> Result<Value, ExecutorError> {
        let reply = self.scenario.reply(tool, call_id)?;
        let takes_effect = match effect_of(tool) {
            Effect::Read => false,
            Effect::Keyed => !self.ledger.happened(key),
            Effect::Once => true,
        };
        if takes_effect && reply.get("success") != Some(&Value::Bool(false)) {
            self.ledger.note(Entry::Effect { tool: tool.to_owned(), key: key.to_owned() });
        }
        Ok(reply)
    }
}
