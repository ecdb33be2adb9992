//! What policies read of a tool's declaration.

use provost_contract::json::{self, Object};
use serde_json::Value;

/// The categories that make a tool write-capable.
pub const WRITE_CATEGORIES: [&str; 4] = ["write", "publishing", "mutating", "destructive"];

/// Whether a client of the run supplied the declaration. Any one of the three marks is enough.
pub fn is_client_supplied(declaration: &Object) -> bool {
    declaration.get("runtime_tool") == Some(&Value::Bool(true))
        || json::text(declaration, "executor") == Some("client")
        || json::text(declaration, "scope") == Some("run")
}

/// Whether the tool may change something: it says so, or one of its categories does.
pub fn is_write_capable(declaration: &Object, write_categories: &[impl AsRef<str>]) -> bool {
    is_true(declaration, "write")
        || is_true(declaration, "mutating")
        || matches_categories(declaration, write_categories)
}

/// Whether the tool is declared mandatory. A client cannot make its own tool mandatory.
pub fn is_declared_mandatory(declaration: &Object) -> bool {
    is_true(declaration, "mandatory") && !is_client_supplied(declaration)
}

/// Whether any of the tool's categories is in the list.
pub fn matches_categories(declaration: &Object, listed: &[impl AsRef<str>]) -> bool {
    categories(declaration).iter().any(|category| listed.iter().any(|entry| entry.as_ref() == category))
}

/// The tool's categories, from the four fields that may name them.
pub fn categories(declaration: &Object) -> Vec<String> {
    let one = ["category", "ability_category"].into_iter();
    let many = ["categories", "ability_categories"].into_iter();
    let single = one.filter_map(|key| json::trimmed_text(declaration, key)).map(str::to_owned);
    let listed = many.filter_map(|key| declaration.get(key)).flat_map(json::string_list);
    single.chain(listed).collect()
}

/// The modes the tool is for; none when it does not say. An empty list is for no mode at all.
pub(crate) fn modes(declaration: &Object) -> Option<Vec<String>> {
    json::present(declaration, "modes").or_else(|| json::present(declaration, "mode")).map(json::string_list)
}

fn is_true(declaration: &Object, key: &str) -> bool {
    declaration.get(key) == Some(&Value::Bool(true))
}
