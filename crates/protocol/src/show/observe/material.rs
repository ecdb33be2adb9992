//! The parts of an outcome that privacy permits, redacted and escaped.

use provost_contract::action::{ActionStatus, Outcome, OutcomeReason, SummaryLevel};
use provost_contract::policies::OutcomePart;
use serde_json::Value;

use super::Privacy;
use crate::show::render::{neutral, neutral_json};

/// Text or JSON from the executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    None,
    Text(String),
    /// JSON, formatted over several lines.
    Json(String),
}

impl Output {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::None => "",
            Self::Text(text) | Self::Json(text) => text,
        }
    }
}

/// The parts of an outcome that may be shown.
#[derive(Clone, Debug)]
pub(super) struct Material {
    pub(super) output: Output,
    /// The best summary, and its source.
    pub(super) summary: Option<(String, SummaryLevel)>,
    /// Why it did not complete; always present in that case.
    pub(super) reason: Option<String>,
    pub(super) excerpts: Vec<String>,
}

impl Material {
    pub(super) fn of(outcome: &Outcome, privacy: &Privacy) -> Self {
        let shown = |part| !privacy.withheld.requires(&part);
        let clean = |text: &str| neutral(&privacy.secrets.redacted(text)).into_owned();
        let output = match &outcome.output {
            Value::Null => Output::None,
            Value::String(text) => Output::Text(clean(text)),
            value @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                Output::Json(written(value, privacy))
            }
        };
        let output = if shown(OutcomePart::Output) { output } else { Output::None };
        let native = Some(&outcome.native_summary).filter(|facts| !facts.is_null());
        let summary = [
            (outcome.summary.as_deref().map(clean), SummaryLevel::Executor),
            (native.map(|facts| written(facts, privacy)), SummaryLevel::ToolNative),
            (outcome.condensed.as_deref().map(clean), SummaryLevel::Summariser),
        ];
        let summary = summary.into_iter().filter_map(|(text, level)| Some((text?, level)));
        let error = outcome.error.as_deref().filter(|_| shown(OutcomePart::Error)).map(clean);
        Self {
            output,
            summary: summary
                .filter(|_| shown(OutcomePart::Summary))
                .find(|(text, _)| !text.trim().is_empty()),
            reason: error.filter(|error| !error.trim().is_empty()).or_else(|| mechanical_reason(outcome)),
            excerpts: match shown(OutcomePart::Excerpts) {
                true => outcome.excerpts.iter().map(|text| clean(text)).collect(),
                false => Vec::new(),
            },
        }
    }
}

/// Returns a JSON value as text, redacted before and after it is quoted.
fn written(value: &Value, privacy: &Privacy) -> String {
    let clean = privacy.secrets.redacted_value(value);
    let text = match clean.as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(&clean).unwrap_or_default(),
    };
    neutral_json(&privacy.secrets.redacted(&text)).into_owned()
}

/// Returns the runtime's own reason for an ending without an explanation.
fn mechanical_reason(outcome: &Outcome) -> Option<String> {
    let known = match outcome.reason {
        Some(OutcomeReason::DependencyNotCompleted) => Some("a dependency did not complete"),
        Some(OutcomeReason::Denied) => Some("a policy or a person said no"),
        Some(OutcomeReason::InDoubt) => {
            Some("in doubt: it was started and how it ended is unknown; it may have taken effect")
        }
        Some(OutcomeReason::ConditionNotMet) => Some("its condition did not hold"),
        Some(OutcomeReason::Aborted) => Some("another action failed and aborted the run"),
        Some(OutcomeReason::CanceledByUser) => Some("canceled by the user"),
        Some(OutcomeReason::RoundsExhausted) => Some("its last round ended before its goal was reached"),
        Some(OutcomeReason::Skipped) => Some("a decision left it out"),
        None => None,
    };
    match outcome.status() {
        ActionStatus::Failed | ActionStatus::Blocked | ActionStatus::Canceled => {
            Some(known.unwrap_or("no reason was given").to_owned())
        }
        ActionStatus::Pending | ActionStatus::Running | ActionStatus::Waiting | ActionStatus::Completed => {
            None
        }
    }
}
