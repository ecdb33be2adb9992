//! Checks a declaration in a file and reports all findings in one pass.

use crate::read::accept::{parse_declaration, read_declaration, read_text};
use crate::read::finding::Finding;
use crate::read::notes::{Fault, JsonText, Notes, Spot};
use crate::read::refused::findings;
use crate::read::text::{Document, Visible};
use crate::{Accepted, Carrier, Catalog, Code, Speaking, Turn, Violation};

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The errors; empty if the declaration would be accepted.
    pub findings: Vec<Finding>,
    /// Departures from the protocol that are accepted.
    pub violations: Vec<Violation>,
    /// The accepted message, if there are no errors.
    pub accepted: Option<Accepted>,
}

/// Checks a text: one JSON declaration of either form, or a message with a fenced block.
pub fn check(text: &str, catalog: &Catalog) -> Checked {
    check_in(text, &Turn::new(Speaking::Protocol, catalog))
}

/// Checks a text in a turn: with its catalog, policies, limits and earlier completed actions.
pub fn check_in(text: &str, turn: &Turn<'_>) -> Checked {
    let visible = Visible::of(text);
    let document = Document::read(visible.text());
    let mut notes = Notes::default();
    let read = if text.trim_start().starts_with(['{', '[']) {
        notes.json = JsonText::Alone(text.to_owned());
        // The text is the declaration; there are no sections around it.
        let nothing = Document::read("");
        parse_declaration(text, turn, &mut notes)
            .and_then(|value| read_declaration(&value, Carrier::ToolCall, &nothing, turn, &mut notes))
    } else {
        read_text(&document, turn, &mut notes)
    };
    let is_declaration = read.as_ref().is_none_or(|accepted| accepted.carrier != Carrier::None);
    if !is_declaration {
        let message = "there is no declaration: neither a fenced agent-protocol block nor one JSON object";
        notes.fault(Fault::new(Code::CarrierMissing, Spot::TextByte(0), message));
    }
    let findings = findings(&notes, &visible);
    let accepted = read.filter(|_| findings.is_empty());
    let accepted = accepted.map(|accepted| Accepted { violations: notes.violations.clone(), ..accepted });
    Checked { findings, violations: notes.violations, accepted }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn catalog() -> Catalog {
        let read = json!({
            "name": "fs_read",
            "input_schema": {
                "type": "object",
                "properties": { "path": { "type": "string" }, "start": { "type": "integer" } },
                "required": ["path"],
                "additionalProperties": false,
            },
        });
        Catalog::parse(&[read], &[], &[]).unwrap()
    }

    fn told(text: &str) -> Vec<String> {
        let place = |finding: &Finding| match finding.place.line_column {
            Some((line, column)) => format!("{line}:{column}"),
            None => "-".to_owned(),
        };
        let code = |finding: &Finding| <&str>::from(finding.code);
        check(text, &catalog())
            .findings
            .iter()
            .map(|finding| format!("{} {}: {}", place(finding), code(finding), finding.message))
            .collect()
    }

    const FENCED: &str = r#"<think>
hm
</think>Plan:

```json agent-protocol
{"type": "agent.protocol", "version": "1", "intent": "execute", "persist": "yes",
 "payload": {"type": "action_graph", "actions": [
  {"type": "action", "id": "a b"},
  {"type": "action", "id": "read", "executor": {"type": "tool", "target": "fs_raed"}},
  {"type": "action", "id": "look", "executor": {"type": "tool", "target": "fs_read"},
   "input": {"start": "1"}, "depends_on": ["red"], "result_policy": "ful"},
  {"type": "action", "id": "last", "depends_on": ["nobody", "read"], "depend": 1}
 ]}}
```
"#;

    #[test]
    fn all_findings_come_in_one_pass_each_with_its_place() {
        insta::assert_snapshot!(told(FENCED).join("\n"), @r#"
        6:76 invalid_schema: persist must be true or false
        8:28 invalid_schema: id must have 1 to 128 characters: a letter or digit, then letters, digits, _ - or .
        9:75 unknown_tool: there is no tool "fs_raed" in this turn
        11:69 invalid_schema: result_policy.return_to_model must be one of: none, summary, structured, excerpt, full, on_failure, on_demand, adaptive
        11:23 invalid_arguments: fs_read: start: "1" is not of type "integer"
        11:13 invalid_arguments: fs_read: "path" is a required property
        12:80 invalid_schema: unknown field depend; known: type, id, title, description, reason, operation, executor, input, depends_on, context_refs, prompt_ref, result_policy, persist, failure_policy, when, repeat, for_each, resources, policies
        11:43 unknown_dependency: look depends on "red", which is neither declared here nor completed earlier
        12:50 unknown_dependency: last depends on "nobody", which is neither declared here nor completed earlier
        "#);
    }

    #[test]
    fn a_file_may_hold_one_declaration_as_json() {
        let good = r#"{"kind": "act", "calls": [{"id": "a", "type": "tool", "name": "fs_read", "args": {"path": "x"}}]}"#;
        let checked = check(good, &catalog());
        assert_eq!((checked.findings, checked.violations), (vec![], vec![]));
        assert_eq!(checked.accepted.unwrap().content.actions().len(), 1);
        assert_eq!(
            told("{\n  \"kind\": \"act\",\n  \"calls\": []\n}"),
            ["3:12 invalid_schema: calls must hold at least one call when kind is act"]
        );
        assert_eq!(
            told("{\n  \"kind\": \"act\",\n  \"kind\": \"done\"\n}"),
            ["3:8 invalid_json: the declaration is not JSON: duplicate key \"kind\""]
        );
    }

    #[test]
    fn a_text_without_a_declaration_says_so() {
        assert_eq!(
            told("Just words."),
            [
                "1:1 carrier_missing: there is no declaration: neither a fenced agent-protocol block nor one JSON object"
            ]
        );
    }
}
