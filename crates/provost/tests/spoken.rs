//! Hearing the model while it speaks: for people alone, the record is the same.

use std::sync::Arc;

use provost::port::{Boxed, Delta, Model, ModelError, TurnAnswer, TurnRequest};
use provost::{Outcome, Runtime, Script, Spoken, Told};

/// Says what a script says, breaking off once on the way.
struct Speaking(Script);

impl Model for Speaking {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        for delta in [Delta::Text("It i"), Delta::Restart, Delta::Text("It is "), Delta::Text("so.")] {
            request.hearing.hear(delta);
        }
        self.0.turn(request)
    }
}

async fn heard(model: Arc<dyn Model>) -> (Vec<Spoken>, Outcome) {
    let runtime = Runtime::builder().model(model).build().unwrap();
    let mut run = runtime.start("Is it so?").unwrap();
    let mut events = run.events().unwrap();
    let mut pieces = Vec::new();
    while let Some(told) = events.next().await {
        if let Told::Spoken { turn: 1, piece } = told {
            pieces.push(piece);
        }
    }
    (pieces, run.outcome().await.unwrap())
}

#[tokio::test]
async fn pieces_are_heard_and_only_the_whole_answer_is_kept() {
    let script = Script::new().say("It is so.");
    let (at_once, plain) = heard(Arc::new(script.clone())).await;
    let (pieces, spoken) = heard(Arc::new(Speaking(script))).await;
    let whole = |piece: &Spoken| matches!(piece, Spoken::Whole { text, .. } if text == "It is so.");
    assert!(at_once.len() == 1 && whole(&at_once[0]), "{at_once:?}");
    let text = |text: &str| Spoken::Text(text.to_owned());
    assert_eq!(pieces[..4], [text("It i"), Spoken::Restart, text("It is "), text("so.")]);
    assert!(pieces.len() == 5 && whole(&pieces[4]), "{pieces:?}");
    assert_eq!(spoken.result["messages"], plain.result["messages"]);
}
