//! The operations of the runtime itself: merge, summarize, checkpoint, expand_ref, report. They work on results that
//! are stored, change nothing, and may be repeated.

use provost_contract::json;
use provost_contract::tool::{RuntimeMetadata, ToolResult};
use provost_engine::event::Outcome;
use provost_engine::{Fault, Payload};
use serde_json::{Map, Value, json};

use crate::actor::{Selection, Source, Work};

/// How many characters a mechanical summary shows of each source.
const SOURCE_CHARS: usize = 600;

/// Carries out an operation of the runtime.
pub(in crate::host) fn operate(work: &Work) -> Outcome {
    let done = match work.spec.executor.target.as_str() {
        "merge" => merge(&work.sources),
        "summarize" => summarize(&work.sources),
        "checkpoint" => Ok(json!({ "run": work.context.spec.run, "action": work.spec.id })),
        "expand_ref" => expand(work),
        provost_engine::state::REPORT => report(work),
        other => Err(Fault::new("unknown_operation", format!("the runtime has no operation {other}"))),
    };
    let name = &work.spec.operation;
    let wire = match &done {
        Ok(value) => ToolResult::success(name, value.clone(), Map::new(), RuntimeMetadata::default()),
        Err(fault) => {
            let metadata = json::into_object(json!({ "error_type": fault.code }));
            ToolResult::failure(name, &fault.message, metadata, RuntimeMetadata::default())
        }
    };
    let result = Payload::inline(wire.map(|result| result.to_object()).unwrap_or_default());
    match done {
        Ok(value) => {
            let until = work.spec.repeat.as_ref().and_then(|repeat| repeat.until.as_ref());
            let goal = until.is_none_or(|until| until.holds_for(&value));
            Outcome::Completed { result, goal, satisfying: true }
        }
        Err(fault) => Outcome::Failed { fault, result },
    }
}

fn known(source: &Source) -> Result<&Value, Fault> {
    source.value.as_ref().map_err(|why| Fault::new("unresolved_input", format!("{} {why}", source.reference)))
}

/// One object with the value of each source, by the name of its action.
fn merge(sources: &[Source]) -> Result<Value, Fault> {
    let mut merged = Map::new();
    for source in sources {
        // Two parts of one action stand under their references.
        let name = if merged.contains_key(&source.name) { &source.reference } else { &source.name };
        merged.insert(name.clone(), known(source)?.clone());
    }
    Ok(Value::Object(merged))
}

/// How each source begins, with its size: no model reads it.
fn summarize(sources: &[Source]) -> Result<Value, Fault> {
    let mut out = Vec::with_capacity(sources.len());
    for source in sources {
        let text = text_of(known(source)?);
        let begins: String = text.chars().take(SOURCE_CHARS).collect();
        let (lines, chars) = (text.lines().count(), text.chars().count());
        let more = if begins.len() < text.len() { " …" } else { "" };
        out.push(format!("{} ({lines} lines, {chars} characters)\n{begins}{more}", source.name));
    }
    Ok(out.join("\n\n").into())
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| serde_json::to_string_pretty(value).unwrap_or_default(), str::to_owned)
}

fn expand(work: &Work) -> Result<Value, Fault> {
    let Some(source) = work.sources.first() else {
        return Err(Fault::new("unresolved_reference", "there is no reference to expand"));
    };
    let value = known(source).map_err(|fault| Fault { code: "unresolved_reference".into(), ..fault })?;
    let selection =
        Selection::parse(work.raw.get("range")).map_err(|why| Fault::new("invalid_range", why))?;
    selection.of(value).map_err(|why| Fault::new("invalid_range", format!("{}: {why}", source.reference)))
}

/// Writes a report: each section has the contents of its references. One that must have content and has none makes
/// the report fail, so that no half answer is given.
fn report(work: &Work) -> Result<Value, Fault> {
    let spec = work.spec.context.get("report").cloned().unwrap_or_default();
    let mut sources = work.sources.iter();
    let mut sections = Vec::new();
    for section in spec.get("sections").and_then(Value::as_array).into_iter().flatten() {
        let count = section.get("refs").and_then(Value::as_array).map_or(0, Vec::len);
        let own: Vec<&Source> = sources.by_ref().take(count).collect();
        let texts: Vec<String> =
            own.iter().filter_map(|source| source.value.as_ref().ok()).map(text_of).collect();
        let content = texts
            .iter()
            .map(|text| text.trim())
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("\n\n");
        let title = section.get("title").and_then(Value::as_str).unwrap_or_default();
        let id = section.get("id").and_then(Value::as_str).unwrap_or_default();
        let required = section.get("required") != Some(&Value::Bool(false));
        if content.is_empty() && required {
            return Err(Fault::new(
                "empty_section",
                format!("the section {id} is required and has no content"),
            ));
        }
        if !content.is_empty() {
            sections.push((id.to_owned(), title.to_owned(), content));
        }
    }
    let title = spec.get("title").and_then(Value::as_str).unwrap_or_default();
    if spec.get("format").and_then(Value::as_str) == Some("json") {
        let sections: Value = sections
            .iter()
            .map(|(id, title, content)| json!({ "id": id, "title": title, "content": content }))
            .collect();
        return Ok(serde_json::to_string_pretty(&json!({ "title": title, "sections": sections }))
            .unwrap_or_default()
            .into());
    }
    let heading = Some(format!("# {title}")).filter(|_| !title.is_empty());
    let sections = sections.iter().map(|(_, title, content)| format!("## {title}\n\n{content}"));
    Ok(heading.into_iter().chain(sections).collect::<Vec<_>>().join("\n\n").into())
}
