//! What approval memories promise.

use super::promises;
use super::sample::must;
use crate::port::{RememberedApproval, SparedQuestion, Stores};

promises![
    a_word_is_recalled_with_whose_it_is,
    a_word_spares_its_own_question_and_no_other,
    of_several_words_the_first_stays,
    words_are_listed_in_the_order_they_were_kept,
    a_word_taken_back_is_not_recalled,
    a_word_can_be_given_again,
];

fn question(tool: &str) -> SparedQuestion {
    let [workspace, principal, agent, layer, rule] =
        ["/garden", "user:ada", "scribe", "rule", "č \" 🌱"].map(str::to_owned);
    SparedQuestion { workspace, principal, agent, tool: tool.to_owned(), layer, rule }
}

fn word(tool: &str, by: &str) -> RememberedApproval {
    let [by, at, run] = [by, "2026-05-28T20:26:40Z", "run-1"].map(str::to_owned);
    RememberedApproval { question: question(tool), by, at, run }
}

async fn a_word_is_recalled_with_whose_it_is(stores: Stores) {
    assert_eq!(must(stores.memory.recall(&question("write")).await), None);
    must(stores.memory.remember(word("write", "grace")).await);
    assert_eq!(must(stores.memory.recall(&question("write")).await), Some(word("write", "grace")));
}

async fn a_word_spares_its_own_question_and_no_other(stores: Stores) {
    must(stores.memory.remember(word("write", "grace")).await);
    let changes: [fn(&mut SparedQuestion) -> &mut String; 6] = [
        |question| &mut question.workspace,
        |question| &mut question.principal,
        |question| &mut question.agent,
        |question| &mut question.tool,
        |question| &mut question.layer,
        |question| &mut question.rule,
    ];
    for part in changes {
        let mut other = question("write");
        part(&mut other).push('x');
        assert_eq!(must(stores.memory.recall(&other).await), None, "{other:?}");
        assert!(!must(stores.memory.forget(&other).await));
        assert_ne!(other.id(), question("write").id());
    }
    assert!(must(stores.memory.recall(&question("write")).await).is_some());
}

async fn of_several_words_the_first_stays(stores: Stores) {
    must(stores.memory.remember(word("write", "grace")).await);
    must(stores.memory.remember(word("write", "alan")).await);
    assert_eq!(must(stores.memory.remembered().await), [word("write", "grace")]);
}

async fn words_are_listed_in_the_order_they_were_kept(stores: Stores) {
    let words = ["write", "put", "ask"].map(|tool| word(tool, "grace"));
    for word in words.clone() {
        must(stores.memory.remember(word).await);
    }
    assert_eq!(must(stores.memory.remembered().await), words);
}

async fn a_word_taken_back_is_not_recalled(stores: Stores) {
    must(stores.memory.remember(word("write", "grace")).await);
    must(stores.memory.remember(word("put", "grace")).await);
    assert!(must(stores.memory.forget(&question("write")).await));
    assert!(!must(stores.memory.forget(&question("write")).await), "it is forgotten already");
    assert_eq!(must(stores.memory.recall(&question("write")).await), None);
    assert_eq!(must(stores.memory.remembered().await), [word("put", "grace")]);
}

async fn a_word_can_be_given_again(stores: Stores) {
    must(stores.memory.remember(word("write", "grace")).await);
    must(stores.memory.forget(&question("write")).await);
    must(stores.memory.remember(word("write", "alan")).await);
    assert_eq!(must(stores.memory.recall(&question("write")).await), Some(word("write", "alan")));
}
