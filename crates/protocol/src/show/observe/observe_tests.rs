//! What recorded cases leave open: privacy, granularity, levels of summary, the edge of the budget.

use provost_contract::action::{ActionId, ContentFormat, Observation, Outcome, ResultPolicy, SummaryLevel};
use provost_contract::policies::{Effective, Policies};
use serde_json::{Value, json};

use super::{Privacy, Secrets, View, observe, result_section};
use crate::show::tokens::Estimate;

struct Given {
    outcome: Value,
    policy: Value,
    policies: Value,
    tokens: u64,
}

fn given(outcome: Value, policy: Value) -> Given {
    Given { outcome, policy, policies: json!({}), tokens: 1_000 }
}

impl Given {
    fn under(self, policies: Value) -> Self {
        Self { policies, ..self }
    }

    fn within(self, tokens: u64) -> Self {
        Self { tokens, ..self }
    }

    fn seen(&self) -> Observation {
        let policies = Effective::from(Policies::parse(&self.policies).unwrap());
        observe(&View {
            run_id: "r1",
            action: &action(),
            outcome: &Outcome::parse(&self.outcome).unwrap(),
            policy: &ResultPolicy::parse(&self.policy).unwrap(),
            budget_tokens: self.tokens,
            privacy: &Privacy::new(&policies, Secrets::default()),
            counter: &Estimate,
        })
    }
}

fn action() -> ActionId {
    ActionId::parse("probe").unwrap()
}

fn everything() -> Value {
    json!({
        "status": "failed",
        "output": "OUT",
        "summary": "SUM",
        "error": "ERR",
        "excerpts": ["EXC"],
    })
}

#[test]
fn a_result_for_the_runtime_alone_shows_its_status_and_says_so() {
    let shown = given(everything(), json!("full")).seen();
    assert_eq!(shown.content, "ERR\n\nOUT");
    let hidden =
        given(everything(), json!("full")).under(json!({ "data_visibility": "runtime_only" })).seen();
    assert_eq!(hidden, Observation { withheld: true, ..Observation::new(hidden.status) });
    let section = result_section(&action(), &hidden);
    assert!(section.contains("Status: failed") && section.contains("Withheld"), "{section}");
    let others = given(everything(), json!("full")).under(json!({ "data_visibility": ["user", "logs"] }));
    assert!(others.seen().withheld, "users and logs are not the model");
}

#[test]
fn each_part_can_be_kept_from_the_model() {
    for (part, policy, kept, left) in [
        ("output", "full", "ERR", "OUT"),
        ("summary", "summary", "ERR", "SUM"),
        ("error", "full", "no reason was given\n\nOUT", "ERR"),
        ("excerpts", "excerpt", "ERR\n\nSUM", "EXC"),
    ] {
        let open = given(everything(), json!(policy)).seen();
        assert!(open.content.contains(left), "{part} is there without the policy");
        let closed = given(everything(), json!(policy)).under(json!({ "privacy": [part] })).seen();
        assert_eq!(closed.content, kept, "{part}");
    }
    let cut = given(everything(), json!("full")).within(1);
    assert!(!cut.seen().artifacts.is_empty());
    let cut = cut.under(json!({ "privacy": ["artifacts"] })).seen();
    assert!(
        cut.is_truncated() && cut.artifacts.is_empty(),
        "privacy is stronger than the reference of a cut"
    );
}

#[test]
fn the_granularity_caps_every_wish() {
    let outcome =
        json!({ "status": "completed", "output": { "n": 1 }, "summary": "SUM", "excerpts": ["EXC"] });
    let shown = |policy: &str, finest: &str| {
        let policies = json!({ "result_granularity": finest });
        given(outcome.clone(), json!(policy)).under(policies).seen().content
    };
    let whole = "{\n  \"n\": 1\n}";
    for (policy, finest, content) in [
        ("full", "full", whole),
        ("full", "excerpt", "EXC"),
        ("full", "structured", whole),
        ("full", "summary", "SUM"),
        ("adaptive", "summary", "SUM"),
        ("structured", "summary", "SUM"),
        ("excerpt", "structured", whole),
        ("summary", "full", "SUM"),
        ("full", "none", ""),
        ("none", "full", ""),
        ("on_failure", "summary", ""),
    ] {
        assert_eq!(shown(policy, finest), content, "{policy} under {finest}");
    }
}

