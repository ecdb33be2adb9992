//! What has vectors but no code yet. This list only shrinks.

/// Which operations of an area wait for their code.
enum Waiting {
    Whole,
    Operations(&'static [&'static str]),
}

const NOT_YET: &[(&str, Waiting)] = &[
    ("channels", Waiting::Whole),
    ("consent", Waiting::Whole),
    ("context-authority", Waiting::Whole),
    ("context-composition", Waiting::Whole),
    ("host-tool-executor", Waiting::Whole),
    ("memory", Waiting::Whole),
    ("packages", Waiting::Whole),
    ("parent-tool-bridge", Waiting::Whole),
    ("routines-and-event-triggers", Waiting::Whole),
    ("runtime-tool-policy", Waiting::Whole),
    (
        "tool-bridge",
        Waiting::Operations(&[
            "default_policy",
            "default_bridge",
            "effective_policy",
            "exposed_tools",
            "resolve_tool",
            "host_policy",
            "policy_issues",
            "validate_strict",
            "task_policy",
            "normalize_task",
            "check_tools",
            "provider_credentials",
        ]),
    ),
    ("workflows", Waiting::Whole),
];

/// Whether the code behind this operation comes later.
pub(super) fn covers(area: &str, op: &str) -> bool {
    NOT_YET.iter().any(|(name, waiting)| {
        *name == area
            && match waiting {
                Waiting::Whole => true,
                Waiting::Operations(operations) => operations.contains(&op),
            }
    })
}
