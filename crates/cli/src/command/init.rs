//! `provost init`: creates a project.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::args::InitOptions;
use crate::exit::Exit;
use crate::failure::{Code, Failure};
use crate::screen::Screen;

const FILES: [(&str, &str); 2] = [
    ("provost.toml", include_str!("init/provost.toml")),
    ("agents/helper.md", include_str!("init/helper.md")),
];

pub(crate) fn run(options: &InitOptions, screen: &Screen) -> Result<Exit, Failure> {
    let paths = FILES.map(|(name, content)| (options.folder.join(name), content));
    if let Some((path, _)) = paths.iter().find(|(path, _)| path.exists()) {
        let message = format!("{} exists already; nothing was written", path.display());
        return Err(Failure::new(Code::Project, message).hint("name another folder, or remove it first"));
    }
    for (path, content) in &paths {
        if let Err(error) = write(path, content) {
            // Neither file existed before, so a partial result is removed.
            paths.iter().for_each(|(path, _)| drop(fs::remove_file(path)));
            let message = format!("{} cannot be written: {error}; nothing was written", path.display());
            return Err(Failure::new(Code::Project, message).hint("name a folder that can be written"));
        }
    }
    for (path, _) in &paths {
        screen.show(&json!({ "wrote": path.to_string_lossy() }), || format!("wrote {}", path.display()));
    }
    screen.tell("next: set a key, provost doctor, then provost run \"…\"");
    Ok(Exit::Done)
}

fn write(path: &Path, content: &str) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
