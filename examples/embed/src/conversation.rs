//! A conversation over two runs: the second one has read the first.

use std::path::Path;

use provost::{Answer, Asked, FnModel, SessionOptions};

use crate::{Shown, desk};

/// Knows the guest's name if it was said before.
fn model() -> FnModel {
    FnModel::new(|asked: Asked| async move {
        let name =
            asked.texts().into_iter().find_map(|text| text.strip_prefix("My name is ").map(str::to_owned));
        Ok(match (asked.last_text(), name) {
            ("What is my name?", Some(name)) => Answer::say(format!("You are {}", name)),
            ("What is my name?", None) => Answer::say("You did not say."),
            _ => Answer::say("Welcome."),
        })
    })
}

pub(crate) async fn show(database: &Path) -> Shown {
    let runtime = desk::runtime(model(), database)?;
    let options = SessionOptions { agent: "clerk".to_owned(), ..SessionOptions::default() };
    let session = runtime.create_session(options).await?;
    let first = session.say("My name is Ada.").await?.outcome().await?;
    let second = session.say("What is my name?").await?.outcome().await?;
    assert_eq!((first.text(), second.text()), ("Welcome.", "You are Ada."));
    assert_ne!(first.run, second.run);
    assert_eq!(session.history(None).await?.len(), 4);

    // Without the conversation nothing is known.
    let alone = runtime.start("What is my name?").await?.outcome().await?;
    assert_eq!(alone.text(), "You did not say.");
    println!("a conversation over two runs: {}", second.text());
    Ok(())
}