#[test]
fn a_summary_is_the_executors_then_the_tools_then_the_summarisers_then_the_output() {
    let mut outcome = json!({
        "status": "completed",
        "output": "OUT",
        "summary": "SUM",
        "native_summary": { "matches": 3 },
        "condensed": "CON",
    });
    for (content, level, next) in [
        ("SUM", SummaryLevel::Executor, "summary"),
        ("{\n  \"matches\": 3\n}", SummaryLevel::ToolNative, "native_summary"),
        ("CON", SummaryLevel::Summariser, "condensed"),
        ("OUT", SummaryLevel::Executor, "output"),
    ] {
        let seen = given(outcome.clone(), json!("summary")).seen();
        assert_eq!((seen.content.as_str(), seen.level), (content, Some(level)));
        outcome.as_object_mut().unwrap().shift_remove(next);
    }
    assert_eq!(given(outcome, json!("summary")).seen().content, "");
}

#[test]
fn an_ending_nobody_explained_is_explained_by_the_runtime() {
    for (reason, words) in [
        ("in_doubt", "in doubt"),
        ("dependency_not_completed", "dependency"),
        ("canceled_by_user", "canceled by the user"),
        ("condition_not_met", "condition"),
    ] {
        let status = if reason.starts_with('c') { "canceled" } else { "blocked" };
        let seen = given(json!({ "status": status, "reason": reason }), json!("summary")).seen();
        assert!(seen.content.contains(words), "{reason}: {}", seen.content);
        assert!(!seen.content.contains("failed to") && !seen.content.contains("rejected"));
    }
    let silent = given(json!({ "status": "failed" }), json!("on_demand")).seen();
    assert_eq!(silent.content, "no reason was given");
    assert_eq!(given(json!({ "status": "failed" }), json!("none")).seen().content, "");
}

#[test]
fn json_that_does_not_fit_gives_way_to_a_summary_or_becomes_text() {
    let outcome = |summary: Option<&str>| json!({ "status": "completed", "output": { "rows": "x".repeat(200) }, "summary": summary });
    let fits = given(outcome(None), json!("structured")).seen();
    assert_eq!((fits.format, fits.is_truncated()), (ContentFormat::Json, false));
    let summed = given(outcome(Some("SUM")), json!("structured")).within(10).seen();
    assert_eq!((summed.content.as_str(), summed.is_truncated()), ("SUM", true));
    let cut = given(outcome(None), json!("structured")).within(10).seen();
    assert_eq!((cut.format, cut.content.chars().count()), (ContentFormat::Markdown, 40));
    assert_eq!(cut.artifacts, ["artifact://r1/probe"]);
}

#[test]
fn a_cut_never_takes_the_reason() {
    let outcome = json!({ "status": "failed", "output": "o".repeat(500), "error": "exit 7" });
    for policy in ["full", "on_failure", "adaptive"] {
        let seen = given(outcome.clone(), json!(policy)).within(5).seen();
        assert!(seen.content.starts_with("exit 7") && seen.is_truncated(), "{policy}: {}", seen.content);
    }
}

#[test]
fn adaptive_shows_all_that_fits_else_what_matters_else_the_summary_else_the_beginning() {
    let log = format!("start\n{}ERROR: disk full", "noise\n".repeat(200));
    let outcome = |summary: Option<&str>| json!({ "status": "completed", "output": log, "summary": summary });
    let wish =
        |priority: Value| json!({ "return_to_model": "adaptive", "priority": priority, "store_full": false });
    let seen = |summary, priority, tokens| given(outcome(summary), wish(priority)).within(tokens).seen();
    let all = seen(None, json!(["errors"]), 10_000);
    assert!(all.content == log && !all.is_truncated() && all.artifacts.is_empty());
    let errors = seen(Some("SUM"), json!(["errors"]), 20);
    assert_eq!(errors.content, "ERROR: disk full\n\nSUM");
    assert!(errors.is_truncated() && !errors.artifacts.is_empty(), "a cut is stored whatever was wished");
    assert_eq!(seen(Some("SUM"), json!(["warnings"]), 20).content, "SUM");
    assert!(seen(None, json!([]), 20).content.starts_with("start\nnoise"));
}

#[test]
fn a_waiting_action_has_an_observation_too() {
    let seen = given(json!({ "status": "waiting", "summary": "asked the user" }), json!("summary")).seen();
    assert!(result_section(&action(), &seen).contains("Status: waiting"));
    assert_eq!(seen.content, "asked the user");
}
