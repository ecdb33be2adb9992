//! The instructions for a model, generated from the catalog of its turn.

use std::fmt::Write as _;

use provost_contract::action::{ExecutorType, SideEffects};
use serde_json::Value;

use crate::read::{example_arguments, fenced_block, flat_call};
use crate::show::render::{code_span, neutral_json, one_line};
use crate::{CARRIER_TOOL, Catalog, Entry};

/// A longer schema is shown as a signature.
const SCHEMA_CHARS_MAX: usize = 2_000;
/// If the catalog has more characters, all schemas are shown as signatures.
const CATALOG_CHARS_MAX: usize = 60_000;
/// A longer description is truncated.
const DESCRIPTION_CHARS_MAX: usize = 400;

/// How the model carries its declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferedCarrier {
    /// With the native tool.
    ToolCall,
    /// With a fenced block, for models without tools.
    FencedBlock,
}

/// Writes the instructions for a turn.
pub fn protocol_prompt(catalog: &Catalog, carrier: OfferedCarrier) -> String {
    let mut text = String::from(INTRODUCTION);
    match carrier {
        OfferedCarrier::ToolCall => text.push_str(FLAT_FORM),
        OfferedCarrier::FencedBlock => text.push_str(FULL_FORM),
    }
    write_catalog(&mut text, catalog, carrier);
    if let Some(example) = example(catalog, carrier) {
        let _ = write!(text, "\n## Example\n\n{example}\n");
    }
    text
}

const INTRODUCTION: &str = "\
# How to act

You do not run anything yourself. You declare what shall be done; the runtime checks the whole declaration, decides \
whether and by whom it is done, does it and shows you the results. A declaration is accepted whole or not at all. \
Work that does not depend on other work runs side by side, so declare together what can be done together.
";

const FLAT_FORM: &str = "
## Output

Call `AgentProtocolOutput` exactly once. Call no other tool and write no call as text.

- `kind`: `act` to have calls done, `answer` to answer the user, `done` when nothing is left to do or say.
- `message`: Markdown for the user. `answer` needs it; with `act` it says in a sentence what you are about to do.
- `calls`: with `act` only, at least one call:
  - `id`: a name of your own, unique in this declaration.
  - `type`: `tool` or `agent`. `name`: exactly as listed below; for an agent also `auto`.
  - `args`: what the tool takes. For an agent, `prompt` says what to do; with `auto`, `capabilities` says what for.
  - `depends`: ids of calls that must complete first. Leave it out when there are none.
  - `{\"$ref\": \"action:<id>.output#/json/pointer\"}` in place of any value in `args` passes on the result of a call \
in `depends`, or the part at the pointer, without you reading it.
  - `result`: how much you want to see: `summary` (default), `full`, `structured`, `on_failure`, `on_demand`, `adaptive`.
  - `title`: a short label for people.
";

const FULL_FORM: &str = "
## Output

Answer the user in plain Markdown, or declare work in exactly one fenced block marked `json agent-protocol`:

- `type` is `agent.protocol`, `version` is `\"1\"`, `intent` is `execute` (or `plan`, `expand_ref`, `revise`, `decide`, \
`cancel`, `report`), `payload` is `{\"type\": \"action_graph\", \"actions\": [...]}`.
- An action has `type` `action`, an `id` of your own, an `executor` (`type`, `target`, `capabilities`) and an `input`; \
`title`, `description` and `reason` tell people and your later self what it is for.
- `depends_on`: ids of actions that must complete first.
- `{\"$ref\": \"action:<id>.output#/json/pointer\"}` in place of any value in `input` passes on the result of a \
dependency, or the part at the pointer, without you reading it; `{\"$literal\": ...}` takes a value as it is.
- `for_each` (`{\"in\": \"action:<id>.output#/files\", \"max\": 20}`) runs an action for every item of a dependency's \
list, at most 64; in its `input`, `{\"$ref\": \"item\"}` is the item.
- `prompt_ref` and `context_refs` name texts: `md:<name>` is the section under the heading `## <name>` of this message, \
`action:<id>.summary` the result of a dependency, `input:user.goal` what the user asked for.
- `result_policy`: how much you want to see: `summary` (default), `full`, `structured`, `excerpt`, `on_failure`, \
`on_demand`, `adaptive`, `none`.
- `failure_policy`: `ask_model` (default), `retry`, `continue` or `abort`.
- `when` (`{\"action\": \"<dependency>\", \"status\": \"failed\"}`) runs an action only if a dependency ended so; `repeat` \
(`{\"max\": 3, \"until\": {\"field\": \"/done\", \"equals\": true}}`) repeats one. `persist`: true for work that must survive a restart.
- The section `## user.visible` is shown to the user while the work runs.
- Strict JSON: no comments, no trailing commas, no key twice, no unknown fields. Close the fence.
";

