//! A program that embeds Provost: typed tools, an approval, a client tool, a conversation, a typed answer, events that
//! another process follows, and 200 runs at once. It asserts what it shows.
//!
//! ```sh
//! cargo run -p embed
//! ```
#![expect(clippy::print_stdout, clippy::indexing_slicing, reason = "an example shows what it does, or fails")]

mod approval;
mod conversation;
mod crowd;
mod desk;
mod events;
mod report;

use std::path::PathBuf;

/// Whatever goes wrong ends the program.
type Shown = Result<(), Box<dyn std::error::Error>>;

#[tokio::main]
async fn main() -> Shown {
    let mut arguments = std::env::args().skip(1);
    // The program starts itself again to follow a run from another process.
    if let (Some("follow"), Some(database), Some(run)) =
        (arguments.next().as_deref(), arguments.next(), arguments.next())
    {
        return events::follow(database.into(), &run).await;
    }
    let folder = Folder::new()?;
    let database = folder.0.join("provost.db");
    approval::show(&database).await?;
    conversation::show(&database).await?;
    report::show(&database).await?;
    events::show(&database).await?;
    crowd::show(&database).await?;
    println!("everything was as it should be");
    Ok(())
}

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("provost-embed-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind does no harm.
        std::fs::remove_dir_all(&self.0).ok();
    }
}
