//! Walks an input: finds its `$ref` and `$literal` objects with their places, and replaces them.

use serde_json::Value;

use super::{CODE, InputRef};
use crate::json::Object;
use crate::{ContractError, Result};

pub(super) const REF: &str = "$ref";
pub(super) const LITERAL: &str = "$literal";

/// An object with a meaning of its own.
pub(super) enum Special<'a> {
    Reference(Result<InputRef>),
    Literal(Result<&'a Value>),
}

impl<'a> Special<'a> {
    pub(super) fn of(object: &'a Object) -> Option<Self> {
        let alone = |key: &str| {
            let reason = format!(
                "an object with {key} has no other keys; to pass it as it is, write {{\"{LITERAL}\": …}} around it"
            );
            if object.len() == 1 { Ok(()) } else { Err(ContractError::whole(CODE, &reason)) }
        };
        if let Some(reference) = object.get(REF) {
            return Some(Self::Reference(alone(REF).and_then(|()| read_reference(reference))));
        }
        let content = object.get(LITERAL)?;
        Some(Self::Literal(alone(LITERAL).map(|()| content)))
    }
}

fn read_reference(value: &Value) -> Result<InputRef> {
    match value.as_str() {
        Some(text) => InputRef::parse(text),
        None => {
            let reason = format!("{REF} must be the text of a reference, such as action:<id>.output");
            Err(ContractError::whole(CODE, &reason))
        }
    }
}

/// The way from an input to one of its values.
#[derive(Default)]
pub(super) struct Path<'a>(Vec<Step<'a>>);

enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl<'a> Path<'a> {
    fn within<T>(&mut self, step: Step<'a>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.0.push(step);
        let result = work(self);
        self.0.pop();
        result
    }

    /// The way as a JSON pointer.
    pub(super) fn pointer(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            text.push('/');
            match step {
                Step::Key(key) => text.push_str(&key.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => text.push_str(&index.to_string()),
            }
        }
        text
    }
}

/// Visits the special objects of an object, in order.
pub(super) fn visit_object<'a>(
    object: &'a Object,
    path: &mut Path<'a>,
    found: &mut impl FnMut(&Path<'a>, Special<'a>),
) {
    if let Some(special) = Special::of(object) {
        return found(path, special);
    }
    for (key, value) in object {
        path.within(Step::Key(key), |path| visit(value, path, found));
    }
}

fn visit<'a>(value: &'a Value, path: &mut Path<'a>, found: &mut impl FnMut(&Path<'a>, Special<'a>)) {
    match value {
        Value::Object(object) => visit_object(object, path, found),
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                path.within(Step::Index(index), |path| visit(item, path, found));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Copies an object with another value for each of its special objects.
pub(super) fn rebuild_object<'a, E>(
    object: &'a Object,
    path: &mut Path<'a>,
    replace: &mut impl FnMut(&Path<'a>, Special<'a>) -> std::result::Result<Value, E>,
) -> std::result::Result<Value, E> {
    if let Some(special) = Special::of(object) {
        return replace(path, special);
    }
    let mut rebuilt = Object::new();
    for (key, value) in object {
        let value = path.within(Step::Key(key), |path| rebuild(value, path, replace))?;
        rebuilt.insert(key.clone(), value);
    }
    Ok(Value::Object(rebuilt))
}

fn rebuild<'a, E>(
    value: &'a Value,
    path: &mut Path<'a>,
    replace: &mut impl FnMut(&Path<'a>, Special<'a>) -> std::result::Result<Value, E>,
) -> std::result::Result<Value, E> {
    match value {
        Value::Object(object) => rebuild_object(object, path, replace),
        Value::Array(items) => {
            let item = |(index, item)| path.within(Step::Index(index), |path| rebuild(item, path, replace));
            items.iter().enumerate().map(item).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value.clone()),
    }
}
