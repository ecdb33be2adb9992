//! A walk over the schema of a tool: where its marks are, and which of its nodes describe hidden values.

use std::collections::HashSet;

use serde_json::Value;

use super::schema::{ANY, ParameterSchema, Step, View};
use crate::json::Object;
use crate::sensitivity;

/// Keywords that hold example values of what the schema describes.
const VALUES: [&str; 3] = ["default", "example", "examples"];
/// Keywords whose members are names rather than keywords.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// How many places are visited, and how deep. References can unfold a small schema without end.
const PLACES_MAX: usize = 5_000;
const DEPTH_MAX: usize = 64;

/// What a walk over a schema found.
#[derive(Default)]
struct Survey {
    /// The paths of marked values.
    paths: Vec<String>,
    /// The nodes that describe hidden values, by address.
    hidden: HashSet<*const Object>,
    /// The nodes between the root and here, each with whether it was met inside a hidden value.
    trail: HashSet<(*const Object, bool)>,
    places: usize,
    depth: usize,
    /// Whether the walk had to stop early.
    cut_short: bool,
}

impl ParameterSchema {
    /// Every declared sensitive path, sorted: those listed, those of bindings, those marked in the schema.
    pub(super) fn sensitive_paths(&self) -> Vec<String> {
        let mut paths = self.survey().paths;
        paths.extend_from_slice(self.listed_paths());
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    /// The schema without defaults and examples of hidden values. They are removed and not replaced: a
    /// model would take the replacement for a value.
    pub(super) fn without_hidden_values(&self, root: &Object) -> Object {
        let survey = self.survey();
        // Of a schema too large to be walked no example value is kept.
        survey.cleaned(root, self.root().hides_all() || survey.cut_short)
    }

    fn survey(&self) -> Survey {
        let mut survey = Survey::default();
        survey.visit(self, &self.root(), "", false);
        survey
    }
}

impl Survey {
    fn visit(&mut self, schema: &ParameterSchema, view: &View<'_>, path: &str, hidden: bool) {
        if self.places >= PLACES_MAX || self.depth >= DEPTH_MAX {
            self.cut_short = true;
            return;
        }
        let places = view.nodes.iter().map(|node| (std::ptr::from_ref(*node), hidden));
        let entered: Vec<_> = places.filter(|place| self.trail.insert(*place)).collect();
        self.depth += 1;
        for name in schema.names(view).into_iter().chain([ANY]) {
            if self.cut_short {
                break;
            }
            self.enter(schema, &schema.member(view, name), &below(path, name), hidden);
        }
        self.enter(schema, &schema.item(view, ANY), &below(path, ANY), hidden);
        self.depth -= 1;
        for place in entered {
            self.trail.remove(&place);
        }
    }

    fn enter(&mut self, schema: &ParameterSchema, step: &Step<'_>, path: &str, in_hidden: bool) {
        if step.view.nodes.is_empty() {
            return;
        }
        self.places += 1;
        let hidden = in_hidden || step.is_hidden();
        if step.by_mark {
            self.paths.push(path.to_owned());
        }
        let mut places = step.view.nodes.iter().map(|node| (std::ptr::from_ref(*node), hidden));
        if hidden {
            self.hidden.extend(places.clone().map(|(node, _)| node));
        }
        let in_a_circle = places.all(|place| self.trail.contains(&place));
        if !in_a_circle {
            self.visit(schema, &step.view, path, hidden);
        }
    }

    fn cleaned(&self, node: &Object, hidden: bool) -> Object {
        let hidden = hidden || self.hidden.contains(&std::ptr::from_ref(node));
        let clean = |(keyword, value): (&String, &Value)| {
            let value = if VALUES.contains(&keyword.as_str()) {
                sensitivity::without_redacted(&sensitivity::redact_names(value)).filter(|_| !hidden)?
            } else if NAMED.contains(&keyword.as_str()) {
                self.cleaned_members(value, hidden)
            } else {
                self.cleaned_value(value, hidden)
            };
            Some((keyword.clone(), value))
        };
        node.iter().filter_map(clean).collect()
    }

    fn cleaned_value(&self, value: &Value, hidden: bool) -> Value {
        match value {
            Value::Object(node) => Value::Object(self.cleaned(node, hidden)),
            Value::Array(items) => items.iter().map(|item| self.cleaned_value(item, hidden)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
        }
    }

    fn cleaned_members(&self, value: &Value, hidden: bool) -> Value {
        let Value::Object(members) = value else { return self.cleaned_value(value, hidden) };
        members.iter().map(|(name, value)| (name.clone(), self.cleaned_value(value, hidden))).collect()
    }
}

fn below(path: &str, segment: &str) -> String {
    if path.is_empty() { segment.to_owned() } else { format!("{path}.{segment}") }
}
