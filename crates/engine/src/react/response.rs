//! Responses: one is recorded, then read; it becomes a declaration, or is refused with reasons.

use std::sync::Arc;

use provost_contract::action::{Access, OnFailure, Resource};

use super::ask::number;
use super::{Done, ModelAnswer, ModelResponse, Reaction, Unread};
use crate::event::{
    ActionSpec, Call, Declaration, DeclarationAccepted, ExecutorKind, Hook, HookAnswer, ModelResponded,
    Origin, Parsed, Purpose, ResponseRefused, RunStopping, Stop, Subject,
};
use crate::state::{Holder, OpenRequest, Response};
use crate::{ActionId, Actor, Fault, Payload, Usage};

impl Reaction<'_> {
    /// A model call is over.
    pub(super) fn model(&mut self, request: u32, answer: ModelAnswer) -> Done {
        let epoch = self.state.epoch;
        let open = self.state.model.open.filter(|open| open.request == request && open.epoch == epoch);
        let Some(open) = open else { return Ok(()) };
        match answer {
            ModelAnswer::Responded(response) => self.responded(open, *response),
            ModelAnswer::Failed(fault) => self.model_failed(open, *fault),
        }
    }

    /// Records a response. Its calls are read in the same reaction, or once a hook has looked at it.
    fn responded(&mut self, open: OpenRequest, response: ModelResponse) -> Done {
        // A provider that does not count gives nothing away: what was set aside is spent.
        let reserved = || self.state.ledger.reservation(Holder::Request(open.request));
        let usage = response.usage.unwrap_or_else(reserved);
        let (output, output_fault) = match response.output {
            None => (None, None),
            Some(Ok(output)) => (Some(output), None),
            Some(Err(fault)) => (None, Some(fault)),
        };
        let deferred = self.state.spec.hooks.after_model && open.purpose == Purpose::Turn;
        let (calls, declaration) = (response.calls, response.declaration);
        let mut responded = ModelResponded {
            request: open.request,
            messages: response.messages,
            calls: Vec::new(),
            declaration: None,
            malformed: response.malformed,
            finish: response.finish,
            usage,
            provider: response.provider,
            output,
            host: response.host,
        };
        if deferred {
            // What does not fit its schema is refused once the hook has spoken.
            let unfit = output_fault.map(|fault| Parsed::Malformed { fault });
            responded.calls = calls;
            responded.declaration = unfit.or(declaration).map(Box::new);
        } else {
            self.unread = Some(Unread { calls, declaration, output_fault });
        }
        self.emit_by(Self::model_actor(), responded)
    }

    /// Reads a response that was not read yet.
    pub(super) fn read_response(&mut self) -> Done {
        let Some(response) = self.state.model.response.clone() else { return Ok(()) };
        match response.purpose {
            Purpose::Compaction => return self.finish_compaction(&response),
            Purpose::Summary { .. } => return Ok(()),
            Purpose::Turn => {}
        }
        if self.state.spec.hooks.after_model {
            let subject = Subject::Turn { turn: response.turn };
            match self.state.hooks.get(&(Hook::AfterModel, subject)) {
                None => return Ok(()),
                Some(HookAnswer::Reject { fault, .. } | HookAnswer::Failed { fault }) => {
                    let fault = Fault { code: "guardrail".into(), ..fault.clone() };
                    return self.refuse(&response, fault);
                }
                Some(_) => {}
            }
        }
        let unread = self.unread.take().unwrap_or_else(|| Unread {
            calls: response.responded.calls.clone(),
            declaration: response.responded.declaration.as_deref().cloned(),
            output_fault: None,
        });
        if let Some(fault) = unread.output_fault {
            return self.refuse(&response, fault);
        }
        match unread.declaration {
            Some(Parsed::Malformed { fault }) => self.refuse(&response, fault),
            Some(Parsed::Declared(declaration)) => self.declare(&response, *declaration),
            None => self.declare_calls(&response, unread.calls),
        }
    }

    /// The response cannot be used. The model reads why, as often as the limit allows.
    fn refuse(&mut self, response: &Response, fault: Fault) -> Done {
        let retry = self.state.model.refusals < self.state.spec.limits.refusals && !self.state.is_stopping();
        self.emit(ResponseRefused {
            request: response.responded.request,
            code: fault.code.clone(),
            reasons: vec![fault.message.clone()],
            violations: fault
                .fields
                .get("violations")
                .and_then(|list| list.as_array())
                .cloned()
                .unwrap_or_default(),
            retry,
        })?;
        if !retry && !self.state.is_stopping() {
            // The refusal before it has the code of what was wrong.
            let code = if self.state.is_protocol() { "protocol_error".into() } else { fault.code };
            return self.emit(RunStopping { stop: Stop::Failed { fault: Fault { code, ..fault } } });
        }
        Ok(())
    }

    /// All calls of a plain turn are one declaration; an answer is a declaration that adds nothing.
    fn declare_calls(&mut self, response: &Response, calls: Vec<Arc<Call>>) -> Done {
        let declaration = self.state.declarations + 1;
        let add: Vec<Arc<ActionSpec>> = (0..)
            .zip(&calls)
            .map(|(index, call)| Arc::new(self.action_of(declaration, index, call)))
            .collect();
        let text = || {
            let texts = response.responded.messages.iter().filter_map(|message| message.content.as_text());
            texts.collect::<Vec<_>>().join("\n")
        };
        let managed = response.responded.host.as_ref().is_some_and(|host| host.managed);
        let intent = if managed {
            "managed"
        } else if add.is_empty() {
            "answer"
        } else {
            "act"
        };
        let answer = (add.is_empty() && !managed).then(|| Payload::inline(text()));
        // The words stand in the response of the same commit; a second copy would only cost.
        let answer = answer.filter(|_| self.state.spec.hooks.after_model);
        self.emit_by(
            Self::model_actor(),
            DeclarationAccepted {
                declaration,
                origin: Origin::ToolCall,
                intent: intent.into(),
                add,
                cancel: Vec::new(),
                replace: Vec::new(),
                decide: Vec::new(),
                answer,
                title: None,
                note: None,
                violations: Vec::new(),
                price: Usage::default(),
                signature: None,
            },
        )
    }

    /// A call of a plain turn. Its resource is the turn: reads share it, anything else has it alone.
    fn action_of(&self, declaration: u32, index: u32, call: &Call) -> ActionSpec {
        let agent = &self.state.agent;
        let kind = if call.unprepared.is_some() { ExecutorKind::Tool } else { agent.executor(&call.name) };
        let mut spec = ActionSpec::new(ActionId { declaration, index }, call.name.clone(), kind);
        spec.label = call.label.clone();
        spec.called = call.called.clone();
        spec.facts = agent.facts(&call.name);
        spec.args = call.args.clone();
        spec.on_failure = OnFailure::Continue.into();
        let access = if spec.only_reads() { Access::Read } else { Access::Write };
        spec.resources = vec![Resource { name: format!("decl:{declaration}"), access }];
        spec.unprepared = call.unprepared.clone();
        spec
    }

    fn declare(&mut self, response: &Response, declared: Declaration) -> Done {
        let contradictory = || Fault::new("not_decidable", "The decisions contradict each other.");
        let fault = self.wrong_with(&declared);
        let fault = fault.or_else(|| self.is_contradictory(&declared).then(contradictory));
        if let Some(fault) = fault {
            return self.refuse(response, fault);
        }
        self.accept_declaration(Self::model_actor(), Origin::Declaration, declared)
    }

    /// A declaration that came from outside takes effect; it was looked at when its signal was taken.
    pub(super) fn submitted(&mut self, by: Actor, declared: Declaration) -> Done {
        self.accept_declaration(by, Origin::Submitted, declared)
    }

    /// Whether a declaration from outside names only what exists and can still be changed.
    pub(super) fn is_acceptable(&self, declared: &Declaration) -> bool {
        self.state.is_protocol() && self.wrong_with(declared).is_none() && !self.is_contradictory(declared)
    }

    fn accept_declaration(&mut self, by: Actor, origin: Origin, declared: Declaration) -> Done {
        let declaration = self.state.declarations + 1;
        self.emit_by(by, declared.accepted(declaration, origin))
    }

    /// What a declaration names that does not exist, or cannot be done any more.
    fn wrong_with(&self, declared: &Declaration) -> Option<Fault> {
        use crate::event::{ActionEnd, Choice};
        let refuse = |code: &str, id: &ActionId, problem: &str| {
            Some(Fault::new(code, format!("Action {id} {problem}.")))
        };
        for id in &declared.cancel {
            if !self.state.open.contains(id) {
                return refuse("not_open", id, "is not open");
            }
        }
        for (id, _) in &declared.replace {
            let replaceable = self.state.action(*id).is_some_and(|action| {
                action.stage == crate::state::Stage::Pending && !action.holds && action.wait.is_none()
            });
            if !replaceable {
                return refuse("not_replaceable", id, "has begun or does not exist");
            }
        }
        for (id, choice) in &declared.decide {
            let Some(action) = self.state.action(*id) else {
                return refuse("unknown_action", id, "does not exist");
            };
            let Some(end) = &action.end else { return refuse("not_ended", id, "has not ended") };
            if self.state.is_left_behind(action) {
                return refuse("not_decidable", id, "was a part of an action that has ended");
            }
            let in_doubt = end.reason == "in_doubt";
            let allowed = match (choice, end.status) {
                (Choice::Retry, ActionEnd::Failed) => true,
                (Choice::Retry, ActionEnd::Blocked) => in_doubt,
                (Choice::Skip | Choice::Accept, ActionEnd::Failed | ActionEnd::Blocked) => true,
                (_, ActionEnd::Completed | ActionEnd::Cancelled) => false,
            };
            if !allowed {
                return refuse("not_decidable", id, "cannot be decided about in this way");
            }
        }
        let edges = declared.add.iter().flat_map(|step| &step.earlier);
        let unknown = edges.into_iter().find(|id| self.state.action(**id).is_none());
        unknown.and_then(|id| refuse("unknown_action", id, "does not exist"))
    }

    /// Whether decisions contradict each other: one reopens or closes what another is about.
    fn is_contradictory(&self, declared: &Declaration) -> bool {
        declared.decide.len() > 1 && self.state.clone().try_decisions(&declared.decide).is_err()
    }
}

impl Declaration {
    /// Returns the event that accepts a declaration as the one of a number: its actions get their ids and edges.
    pub fn accepted(self, declaration: u32, origin: Origin) -> DeclarationAccepted {
        let replace =
            self.replace.into_iter().map(|(old, index)| (old, ActionId { declaration, index })).collect();
        DeclarationAccepted {
            declaration,
            origin,
            intent: self.intent,
            add: number(self.add, declaration, origin, None),
            cancel: self.cancel,
            replace,
            decide: self.decide,
            answer: self.answer,
            title: self.title,
            note: self.note,
            violations: self.violations,
            price: self.price,
            signature: self.signature,
        }
    }
}
