use serde_json::{Value, json};

use super::{Mend, RepairMode, Repaired, repair, repair_owned};
use crate::Message;
use crate::json::Object;
use crate::provider::{IdentityNames, Provider};

fn metadata(id: &str) -> Object {
    Object::from_iter([("tool_call_id".to_owned(), json!(id))])
}

fn call(id: &str, tool: &str, turn: u64) -> Message {
    Message::tool_call("", tool, Object::new(), turn, metadata(id))
}

fn result(id: &str, tool: &str) -> Message {
    Message::tool_result(&format!("result of {id}"), tool, Object::new(), metadata(id))
}

/// What each message is, in a word or two.
fn told(repaired: &Repaired) -> Vec<String> {
    let told = |message: &Message| match (message.tool_name(), message.content.as_text()) {
        ("", text) => text.unwrap_or("…").to_owned(),
        (tool, Some("")) => format!("{tool} {}?", message.tool_call_id()),
        (tool, text) => format!("{tool} {}: {}", message.tool_call_id(), text.unwrap_or("…")),
    };
    repaired.messages.iter().map(told).collect()
}

fn mends(repaired: &Repaired) -> Vec<(usize, Mend)> {
    repaired.changes.iter().map(|change| (change.index, change.mend)).collect()
}

#[test]
fn an_interrupted_call_is_dropped_or_answered_honestly() {
    let cut = [Message::text("user", "go"), call("a", "find", 1), Message::text("user", "stop")];
    let pruned = repair(&cut, RepairMode::Prune);
    assert_eq!(told(&pruned), ["go", "stop"]);
    assert_eq!(mends(&pruned), [(1, Mend::DroppedCall)]);

    let answered = repair(&cut, RepairMode::Synthesise);
    let honest = "find a: the call was interrupted; whether it took effect is unknown";
    assert_eq!(told(&answered), ["go", "find a?", honest, "stop"]);
    assert_eq!(mends(&answered), [(1, Mend::WroteResult)]);
    assert_eq!(answered.messages[2].payload["success"], json!(false));
}

#[test]
fn a_whole_transcript_is_left_alone() {
    let whole = vec![
        Message::text("user", "go"),
        call("a", "find", 1),
        call("b", "get", 1),
        result("a", "find"),
        result("b", "get"),
        call("c", "find", 2),
        result("c", "find"),
        Message::text("assistant", "done"),
    ];
    let repaired = repair(&whole, RepairMode::Prune);
    assert_eq!(repaired, Repaired { messages: whole, changes: Vec::new() });
}

#[test]
fn results_follow_in_the_order_of_their_calls() {
    // Where calls have no ids on the wire, their order is all that tells their results apart.
    let crossed = [call("a", "find", 1), call("b", "find", 1), result("b", "find"), result("a", "find")];
    let repaired = repair(&crossed, RepairMode::Prune);
    assert_eq!(told(&repaired), ["find a?", "find b?", "find a: result of a", "find b: result of b"]);
    assert_eq!(mends(&repaired), [(2, Mend::MovedResult), (3, Mend::MovedResult)]);
}

#[test]
fn a_late_result_moves_behind_its_call_and_a_lone_one_goes() {
    let shuffled = [
        result("lost", "get"),
        call("a", "find", 1),
        Message::text("user", "stop"),
        result("a", "find"),
        result("a", "find"),
    ];
    let repaired = repair(&shuffled, RepairMode::Prune);
    assert_eq!(told(&repaired), ["find a?", "find a: result of a", "stop"]);
    let expected = [(0, Mend::DroppedResult), (3, Mend::MovedResult), (4, Mend::DroppedResult)];
    assert_eq!(mends(&repaired), expected);
}

