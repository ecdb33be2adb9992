//! Notes beside results: kept, told, and harmless.

use std::sync::{Arc, Mutex};

use provost_runtime::driver::Finished;
use provost_runtime::engine::project::conversation_result;
use provost_runtime::engine::{Event, RunState, decode};
use provost_runtime::memory::ManualClock;
use provost_runtime::port::{
    Boxed, DiagnosedResult, Epoch, EventSink, HostError, Observed, ResultDiagnostics,
};
use serde_json::{Value, json};

use crate::driver::{Scene, records};

/// How a host answers.
enum Noting {
    Says(Value),
    Fails,
    Panics,
    /// Never, while its time runs out.
    Hangs(Arc<ManualClock>),
}

impl ResultDiagnostics for Noting {
    fn diagnose<'a>(&'a self, result: DiagnosedResult<'a>) -> Boxed<'a, Result<Value, HostError>> {
        assert!(result.success && result.declaration.is_some());
        assert!(result.parameters_sha256.starts_with("sha256:"));
        Box::pin(async move {
            match self {
                Self::Says(notes) => Ok(notes.clone()),
                Self::Fails => Err(HostError("no notes".to_owned())),
                Self::Panics => panic!("no notes"),
                Self::Hangs(clock) => {
                    clock.advance(60_000);
                    std::future::pending().await
                }
            }
        })
    }
}

#[derive(Default)]
struct Watcher(Mutex<Vec<Observed>>);

impl EventSink for Watcher {
    fn emit(&self, observed: &Observed) -> Result<(), HostError> {
        self.0.lock().unwrap().push(observed.clone());
        Ok(())
    }
}

async fn noted(noting: impl FnOnce(&Scene) -> Option<Noting>) -> (Scene, Finished, Vec<Observed>) {
    let mut scene = Scene::new(1);
    let watcher = Arc::new(Watcher::default());
    scene.host.diagnostics = noting(&scene).map(|noting| Arc::new(noting) as _);
    scene.host.sink = Some(watcher.clone());
    let finished = scene.drive(Epoch::NONE).await.unwrap();
    let told = watcher.0.lock().unwrap().clone();
    (scene, finished, told)
}

#[tokio::test]
async fn notes_stand_beside_the_result_and_replay_gives_them_again() {
    let notes = json!({ "trace": "t-1", "turn": "the host's own" });
    let (scene, finished, told) = noted(|_| Some(Noting::Says(notes.clone()))).await;
    let result = finished.result().unwrap();
    assert_eq!(result.pointer("/tool_execution_results/0/diagnostics"), Some(&notes));
    let event = json!({ "tool_name": "kb/find", "tool_call_id": "call-0001", "turn": "the host's own", "trace": "t-1" });
    assert_eq!(
        result.pointer("/events/0"),
        Some(&json!({ "type": "tool_result_diagnostics", "metadata": event }))
    );
    let names: Vec<&str> = told.iter().map(|observed| observed.event).collect();
    let place = names.iter().position(|name| *name == "tool_result").unwrap();
    assert_eq!(names.get(place + 1), Some(&"tool_result_diagnostics"));
    assert_eq!(told.get(place + 1).map(|observed| &observed.payload), Some(&event));

    let events: Vec<Event> =
        records(&scene.journal).await.iter().map(decode).collect::<Result<_, _>>().unwrap();
    let replayed = RunState::fold(&events).unwrap();
    assert_eq!(&conversation_result(&replayed).unwrap(), result);
}

#[tokio::test]
async fn the_model_hears_nothing_of_notes() {
    let (_, silent, _) = noted(|_| None).await;
    let (_, noted, _) = noted(|_| Some(Noting::Says(json!({ "trace": "t-1" })))).await;
    assert_eq!(silent.result().unwrap().get("messages"), noted.result().unwrap().get("messages"));
}

#[tokio::test]
async fn whoever_fails_hangs_panics_or_says_nothing_usable_has_noted_nothing() {
    let (_, undisturbed, told) = noted(|_| None).await;
    let failures: [fn(&Scene) -> Noting; 6] = [
        |_| Noting::Fails,
        |_| Noting::Panics,
        |scene| Noting::Hangs(scene.clock.clone()),
        |_| Noting::Says(Value::Null),
        |_| Noting::Says(json!(["a list"])),
        |_| Noting::Says(json!({})),
    ];
    for failure in failures {
        let (_, finished, told_too) = noted(|scene| Some(failure(scene))).await;
        assert_eq!(finished.result().unwrap(), undisturbed.result().unwrap());
        assert_eq!(told_too.len(), told.len());
    }
}
