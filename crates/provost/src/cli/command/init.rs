//! `provost init`: a first project.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::cli::args::InitOptions;
use crate::cli::exit::Exit;
use crate::cli::failure::{Code, Failure};
use crate::cli::screen::Screen;

const FILES: [(&str, &str); 2] = [
    ("provost.toml", include_str!("init/provost.toml")),
    ("agents/helper.md", include_str!("init/helper.md")),
];

pub(in crate::cli) fn run(options: &InitOptions, screen: &Screen) -> Result<Exit, Failure> {
    if let Some((name, _)) = FILES.iter().find(|(name, _)| options.folder.join(name).exists()) {
        let message =
            format!("{} is there already; nothing was written", options.folder.join(name).display());
        return Err(Failure::new(Code::Project, message));
    }
    for (name, content) in FILES {
        let path = options.folder.join(name);
        write(&path, content).map_err(|error| {
            Failure::new(Code::Project, format!("{} cannot be written: {error}", path.display()))
        })?;
        screen.show(&json!({ "wrote": path.to_string_lossy() }), || format!("wrote {}", path.display()));
    }
    screen.tell("next: set a key, provost doctor, then provost run --prompt \"…\"");
    Ok(Exit::Done)
}

fn write(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
