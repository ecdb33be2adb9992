//! Messages: one normal form, whatever came in.

use proptest::prelude::*;
use provost_contract::Message;
use provost_contract::message::{coalesce, to_provider_messages};
use serde_json::Value;

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

#[test]
fn a_normal_message_stays_as_it_is() {
    let inputs = Corpus::of("message").near("message");
    normalising_twice_changes_nothing(&inputs, |value| Ok(Message::parse(value)?.to_value()));
}

#[test]
fn coalescing_twice_changes_nothing_and_leaves_no_neighbours_of_one_role() {
    let transcripts = proptest::collection::vec(Corpus::of("message").near("message"), 0..8);
    check(&transcripts, |values: Vec<Value>| {
        let messages: Vec<Message> = values.iter().filter_map(|value| Message::parse(value).ok()).collect();
        prop_assert_eq!(to_provider_messages(&messages).len(), messages.len());
        let Ok(once) = coalesce(&messages) else { return Ok(()) };
        prop_assert!(once.windows(2).all(|pair| pair[0].role() != pair[1].role()));
        prop_assert_eq!(coalesce(&once).unwrap(), once);
        Ok(())
    });
}
