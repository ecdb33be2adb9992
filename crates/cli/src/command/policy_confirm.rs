//! `provost policy confirm`: confirms changes of governing files.

use std::path::Path;

use provost_project::{Guard, Project};
use serde_json::json;

use crate::args::PolicyConfirmOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::identity;
use crate::screen::Screen;

pub(crate) async fn run(
    options: &PolicyConfirmOptions,
    start: &Path,
    screen: &Screen,
) -> Result<Exit, Failure> {
    let project = Project::find(start)?;
    let data = project.data_dir()?;
    let mut guard = Guard::new(&project, &project.root(), &data);
    if data.database().exists() {
        guard = guard.stopping(data.look()?);
    }
    let changes = guard.to_confirm().await?;
    for change in &changes {
        let document = json!({ "type": "changed", "file": change.file, "run": change.by, "at": change.at });
        screen
            .show(&document, || format!("{}  changed, found at {} in {}", change.file, change.at, change.by));
    }
    if changes.is_empty() {
        screen.tell("nothing waits for a confirmation");
        return Ok(Exit::Done);
    }
    if !options.yes && !is_confirmed(*screen).await {
        return Err(Failure::new(Code::Governed, "nothing was confirmed")
            .hint("read the files, then answer y or pass --yes"));
    }
    let by = identity::person();
    guard.confirm(&changes, &by)?;
    screen.tell(&format!("confirmed by {by}"));
    Ok(Exit::Done)
}

async fn is_confirmed(screen: Screen) -> bool {
    let answer =
        if screen.can_ask() { screen.ask("continue with these files? [y]es, [n]o: ").await } else { None };
    answer.is_some_and(|answer| matches!(answer.trim(), "y" | "yes"))
}
