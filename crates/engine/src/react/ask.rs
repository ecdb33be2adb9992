//! Opening waits: approvals, doubts, inputs, and executors that wait instead of running.

use provost_contract::action::OnFailure;
use provost_contract::json::Object;
use provost_contract::timestamp;
use serde_json::{Value, json};

use super::{Done, Reaction, words};
use crate::event::{
    ActionSpec, AllowedBy, ChangeSet, DeclarationAccepted, Origin, Phase, Step, WaitKind, WaitOpened,
    WaitsOn, When, WorkWait,
};
use crate::state::{Action, RunState};
use crate::{ActionId, Args, Digest, Payload, Ruling, Time, Usage};
use std::sync::Arc;

impl Reaction<'_> {
    /// Asks a person whether actions may run.
    pub(super) fn ask_for_approval(
        &mut self,
        asks: Vec<(ActionId, Ruling)>,
        preview: Option<Payload>,
        expect: Vec<Digest>,
    ) -> Done {
        let actions: Vec<ActionId> = asks.iter().map(|(id, _)| *id).collect();
        let shown: Vec<Value> = asks
            .iter()
            .filter_map(|(id, ruling)| Some(shown(self.state.action(*id)?, Some(ruling))))
            .collect();
        let person_only = asks.iter().any(|(_, ruling)| ruling.person_only);
        let ask = json!({
            "agent": self.state.spec.agent,
            "actions": shown,
            "preview": preview.as_ref().map(Payload::shown),
            "person_only": person_only,
        });
        let binding = binding(self.state, &actions, &expect);
        self.open(NewWait {
            kind: WaitKind::Approval { change_set: None },
            ask,
            binding,
            may_answer: self.state.agent.spec.approvers.clone(),
            supersedable: true,
            expect,
            ..NewWait::of(actions, self.person_due(None))
        })
    }

    /// Asks a person whether a change set may become real.
    pub(super) fn ask_about_change_set(&mut self, id: ActionId, set: &ChangeSet, ruling: &Ruling) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let paths: Vec<Value> = set
            .paths
            .iter()
            .map(|path| json!({ "path": path.path, "ruling": words::ruling_record(&path.ruling) }))
            .collect();
        let ask = json!({
            "agent": self.state.spec.agent,
            "actions": [shown(action, Some(ruling))],
            "change_set": { "digest": set.digest, "paths": paths, "excerpt": set.artifact.excerpt },
        });
        self.open(NewWait {
            kind: WaitKind::Approval { change_set: Some(set.digest) },
            ask,
            binding: set.digest,
            may_answer: self.state.agent.spec.approvers.clone(),
            supersedable: true,
            ..NewWait::of(vec![id], self.person_due(None))
        })
    }

    /// Asks a person what became of an attempt.
    pub(super) fn ask_about_doubt(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let cause = action.doubt.clone().unwrap_or_else(|| "lost".into());
        let ask = json!({
            "agent": self.state.spec.agent,
            "actions": [shown(action, None)],
            "cause": cause,
            "answers": ["again", "leave", "happened"],
        });
        let binding = binding(self.state, &[id], &[]);
        self.open(NewWait {
            kind: WaitKind::InDoubt { cause },
            ask,
            binding,
            may_answer: self.state.agent.spec.approvers.clone(),
            ..NewWait::of(vec![id], self.person_due(None))
        })
    }

    /// Asks for what a suspended call needs.
    pub(super) fn ask_for_input(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let request = action.request.as_ref().map(|request| request.shown().clone());
        let ask = json!({ "actions": [shown(action, None)], "request": request });
        let binding = binding(self.state, &[id], &[]);
        self.open(NewWait {
            kind: WaitKind::Input,
            ask,
            binding,
            supersedable: true,
            ..NewWait::of(vec![id], self.person_due(action.spec.wait_ms))
        })
    }

    /// Starts an executor that waits: the attempt and its wait are in one commit.
    pub(super) fn begin_waiting(&mut self, id: ActionId, ruling: Ruling, allowed_by: AllowedBy) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let Some(work) = action.executor().waits() else { return Ok(()) };
        if work == WorkWait::Child && !self.may_delegate(id)? {
            return Ok(());
        }
        self.start(id, Phase::Run, ruling, allowed_by)?;
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let attempt = action.attempt;
        let kind = match work {
            WorkWait::Client => WaitKind::Client,
            WorkWait::Question => WaitKind::Question,
            WorkWait::Timer => WaitKind::Timer,
            WorkWait::Signal => WaitKind::Signal { name: action.spec.executor.target.clone() },
            WorkWait::Child => WaitKind::Child { run: self.state.spec.run.child(id, attempt) },
        };
        let due = match work {
            WorkWait::Child => None,
            WorkWait::Timer => Some(self.now.wall.plus_ms(action.spec.wait_ms.unwrap_or_default())),
            WorkWait::Client => self.client_due(action, &Value::Null),
            WorkWait::Question => self.person_due(action.spec.wait_ms),
            WorkWait::Signal => self.default_due(action.spec.wait_ms),
        };
        let reserved = if work == WorkWait::Child { action.spec.share.clone() } else { Usage::default() };
        let wait = NewWait {
            kind,
            ask: json!({ "actions": [shown(action, None)], "prompt": action.spec.prompt }),
            binding: binding(self.state, &[id], &[]),
            supersedable: work == WorkWait::Question,
            attempt: Some(attempt),
            reserved,
            ..NewWait::of(vec![id], due)
        };
        self.open(wait)
    }

    /// A mediator has an action wait for a client outside. It is judged and counted like any other.
    pub(super) fn begin_client_wait(
        &mut self,
        id: ActionId,
        result: Object,
        ruling: Ruling,
        allowed_by: AllowedBy,
    ) -> Done {
        self.start(id, Phase::Run, ruling, allowed_by)?;
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let result = Value::Object(result);
        let wait = NewWait {
            kind: WaitKind::Client,
            binding: binding(self.state, &[id], &[]),
            attempt: Some(action.attempt),
            ask: json!({ "actions": [shown(action, None)], "result": result }),
            ..NewWait::of(vec![id], self.client_due(action, &result))
        };
        self.open(wait)
    }

    /// An executor has a client or a person answer in its place.
    pub(super) fn open_for_attempt(&mut self, id: ActionId, on: WaitsOn, ask: Payload) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let (kind, due) = match on {
            WaitsOn::Client => (WaitKind::Client, self.client_due(action, ask.shown())),
            WaitsOn::Person => (WaitKind::Question, self.person_due(action.spec.wait_ms)),
        };
        let wait = NewWait {
            kind,
            ask: json!({ "actions": [shown(action, None)], "request": ask.shown() }),
            binding: binding(self.state, &[id], &[]),
            supersedable: on == WaitsOn::Person,
            attempt: Some(action.attempt),
            ..NewWait::of(vec![id], due)
        };
        self.open(wait)
    }

    /// Whether a child may begin now. Returns false if it must wait, or was ended because it never may.
    fn may_delegate(&mut self, id: ActionId) -> Result<bool, crate::state::Illegal> {
        let limits = self.state.spec.limits;
        let children =
            self.state.waits.values().filter(|wait| matches!(wait.kind, WaitKind::Child { .. })).count();
        if children >= limits.children as usize {
            return Ok(false);
        }
        let Some(action) = self.state.action(id) else { return Ok(false) };
        let depth = self.state.spec.parent.as_ref().map_or(0, |parent| parent.depth);
        let problem = if depth + 1 > limits.depth {
            Some("Not delegated: runs may not delegate any deeper.")
        } else if self.state.ledger.spending_stop(&action.spec.share).is_some() {
            Some("Not delegated: the rest of the budget is smaller than its share.")
        } else {
            None
        };
        let Some(sentence) = problem else { return Ok(true) };
        let result = words::failure(action, "no_budget_or_depth", sentence, json!({}));
        let ending = super::end::Ending::failed("no_budget_or_depth", crate::event::EndedBy::Engine);
        self.end(id, ending.result(result))?;
        Ok(false)
    }

    /// The steps of a pipeline that started become actions.
    pub(super) fn declare_steps(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let steps = action.spec.steps.clone();
        self.declare_parts(id, steps)
    }

    /// The entries of a fan-out that started become actions, in the order of the list.
    pub(super) fn declare_items(&mut self, id: ActionId) -> Done {
        let Some(action) = self.state.action(id) else { return Ok(()) };
        let has_parts = self.state.actions.values().any(|part| part.spec.under == Some(id));
        if action.items.is_empty() || has_parts {
            return Ok(());
        }
        let steps = (0..).zip(&action.items).map(|(index, args)| item(&action.spec, index, args)).collect();
        self.declare_parts(id, steps)
    }

    fn declare_parts(&mut self, id: ActionId, steps: Vec<Step>) -> Done {
        let origin = Origin::Pipeline { action: id };
        let declaration = self.state.declarations + 1;
        let add = number(steps, declaration, origin, Some(id));
        self.emit(DeclarationAccepted {
            declaration,
            origin,
            intent: "act".into(),
            add,
            cancel: Vec::new(),
            replace: Vec::new(),
            decide: Vec::new(),
            answer: None,
            title: None,
            note: None,
            violations: Vec::new(),
            price: Usage::default(),
            signature: None,
        })
    }

    /// When a client's time is over: as the request for it says, as the caller's context says, or as every wait ends.
    fn client_due(&self, action: &Action, request: &Value) -> Option<Time> {
        let of_request = ["/runtime_tool_request/timeout_at", "/result/timeout_at"];
        let mut given = of_request.into_iter().filter_map(|pointer| request.pointer(pointer)?.as_str());
        let of_context = || self.state.spec.context.get("runtime_tool_timeout_at").and_then(Value::as_str);
        let given = given.find(|given| !given.is_empty()).or_else(of_context);
        match given.and_then(timestamp::unix_seconds) {
            Some(seconds) => Some(Time(seconds.saturating_mul(1_000))),
            None => self.default_due(action.spec.wait_ms),
        }
    }

    /// When a person's time is over. Records have whole seconds, so the last one is granted: there is never less time
    /// than they say.
    fn person_due(&self, own_ms: Option<u64>) -> Option<Time> {
        let due = self.default_due(own_ms)?;
        Some(Time(due.0.saturating_add(999).div_euclid(1_000).saturating_mul(1_000)))
    }

    fn default_due(&self, own_ms: Option<u64>) -> Option<Time> {
        own_ms.or(self.state.spec.limits.wait_ms).map(|ms| self.now.wall.plus_ms(ms))
    }

    fn open(&mut self, wait: NewWait) -> Done {
        let opened = WaitOpened {
            wait: self.state.wait_id(self.state.waits_opened + 1),
            kind: wait.kind,
            actions: wait.actions,
            attempt: wait.attempt,
            ask: Payload::inline(wait.ask),
            schema: None,
            binding: wait.binding,
            may_answer: wait.may_answer,
            supersedable: wait.supersedable,
            due: wait.due,
            expect: wait.expect,
            reserved: wait.reserved,
        };
        self.emit(opened)
    }
}