fn write_catalog(text: &mut String, catalog: &Catalog, carrier: OfferedCarrier) {
    let before = text.len();
    let sections: &[(ExecutorType, &str)] = match carrier {
        OfferedCarrier::ToolCall => &[(ExecutorType::Tool, "Tools"), (ExecutorType::Agent, "Agents")],
        OfferedCarrier::FencedBlock => &[
            (ExecutorType::Tool, "Tools"),
            (ExecutorType::Agent, "Agents"),
            (ExecutorType::Runtime, "Operations of the runtime"),
            (ExecutorType::Human, "People"),
            (ExecutorType::Pipeline, "Pipelines"),
            (ExecutorType::Service, "Services"),
        ],
    };
    for (kind, heading) in sections {
        let mut entries = catalog.of(*kind).peekable();
        if entries.peek().is_none() {
            continue;
        }
        let _ = write!(text, "\n## {heading} of this turn\n\n");
        for entry in entries {
            write_entry(text, entry, text.len() - before < CATALOG_CHARS_MAX);
        }
    }
}

fn write_entry(text: &mut String, entry: &Entry, room_for_schemas: bool) {
    let _ = write!(text, "- {}", code_span(&entry.name));
    if let Some(description) = &entry.description {
        let cut: String = description.chars().take(DESCRIPTION_CHARS_MAX).collect();
        let _ = write!(text, ": {}", one_line(&cut));
    }
    if !entry.capabilities.is_empty() {
        let _ = write!(text, " Capabilities: {}.", one_line(&entry.capabilities.join(", ")));
    }
    if let SideEffects::Declared(effects) = &entry.side_effects {
        let words: Vec<&str> = effects.iter().map(|effect| <&str>::from(*effect)).collect();
        let _ = write!(text, " Effects: {}.", words.join(", "));
    }
    if let Some(schema) = &entry.input_schema {
        let raw = neutral_json(&schema.raw().to_string()).replace('`', "\\u0060");
        let takes = if room_for_schemas && raw.len() <= SCHEMA_CHARS_MAX {
            format!("`{raw}`")
        } else {
            code_span(&schema.signature())
        };
        let _ = write!(text, "\n  Takes {takes}");
    }
    text.push('\n');
}

/// Returns the first tool or agent for which an example can be generated.
fn example(catalog: &Catalog, carrier: OfferedCarrier) -> Option<String> {
    let candidates = catalog.of(ExecutorType::Tool).chain(catalog.of(ExecutorType::Agent));
    let mut written = candidates.filter_map(|entry| Some((entry, example_arguments(entry)?)));
    let (entry, arguments): (&Entry, Value) = written.next()?;
    Some(match carrier {
        OfferedCarrier::ToolCall => {
            let call = flat_call(entry, &arguments);
            format!(
                "`{CARRIER_TOOL}` with:\n\n```json\n{}\n```",
                call.trim_start_matches(CARRIER_TOOL).trim()
            )
        }
        OfferedCarrier::FencedBlock => fenced_block(entry, &arguments),
    })
}
