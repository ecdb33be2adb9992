//! What was decided about one action: what let it run, and what ended it without doing its work.

use provost_contract::timestamp;
use serde_json::Value;

use super::{Decided, Reader};
use crate::event::{
    ActionEnd, ActionEnded, ActionNoted, ActionStarted, AllowedBy, AttemptEnded, EndedBy, Event, Next, Note,
    Outcome, Phase,
};
use crate::state::RunState;
use crate::{Ruling, StandingApproval, Time};

impl Reader {
    pub(super) fn started(&mut self, state: &RunState, event: &Event, started: &ActionStarted) {
        let what = match (started.phase, started.attempt > 1) {
            (Phase::Run, false) => "runs",
            (Phase::Run, true) => "runs again",
            (Phase::Apply, _) => "its changes are made real",
        };
        let decided = self.about(state, event, started.action).what(what);
        // What was asked and allowed runs with that approval, not by the rule that asked.
        let decided = match self.permitted.remove(&started.action) {
            Some(word) => permitted(decided, &word),
            None => self.ruled(state, decided, started),
        };
        self.starts.insert(started.action, self.all.len());
        self.all.push(decided);
    }

    fn ruled(&self, state: &RunState, decided: Decided, started: &ActionStarted) -> Decided {
        let ruled = decided.clone().ruled(&started.ruling);
        match &started.allowed_by {
            AllowedBy::Rule => ruled,
            AllowedBy::Wait { wait } => match self.allowed.get(&wait.number) {
                Some(word) => permitted(decided, word),
                None => ruled,
            },
            AllowedBy::Standing { scope } => {
                let granted = state.remembered.get(scope).or_else(|| state.standing.get(scope));
                match granted {
                    Some(approval) => spared(decided, approval, &started.ruling),
                    None => ruled,
                }
            }
            AllowedBy::RollForward => ruled.because("it was begun, and is not given up halfway"),
        }
    }

    /// The process is noted after the start that it belongs to.
    pub(super) fn noted(&mut self, noted: &ActionNoted) {
        let process = match &noted.note {
            Note::Process { handle, .. } | Note::Remote { handle } if !handle.is_empty() => handle.clone(),
            Note::Process { host, pid, start, .. } => format!("{host}/{pid}/{start}"),
            Note::Remote { .. } | Note::Posture { .. } | Note::Progress { .. } | Note::Output { .. } => {
                return;
            }
        };
        let start = self.starts.get(&noted.action).and_then(|index| self.all.get_mut(*index));
        if let Some(start) = start {
            start.process = Some(process);
        }
    }

    pub(super) fn attempt_ended(&mut self, state: &RunState, event: &Event, ended: &AttemptEnded) {
        let decided = self.about(state, event, ended.action);
        let decided = match (&ended.next, &ended.outcome) {
            (Next::Retry { .. }, outcome) => {
                let (layer, reason) = again(outcome);
                decided.what("is to run again").layer(layer).because(reason)
            }
            (Next::AskAgain, Outcome::Stale { what }) => {
                let reason = format!("what its approval was about has changed: {what}");
                decided.what("must be asked about again").because(reason.trim_end_matches(": "))
            }
            (Next::Judge, Outcome::Proposed { change_set }) => {
                let rulings = change_set.paths.iter().map(|path| path.ruling.clone());
                let paths = change_set.paths.len();
                let paths = if paths == 1 { "1 path".to_owned() } else { format!("{paths} paths") };
                let decided = decided.what(format!("proposes changes to {paths}"));
                rulings.reduce(Ruling::stricter).iter().fold(decided, Decided::ruled)
            }
            // A doubt and an input are asked about, and a round of a loop runs again.
            (Next::AskAgain | Next::Judge | Next::Doubt | Next::Input | Next::Round, _) => return,
        };
        self.all.push(decided);
    }

    pub(super) fn ended(&mut self, state: &RunState, event: &Event, ended: &ActionEnded) {
        let Some(what) = without_work(ended) else { return };
        let result = ended.result.shown();
        let decided = self.about(state, event, ended.action).what(what);
        let decided = match result.pointer("/metadata/decision") {
            Some(decision) => decided.recorded(decision),
            None if ended.reason == "call_rule" => decided.layer("gate"),
            None => decided,
        };
        let by_person = matches!(ended.by, EndedBy::Person | EndedBy::Attested);
        let decided = if by_person { decided.by(&event.actor) } else { decided };
        if !decided.reason.is_empty() {
            self.all.push(decided);
            return;
        }
        let attested = ended.by == EndedBy::Attested;
        let reason = if attested { attested_by(event, result) } else { error_of(result) };
        self.all.push(decided.because(reason));
    }
}