#[test]
fn calls_of_one_turn_become_one_step_and_calls_of_two_turns_stay_two() {
    let loop_wrote = |second: u64| {
        [call("a", "find", 1), result("a", "find"), call("b", "get", second), result("b", "get")]
    };
    let together = repair(&loop_wrote(1), RepairMode::Prune);
    assert_eq!(told(&together), ["find a?", "get b?", "find a: result of a", "get b: result of b"]);
    let apart = repair(&loop_wrote(2), RepairMode::Prune);
    assert_eq!(told(&apart), ["find a?", "find a: result of a", "get b?", "get b: result of b"]);
    assert_eq!(apart.changes, []);
}

#[test]
fn an_id_used_again_is_told_apart_and_the_real_result_stays_with_its_call() {
    let again = [call("a", "find", 1), call("a", "get", 1), result("a", "find")];
    let repaired = repair(&again, RepairMode::Synthesise);
    let interrupted = "get a-2: the call was interrupted; whether it took effect is unknown";
    assert_eq!(told(&repaired), ["find a?", "get a-2?", "find a: result of a", interrupted]);
}

#[test]
fn a_result_takes_the_name_of_the_tool_that_was_called() {
    let crossed = [call("a", "find", 1), result("a", "get")];
    let repaired = repair(&crossed, RepairMode::Prune);
    assert_eq!(told(&repaired), ["find a?", "find a: result of a"]);
    assert_eq!(mends(&repaired), [(1, Mend::NamedTool)]);
}

#[test]
fn thinking_before_a_pruned_call_is_told_as_lost() {
    let thought = json!([{
        "type": "opaque",
        "provider": "anthropic",
        "block": { "type": "thinking", "thinking": "hm", "signature": "c2ln" },
    }]);
    let cut = [
        Message::text("user", "go"),
        Message::new("assistant", &thought, Object::new()).unwrap(),
        call("a", "find", 1),
        Message::text("user", "stop"),
    ];
    let sent = |mode| Provider::Anthropic.encode(&repair(&cut, mode).messages, &IdentityNames);
    let kept = sent(RepairMode::Synthesise);
    assert_eq!(kept.body.pointer("/messages/1/content/0/signature"), Some(&json!("c2ln")));
    assert_eq!(kept.losses, []);
    let pruned = sent(RepairMode::Prune);
    assert_eq!(pruned.body.pointer("/messages/0/content").and_then(Value::as_array).map(Vec::len), Some(2));
    assert_eq!(pruned.losses[0].what, "thinking block");
}

#[test]
fn arguments_that_were_cut_are_kept_here_and_told_as_lost_there() {
    let cut = json!([{ "role": "assistant", "content": null, "tool_calls": [
        { "id": "a", "type": "function", "function": { "name": "find", "arguments": "{\"q\": \"ber" } },
    ] }]);
    let messages = Provider::OpenaiChat.decode(&cut, &IdentityNames, 1).unwrap();
    assert_eq!(messages[0].payload["unread_arguments"], json!("{\"q\": \"ber"));
    let repaired = repair(&messages, RepairMode::Synthesise).messages;
    let encoded = Provider::OpenaiChat.encode(&repaired, &IdentityNames);
    assert_eq!(encoded.body.pointer("/messages/0/tool_calls/0/function/arguments"), Some(&json!("{}")));
    assert_eq!(encoded.losses[0].what, "arguments");
}

#[test]
fn messages_that_are_given_away_are_repaired_like_others() {
    let merged = json!({ "type": "multimodal_part", "role": "assistant", "content": "", "payload": {
        "parts": [{ "role": "user", "content": "inside" }] } });
    let transcript = vec![
        Message::text("user", "go"),
        call("a", "kb/find", 1),
        call("a", "kb/find", 1),
        Message::parse(&merged).unwrap(),
        result("a", "other"),
        result("lost", "kb/find"),
        call("open", "kb/find", 2),
    ];
    for mode in [RepairMode::Prune, RepairMode::Synthesise] {
        assert_eq!(repair_owned(transcript.clone(), mode), repair(&transcript, mode));
    }
}
