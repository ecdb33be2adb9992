//! Every policy: its default, the merge of two layers, a value that is refused.

use serde_json::{Value, json};

use super::{Effective, Layer, Policies};

/// One policy: what holds when nobody speaks, two values, the one that wins, and a bad one.
struct Row {
    field: &'static str,
    default: Value,
    one: Value,
    other: Value,
    wins: Value,
    refused: (Value, &'static str),
}

fn rows() -> Vec<Row> {
    let effects = json!(["none", "read", "write", "send", "delete", "purchase", "publish", "execute"]);
    let row = |field, default, one, other, wins, refused| Row { field, default, one, other, wins, refused };
    let word = |field: &'static str, default: &str, one: &str, other: &str, wins: &str| {
        row(field, json!(default), json!(one), json!(other), json!(wins), (json!("maybe"), field))
    };
    vec![
        word("permission_policy", "allow", "deny", "ask", "deny"),
        row(
            "budget_policy",
            json!({}),
            json!({ "max_tokens": 9, "max_retries": 0, "max_cost_micros": 5 }),
            json!({ "max_tokens": 4, "max_retries": 3, "max_ms": 70, "max_parallel": 2 }),
            json!({ "max_tokens": 4, "max_ms": 70, "max_cost_micros": 5, "max_retries": 0, "max_parallel": 2 }),
            (json!({ "max_parallel": 0 }), "budget_policy.max_parallel"),
        ),
        word("cancellation_policy", "stop", "stop_and_mark_in_doubt", "let_finish", "stop_and_mark_in_doubt"),
        word("idempotency", "none", "pure", "keyed", "keyed"),
        row(
            "side_effects",
            effects,
            json!(["read", "write"]),
            json!(["none", "read", "send"]),
            json!(["read"]),
            (json!(["read", "fly"]), "side_effects.1"),
        ),
        row(
            "data_visibility",
            json!(["model", "user", "logs", "future_runs"]),
            json!(["model", "user"]),
            json!(["logs"]),
            json!("runtime_only"),
            (json!("nobody"), "data_visibility"),
        ),
        row(
            "privacy",
            json!([]),
            json!(["error"]),
            json!(["output", "artifacts"]),
            json!(["output", "error", "artifacts"]),
            (json!(["secrets"]), "privacy.0"),
        ),
        word("conflict_resolution", "serialise", "last_writer", "refuse", "refuse"),
        word(
            "schema_evolution",
            "keep_unknown_fields",
            "refuse_unknown_fields",
            "keep_unknown_fields",
            "refuse_unknown_fields",
        ),
        word("partial_results", "everything_ended", "completed_only", "statuses_only", "statuses_only"),
        row(
            "approval_gates",
            json!([]),
            json!(["delete"]),
            json!(["purchase"]),
            json!(["delete", "purchase"]),
            (json!("delete"), "approval_gates"),
        ),
        word("result_granularity", "full", "summary", "excerpt", "summary"),
        row(
            "ui_projection",
            json!(["title", "description", "status", "progress", "summary", "details_ref"]),
            json!(["title", "status", "summary"]),
            json!(["status", "title"]),
            json!(["title", "status"]),
            (json!(["colour"]), "ui_projection.0"),
        ),
    ]
}

fn said(field: &str, value: &Value) -> Policies {
    Policies::parse(&json!({ field: value })).unwrap()
}

#[test]
fn every_policy_has_a_row_here() {
    let fields: Vec<&str> = rows().iter().map(|row| row.field).collect();
    assert_eq!(fields, Policies::FIELDS);
}

#[test]
fn what_nobody_speaks_of_has_its_default() {
    let defaults = Effective::default().to_value();
    for row in rows() {
        assert_eq!(defaults[row.field], row.default, "{}", row.field);
    }
}

#[test]
fn the_strictest_layer_wins_in_either_order_and_is_named() {
    for row in rows() {
        let (one, other) = (said(row.field, &row.one), said(row.field, &row.other));
        let there = Policies::merge([(Layer::Runtime, &one), (Layer::Action, &other)]);
        let back = Policies::merge([(Layer::Runtime, &other), (Layer::Action, &one)]);
        assert_eq!(there.effective().to_value()[row.field], row.wins, "{}", row.field);
        assert_eq!(there.effective(), back.effective(), "{}", row.field);
        let decided_by = if row.one == row.wins { Layer::Runtime } else { Layer::Action };
        assert_eq!(there.decided_by(row.field), Some(decided_by), "{}", row.field);
        let twice = Policies::merge([(Layer::Agent, &one), (Layer::Envelope, &one)]);
        assert_eq!(twice.decided_by(row.field), Some(Layer::Agent), "{}: said again", row.field);
    }
}

#[test]
fn a_bad_value_is_refused_with_its_place_and_a_good_one_is_written_as_it_was_read() {
    for row in rows() {
        let error = Policies::parse(&json!({ row.field: row.refused.0 })).unwrap_err();
        assert_eq!(error.code(), "invalid_schema");
        assert_eq!(error.field_paths(), [format!("policies.{}", row.refused.1)], "{error}");
        let once = said(row.field, &row.one).to_value();
        assert_eq!(Policies::parse(&once).unwrap().to_value(), once, "{}", row.field);
    }
}

#[test]
fn a_policy_nobody_knows_is_refused() {
    let error = Policies::parse(&json!({ "mood": "good" })).unwrap_err();
    assert_eq!(error.field_paths(), ["policies.mood"]);
}

#[test]
fn the_explanation_names_the_layer_behind_every_value() {
    let runtime = said("permission_policy", &json!("ask"));
    let merged = Policies::merge([(Layer::Runtime, &runtime), (Layer::Action, &Policies::default())]);
    let explained = merged.to_value();
    assert_eq!(explained["permission_policy"], json!({ "value": "ask", "decided_by": "runtime" }));
    assert_eq!(explained["privacy"], json!({ "value": [], "decided_by": null }));
}