/// A wait that is about to be opened.
struct NewWait {
    kind: WaitKind,
    actions: Vec<ActionId>,
    attempt: Option<u32>,
    ask: Value,
    binding: Digest,
    may_answer: Vec<String>,
    supersedable: bool,
    due: Option<Time>,
    expect: Vec<Digest>,
    reserved: Usage,
}

impl NewWait {
    fn of(actions: Vec<ActionId>, due: Option<Time>) -> Self {
        Self {
            kind: WaitKind::Input,
            actions,
            attempt: None,
            ask: Value::Null,
            binding: Digest::ZERO,
            may_answer: Vec::new(),
            supersedable: false,
            due,
            expect: Vec::new(),
            reserved: Usage::default(),
        }
    }
}

/// One entry of a fan-out: the same action with the arguments of the entry. What it comes to is the fan-out's to
/// judge, so that its own failure asks for nothing more.
fn item(spec: &ActionSpec, index: u32, args: &Args) -> Step {
    let mut spec = spec.clone();
    spec.label = format!("{}[{index}]", spec.label);
    spec.title = String::new();
    spec.args = args.clone();
    spec.each = None;
    spec.resolves = false;
    spec.depends_on.clear();
    spec.when.clear();
    if spec.on_failure.on_failure != OnFailure::Retry || !spec.facts.may_repeat() {
        spec.on_failure = OnFailure::Continue.into();
    }
    Step { spec, depends_on: Vec::new(), when: Vec::new(), earlier: Vec::new() }
}

