//! Requests and results of turns, runs and conversations: what was normalised once is normal.

use proptest::prelude::*;
use provost_contract::conversation::{ConversationRequest, ConversationResult};
use provost_contract::provider_turn::{ProviderTurn, extract_tool_calls};
use provost_contract::run::{RunOutcome, RunResult};
use provost_contract::structured_output::{StructuredOutputRequest, check as check_answer};
use serde_json::json;

use crate::corpus::{Corpus, check, normalising_twice_changes_nothing};

#[test]
fn a_normal_conversation_request_stays_as_it_is() {
    let inputs = Corpus::of("conversation-request").near_whole();
    normalising_twice_changes_nothing(&inputs, |value| {
        let request = value.as_object().cloned().unwrap_or_default();
        Ok(ConversationRequest::parse(&request)?.to_value())
    });
}

#[test]
fn a_normal_conversation_result_stays_as_it_is() {
    let inputs = Corpus::of("conversation-result").near("result");
    normalising_twice_changes_nothing(&inputs, |value| Ok(ConversationResult::parse(value)?.to_value()));
}

#[test]
fn a_verdict_holds_for_the_same_result_and_alone() {
    let corpus = Corpus::of("run-outcome");
    check(&(corpus.near("outcome"), corpus.near("result")), |(supplied, result)| {
        let result = result.as_object().cloned().unwrap_or_default();
        let once = RunOutcome::derive(&supplied, &result);
        prop_assert_eq!(&RunOutcome::derive(&once.to_value(), &result), &once);
        prop_assert_eq!(
            &RunOutcome::derive(&once.to_value(), &json!({}).as_object().cloned().unwrap()),
            &once
        );
        Ok(())
    });
}

#[test]
fn a_normal_run_result_stays_as_it_is() {
    let inputs = Corpus::of("run-result-envelope").near("value");
    normalising_twice_changes_nothing(&inputs, |value| Ok(RunResult::parse(value).to_value()));
}

#[test]
fn a_normal_provider_turn_stays_as_it_is() {
    let inputs = Corpus::of("provider-turn-result").near("result");
    normalising_twice_changes_nothing(&inputs, |value| {
        let turn = value.as_object().cloned().unwrap_or_default();
        Ok(ProviderTurn::parse(&turn)?.to_value())
    });
}

#[test]
fn a_call_found_in_text_is_found_once_and_can_be_stated() {
    let corpus = Corpus::of("provider-turn-result");
    let texts = "[a-z/=\"' <>`{}&;_]{0,60}|(<tool_call( name='a')?>\\{?\"?[a-z\":]{0,8}\\}?</tool_call>|```json|<function_calls>|<invoke name=\"b\">|</invoke>|<parameter name='p'>|</parameter>|[a-z]=[a-z]| ){0,8}";
    check(&(corpus.near("result"), texts), |(mut turn, text)| {
        turn.as_object_mut().into_iter().for_each(|turn| drop(turn.insert("content".into(), json!(text))));
        let turn = turn.as_object().cloned().unwrap_or_default();
        let Ok(calls) = extract_tool_calls(&turn) else { return Ok(()) };
        let stated = json!({ "tool_calls": calls.iter().map(|call| call.to_value()).collect::<Vec<_>>() });
        let again = ProviderTurn::parse(stated.as_object().unwrap()).map(|turn| turn.tool_calls);
        prop_assert_eq!(again, Ok(calls));
        Ok(())
    });
}

#[test]
fn a_normal_structured_output_request_stays_as_it_is() {
    let inputs = Corpus::of("structured-output").near("request");
    normalising_twice_changes_nothing(&inputs, |value| Ok(StructuredOutputRequest::parse(value)?.to_value()));
}

#[test]
fn an_answer_its_schema_lists_follows_the_schema() {
    let corpus = Corpus::of("structured-output");
    check(&(corpus.near("schema"), corpus.near("value")), |(schema, answer)| {
        let schema = schema.as_object().cloned().unwrap_or_default();
        // Whatever the verdict, there is one; and listing the answer itself always satisfies.
        let _ = check_answer(&schema, &answer);
        let listing = json!({ "enum": [answer] });
        prop_assert_eq!(check_answer(listing.as_object().unwrap(), &answer), Ok(()));
        Ok(())
    });
}
