//! Whatever a stream says, putting it together and reading it ends in a turn or a fault.

use arbtest::arbitrary::{Result, Unstructured};
use provost_contract::json::{self, Object};
use provost_contract::provider::IdentityNames;
use serde_json::{Value, json};
use strum::VariantArray;

use super::ApiKind;
use provost_runtime::port::Delta;

const STREAMS: [&str; 4] = [
    include_str!("../../tests/streams/anthropic.sse"),
    include_str!("../../tests/streams/openai_chat.sse"),
    include_str!("../../tests/streams/openai_responses.sse"),
    include_str!("../../tests/streams/gemini.sse"),
];

fn events() -> Vec<Value> {
    let lines = STREAMS.iter().flat_map(|stream| stream.lines());
    lines.filter_map(|line| json::parse_text(line.strip_prefix("data: ")?).ok()).collect()
}

/// A value with something in it exchanged for something else.
fn spoilt(value: &Value, random: &mut Unstructured<'_>) -> Result<Value> {
    if random.ratio(1, 12)? {
        let others = [
            json!(null),
            json!(7),
            json!("x"),
            json!([]),
            json!({}),
            json!([{ "type": 3 }]),
            json!(u64::MAX),
        ];
        return Ok(random.choose(&others)?.clone());
    }
    match value {
        Value::Array(items) => items.iter().map(|item| spoilt(item, random)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| Ok((key.clone(), spoilt(value, random)?)));
            Ok(Value::Object(fields.collect::<Result<Object>>()?))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value.clone()),
    }
}

#[test]
fn no_stream_breaks_an_assembler() {
    let events = events();
    arbtest::arbtest(|random| {
        let api = random.choose(ApiKind::VARIANTS)?.api();
        let mut assembler = api.assembler();
        let mut heard = 0_usize;
        for _ in 0..random.int_in_range(0..=30)? {
            let event = spoilt(random.choose(&events)?, random)?;
            assembler.take(&event, &mut |_: Delta<'_>| heard += 1);
        }
        let body = assembler.body();
        let _ = (api.finish(&body), api.usage(&body), api.answer_id(&body), api.answer_model(&body));
        let _ = api.shape().decode(&api.said(&body), &IdentityNames, 1);
        Ok(())
    });
}
