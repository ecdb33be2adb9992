//! W6: validate and prune a long transcript of tool calls and results.
//!
//! Calls carry about 200 bytes of arguments and results about 1 KB of text. Each shape is measured on
//! typed messages and on messages still in JSON, at two lengths: `growth` is ten when the cost is linear,
//! and more where only the shorter one fits the caches. `wall_s` is one call of `prune`, which validates and prunes; `validate_s` is
//! validating alone.

use provost_contract::Message;
use provost_contract::json::Object;
use provost_contract::tool_pair::{self, Entry};
use serde_json::{Value, json};
use strum::{IntoStaticStr, VariantArray};

use super::measure::{Measurement, timed};
use crate::Failure;

const WORKLOAD: &str = "W6";
const RUNS: usize = 7;
const LENGTHS: [usize; 2] = [10_000, 100_000];

/// How calls and results lie in the transcript.
#[derive(Clone, Copy, PartialEq, Eq, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
enum Shape {
    /// Each call is followed by its result.
    Paired,
    /// The same without ids: pairs are found by the tool's name.
    PairedNoIds,
    /// As paired, but one pair in a hundred has lost its common id.
    Orphans,
    /// All calls, then all results.
    Batch,
    /// All calls, then all results from the last to the first.
    BatchReversed,
    /// All calls, then all results, without ids.
    BatchNoIds,
}

/// Measures every shape.
pub(super) fn run() -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    for shape in Shape::VARIANTS {
        measurements.extend(measure(*shape, "typed", |message| message)?);
        measurements.extend(measure(*shape, "json", |message| message.to_value())?);
    }
    Ok(measurements)
}

/// Measures a shape in one form at every length, and how the cost grew between them.
fn measure<E: Entry>(
    shape: Shape,
    form: &'static str,
    form_of: fn(Message) -> E,
) -> Result<Vec<Measurement>, Failure> {
    let mut measurements = Vec::new();
    let mut walls = Vec::new();
    for length in LENGTHS {
        let (mut validates, mut prunes) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let transcript = shape.transcript(length).into_iter().map(form_of).collect();
            let (validate, prune) = one_run(shape, transcript)?;
            validates.push(validate);
            prunes.push(prune);
        }
        let of = |metric, runs| Measurement {
            workload: WORKLOAD,
            params: json!({ "variant": <&str>::from(shape), "form": form, "n": length }),
            metric,
            unit: "s",
            runs,
        };
        let wall = of("wall_s", prunes);
        walls.push(wall.value());
        measurements.extend([of("validate_s", validates), wall]);
    }
    if let [short, long] = walls.as_slice() {
        measurements.push(Measurement {
            workload: WORKLOAD,
            params: json!({ "variant": <&str>::from(shape), "form": form, "n": LENGTHS }),
            metric: "growth",
            unit: "x",
            runs: vec![long / short],
        });
    }
    Ok(measurements)
}

/// The seconds of validating and of pruning, once the outcome of both was found right.
fn one_run<E: Entry>(shape: Shape, transcript: Vec<E>) -> Result<(f64, f64), Failure> {
    let length = transcript.len();
    let expected = shape.orphans(length);
    let (orphans, validate) = timed(|| tool_pair::validate(&transcript));
    let (pruned, prune) = timed(|| tool_pair::prune(transcript));
    let (Ok(orphans), Ok(pruned)) = (orphans, pruned) else { return Err("a message was refused".into()) };
    let still_paired = matches!(tool_pair::is_paired(&pruned.messages), Ok(true));
    if orphans.len() != expected || pruned.removed != orphans {
        return Err(format!("expected {expected} orphans, found {}", orphans.len()).into());
    }
    if pruned.messages.len() != length - expected || !still_paired {
        return Err("the pruned transcript is not the given one without its orphans".into());
    }
    Ok((validate, prune))
}

impl Shape {
    /// A user's message and as many pairs as fit.
    fn transcript(self, length: usize) -> Vec<Message> {
        let pairs = pairs_in(length);
        let mut messages = vec![Message::text("user", "hi")];
        match self {
            Self::Paired | Self::PairedNoIds | Self::Orphans => {
                messages.extend((0..pairs).flat_map(|pair| [self.call(pair), self.result(pair)]));
            }
            Self::Batch | Self::BatchNoIds => {
                messages.extend((0..pairs).map(|pair| self.call(pair)));
                messages.extend((0..pairs).map(|pair| self.result(pair)));
            }
            Self::BatchReversed => {
                messages.extend((0..pairs).map(|pair| self.call(pair)));
                messages.extend((0..pairs).rev().map(|pair| self.result(pair)));
            }
        }
        messages
    }

    /// How many halves of a transcript of this length lack their partner.
    fn orphans(self, length: usize) -> usize {
        2 * (0..pairs_in(length)).filter(|pair| self.is_broken(*pair)).count()
    }

    fn is_broken(self, pair: usize) -> bool {
        self == Self::Orphans && pair % 100 == 50
    }

    fn call(self, pair: usize) -> Message {
        let mut parameters = Object::new();
        parameters.insert("query".into(), "q".repeat(180).into());
        parameters.insert("limit".into(), 10.into());
        Message::tool_call("", "kb/lookup", parameters, 1, self.metadata(format!("c{pair}")))
    }

    fn result(self, pair: usize) -> Message {
        let mut payload = Object::new();
        payload.insert("success".into(), true.into());
        let prefix = if self.is_broken(pair) { 'x' } else { 'c' };
        Message::tool_result(
            &"r".repeat(1_000),
            "kb/lookup",
            payload,
            self.metadata(format!("{prefix}{pair}")),
        )
    }

    fn metadata(self, id: String) -> Object {
        match self {
            Self::PairedNoIds | Self::BatchNoIds => Object::new(),
            Self::Paired | Self::Orphans | Self::Batch | Self::BatchReversed => {
                Object::from_iter([("tool_call_id".to_owned(), Value::String(id))])
            }
        }
    }
}

fn pairs_in(length: usize) -> usize {
    length.saturating_sub(1) / 2
}
