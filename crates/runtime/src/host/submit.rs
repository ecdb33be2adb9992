//! Declarations that a person or a program hands in: read, checked and accepted like those of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use provost_contract::Action;
use provost_contract::action::{ActionId as Label, InputSource, Reference, input_slots};
use provost_contract::json::Object;
use provost_engine::event::{ActionEnd, Choice, Declaration, Mode, ModelUse, Origin, Signal};
use provost_engine::state::Action as RunAction;
use provost_engine::{ActionId, Actor, Agent, RunId, RunState};
use provost_protocol::{Accepted, Choice as Decided, Content, Price, check_in};

use super::protocol::{Declared, Earlier, Reading, RefusedDeclaration};
use super::runs::{AgentRegistry, Runs, RunsError};
use crate::actor::{Address, AddressError, LoadError, LoadedRun, find};
use crate::dispatch::NewRunRequest;
use crate::store::{Accepted as Stored, PostError, ResumeError, Store};

/// Where stored results are read: the store, and the agents that runs of it obey.
#[derive(Clone)]
pub struct Library {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The agents of the process.
    pub agents: Arc<AgentRegistry>,
}

impl Library {
    /// Looks up every stored result that a declaration refers to: one that leads nowhere refuses it.
    pub(super) async fn look_up(
        &self,
        accepted: &Accepted,
        (run, workspace): (&RunId, &str),
    ) -> Result<(), RefusedDeclaration> {
        for (pointer, text) in stored_references(accepted) {
            let found = match Address::parse(&text) {
                Ok(address) => address.read(&*self.store, &*self.agents, (run, workspace)).await.map(drop),
                Err(error) => Err(error),
            };
            if let Err(error) = found {
                let code = match error {
                    AddressError::Withheld(_) => "denied",
                    _ => "unresolved_reference",
                };
                return Err(RefusedDeclaration::new(code, error.to_string(), Some(pointer)));
            }
        }
        Ok(())
    }
}

/// A declaration that was handed in, read and checked. Nothing of it has run.
#[derive(Clone, Debug)]
pub struct Submission {
    /// What was read.
    pub accepted: Accepted,
    /// The most that it can cost.
    pub price: Price,
    /// The same as actions of the engine.
    declaration: Declaration,
    raw: Vec<Object>,
}

/// Why a declaration that was handed in changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// It is not accepted.
    #[error(transparent)]
    Refused(#[from] RefusedDeclaration),
    /// A run cannot be read or begun.
    #[error(transparent)]
    Runs(#[from] RunsError),
    /// The run does not take it.
    #[error(transparent)]
    Post(#[from] PostError),
    /// The run cannot be taken up again.
    #[error(transparent)]
    Resume(#[from] ResumeError),
}

impl From<LoadError> for SubmitError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Unknown(run) => Self::Refused(unknown_run(run.as_str())),
            error => Self::Runs(error.into()),
        }
    }
}

pub(super) fn unknown_run(run: &str) -> RefusedDeclaration {
    RefusedDeclaration::new("unknown_run", format!("there is no run {run}"), None)
}

impl Submission {
    /// Returns whether it is carried out by a run of its own, and not about another one.
    pub fn is_own_run(&self) -> bool {
        !matches!(
            self.accepted.content,
            Content::Decision(_) | Content::Cancel { .. } | Content::Revise { .. }
        )
    }

    /// Returns whether nothing of it runs: it is only shown.
    pub fn is_plan(&self) -> bool {
        matches!(self.accepted.content, Content::Plan(_))
    }
}

impl Runs {
    /// Reads and checks a declaration as an agent's model would have to write it. `after` is a run whose completed
    /// actions count as completed earlier.
    ///
    /// # Errors
    /// If it is not accepted: then every reason is named.
    pub async fn read_declaration(
        &self,
        text: &str,
        agent: &Arc<Agent>,
        context: &Object,
        (workspace, after): (&str, Option<&RunId>),
    ) -> Result<Submission, SubmitError> {
        let earlier = match after {
            Some(run) => self.completed(run, workspace).await?,
            None => BTreeMap::new(),
        };
        let speech = self
            .performer
            .host()
            .speeches
            .of(agent)
            .map_err(|error| RefusedDeclaration::new(error.code(), error.message(), None))?;
        let reading = Reading { agent, context, earlier: &earlier };
        let turn = reading.turn(&speech.catalog);
        let checked = check_in(text, &turn);
        let Some(accepted) = checked.accepted else {
            return Err(RefusedDeclaration::of_findings(&checked.findings).into());
        };
        let price = accepted.price(&speech.catalog);
        let Declared { declaration, raw } = reading.declared(&accepted, &turn)?;
        let reader: RunId = "submission".parse().map_err(|_| unknown_run("submission"))?;
        self.performer.library.look_up(&accepted, (&reader, workspace)).await?;
        Ok(Submission { accepted, price, declaration, raw })
    }

