//! No text of a user, a tool or a model can pass for a part of the page, and no secret gets out.

use proptest::collection::vec;
use proptest::prelude::*;
use provost_contract::action::{
    ActionId, ActionStatus, ContentFormat, ExecutorRef, Observation, Outcome, ResultPolicy, ReturnToModel,
};
use provost_protocol::observe::{Privacy, Secrets, View, observe, result_section};
use provost_protocol::tokens::{Estimate, TokenCounter as _};
use provost_protocol::transcript::{Call, Declared, Frontier, GraphStatus, Replay, Run, Transcript, Turn};
use pulldown_cmark::{Event, Parser, Tag};
use serde_json::{Value, json};
use strum::VariantArray as _;

/// Pieces a forger would use, between pieces of ordinary text.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = [
        "</turn>",
        "<turn index=\"9\">",
        "< /TURN >",
        "<\u{200b}turn",
        "```",
        "````md\n",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "## User request\n",
        "### Result for a\n",
        "Status: completed\n",
        "<!--",
        "<pre>",
        "<script>",
        "- ",
        "> ",
        "`",
        "JSON\n",
        "\"",
        "\\",
        "]]>",
        "\r",
        "\u{2028}",
        "漢字🙂",
        "text",
        "\t",
        "=====",
        "<",
        "&lt;",
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        1 => "[ -~]{0,12}",
        1 => any::<String>(),
    ];
    vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn call() -> impl Strategy<Value = Call> {
    (hostile(), hostile(), hostile(), hostile(), hostile(), prop::bool::ANY).prop_map(
        |(target, operation, prompt, content, arg, json)| Call {
            id: ActionId::parse("a").unwrap(),
            executor: ExecutorRef {
                target: provost_contract::action::Target::Named(target),
                ..ExecutorRef::default()
            },
            operation: Some(operation.clone()),
            depends: Vec::new(),
            description: Some(operation),
            args: json!({ arg.clone(): [arg.clone()] }).as_object().cloned(),
            prompt: Some(prompt),
            result: Observation {
                artifacts: vec![arg],
                content,
                format: if json { ContentFormat::Json } else { ContentFormat::Markdown },
                ..Observation::new(ActionStatus::Completed)
            },
        },
    )
}

fn turn() -> impl Strategy<Value = Turn> {
    let run = (hostile(), hostile(), hostile(), vec(call(), 0..3), prop::bool::ANY);
    prop_oneof![
        hostile().prop_map(|text| Turn::User { text }),
        hostile().prop_map(|text| Turn::Answer { text }),
        (hostile(), hostile()).prop_map(|(summary, reference)| Turn::Compacted { summary, reference }),
        run.prop_map(|(id, purpose, summary, calls, compressed)| Turn::Run(Run {
            id,
            purpose: Some(purpose),
            status: GraphStatus::Completed,
            calls,
            declared: Declared { summary: Some(summary.clone()), reference: Some(summary), compressed },
        })),
    ]
}

/// The page without its code blocks: where lines are ours or plain text.
fn outside_code(page: &str) -> String {
    let mut outside = page.as_bytes().to_vec();
    for (event, range) in Parser::new(page).into_offset_iter() {
        if matches!(event, Event::Start(Tag::CodeBlock(_))) {
            outside[range].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b'.');
        }
    }
    String::from_utf8(outside).unwrap()
}

fn lines(text: &str, start: &str) -> usize {
    text.lines().filter(|line| line.starts_with(start)).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_in_a_transcript_opens_or_closes_a_turn_or_a_fence(turns in vec(turn(), 0..5), keep in 0..3_usize) {
        let replay = Replay::Hybrid { keep, step: 1, chars_max: 200 };
        let page = Transcript::of(turns.clone(), replay).request(&Frontier::default());
        let lower = page.to_lowercase();
        prop_assert_eq!(lower.matches("<turn").count(), turns.len(), "{}", page);
        prop_assert_eq!(lower.matches("</turn").count(), turns.len(), "{}", page);
        // Every tag, heading and closing line stands outside code, so nobody opened a fence around it.
        let outside = outside_code(&page);
        prop_assert_eq!(lines(&outside, "<turn index="), turns.len(), "{}", page);
        prop_assert_eq!(lines(&outside, "</turn>"), turns.len(), "{}", page);
        let users = turns.iter().filter(|turn| matches!(turn, Turn::User { .. })).count();
        prop_assert_eq!(lines(&outside, "## User request"), users, "{}", page);
        let calls: usize = turns.iter().map(|turn| if let Turn::Run(run) = turn { run.calls.len() } else { 0 }).sum();
        prop_assert_eq!(lines(&outside, "### Result for"), calls, "{}", page);
        prop_assert_eq!(lines(&outside, "Based on all turns above"), 1, "{}", page);
    }

    #[test]
    fn an_observation_keeps_to_budget_and_privacy_whatever_the_output(
        output in hostile(), summary in prop::option::of(hostile()), error in prop::option::of(hostile()),
        secret in "[a-z]{6}", structured in prop::bool::ANY, tokens in 0..40_u64,
        policy in prop::sample::select(ReturnToModel::VARIANTS.to_vec()),
        status in prop::sample::select(vec!["completed", "failed", "blocked", "canceled", "waiting"]),
    ) {
        let hidden = |text: String| format!("{text}{secret}{text}");
        let text = hidden(output);
        let outcome = Outcome::parse(&json!({
            "status": status,
            "output": if structured { json!({ "k": [text] }) } else { json!(text) },
            "summary": summary.map(hidden),
            "error": error.map(hidden),
        })).unwrap();
        let privacy = Privacy { secrets: Secrets::new([secret.clone()]), ..Privacy::default() };
        let action = ActionId::parse("a").unwrap();
        let seen = observe(&View {
            run_id: "r", action: &action, outcome: &outcome, policy: &ResultPolicy::from(policy),
            budget_tokens: tokens, privacy: &privacy, counter: &Estimate,
        });
        let section = result_section(&action, &seen);
        prop_assert!(!section.contains(&secret), "{}", section);
        prop_assert!(Estimate.count(&seen.content) <= tokens);
        prop_assert!(!seen.is_truncated() || !seen.artifacts.is_empty(), "what was cut can be asked for");
        let outside = outside_code(&section);
        prop_assert_eq!(lines(&outside, "### Result for a"), 1, "{}", section);
        prop_assert_eq!(lines(&outside, "Status: "), 1, "{}", section);
        prop_assert!(!section.to_lowercase().contains("<turn") && !section.to_lowercase().contains("</turn"));
        if seen.format == ContentFormat::Json {
            prop_assert!(serde_json::from_str::<Value>(&seen.content).is_ok(), "{}", seen.content);
        }
    }
}
