//! Area `compaction-conservation`.

use provost_contract::compaction::{self, Conservation, ConservationPolicy, Provenance, Stats};
use serde_json::{Value, json};

use super::{Answer, list, object, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    let stats = |key| Stats::of(list(case, key));
    match op {
        "normalize_policy" => Ok(ConservationPolicy::normalize(&object(case, "policy")).into()),
        "item_stats" => Ok(json!(stats("items"))),
        "metadata" => {
            let policy = object(case, "policy");
            let provenance = Provenance {
                original: stats("original"),
                compacted: stats("compacted"),
                retained: stats("retained"),
                archived: stats("archived"),
            };
            let conservation = Conservation::new(ConservationPolicy::parse(&policy), provenance);
            Ok(conservation.record(policy, object(case, "extra")).into())
        }
        "failed_closed" => Ok(compaction::failed_closed(&object(case, "metadata")).into()),
        _ => unknown_operation(op),
    }
}
