//! Area `markdown-section-compaction`.

use provost_contract::compaction::Item;
use provost_contract::compaction::markdown::{self, ArchivePointer, Section, SplitPolicy};
use serde_json::Value;

use super::{Answer, input, list, object, text, unknown_operation};

pub(super) fn run(op: &str, case: &Value) -> Answer {
    match op {
        "parse" => Ok(many(&markdown::parse(text(case, "markdown")))),
        "reconstruct" => Ok(markdown::reconstruct(&items(case)?)?.into()),
        "round_trip" => Ok(markdown::reconstruct(&markdown::parse(text(case, "markdown")))?.into()),
        "summary_item" => {
            Ok(Section::parse(input(case, "section"))?.summary(text(case, "summary")).to_value())
        }
        "pointer_item" => {
            Ok(Section::parse(input(case, "section"))?.pointer(text(case, "destination"))?.to_value())
        }
        "archive_pointer_item" => {
            let pointer = ArchivePointer {
                heading: text(case, "heading").to_owned(),
                destination: text(case, "destination").to_owned(),
                level: input(case, "level").as_i64(),
                content: text(case, "content").to_owned(),
            };
            Ok(pointer.to_item()?.to_value())
        }
        "group_by_heading_boundary" => {
            let groups = markdown::group_by_heading_boundary(items(case)?, input(case, "level").as_i64());
            Ok(groups.into_iter().map(|(key, items)| (key, many(&items))).collect())
        }
        "split_for_overflow" => {
            let policy = SplitPolicy::parse(&object(case, "policy"));
            Ok(markdown::split_for_overflow(items(case)?, &policy)?.to_value())
        }
        _ => unknown_operation(op),
    }
}

fn items(case: &Value) -> Result<Vec<Item>, Value> {
    Ok(Item::parse_many(list(case, "items"))?)
}

fn many(items: &[Item]) -> Value {
    items.iter().map(Item::to_value).collect()
}
