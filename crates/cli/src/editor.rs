//! Arguments of a call in a person's editor.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::process::Command;
use std::{fs, io};

use provost_contract::json::{self, Object};
use provost_project::environment;
use provost_runtime::process::this_process;

/// Opens arguments as JSON in the editor, and reads what was saved; none when nothing was changed.
pub(crate) fn edited(arguments: &Object) -> Result<Option<Object>, String> {
    let folder = environment::temporary().join(format!("provost-{}", this_process().pid));
    let file = folder.join("call.json");
    let text = serde_json::to_string_pretty(arguments).unwrap_or_default() + "\n";
    let opened =
        written(&folder, &file, &text).and_then(|()| opened(&file)).and_then(|()| fs::read_to_string(&file));
    // The file may contain secrets.
    drop(fs::remove_dir_all(&folder));
    let saved = opened.map_err(|error| format!("the editor cannot be used: {error}"))?;
    let read = json::parse_text(&saved).map_err(|error| format!("that is not JSON: {}", error.message()))?;
    let changed = read.as_object().cloned().ok_or("the arguments must be one JSON object")?;
    Ok((changed != *arguments).then_some(changed))
}

fn written(folder: &Path, file: &Path, text: &str) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(folder)?;
    let file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    file?.write_all(text.as_bytes())
}

/// `$EDITOR` may have arguments, so a shell parses it.
fn opened(file: &Path) -> io::Result<()> {
    let editor = environment::editor().unwrap_or_else(|| "vi".to_owned());
    let status = Command::new("sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(file).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("{editor}: {status}"))) }
}