fn permitted(decided: Decided, word: &Decided) -> Decided {
    decided.layer(&word.layer).rule(&word.rule).because(&word.what)
}

/// A standing approval spares the question. One from an earlier run stands for the rule that would have asked.
fn spared(decided: Decided, approval: &StandingApproval, ruling: &Ruling) -> Decided {
    let (by, what) = (approval.by.name(), &decided.what);
    let what = format!("{what}, by a standing approval of {by}");
    let decided = decided.what(what).ruled(ruling);
    // One that was granted in this run has no time of its own.
    if approval.at == Time(0) {
        return decided;
    }
    let at = timestamp::iso8601(approval.at.0.div_euclid(1_000));
    let reason = format!("granted at {at} in {}: {}", approval.run, ruling.reason);
    decided.layer("standing_approval").because(reason)
}

/// Why an attempt is made again.
fn again(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Failed { fault, .. } => ("retry", fault.message.clone()),
        Outcome::TimedOut { ms } => ("retry", format!("it gave no answer within {ms} ms")),
        Outcome::Lost { .. } => ("recovery", "its worker was lost, and to repeat it is safe".to_owned()),
        Outcome::NotStarted { code } => ("recovery", code.clone()),
        Outcome::Completed { .. }
        | Outcome::Stopped
        | Outcome::Stale { .. }
        | Outcome::Proposed { .. }
        | Outcome::Waits { .. }
        | Outcome::InputRequired { .. } => ("retry", String::new()),
    }
}

fn error_of(result: &Value) -> String {
    result.get("error").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Who said what came of a call in doubt, and why.
fn attested_by(event: &Event, result: &Value) -> String {
    let reason = result.pointer("/metadata/approval/reason").and_then(Value::as_str).unwrap_or_default();
    let by = event.actor.name();
    if reason.is_empty() { by.to_owned() } else { format!("{by}: {reason}") }
}

/// What is said of an action that ended without doing its work; none when it did, or its executor failed.
fn without_work(ended: &ActionEnded) -> Option<&'static str> {
    let (reason, completed) = (ended.reason.as_str(), ended.status == ActionEnd::Completed);
    match ended.by {
        EndedBy::Executor => match reason {
            "timed_out" | "in_doubt" => Some("stopped for its time"),
            "conflict" => Some("its changes were not made real"),
            _ => None,
        },
        EndedBy::Client | EndedBy::Child => None,
        EndedBy::Preparation => Some("could not be prepared"),
        EndedBy::Rule if reason == "call_rule" => Some("refused by the gate"),
        EndedBy::Rule => Some("forbidden"),
        EndedBy::Mediator if reason == "replaced" => Some("answered by the mediator"),
        EndedBy::Mediator => Some("refused by the mediator"),
        EndedBy::Person if reason == "in_doubt" => Some("in doubt"),
        EndedBy::Person if reason == "rejected" => Some("rejected"),
        // The answer to a question is a decision of its own, and stands there.
        EndedBy::Person => None,
        EndedBy::Attested => Some("happened, as a person says"),
        EndedBy::Clock if completed => None,
        EndedBy::Clock if matches!(reason, "timed_out" | "in_doubt") => Some("stopped for its time"),
        EndedBy::Clock => Some("expired"),
        EndedBy::Message if reason == "in_doubt" => Some("in doubt"),
        EndedBy::Message => Some("superseded"),
        EndedBy::Cancel if reason == "in_doubt" => Some("in doubt"),
        EndedBy::Cancel if reason == "revised" => Some("replaced"),
        EndedBy::Cancel => Some("cancelled"),
        EndedBy::Dependency => Some("not run for a dependency"),
        EndedBy::Condition => Some("not run for its condition"),
        EndedBy::Abort => Some("not run: another action failed"),
        // What had not begun when the run stopped was never looked at.
        EndedBy::Stop if reason == "left_out" => None,
        EndedBy::Stop => Some("cancelled"),
        EndedBy::Probe => Some("had happened, as its executor knows"),
        EndedBy::Engine => Some(by_engine(reason)),
    }
}

fn by_engine(reason: &str) -> &'static str {
    match reason {
        "lost" | "secrets_lost" => "lost",
        "ephemeral_interrupted" => "cancelled",
        "stale" | "too_many_inputs" => "given up",
        "no_budget_or_depth" => "not delegated",
        _ => "not run",
    }
}
