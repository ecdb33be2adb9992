//! Hearing the model while it speaks: for people alone, only the whole answer is stored.

use std::sync::Arc;

use provost::port::{Boxed, Delta as Streamed, Model, ModelError, TurnAnswer, TurnRequest};
use provost::{Delta, EventKind, Followed, Outcome, RunStatus, Runtime, Script};

/// Says what a script says, breaking off once on the way.
struct Speaking(Script);

impl Model for Speaking {
    fn turn<'a>(&'a self, request: TurnRequest<'a>) -> Boxed<'a, Result<TurnAnswer, ModelError>> {
        let pieces =
            [Streamed::Text("It i"), Streamed::Restart, Streamed::Text("It is "), Streamed::Text("so.")];
        for delta in pieces {
            request.hearing.hear(delta);
        }
        self.0.turn(request)
    }
}

/// What a watcher gets of a run, from its beginning to its end: the pieces, and the kinds of the events.
async fn heard(model: Arc<dyn Model>, streamed: usize) -> (Vec<Delta>, Vec<&'static str>, Outcome) {
    let runtime = Runtime::builder().model(model).build().unwrap();
    let run: provost::RunId = "run-heard".parse().unwrap();
    // Nothing is missed that streams: the watcher is there before the run.
    let mut events = runtime.events(&run, provost::Seq(0)).await.unwrap();
    let started = runtime.start(provost::Request::new("Is it so?").run(run)).await.unwrap();
    let (mut pieces, mut kinds) = (Vec::new(), Vec::new());
    let mut over = false;
    while !over || pieces.len() < streamed {
        match events.next().await.expect("the run is followed") {
            Followed::Delta(delta) => pieces.push(delta),
            Followed::Event(event) => {
                kinds.push(event.event.kind.name());
                over |= matches!(event.event.kind, EventKind::RunEnded(_));
            }
            other => panic!("{other:?}"),
        }
    }
    (pieces, kinds, started.outcome().await.unwrap())
}

#[tokio::test]
async fn pieces_are_heard_and_only_the_whole_answer_is_stored() {
    let script = Script::new().say("It is so.");
    let (at_once, plain_kinds, plain) = heard(Arc::new(script.clone()), 0).await;
    let (pieces, kinds, spoken) = heard(Arc::new(Speaking(script)), 4).await;
    assert!(at_once.is_empty(), "a model that streams nothing: {at_once:?}");
    let text = |text: &str| Delta::Text(text.to_owned());
    assert_eq!(pieces, [text("It i"), Delta::Restart, text("It is "), text("so.")]);
    assert_eq!(kinds, plain_kinds, "pieces are not stored");
    assert_eq!((spoken.status, spoken.text()), (RunStatus::Completed, "It is so."));
    assert_eq!(spoken.result["messages"], plain.result["messages"]);
}
