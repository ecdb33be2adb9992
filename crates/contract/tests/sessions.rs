//! Sessions: nobody gets a session that is not theirs, whatever a request or a row says.

use proptest::prelude::*;
use provost_contract::json::{self, Object};
use provost_contract::principal::ConversationOwner;
use provost_contract::session::{NewSession, Reach, SessionQuery, SessionRequest, StoreSupport, owns_row};
use provost_contract::{ExecutionPrincipal, WorkspaceScope};
use serde_json::Value;

use crate::corpus::{Corpus, check};

fn object(value: &Value) -> Object {
    json::into_object(value.clone())
}

#[test]
fn a_session_is_never_made_for_anybody_but_its_sender() {
    let sessions = Corpus::of("conversation-sessions");
    check(&(sessions.near("principal"), sessions.near("input")), |(principal, input)| {
        let Ok(principal) = ExecutionPrincipal::parse(&principal) else { return Ok(()) };
        let input = object(&input);
        let parsed = SessionRequest::parse(Some(&principal), &input, StoreSupport::EveryOwner, Reach::Own);
        let Ok(request) = parsed else { return Ok(()) };
        prop_assert_eq!(Some(request.owner().clone()), principal.conversation_owner());
        let session = NewSession::parse(&request, &input).into_session("s".to_owned(), 0);
        let row = object(&session.to_value());
        prop_assert!(owns_row(&row, request.workspace(), request.owner()));
        prop_assert!(SessionQuery::parse(&request, &Object::new()).matches(&session));
        prop_assert_eq!(request.access(Some(session.clone())), Ok(session));
        Ok(())
    });
}

#[test]
fn any_row_belongs_to_its_owner_or_nobody() {
    let sessions = Corpus::of("conversation-sessions");
    check(&sessions.near("session"), |row| {
        let workspace = WorkspaceScope::new("site", "1").unwrap();
        let owners = [("user", "7"), ("token", "5"), ("audience", "b1")];
        let owners = owners.map(|(kind, key)| ConversationOwner::new(kind, key).unwrap());
        let owning = owners.iter().filter(|owner| owns_row(&object(&row), &workspace, owner)).count();
        prop_assert!(owning <= 1);
        Ok(())
    });
}
