//! How the parameters of a tool are filled, checked and shown: one reading of a declaration, asked many things.

use super::model_schema::model_schema;
use super::required::required_names;
use super::schema::ParameterSchema;
use super::{Bindings, Defaults, RedactedParameters, RequiredCheck, required};
use crate::json::Object;
use crate::sensitivity;

/// What a declaration says about the parameters of its tool. Holds no sensitive default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParameterRules {
    schema: ParameterSchema,
    /// The names of the parameters that must be there.
    required: Vec<String>,
    bindings: Bindings,
    defaults: Defaults,
}

impl ParameterRules {
    /// Reads a declaration that need not be complete. Bindings fail closed: one that is malformed
    /// disables all of them, and so it is with defaults. What is sensitive stays so even then.
    pub fn read(declaration: &Object) -> Self {
        let schema = ParameterSchema::read(declaration);
        let mut bindings = Bindings::parse(declaration).unwrap_or_default();
        let mut defaults = Defaults::parse(declaration).unwrap_or_default();
        bindings.map_defaults(|parameter, value| schema.shown(parameter, value));
        defaults.map(|parameter, value| schema.shown(parameter, value));
        let required = schema.declared().map(required_names).unwrap_or_default();
        Self { schema, required, bindings, defaults }
    }

    /// The parameters an executor gets; later wins: defaults, bindings, the caller, authoritative
    /// bindings. Context reaches a parameter through a declared binding only.
    pub fn build(&self, caller: &Object, context: &Object) -> Object {
        let mut built: Object = self.defaults.known().collect();
        for (parameter, binding) in self.bindings.iter().filter(|(_, binding)| !binding.is_authoritative()) {
            let bound = match binding.find(context) {
                Some(found) => {
                    Some(found.clone()).filter(|value| !value.is_null() && value.as_str() != Some(""))
                }
                None => binding.default().and_then(sensitivity::without_redacted),
            };
            built.extend(bound.map(|value| (parameter.to_owned(), value)));
        }
        if built.is_empty() {
            built = caller.clone();
        } else {
            built.extend(caller.clone());
        }
        for (parameter, binding) in self.bindings.iter().filter(|(_, binding)| binding.is_authoritative()) {
            let own_default = || binding.default().and_then(sensitivity::without_redacted);
            let decided =
                binding.find(context).cloned().or_else(own_default).or_else(|| self.defaults.get(parameter));
            // Without a value of the host's own the caller's must not stand in for it.
            built.remove(parameter);
            built.extend(decided.map(|value| (parameter.to_owned(), value)));
        }
        built
    }

    /// Which required parameters are missing from built parameters.
    pub fn check_required(&self, parameters: &Object) -> RequiredCheck {
        RequiredCheck::of(&self.required, parameters)
    }

    /// The required parameters that are missing from built parameters, and nothing else.
    pub fn missing(&self, parameters: &Object) -> Vec<&str> {
        required::missing(&self.required, parameters).collect()
    }

    /// The schema as declared; empty when there is none.
    pub fn schema(&self) -> Object {
        self.schema.declared().cloned().unwrap_or_default()
    }

    /// The schema a model may see: without the parameters the host alone decides.
    pub fn model_schema(&self) -> Object {
        model_schema(&self.schema(), &self.bindings)
    }

    /// The parameters as anybody may see them.
    pub fn redact(&self, parameters: &Object) -> RedactedParameters {
        RedactedParameters::of(&self.schema, parameters)
    }

    /// Every path declared as sensitive, sorted; names that are sensitive by themselves are not listed.
    pub fn sensitive_paths(&self) -> Vec<String> {
        self.schema.sensitive_paths()
    }

    /// The bindings, their sensitive defaults hidden.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// The defaults, sensitive ones hidden.
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }
}
