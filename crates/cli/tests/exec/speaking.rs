//! Agents that speak the protocol, with a provider on this machine, and what is counted of them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use super::Exec;

/// A provider that answers one request after the other, and passes on what it was asked.
fn provider(answers: Vec<Value>) -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (sender, asked) = channel();
    thread::spawn(move || {
        for message in answers {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = BufReader::new(stream.try_clone().unwrap());
            let (mut line, mut length) = (String::new(), 0);
            while request.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                line.clear();
            }
            let mut body = vec![0; length];
            request.read_exact(&mut body).unwrap();
            sender.send(serde_json::from_slice(&body).unwrap()).unwrap();
            let choice = json!({ "index": 0, "message": message, "finish_reason": "stop" });
            let text = json!({ "id": "a", "object": "chat.completion", "model": "m", "choices": [choice],
                "usage": { "prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10 } })
            .to_string();
            let head =
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ";
            write!(stream, "{head}{}\r\n\r\n{text}", text.len()).unwrap();
        }
    });
    (url, asked)
}

fn declares(arguments: &str) -> Value {
    let function = json!({ "name": "AgentProtocolOutput", "arguments": arguments });
    json!({ "role": "assistant", "content": null, "tool_calls": [{ "id": "c", "type": "function", "function": function }] })
}

#[test]
fn an_agent_declares_is_corrected_and_is_counted() {
    let (url, asked) = provider(vec![
        declares(
            r#"{"kind":"act","message":"I look.","calls":[{"id":"l","type":"tool","name":"t/list"},{"id":"e","type":"tool","name":"t/echo","args":{"n":{"$ref":"action:l.output#/1/n"}},"depends":"l","result":"full"}]}"#,
        ),
        declares(r#"{"kind":"act","calls":[{"id":"x","type":"tool","name":"t/lst"}]}"#),
        declares(r#"{"kind":"act","calls":["#),
    ]);
    let exec = Exec::with(&format!(
        "[defaults]\nmodel = \"local\"\n[models.local]\nprovider = \"openai_compatible\"\nbase_url = \"{url}\"\ndelivery = \"whole\"\nsettings = {{ model = \"m\" }}\n"
    ));
    exec.write("agents/planner.md", "---\nname: planner\nspeaks: protocol\n---\nYou plan.\n");
    let (code, outcome) = exec.provost(&["run", "Look around.", "--agent", "planner"]);
    assert_eq!((code, outcome["status"].as_str()), (1, Some("failed")), "{outcome}");
    let requests: Vec<Value> = asked.iter().take(3).collect();
    let names = |request: &Value| request["tools"][0]["function"]["name"].clone();
    assert_eq!(
        (names(&requests[0]), requests[0]["tools"].as_array().unwrap().len()),
        ("AgentProtocolOutput".into(), 1)
    );
    let page = |at: usize| {
        let messages = requests[at]["messages"].as_array().unwrap();
        messages.last().unwrap()["content"].as_str().unwrap().to_owned()
    };
    assert!(page(1).contains("### Result for e") && page(1).contains("\"n\": 2"), "{}", page(1));
    assert!(page(2).contains("did you mean t/list?"), "{}", page(2));
    let (code, counted) = exec.provost(&["stats"]);
    assert_eq!(code, 0);
    let number = |key: &str| counted[key].as_u64().unwrap();
    assert_eq!((counted["agent"].as_str(), counted["model"].as_str()), (Some("planner"), Some("local")));
    assert_eq!((number("runs"), number("declarations"), number("compliant")), (1, 1, 1), "{counted}");
    assert_eq!((number("refused"), number("retries")), (2, 1), "{counted}");
    assert_eq!(counted["refusals"], json!({ "invalid_json": 1, "unknown_tool": 1 }));
    let (_, shown) = exec.provost(&["show", "last"]);
    assert_eq!(shown["result"]["errors"][0]["code"], "protocol_error");
}
