//! Bindings: parameters the host fills from the context of a run.

use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use super::CODE;
use crate::json::{self, Object};
use crate::{ContractError, Result};

const CLIENT_CONTEXT: &str = "client_context_bindings";
const PARAMETER: &str = "parameter_bindings";
const BINDING_KEYS: [&str; 5] = ["source", "path", "sensitive", "default", "authoritative"];

/// Where in the context of a run a bound value is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum BindingSource {
    /// From the root of the context.
    Context,
    /// Under `client_context`.
    ClientContext,
    /// Under `caller_context`.
    CallerContext,
    /// Under `runtime_context`.
    RuntimeContext,
}

/// How one parameter is filled from the context.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    source: BindingSource,
    path: String,
    sensitive: bool,
    default: Option<Value>,
    authoritative: bool,
}

impl Binding {
    /// The value found in the context; none when a step of the path is missing.
    pub fn find<'a>(&self, context: &'a Object) -> Option<&'a Value> {
        if self.path.split('.').any(str::is_empty) {
            return None;
        }
        let root = match self.source {
            BindingSource::Context => context,
            BindingSource::ClientContext | BindingSource::CallerContext | BindingSource::RuntimeContext => {
                json::object(context, self.source.into())?
            }
        };
        let mut segments = self.path.split('.');
        let first = root.get(segments.next()?)?;
        segments.try_fold(first, |place, segment| place.get(segment))
    }

    /// What stands in when nothing is found.
    pub fn default(&self) -> Option<&Value> {
        self.default.as_ref()
    }

    /// Whether the host alone decides this parameter: a caller can neither set nor see it.
    pub fn is_authoritative(&self) -> bool {
        self.authoritative
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        let mut wire = json!({ "source": self.source, "path": self.path });
        if let Some(map) = wire.as_object_mut() {
            let flags = [("sensitive", self.sensitive), ("authoritative", self.authoritative)];
            for (key, _) in flags.into_iter().filter(|(_, set)| *set) {
                map.insert(key.into(), true.into());
            }
            if let Some(default) = &self.default {
                map.insert("default".into(), default.clone());
            }
        }
        wire
    }

    fn in_context(source: BindingSource, path: &str) -> Option<Self> {
        let path = Some(path.trim()).filter(|path| !path.is_empty())?.to_owned();
        Some(Self { source, path, sensitive: false, default: None, authoritative: false })
    }

    /// Reads `"source.path"` or an object with the binding's keys and no others.
    fn parse(value: &Value) -> Option<Self> {
        if let Some(compact) = value.as_str() {
            let (source, path) = compact.split_once('.')?;
            return Self::in_context(source.parse().ok()?, path);
        }
        let raw = value.as_object()?;
        if raw.keys().any(|key| !BINDING_KEYS.contains(&key.as_str())) {
            return None;
        }
        let source = json::text(raw, "source")?.parse().ok()?;
        let binding = Self::in_context(source, json::text(raw, "path")?)?;
        Some(Self {
            sensitive: flag(raw, "sensitive")?,
            authoritative: flag(raw, "authoritative")?,
            default: raw.get("default").cloned(),
            ..binding
        })
    }
}

/// A missing flag is off; anything but a boolean is malformed.
fn flag(raw: &Object, key: &str) -> Option<bool> {
    json::present(raw, key).map_or(Some(false), Value::as_bool)
}

/// The bindings of a tool by parameter, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings(Vec<(String, Binding)>);

impl Bindings {
    /// Reads `client_context_bindings` and `parameter_bindings` of a declaration; the latter wins. The
    /// defaults are as declared: [`super::ParameterRules`] hides those that must not be shown.
    pub fn parse(declaration: &Object) -> Result<Self> {
        let mut bindings = Self::default();
        if let Some(raw) = declaration.get(CLIENT_CONTEXT) {
            bindings.add_client_context(raw).ok_or_else(|| refused(CLIENT_CONTEXT))?;
        }
        if let Some(raw) = json::present(declaration, PARAMETER) {
            bindings.add_declared(raw).ok_or_else(|| refused(PARAMETER))?;
        }
        Ok(bindings)
    }

    /// The parameters and their bindings.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Binding)> {
        self.0.iter().map(|(parameter, binding)| (parameter.as_str(), binding))
    }

    /// Whether the host alone decides this parameter.
    pub fn is_authoritative(&self, parameter: &str) -> bool {
        self.iter().any(|(name, binding)| name == parameter && binding.authoritative)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The wire form.
    pub fn to_value(&self) -> Value {
        self.iter().map(|(parameter, binding)| (parameter.to_owned(), binding.to_value())).collect()
    }

    /// Rewrites every default.
    pub(super) fn map_defaults(&mut self, rewrite: impl Fn(&str, &Value) -> Value) {
        for (parameter, binding) in &mut self.0 {
            binding.default = binding.default.take().map(|default| rewrite(parameter, &default));
        }
    }

    /// A list of names binds each to the context value of that name; an object maps names to paths.
    fn add_client_context(&mut self, raw: &Value) -> Option<()> {
        match raw {
            Value::Array(names) => names.iter().try_for_each(|name| self.add_context(name.as_str()?, name)),
            Value::Object(map) => map.iter().try_for_each(|(name, path)| self.add_context(name, path)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    fn add_context(&mut self, parameter: &str, path: &Value) -> Option<()> {
        self.add(parameter, Binding::in_context(BindingSource::Context, path.as_str()?)?)
    }

    fn add_declared(&mut self, raw: &Value) -> Option<()> {
        let map = json::object_from(raw)?;
        map.iter().try_for_each(|(parameter, binding)| self.add(parameter, Binding::parse(binding)?))
    }

    fn add(&mut self, parameter: &str, binding: Binding) -> Option<()> {
        let parameter = Some(parameter.trim()).filter(|name| !name.is_empty())?;
        self.0.retain(|(known, _)| known != parameter);
        self.0.push((parameter.to_owned(), binding));
        Some(())
    }
}

fn refused(field: &'static str) -> ContractError {
    ContractError::fields(CODE, vec![field.to_owned()])
}
