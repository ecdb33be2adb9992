//! Runs whose tools are carried out by a client.

use serde_json::{Value, json};

use super::script::{ClientAnswer, Scenario, When, calls, cancel, message, says, succeeded};

pub(super) fn scenarios() -> Vec<Scenario> {
    let measured = || ClientAnswer::Result(succeeded(json!({ "centimetres": 40 })));
    let one = || [calls([("a", "garden/measure", 1)]), says("Measured.")];
    let mixed = || {
        [
            calls([("a", "garden/water", 1), ("b", "garden/measure", 1), ("c", "garden/look", 1)]),
            calls([("d", "garden/measure", 2)]),
            says("Measured."),
        ]
    };
    vec![
        by_client("client-answers", one()).client_answers("garden/measure", measured()),
        by_client("client-answers-among-others", mixed()).client_answers("garden/measure", measured()),
        by_client("client-times-out", one()).client_answers("garden/measure", ClientAnswer::Timeout),
        by_client("client-fails", one()).client_answers(
            "garden/measure",
            ClientAnswer::Result(json!({ "success": false, "error": "No tape." })),
        ),
        by_client("message-supersedes-client", one())
            .client_answers("garden/measure", ClientAnswer::Ignore)
            .letter(When::Parked, message("Never mind.")),
        by_client("cancel-while-client-works", mixed())
            .client_answers("garden/measure", ClientAnswer::Ignore)
            .letter(When::Parked, cancel())
            .ends("cancelled"),
    ]
}

fn by_client(name: &'static str, turns: impl IntoIterator<Item = Value>) -> Scenario {
    let context = json!({ "run_id": "run_crash", "runtime_tool_timeout_at": "2026-06-01T00:00:00Z" });
    Scenario::new(name, turns).options(json!({ "context": context })).replies(
        "garden/measure",
        json!({ "success": false, "status": "runtime_tool_pending", "runtime": { "environment": "client" } }),
    )
}
