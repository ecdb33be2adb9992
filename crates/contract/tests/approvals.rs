//! Approvals: a normal record stays so, and makes a message that reads its own wire form.

use proptest::prelude::*;
use provost_contract::Message;
use provost_contract::approval::{PendingAction, approval_message};
use provost_contract::json::Object;

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

#[test]
fn normal_pending_actions_stay_as_they_are_and_make_a_message() {
    let approvals = Corpus::of("approvals");
    normalising_twice_changes_nothing(&approvals.near("action"), |value| {
        Ok(PendingAction::parse(value)?.to_object().into())
    });
    check(&(approvals.near("action"), approvals.near("grants")), |(action, grants)| {
        let Ok(action) = PendingAction::parse(&action) else { return Ok(()) };
        let grants = grants.as_array().cloned().unwrap_or_default();
        let message = approval_message(&action, Some("ask"), &grants, Object::new());
        prop_assert_eq!(Message::parse(&message.to_value()), Ok(message));
        Ok(())
    });
}
