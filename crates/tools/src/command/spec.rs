//! What a configuration says of a command tool.

use provost_contract::action::{Idempotency, SideEffect, SideEffects};
use provost_contract::json::{self, Object};
use provost_contract::{ContractError, Result};
use serde_json::Value;

use crate::workspace::WorkspacePath;

const CODE: &str = "invalid_command_tool";
const FIELDS: [&str; 10] = [
    "name",
    "description",
    "parameters",
    "argv",
    "cwd",
    "timeout_ms",
    "side_effects",
    "idempotency",
    "categories",
    "sandbox",
];

/// A command tool, as configured. What is not said is taken to be grave: it runs code, and never twice.
#[derive(Clone, Debug, PartialEq)]
pub struct CommandSpec {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) parameters: Object,
    pub(super) argv: Vec<String>,
    pub(super) cwd: WorkspacePath,
    pub(super) timeout_ms: Option<u64>,
    pub(super) effects: Vec<SideEffect>,
    pub(super) idempotency: Idempotency,
    pub(super) categories: Vec<String>,
}

impl CommandSpec {
    /// Reads a configuration.
    ///
    /// # Errors
    /// When a field is wrong, missing or unknown.
    pub fn parse(value: &Value) -> Result<Self> {
        let raw = value.as_object().ok_or_else(|| ContractError::whole(CODE, "must be an object"))?;
        json::only_keys(CODE, "", raw, &FIELDS)?;
        let cwd = json::optional_text(CODE, "cwd", raw)?.unwrap_or_default();
        let effects = effects(raw)?;
        sandbox(raw)?;
        Ok(Self {
            name: json::required_text(CODE, "name", raw)?,
            description: json::required_text(CODE, "description", raw)?,
            parameters: json::optional_object(CODE, "parameters", raw)?,
            argv: argv(raw)?,
            cwd: cwd
                .parse()
                .map_err(|error| ContractError::field(CODE, "cwd", &format!("is refused: {error}")))?,
            timeout_ms: timeout_ms(raw)?,
            idempotency: match json::present(raw, "idempotency") {
                Some(word) => json::word(CODE, "idempotency", word)?,
                None => Idempotency::None,
            },
            categories: categories(raw, &effects),
            effects,
        })
    }
}

fn argv(raw: &Object) -> Result<Vec<String>> {
    let refused = || ContractError::field(CODE, "argv", "must be a list of texts, the first one a program");
    let words = json::list(raw, "argv").filter(|words| !words.is_empty()).ok_or_else(refused)?;
    let words: Option<Vec<String>> = words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    words.filter(|words| !words.iter().any(|word| word.contains('\0'))).ok_or_else(refused)
}

/// There is no sandbox: a program that is to run in one is refused, and not run without it.
fn sandbox(raw: &Object) -> Result<()> {
    match json::present(raw, "sandbox").map(Value::as_str) {
        None | Some(Some("off")) => Ok(()),
        Some(_) => Err(ContractError::field(CODE, "sandbox", "must be \"off\": programs run without one")),
    }
}

fn timeout_ms(raw: &Object) -> Result<Option<u64>> {
    let Some(asked) = json::present(raw, "timeout_ms") else { return Ok(None) };
    let refused = || ContractError::field(CODE, "timeout_ms", "must be a whole number above 0");
    asked.as_u64().filter(|asked| *asked > 0).map(Some).ok_or_else(refused)
}

fn effects(raw: &Object) -> Result<Vec<SideEffect>> {
    match SideEffects::parse(raw.get("side_effects").unwrap_or(&Value::Null))? {
        SideEffects::Unknown => Ok(vec![SideEffect::Execute]),
        SideEffects::Declared(effects) => Ok(effects),
    }
}

/// What is not harmless is a write, whatever else it is called.
fn categories(raw: &Object, effects: &[SideEffect]) -> Vec<String> {
    let harmless = effects.iter().copied().collect::<SideEffects>().are_harmless();
    let own = ["command", "write"].into_iter().filter(|category| *category != "write" || !harmless);
    let said = raw.get("categories").map(json::string_list).unwrap_or_default();
    let mut categories: Vec<String> = own.map(str::to_owned).collect();
    categories.extend(said.into_iter().filter(|category| !matches!(category.as_str(), "command" | "write")));
    categories
}
