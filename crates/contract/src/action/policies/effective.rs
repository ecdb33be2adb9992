//! The thirteen policies of one layer, and what holds when nobody speaks.

use serde_json::Value;

use super::rule::Policy;
use super::{
    Allowed, BudgetPolicy, CODE, CancellationPolicy, ConflictResolution, DataVisibility, Layer, OutcomePart,
    PartialResults, PermissionPolicy, ProjectedField, Required, ResultGranularity, SchemaEvolution,
};
use crate::action::{Idempotency, SideEffect};
use crate::json::{self as read, Object};
use crate::{ContractError, Result};

/// Declares the policies once: field, type, and the default that holds when no layer speaks.
macro_rules! policies {
    ($($(#[$about:meta])* $field:ident: $kind:ty = $default:expr,)+) => {
        /// What one layer says; silence leaves the choice to the others.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct Policies {
            $($(#[$about])* pub $field: Option<$kind>,)+
        }

        /// What holds: the strictest of all layers, or the default.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Effective {
            $($(#[$about])* pub $field: $kind,)+
        }

        impl Default for Effective {
            fn default() -> Self {
                Policies::default().into()
            }
        }

        impl From<Policies> for Effective {
            fn from(said: Policies) -> Self {
                Self { $($field: said.$field.unwrap_or_else(|| $default),)+ }
            }
        }

        impl Effective {
            /// The wire form: every policy with the value that holds.
            pub fn to_value(&self) -> Value {
                let mut wire = Object::new();
                $(wire.insert(stringify!($field).to_owned(), self.$field.wire());)+
                Value::Object(wire)
            }
        }

        impl Policies {
            /// The wire names, in the order they are shown.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field),)+];

            /// Reads `{<policy>: <value>}`; unknown policies and unknown words are refused.
            pub fn parse(value: &Value) -> Result<Self> {
                let Some(raw) = value.as_object() else {
                    return Err(ContractError::field(CODE, "policies", "must be an object"));
                };
                read::only_keys(CODE, "policies", raw, Self::FIELDS)?;
                Ok(Self {
                    $($field: read_policy(raw, stringify!($field))?,)+
                })
            }

            /// The wire form: what was said and nothing else.
            pub fn to_value(&self) -> Value {
                let mut wire = Object::new();
                $(if let Some(policy) = &self.$field {
                    wire.insert(stringify!($field).to_owned(), policy.wire());
                })+
                Value::Object(wire)
            }

            /// Adds what a layer says; returns the names of the policies it made stricter.
            pub(super) fn tighten(&mut self, said: &Self) -> Vec<&'static str> {
                let mut changed = Vec::new();
                $(if tighten(&mut self.$field, &said.$field) {
                    changed.push(stringify!($field));
                })+
                changed
            }
        }
    };
}

policies! {
    /// Whether the action may start without a person's yes.
    permission_policy: PermissionPolicy = PermissionPolicy::Allow,
    /// What may be spent.
    budget_policy: BudgetPolicy = BudgetPolicy::default(),
    /// What a cancel does to what has been started.
    cancellation_policy: CancellationPolicy = CancellationPolicy::Stop,
    /// Whether doing it again is safe.
    idempotency: Idempotency = Idempotency::None,
    /// The effects it may have.
    side_effects: Allowed<SideEffect> = Allowed::all(),
    /// Who may see the result.
    data_visibility: DataVisibility = DataVisibility::default(),
    /// The parts of the outcome that never return to the model.
    privacy: Required<OutcomePart> = Required::default(),
    /// What happens when two writers meet.
    conflict_resolution: ConflictResolution = ConflictResolution::Serialise,
    /// How newer declarations are read.
    schema_evolution: SchemaEvolution = SchemaEvolution::KeepUnknownFields,
    /// What is returned when not everything ended well.
    partial_results: PartialResults = PartialResults::EverythingEnded,
    /// The effects a person is asked about first.
    approval_gates: Required<SideEffect> = Required::default(),
    /// The finest result the model may get.
    result_granularity: ResultGranularity = ResultGranularity::Full,
    /// The fields a user interface may show.
    ui_projection: Allowed<ProjectedField> = Allowed::all(),
}

impl Policies {
    /// Whether nothing was said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Merges the layers; the result names the layer that decided each policy.
    pub fn merge<'a>(layers: impl IntoIterator<Item = (Layer, &'a Self)>) -> super::Merged {
        super::Merged::of(layers)
    }
}

fn read_policy<P: Policy>(raw: &Object, field: &str) -> Result<Option<P>> {
    read::present(raw, field).map(|value| P::read(&format!("policies.{field}"), value)).transpose()
}

/// Keeps the stricter of both; whether that changed anything.
fn tighten<P: Policy>(held: &mut Option<P>, said: &Option<P>) -> bool {
    let Some(said) = said.clone() else { return false };
    let stricter = match held.clone() {
        None => said,
        Some(before) => before.strictest(said),
    };
    let changed = held.as_ref() != Some(&stricter);
    *held = Some(stricter);
    changed
}
