//! Lines that cannot be read, and lines of kinds nobody knows.

use proptest::prelude::*;
use proptest::sample::select;
use provost_contract::session_file::{BrokenLines, Format, Reason};
use serde_json::{Value, json};

/// Lines as a file holds them.
pub(super) fn text(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn good(format: Format) -> Value {
    match format {
        Format::ClaudeCode => {
            json!({ "type": "user", "uuid": "a", "message": { "role": "user", "content": "hello" } })
        }
        Format::Codex => {
            let said = json!({ "type": "message", "role": "user", "content": "hello" });
            json!({ "type": "response_item", "payload": said })
        }
    }
}

/// Each kind of damage is refused with its line and left out when asked; without it, nothing is.
#[test]
fn a_broken_line_is_refused_by_number_or_left_out() {
    let broken = [
        (Format::ClaudeCode, r#"{"type":"assistant","uuid":"b","mess"#, "lines.3 "),
        (Format::ClaudeCode, "[1]", "lines.3 "),
        (Format::ClaudeCode, r#"{"type":"user","uuid":"b"}"#, "lines.3.message "),
        (Format::ClaudeCode, r#"{"type":"user","message":{"content":7}}"#, "lines.3.message.content "),
        (Format::Codex, "\u{0}\u{0}", "lines.3 "),
        (Format::Codex, r#"{"type":"response_item","payload":7}"#, "lines.3.payload "),
        (Format::Codex, r#"{"type":"response_item","payload":{}}"#, "lines.3.payload.type "),
        (
            Format::Codex,
            r#"{"type":"response_item","payload":{"type":"message","role":"cook"}}"#,
            "lines.3.payload.role ",
        ),
        (Format::Codex, r#"{"type":"compacted","payload":{"message":""}}"#, "lines.3.payload.message "),
    ];
    for (format, line, place) in broken {
        let whole = format!("{}\n\n", good(format));
        let text = format!("{whole}{line}\n");
        let error = format.read(&text, BrokenLines::Refuse).expect_err(line);
        assert_eq!(error.code(), "invalid_session_line");
        assert!(error.message().contains(place), "{}", error.message());
        let session = format.read(&text, BrokenLines::Skip).expect(line);
        let left_out: Vec<_> = session.left_out.iter().map(|left| (left.reason, left.first_line)).collect();
        assert_eq!(left_out, [(Reason::Broken, 3)], "{line}");
        let control = format.read(&whole, BrokenLines::Refuse).expect("a whole file");
        assert_eq!((control.body, control.left_out), (session.body, Vec::new()), "{line}");
    }
}

#[test]
fn lines_of_unknown_kinds_are_counted() {
    for format in [Format::ClaudeCode, Format::Codex] {
        let tide = json!({ "type": "tide", "payload": { "type": "high" } });
        let text = text(&[good(format), tide.clone(), json!({ "salt": true }), tide]);
        let session = format.read(&text, BrokenLines::Refuse).expect("a session");
        let unknown: Vec<_> =
            session.left_out.iter().map(|left| (left.reason, left.count, left.first_line)).collect();
        assert_eq!(unknown, [(Reason::UnknownKind, 2, 2), (Reason::UnknownKind, 1, 3)], "{format}");
    }
}

#[test]
fn other_texts_are_no_session_files() {
    for text in [
        "",
        "hello",
        "{}",
        r#"{"messages": [{"role": "user", "content": "hi"}]}"#,
        r#"{"role":"user","content":"hi"}"#,
    ] {
        assert_eq!(Format::detect(text), None, "{text}");
    }
}

fn any_line() -> impl Strategy<Value = Value> {
    let kinds =
        ["user", "assistant", "system", "tide", "response_item", "event_msg", "session_meta", "message"];
    let id = || proptest::option::of(select(vec!["1", "2", "3", "4"]));
    let content = select(vec![json!("hi"), json!([{ "type": "text", "text": "hi" }]), json!(7), Value::Null]);
    (select(kinds.to_vec()), id(), id(), content, any::<bool>()).prop_map(
        |(kind, uuid, parent, content, side)| {
            json!({
                "type": kind, "uuid": uuid, "parentUuid": parent, "isSidechain": side,
                "message": { "role": kind, "content": content },
                "payload": { "type": "message", "role": kind, "content": content },
                "role": kind, "content": content,
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the lines say: each is a message of the conversation, or it is told.
    #[test]
    fn no_line_is_lost(lines in proptest::collection::vec(any_line(), 0..12)) {
        for (format, key) in [(Format::ClaudeCode, "messages"), (Format::Codex, "input")] {
            let session = format.read(&text(&lines), BrokenLines::Skip).expect("broken lines are skipped");
            let taken = session.body[key].as_array().map_or(0, Vec::len);
            let told: usize = session.left_out.iter().map(|left_out| left_out.count).sum();
            prop_assert_eq!(taken + told, lines.len(), "{:?}", session);
            let messages = format.provider().decode(&session.body, &provost_contract::provider::IdentityNames, 1);
            prop_assert!(messages.is_ok());
        }
    }
}
