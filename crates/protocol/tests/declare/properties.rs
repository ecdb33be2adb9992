//! What holds for every message.

use std::collections::HashSet;

use fastrand::Rng;
use provost_contract::action::ExecutorType;
use provost_protocol::{
    Accepted, AssistantMessage, Carrier, Content, Graph, Node, Refused, Speaking, Turn, Violation, Written,
    accept, check, write_declaration,
};
use serde_json::Value;

use super::generate::{disturbed, flat, message, soup};
use super::world::{catalog, say};

const CASES: u64 = 600;

/// What holds of every answer, whatever was said.
fn hold_to_account(read: &Result<Accepted, Refused>, said: &str) {
    match read {
        Err(refused) => {
            assert_eq!(Some(refused.code), refused.findings.first().map(|finding| finding.code), "{said}");
            assert!(refused.message.len() < 20_000, "{said}");
        }
        Ok(accepted) => {
            let actions = accepted.content.actions();
            let nodes: Vec<Node<'_>> = actions.iter().map(Node::from).collect();
            assert_eq!(Graph::build(&nodes, |_| false).1, [], "{said}");
            assert_eq!(accepted.carrier == Carrier::None, accepted.content == Content::Plain, "{said}");
            let harmless: HashSet<&str> = HashSet::from(["fs_read", "clock", "reader"]);
            let recovered = matches!(accepted.carrier, Carrier::RecoveredText | Carrier::RecoveredToolCall);
            for action in actions.iter().filter(|_| recovered) {
                assert!(harmless.contains(action.executor.target.as_str()), "{said}");
            }
            written_reads_the_same(accepted, said);
        }
    }
}

/// Whatever is accepted can be written, and what is written means the same.
fn written_reads_the_same(accepted: &Accepted, said: &str) {
    let message = match write_declaration(accepted) {
        None => return,
        Some(Written::Arguments(arguments)) => AssistantMessage::of_carrier_call(arguments),
        Some(Written::Message(text)) => AssistantMessage::of_text(text),
    };
    let again = accept(&message, &Turn::new(Speaking::Protocol, catalog()))
        .unwrap_or_else(|refused| panic!("{said}\n---\n{message:?}\n---\n{refused}"));
    assert_eq!(again.content, accepted.content, "{said}\n---\n{message:?}");
    assert_eq!(again.envelope, accepted.envelope, "{said}\n---\n{message:?}");
    assert_eq!(again.user_visible, accepted.user_visible, "{said}\n---\n{message:?}");
    let unknown = accepted.envelope.iter().flat_map(|envelope| envelope.unknown_fields.keys());
    let unknown: Vec<Violation> = unknown.cloned().map(Violation::UnknownField).collect();
    let matches =
        again.violations.len() == unknown.len() && again.violations.iter().all(|one| unknown.contains(one));
    assert!(matches, "{said}\n---\n{message:?}");
}

#[test]
fn any_text_is_an_answer_a_refusal_or_a_recovered_look() {
    for seed in 0..CASES {
        let text = soup(&mut Rng::with_seed(seed));
        hold_to_account(&say(&text), &text);
    }
}

#[test]
fn full_declarations_survive_being_written_and_read_and_being_disturbed() {
    let mut fine = 0;
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let text = message(&mut rng);
        let read = say(&text);
        fine += u64::from(read.is_ok());
        hold_to_account(&read, &text);
        let text = disturbed(&text, &mut rng);
        hold_to_account(&say(&text), &text);
    }
    assert!(fine * 2 > CASES, "only {fine} of {CASES} messages were accepted: the property was hardly tried");
}

#[test]
fn flat_declarations_survive_too_as_values_and_as_disturbed_text() {
    let turn = Turn::new(Speaking::Protocol, catalog());
    let mut fine = 0;
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let arguments = flat(&mut rng);
        let said = arguments.to_string();
        let read = accept(&AssistantMessage::of_carrier_call(arguments), &turn);
        fine += u64::from(read.is_ok());
        hold_to_account(&read, &said);
        let text = disturbed(&said, &mut rng);
        hold_to_account(
            &accept(&AssistantMessage::of_carrier_call(Value::String(text.clone())), &turn),
            &text,
        );
    }
    assert!(fine * 2 > CASES, "only {fine} of {CASES} calls were accepted: the property was hardly tried");
}

#[test]
fn a_file_that_passes_the_check_is_accepted_and_the_other_way_round() {
    for seed in 0..CASES {
        let mut rng = Rng::with_seed(seed);
        let text = message(&mut rng);
        let text = disturbed(&text, &mut rng);
        let checked = check(&text, catalog());
        let read = say(&text);
        let declares = read.as_ref().is_ok_and(|accepted| accepted.carrier != Carrier::None);
        if !text.trim_start().starts_with(['{', '[']) {
            assert_eq!(checked.findings.is_empty(), declares, "{text}");
        }
    }
}

#[test]
fn an_action_of_a_declaration_names_its_executor_or_leaves_the_choice() {
    for seed in 0..CASES {
        let Ok(accepted) = say(&message(&mut Rng::with_seed(seed))) else { continue };
        for action in accepted.content.actions() {
            let named = action.executor.target.name().is_none_or(|name| {
                let kind = action.executor.kind.unwrap_or(ExecutorType::Tool);
                catalog().find(kind, name).is_some() || name == "expand_ref"
            });
            assert!(named, "{}", action.to_value());
        }
    }
}
