//! Whatever happened to the calls of a transcript, wherever it comes from: repaired, every provider takes it.

use proptest::prelude::*;
use proptest::sample::select;
use provost_contract::Message;
use provost_contract::message::MessageType;
use provost_contract::provider::{IdentityNames, Provider, RepairMode, Rule, repair};
use strum::VariantArray as _;

use super::writers::{SOURCES, Step};

const fn call(id: &'static str, tool: &'static str) -> Step {
    Step::Call { id, tool }
}

const fn result(id: &'static str, tool: &'static str) -> Step {
    Step::Result { id, tool }
}

/// A question, some steps, and a last word.
fn talk(steps: &[Step]) -> Vec<Step> {
    [&[Step::User("look")], steps, &[Step::Assistant("seen")]].concat()
}

/// What each provider would refuse of a repaired transcript.
fn refusals(messages: &[Message]) -> Vec<String> {
    let repaired = repair(messages, RepairMode::Synthesise).messages;
    let refused = |provider: &Provider| {
        let body = provider.encode(&repaired, &IdentityNames).body;
        let refusals =
            provider.validate(&body).into_iter().filter(|refusal| refusal.rule != Rule::NoMessages);
        refusals
            .map(|refusal| format!("{provider}: {}: {}", refusal.rule, refusal.explanation))
            .collect::<Vec<_>>()
    };
    Provider::VARIANTS.iter().flat_map(refused).collect()
}

fn count(messages: &[Message], kind: MessageType) -> usize {
    messages.iter().filter(|message| message.kind == kind).count()
}

/// The control: what is whole is refused by nobody, and the repair leaves it alone.
#[test]
fn a_whole_transcript_is_left_alone() {
    let whole = talk(&[call("a", "read"), result("a", "read"), call("b", "list"), result("b", "list")]);
    for source in SOURCES {
        let (messages, refused) = source.read(&whole);
        assert_eq!(refused, [], "{source:?}");
        assert_eq!(repair(&messages, RepairMode::Synthesise).changes, [], "{source:?}");
        assert_eq!(refusals(&messages), Vec::<String>::new(), "{source:?}");
    }
}

/// Each kind of damage is noticed in every source, and repaired for every provider.
#[test]
fn each_damage_is_noticed_and_repaired() {
    let damages: [(&str, &[Step], usize); 8] = [
        ("a call without a result", &[call("a", "read"), Step::User("go on")], 1),
        ("a result without a call", &[result("a", "read")], 0),
        ("a call twice", &[call("a", "read"), call("a", "read"), result("a", "read")], 2),
        ("a result twice", &[call("a", "read"), result("a", "read"), result("a", "read")], 1),
        (
            "an id used again",
            &[call("a", "read"), result("a", "read"), call("a", "list"), result("a", "list")],
            2,
        ),
        ("a result before its call", &[result("a", "read"), call("a", "read")], 1),
        ("a result behind other words", &[call("a", "read"), Step::User("wait"), result("a", "read")], 1),
        (
            "a result behind later calls",
            &[
                call("a", "read"),
                Step::Assistant("hm"),
                call("b", "list"),
                result("b", "list"),
                Step::User("and?"),
                result("a", "read"),
            ],
            2,
        ),
    ];
    for source in SOURCES {
        for (damage, steps, pairs) in damages {
            let (messages, refused) = source.read(&talk(steps));
            let repaired = repair(&messages, RepairMode::Synthesise);
            assert!(!refused.is_empty() || !repaired.changes.is_empty(), "{source:?}: {damage}");
            let calls = count(&repaired.messages, MessageType::ToolCall);
            assert_eq!(calls, pairs, "{source:?}: {damage}");
            assert_eq!(count(&repaired.messages, MessageType::ToolResult), calls, "{source:?}: {damage}");
            assert_eq!(refusals(&messages), Vec::<String>::new(), "{source:?}: {damage}");
        }
    }
}

/// Where a result names its tool, a wrong name is put right; where it does not, there is nothing to be wrong.
#[test]
fn a_result_of_another_tool_is_named_after_its_call() {
    let crossed = talk(&[call("a", "read"), call("b", "list"), result("b", "read"), result("a", "list")]);
    for source in SOURCES {
        let (messages, _) = source.read(&crossed);
        let repaired = repair(&messages, RepairMode::Synthesise).messages;
        let named = |kind: MessageType| -> Vec<(String, String)> {
            let of_kind = repaired.iter().filter(|message| message.kind == kind);
            let mut named: Vec<_> = of_kind
                .map(|message| (message.tool_call_id().to_owned(), message.tool_name().to_owned()))
                .collect();
            named.sort();
            named
        };
        assert_eq!(named(MessageType::ToolCall), named(MessageType::ToolResult), "{source:?}");
        assert_eq!(refusals(&messages), Vec::<String>::new(), "{source:?}");
    }
}

fn any_step() -> impl Strategy<Value = Step> {
    let (ids, tools) = (select(vec!["", "a", "b", "c"]), select(vec!["read", "list", "no tool/like this"]));
    prop_oneof![
        1 => select(vec!["and?", " ", "wait"]).prop_map(Step::User),
        1 => select(vec!["hm", "so \n", ""]).prop_map(Step::Assistant),
        3 => (ids.clone(), tools.clone()).prop_map(|(id, tool)| Step::Call { id, tool }),
        3 => (ids, tools).prop_map(|(id, tool)| Step::Result { id, tool }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_calls_and_results_is_repaired_for_everybody(steps in proptest::collection::vec(any_step(), 0..16)) {
        for source in SOURCES {
            let (messages, _) = source.read(&steps);
            prop_assert_eq!(refusals(&messages), Vec::<String>::new(), "{:?}", source);
        }
    }

    #[test]
    fn a_repaired_session_has_a_result_for_each_call(steps in proptest::collection::vec(any_step(), 0..16)) {
        for source in SOURCES {
            let repaired = repair(&source.read(&steps).0, RepairMode::Synthesise).messages;
            prop_assert_eq!(count(&repaired, MessageType::ToolCall), count(&repaired, MessageType::ToolResult));
        }
    }
}