    /// The completed actions of a run by label, the newest of each.
    async fn completed(
        &self,
        run: &RunId,
        workspace: &str,
    ) -> Result<BTreeMap<String, Earlier>, SubmitError> {
        let state = LoadedRun::load(&*self.store, &*self.agents, run).await?.state;
        if state.spec.workspace != workspace {
            return Err(unknown_run(run.as_str()).into());
        }
        let done = |action: &&RunAction| {
            let end = action.end.as_ref();
            action.spec.under.is_none()
                && end.is_some_and(|end| end.status == ActionEnd::Completed && end.satisfying)
        };
        let completed = state.actions.values().map(|action| &**action).filter(done);
        let address = |action: &RunAction| Earlier::Elsewhere(Address::of_action(run, action));
        Ok(completed.map(|action| (action.spec.label.clone(), address(action))).collect())
    }

    /// Accepts a run that carries out a declaration, without a model.
    ///
    /// # Errors
    /// If the run is not accepted.
    pub async fn execute(
        &self,
        submission: Submission,
        mut request: NewRunRequest,
        context: Object,
    ) -> Result<Stored, RunsError> {
        request.spec.mode = Mode::Protocol;
        request.spec.model = ModelUse::None;
        request.declaration = Some(submission.declaration.accepted(1, Origin::Submitted));
        let run = request.spec.run.clone();
        self.shared.handed_in.put(run.clone(), submission.raw);
        let accepted = self.begin(request, context).await;
        if accepted.is_err() {
            self.shared.handed_in.take(&run);
        }
        accepted
    }

    /// Applies a declaration to the run that it names: a cancel, a decision or a revision.
    ///
    /// # Errors
    /// If the run does not exist, or does not take the declaration any more.
    pub async fn apply(
        &self,
        submission: Submission,
        workspace: &str,
        by: Actor,
    ) -> Result<RunId, SubmitError> {
        let named = match &submission.accepted.content {
            Content::Cancel { run_id, .. } | Content::Revise { run_id, .. } => run_id.clone(),
            Content::Decision(decision) => decision.run_id.clone(),
            _ => String::new(),
        };
        let run: RunId = named.parse().map_err(|_| unknown_run(&named))?;
        let state = LoadedRun::load(&*self.store, &*self.agents, &run).await?.state;
        if state.spec.workspace != workspace {
            return Err(unknown_run(&named).into());
        }
        let signal = match &submission.accepted.content {
            Content::Cancel { reason, .. } => {
                Signal::Cancel { actions: None, reason: reason.clone().unwrap_or_default() }
            }
            Content::Decision(decision) => match decided(&state, decision)? {
                Asked::Cancel => {
                    Signal::Cancel { actions: None, reason: decision.reason.clone().unwrap_or_default() }
                }
                Asked::Decide(action, choice) => {
                    let decide = vec![(action, choice)];
                    let intent = "decide".to_owned();
                    Signal::Submit {
                        declaration: Box::new(Declaration { intent, decide, ..Declaration::default() }),
                    }
                }
            },
            _ => Signal::Submit { declaration: Box::new(revision(&state, submission.declaration)) },
        };
        self.hand_over(&run, &state, signal, by).await?;
        self.dispatcher.ask(&run);
        Ok(run)
    }

    /// Posts a signal to a run; one that is over is taken up again in the same step.
    async fn hand_over(
        &self,
        run: &RunId,
        state: &RunState,
        signal: Signal,
        by: Actor,
    ) -> Result<(), SubmitError> {
        match signal {
            Signal::Submit { declaration } if state.ended.is_some() => {
                self.doors.resume_with(run, *declaration, by).await?;
            }
            signal => {
                self.doors.post(run, signal, by, None).await?;
            }
        }
        Ok(())
    }
}

/// What a decision means for its run.
pub(super) enum Asked {
    Cancel,
    Decide(ActionId, Choice),
}

