//! A typed answer beside a tool: one that does not fit goes back to the model.

use std::path::Path;

use provost::{Answer, JsonSchema, Recorder, Request, Script, schemars};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{Shown, desk};

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Report {
    night: String,
    free: u32,
}

pub(crate) async fn show(database: &Path) -> Shown {
    let expected = Report { night: "friday".to_owned(), free: 3 };
    let model = Script::new()
        .call("hotel/free", json!({ "night": "friday" }))
        .say("There are three beds on friday.")
        .answer(Answer::json(&expected));
    let recorder = Recorder::new(model);
    let runtime = desk::runtime(recorder.clone(), database)?;
    let request = Request::new("How many beds are free on friday?").output::<Report>();
    let outcome = runtime.start(request).await?.outcome().await?;
    let report: Report = outcome.output()?;
    assert_eq!(report, expected);
    let asked = recorder.asked();
    assert!(asked[2].last_text().contains("does not fit"), "the model read what was wrong");
    println!("a typed answer after a call and a second try: {report:?}");
    Ok(())
}