/// Gives steps their ids and edges.
pub(super) fn number(
    steps: Vec<Step>,
    declaration: u32,
    origin: Origin,
    under: Option<ActionId>,
) -> Vec<Arc<crate::event::ActionSpec>> {
    let id = |index: u32| ActionId { declaration, index };
    let numbered = steps.into_iter().enumerate().map(|(index, step)| {
        let mut spec = step.spec;
        spec.id = id(u32::try_from(index).unwrap_or(u32::MAX));
        spec.origin = origin;
        spec.under = under;
        spec.depends_on = step.earlier.into_iter().chain(step.depends_on.into_iter().map(id)).collect();
        spec.when = step.when.into_iter().map(|(index, status)| When { action: id(index), status }).collect();
        Arc::new(spec)
    });
    numbered.collect()
}

/// What a person is shown of an action.
fn shown(action: &Action, ruling: Option<&Ruling>) -> Value {
    json!({
        "action": action.spec.id,
        "label": action.spec.label,
        "operation": action.spec.operation,
        "title": action.spec.title,
        "args": action.args.redacted,
        "attempt": action.attempt,
        "ruling": ruling.map(words::ruling_record),
    })
}

/// What an answer is bound to: exactly these arguments, under this policy, with these files.
pub(super) fn binding(state: &RunState, actions: &[ActionId], expect: &[Digest]) -> Digest {
    let mut fields = vec![state.policy.to_string()];
    for id in actions {
        let Some(action) = state.action(*id) else { continue };
        fields.extend([id.to_string(), action.args.raw.to_string(), action.attempt.to_string()]);
    }
    fields.extend(expect.iter().map(Digest::to_string));
    Digest::of_fields(&fields.iter().map(String::as_str).collect::<Vec<_>>())
}