/// The action that a decision is about: the named one, or the only one that did not complete.
pub(super) fn decided(
    state: &RunState,
    decision: &provost_protocol::Decision,
) -> Result<Asked, RefusedDeclaration> {
    let refuse = |message: String| {
        Err(RefusedDeclaration::new("not_decidable", message, Some("/payload/action_id".into())))
    };
    let choice = match decision.choice {
        Decided::Retry => Choice::Retry,
        Decided::Skip => Choice::Skip,
        Decided::Continue => Choice::Accept,
        Decided::Abort => return Ok(Asked::Cancel),
        Decided::AskUser => return refuse("asking a person is not available".to_owned()),
    };
    let open = |action: &&RunAction| {
        let end = action.end.as_ref();
        end.is_some_and(|end| {
            matches!(end.status, ActionEnd::Failed | ActionEnd::Blocked) && end.reason != "dependency"
        })
    };
    let named: Option<&Label> = decision.action_id.as_ref();
    let action = match named {
        Some(name) => match find(state, name.as_str()) {
            Some(action) => action,
            None => return refuse(format!("there is no action {name}")),
        },
        None => {
            let mut all = state.actions.values().map(|action| &**action).filter(open);
            match (all.next(), all.next()) {
                (Some(action), None) => action,
                (None, _) => return refuse("no action failed or is blocked".to_owned()),
                (Some(_), Some(_)) => {
                    return refuse("several actions failed or are blocked; name one".to_owned());
                }
            }
        }
    };
    if !open(&action) {
        return refuse(format!("{} has not failed and is not blocked", action.spec.label));
    }
    Ok(Asked::Decide(action.spec.id, choice))
}

/// A revision replaces what has not ended: an action of a label takes the place of the open one with that label, and
/// the others give way.
pub(super) fn revision(state: &RunState, declaration: Declaration) -> Declaration {
    let labels: BTreeMap<String, u32> =
        (0..).zip(&declaration.add).map(|(index, step)| (step.spec.label.clone(), index)).collect();
    let mut revised = Declaration { intent: "revise".into(), ..declaration };
    for (id, action) in state.open_actions().filter(|(_, action)| action.spec.under.is_none()) {
        let untouched =
            action.stage == provost_engine::state::Stage::Pending && !action.holds && action.wait.is_none();
        match labels.get(&action.spec.label) {
            Some(index) if untouched => revised.replace.push((id, *index)),
            _ => revised.cancel.push(id),
        }
    }
    revised
}

/// The addresses that a declaration names, with where they stand in it.
fn stored_references(accepted: &Accepted) -> Vec<(String, String)> {
    let is_stored =
        |reference: &Reference| matches!(reference, Reference::Runtime(_) | Reference::StoredArtifact(_));
    let mut found = Vec::new();
    for (index, action) in accepted.content.actions().iter().enumerate() {
        let at = |field: &str| format!("/payload/actions/{index}/{field}");
        for slot in input_slots(&action.input) {
            if let Ok(named) = &slot.reference
                && let InputSource::Reference(reference) = &named.reference
                && is_stored(reference)
            {
                found.push((format!("{}{}", at("input"), slot.pointer), reference.to_string()));
            }
        }
        if let Some(each) = &action.for_each
            && let InputSource::Reference(reference) = &each.list().reference
            && is_stored(reference)
        {
            found.push((at("for_each/in"), reference.to_string()));
        }
        let contexts =
            action.context_refs.iter().map(|context| &context.reference).filter(|named| is_stored(named));
        found.extend(contexts.map(|reference| (at("context_refs"), reference.to_string())));
        found.extend(
            expanded(action, &is_stored).into_iter().map(|text| (format!("/payload/refs/{index}/ref"), text)),
        );
    }
    if let Content::Report(report) = &accepted.content {
        let refs = report.sections.iter().flat_map(|section| &section.refs).map(|context| &context.reference);
        found.extend(
            refs.filter(|named| is_stored(named))
                .map(|named| ("/payload/sections".to_owned(), named.to_string())),
        );
    }
    found
}

/// The address that an expansion reads.
fn expanded(action: &Action, is_stored: &dyn Fn(&Reference) -> bool) -> Option<String> {
    if action.executor.target.name() != Some("expand_ref") {
        return None;
    }
    let text = action.input.get("ref")?.as_str()?;
    Reference::parse(text).ok().filter(|named| is_stored(named)).map(|named| named.to_string())
}
