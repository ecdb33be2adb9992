//! Markdown documents: every byte comes back, and what is taken off is handed over.

use proptest::prelude::*;
use provost_contract::compaction::Item;
use provost_contract::compaction::markdown::{
    SplitPolicy, SplitStatus, group_by_heading_boundary, parse, reconstruct, split_for_overflow,
};
use provost_contract::json;
use serde_json::{Value, json};

use crate::corpus::{Corpus, check};

/// Text full of headings and of what only looks like them.
fn markdown() -> impl Strategy<Value = String> {
    "(#{0,7}[ \\ta-cé#]{0,6}(\n|\r\n|\r|)){0,14}"
}

#[test]
fn a_document_is_rebuilt_byte_for_byte() {
    check(&markdown(), |document| {
        let items = parse(&document);
        prop_assert_eq!(reconstruct(&items), Ok(document));
        let read_again: Vec<Value> = items.iter().map(Item::to_value).collect();
        prop_assert_eq!(Item::parse_many(&read_again), Ok(items));
        Ok(())
    });
}

#[test]
fn a_split_keeps_or_hands_over_every_section() {
    check(&(markdown(), 0_usize..80), |(document, target)| {
        let items = parse(&document);
        let policy = json!({ "target_bytes": target, "pointer_destination": "vault" });
        let split =
            split_for_overflow(items.clone(), &SplitPolicy::parse(&json::into_object(policy))).unwrap();
        let mut retained = split.retained_items;
        if split.status == SplitStatus::Archived {
            retained.pop();
        }
        prop_assert!(retained.len() + split.archive_items.len() == items.len());
        // Merged by their place in the document, both parts are the document.
        let place = |item: &Item| item.metadata["order"].as_u64();
        let mut all = [retained, split.archive_items].concat();
        all.sort_by_key(place);
        prop_assert_eq!(all, items);
        Ok(())
    });
}

#[test]
fn grouping_keeps_every_item() {
    check(&(markdown(), proptest::option::of(-1_i64..9)), |(document, level)| {
        let items = parse(&document);
        let groups = group_by_heading_boundary(items.clone(), level);
        prop_assert_eq!(groups.iter().map(|(_, members)| members.len()).sum::<usize>(), items.len());
        Ok(())
    });
}

#[test]
fn any_items_are_rebuilt_or_refused() {
    let corpus = Corpus::of("markdown-section-compaction");
    check(&(corpus.near("items"), corpus.near("policy")), |(items, policy)| {
        let Ok(items) = Item::parse_many(items.as_array().map_or(&[][..], Vec::as_slice)) else {
            return Ok(());
        };
        let policy = SplitPolicy::parse(&json::into_object(policy));
        prop_assert_eq!(SplitPolicy::parse(&policy.to_object()).to_object(), policy.to_object());
        let rebuilt = reconstruct(&items);
        if let Ok(split) = split_for_overflow(items.clone(), &policy) {
            prop_assert_eq!(
                split.metadata["total_markdown_bytes"].as_u64(),
                rebuilt.ok().map(|it| it.len() as u64)
            );
        }
        Ok(())
    });
}
