//! Applies the result policy: which parts of the material make the content.

use provost_contract::action::{ActionStatus, ContentFormat, ReturnToModel, SummaryLevel};
use provost_contract::policies::ResultGranularity;

use super::material::{Material, Output};
use super::prioritise::prioritised;
use super::view::View;

/// The selected content, before truncation.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    pub(super) format: ContentFormat,
    pub(super) level: Option<SummaryLevel>,
    /// Whether requested content was already omitted.
    pub(super) left_out: bool,
}

impl Body {
    fn text(parts: impl IntoIterator<Item = String>) -> Self {
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
        Self { text: parts.join("\n\n"), ..Self::default() }
    }
}

/// Applies the policy, limited by the granularity.
pub(super) fn shape(view: &View<'_>, material: &Material) -> Body {
    let status = view.outcome.status();
    match capped(view.policy.return_to_model, view.privacy.granularity, status) {
        ReturnToModel::None => Body::default(),
        ReturnToModel::OnFailure if !ended_badly(status) => Body::default(),
        ReturnToModel::Summary | ReturnToModel::OnDemand => summary(material),
        ReturnToModel::Structured => structured(view, material),
        ReturnToModel::Excerpt => excerpts(material),
        ReturnToModel::Full | ReturnToModel::OnFailure => whole(material),
        ReturnToModel::Adaptive => adaptive(view, material),
    }
}

/// Returns the policy limited to the permitted granularity.
fn capped(wish: ReturnToModel, finest: ResultGranularity, status: ActionStatus) -> ReturnToModel {
    let wished = match wish {
        ReturnToModel::None => ResultGranularity::None,
        ReturnToModel::OnFailure if !ended_badly(status) => ResultGranularity::None,
        ReturnToModel::Summary | ReturnToModel::OnDemand => ResultGranularity::Summary,
        ReturnToModel::Structured => ResultGranularity::Structured,
        ReturnToModel::Excerpt => ResultGranularity::Excerpt,
        ReturnToModel::Full | ReturnToModel::OnFailure | ReturnToModel::Adaptive => ResultGranularity::Full,
    };
    if wished >= finest {
        return wish;
    }
    match finest {
        ResultGranularity::Full => wish,
        ResultGranularity::Excerpt => ReturnToModel::Excerpt,
        ResultGranularity::Structured => ReturnToModel::Structured,
        ResultGranularity::Summary => ReturnToModel::Summary,
        ResultGranularity::None => ReturnToModel::None,
    }
}

fn ended_badly(status: ActionStatus) -> bool {
    match status {
        ActionStatus::Failed | ActionStatus::Blocked | ActionStatus::Canceled => true,
        ActionStatus::Pending | ActionStatus::Running | ActionStatus::Waiting | ActionStatus::Completed => {
            false
        }
    }
}

/// The reason comes first, so that truncation never removes it; then the summary. Without either, the output
/// is shown.
fn summary(material: &Material) -> Body {
    if let Some((text, level)) = &material.summary {
        let body = Body::text(material.reason.iter().chain([text]).cloned());
        return Body { level: Some(*level), ..body };
    }
    if material.reason.is_some() {
        return Body { level: Some(SummaryLevel::Mechanical), ..Body::text(material.reason.clone()) };
    }
    Body { level: Some(SummaryLevel::Executor), ..Body::text([material.output.text().to_owned()]) }
}

fn structured(view: &View<'_>, material: &Material) -> Body {
    let Output::Json(json) = &material.output else { return summary(material) };
    if material.reason.is_some() {
        return Body::text(material.reason.iter().chain([json]).cloned());
    }
    let fits = view.counter.fits(json, view.tokens());
    // Half an object is misleading; a summary is not.
    if !fits && material.summary.is_some() {
        return Body { left_out: true, ..summary(material) };
    }
    Body { text: json.clone(), format: ContentFormat::Json, ..Body::default() }
}

fn excerpts(material: &Material) -> Body {
    if material.excerpts.is_empty() {
        return summary(material);
    }
    Body::text(material.reason.iter().chain([&material.excerpts.join("\n")]).cloned())
}

fn whole(material: &Material) -> Body {
    match (&material.output, &material.reason) {
        (Output::Json(json), None) => {
            Body { text: json.clone(), format: ContentFormat::Json, ..Body::default() }
        }
        (output, reason) => Body::text(reason.iter().cloned().chain([output.text().to_owned()])),
    }
}

/// Everything if it fits; else the priorities, then the summary, within the budget.
fn adaptive(view: &View<'_>, material: &Material) -> Body {
    let all = whole(material);
    if view.counter.fits(&all.text, view.tokens()) {
        return all;
    }
    let lines = prioritised(material, &view.policy.priority).join("\n");
    let short = material.summary.as_ref().map(|(text, _)| text.clone());
    let level = material.summary.as_ref().map(|(_, level)| *level);
    if lines.is_empty() && short.is_none() {
        return Body { left_out: true, level: Some(SummaryLevel::Mechanical), ..all };
    }
    let level = if lines.is_empty() { level } else { Some(SummaryLevel::Mechanical) };
    let parts = material.reason.iter().cloned().chain([lines]).chain(short);
    Body { left_out: true, level, ..Body::text(parts) }
}
