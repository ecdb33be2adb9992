//! How each rule is tested: a body that breaks it and nothing else, beside one that does not.

use serde_json::Value;

use super::{Provider, Rule};

/// The control passes; the broken body is refused for this rule alone.
#[track_caller]
pub(super) fn check(provider: Provider, rule: Rule, control: Value, broken: Value) {
    assert_eq!(provider.validate(&control), [], "the control is refused");
    let refusals = provider.validate(&broken);
    let mut rules: Vec<Rule> = refusals.iter().map(|refusal| refusal.rule).collect();
    rules.dedup();
    assert_eq!(rules, [rule], "{refusals:#?}");
}
