//! Accepted messages.

use provost_contract::Action;
use provost_contract::json::Object;
use provost_contract::policies::Merged;
use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::read::forms::{Decision, Envelope, ReportSpec};
use crate::{Turn, Violation, merged_policies};

/// How a message carried its declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Carrier {
    /// One native call of the carrier tool.
    ToolCall,
    /// One fenced block.
    FencedBlock,
    /// Native calls of tools, recovered.
    RecoveredToolCall,
    /// A tool call written as text, recovered.
    RecoveredText,
    /// None: the message is only text.
    None,
}

/// The actions of a plan. They can be shown and counted, but never become actions of a run.
///
/// The actions of a declaration can be taken out of it:
///
/// ```
/// use provost_contract::Action;
/// use provost_protocol::Content;
/// fn actions(content: Content) -> Option<Vec<Action>> {
///     if let Content::Act(actions) = content { Some(actions) } else { None }
/// }
/// ```
///
/// The same with a plan does not compile:
///
/// ```compile_fail
/// use provost_contract::Action;
/// use provost_protocol::Content;
/// fn actions(content: Content) -> Option<Vec<Action>> {
///     if let Content::Plan(actions) = content { Some(actions) } else { None }
/// }
/// ```
///
/// Neither does a way around it through the field:
///
/// ```compile_fail
/// fn actions(plan: provost_protocol::PlanPreview) -> usize {
///     plan.0.len()
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PlanPreview(pub(crate) Vec<Action>);

impl PlanPreview {
    /// Returns the number of actions.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the plan has no action.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the wire forms of the actions.
    pub fn to_values(&self) -> Vec<Value> {
        self.0.iter().map(Action::to_value).collect()
    }
}

/// The content of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Text for the user, outside the protocol.
    Plain,
    /// An answer for the user.
    Answer,
    /// The turn is done.
    Done,
    /// Actions to execute.
    Act(Vec<Action>),
    /// Actions that are only shown. None of them runs.
    Plan(PlanPreview),
    /// Actions that replace the rest of an existing run.
    Revise {
        /// The run.
        run_id: String,
        /// The actions.
        actions: Vec<Action>,
    },
    /// A decision about a blocked or failed action.
    Decision(Decision),
    /// Cancels a run.
    Cancel {
        /// The run.
        run_id: String,
        /// The reason.
        reason: Option<String>,
    },
    /// A report to write.
    Report(ReportSpec),
}

impl Content {
    /// Returns the wire name.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Answer => "answer",
            Self::Done => "done",
            Self::Act(_) => "act",
            Self::Plan(_) => "plan",
            Self::Revise { .. } => "revise",
            Self::Decision(_) => "decision",
            Self::Cancel { .. } => "cancel",
            Self::Report(_) => "report",
        }
    }

    /// Returns the actions to execute. A plan has none.
    pub fn actions(&self) -> &[Action] {
        match self {
            Self::Act(actions) | Self::Revise { actions, .. } => actions,
            Self::Plan(_)
            | Self::Plain
            | Self::Answer
            | Self::Done
            | Self::Decision(_)
            | Self::Cancel { .. }
            | Self::Report(_) => &[],
        }
    }

    /// Returns the declared actions, including those of a plan.
    pub(crate) fn declared(&self) -> &[Action] {
        if let Self::Plan(preview) = self { &preview.0 } else { self.actions() }
    }

    /// Returns the fields that concern an existing run: `{run_id, …}`.
    fn control(&self) -> Option<Value> {
        match self {
            Self::Revise { run_id, .. } => Some(json!({ "run_id": run_id })),
            Self::Cancel { run_id, reason } => Some(json!({ "run_id": run_id, "reason": reason })),
            Self::Decision(decision) => Some(decision.to_value()),
            Self::Plain | Self::Answer | Self::Done | Self::Act(_) | Self::Plan(_) | Self::Report(_) => None,
        }
    }
}

/// An accepted message.
#[derive(Clone, Debug, PartialEq)]
pub struct Accepted {
    /// How it was carried.
    pub carrier: Carrier,
    /// The content.
    pub content: Content,
    /// The text that the user reads.
    pub message: Option<String>,
    /// The note for the user while it runs.
    pub user_visible: Option<String>,
    /// The envelope of a full declaration; the flat form has none.
    pub envelope: Option<Envelope>,
    /// The departures from the protocol.
    pub violations: Vec<Violation>,
}

impl Accepted {
    pub(crate) fn new(carrier: Carrier, content: Content) -> Self {
        Self { carrier, content, message: None, user_visible: None, envelope: None, violations: Vec::new() }
    }

    /// Returns the policies of one of its actions, with the layer that decided each.
    pub fn merged_policies(&self, action: &Action, turn: &Turn<'_>) -> Merged {
        merged_policies(action, self.envelope.as_ref(), turn)
    }

    /// Returns whether the message had to be repaired or recovered.
    pub fn recovered(&self) -> bool {
        let by_carrier = match self.carrier {
            Carrier::RecoveredToolCall | Carrier::RecoveredText => true,
            Carrier::ToolCall | Carrier::FencedBlock | Carrier::None => false,
        };
        by_carrier || self.violations.iter().any(Violation::is_repair)
    }

    /// Returns the wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({
            "carrier": self.carrier,
            "kind": self.content.kind(),
            "message": self.message,
            "user_visible": self.user_visible,
            "actions": self.content.declared().iter().map(Action::to_value).collect::<Value>(),
            "violations": self.violations.iter().map(ToString::to_string).collect::<Value>(),
            "recovered": self.recovered(),
        });
        if let Some(map) = wire.as_object_mut() {
            self.write_optional(map);
        }
        wire
    }

    fn write_optional(&self, wire: &mut Object) {
        if let Some(envelope) = &self.envelope {
            wire.insert("declaration".into(), envelope.to_value());
        }
        if let Some(control) = self.content.control() {
            wire.insert("control".into(), control);
        }
        if let Content::Report(report) = &self.content {
            wire.insert("report".into(), report.to_value());
        }
    }
}
