//! A process is killed in the middle of a run, and another goes on: what was done is not done again.
//!
//! The program starts itself as a child, which kills itself with a real `SIGKILL` while its second tool
//! runs; then it resumes the run from the journal in the SQLite file.
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::path::{Path, PathBuf};
use std::process::Command;

use provost::{Decision, JsonSchema, Request, RunId, Runtime, Script, Tool};
use serde_json::json;

const CHILD: &str = "PROVOST_EXAMPLE_CHILD";

#[derive(serde::Deserialize, JsonSchema)]
struct Line {
    text: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let run: RunId = "run-crash-and-resume".parse()?;
    if let Some(folder) = std::env::var_os(CHILD) {
        let runtime = runtime(Path::new(&folder), Crash::InTheMiddle)?;
        runtime.start(Request::new("Write two lines.").run(run)).await?.outcome().await?;
        return Ok(());
    }
    let folder = std::env::temp_dir().join(format!("provost-crash-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let killed = Command::new(std::env::current_exe()?).env(CHILD, &folder).status()?;
    println!("the first process ended: {killed}");
    println!("the file says: {:?}", std::fs::read_to_string(file(&folder))?);

    let runtime = runtime(&folder, Crash::Never)?;
    let waiting = runtime.resume(&run).await?.outcome().await?;
    println!("resumed, the run is {}", waiting.status.as_str());
    for asked in &waiting.waits {
        println!("asked: {}", asked.summary);
        // The file shows that the second line was not written: it may be done again.
        let decided = runtime.decide(&asked.wait.to_string(), Decision::approve("grace")).await?;
        let outcome = decided.outcome().await?;
        println!("{}: {}", outcome.status.as_str(), outcome.text());
    }
    println!("the file says: {:?}", std::fs::read_to_string(file(&folder))?);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Crash {
    InTheMiddle,
    Never,
}

fn runtime(folder: &Path, crash: Crash) -> Result<Runtime, provost::BuildError> {
    let path = file(folder);
    let append = Tool::new("file/append", "Appends a line.", move |line: Line| {
        let path = path.clone();
        async move {
            if crash == Crash::InTheMiddle && line.text == "two" {
                kill_this_process();
            }
            let before = std::fs::read_to_string(&path).unwrap_or_default();
            std::fs::write(&path, format!("{before}{}\n", line.text))?;
            Ok("written")
        }
    });
    let model = Script::new()
        .call("file/append", json!({ "text": "one" }))
        .call("file/append", json!({ "text": "two" }))
        .say("Both lines are there.");
    Runtime::builder().model(model).tool(append).sqlite(folder.join("provost.db")).build()
}

fn file(folder: &Path) -> PathBuf {
    folder.join("lines.txt")
}

fn kill_this_process() {
    let killed = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
    unreachable!("a killed process does not go on: {killed:?}");
}
