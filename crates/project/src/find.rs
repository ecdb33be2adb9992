//! Finding the project that a folder belongs to.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::environment;
use crate::failure::{Code, Failure};

/// Checks that a file or folder has the type that its name implies.
type IsThere = fn(&Path) -> bool;

/// The names that mark a folder as a project, the most specific first. Runs come before agents: file tools
/// cannot create a `.provost`, but they can create a folder `agents` in the workspace.
const SIGNS: [(&str, IsThere); 3] =
    [("provost.toml", Path::is_file), (".provost", Path::is_dir), ("agents", has_agents)];

/// Returns the folder of the project that `start` belongs to: the nearest one upwards with a `provost.toml`,
/// else with runs, else with agents. If there is none, `start` is a project with all defaults.
///
/// The search ends at the root of the file systemor, if it starts in the user's home folder, before that folder:
/// files in the home folder itself mark only that folder as a project.
///
/// # Errors
/// If the project belongs to another user: its files decide which programs run and where keys are sent.
pub(crate) fn home(start: &Path) -> Result<PathBuf, Failure> {
    let start = environment::folder()?.join(start);
    let Some(start) = start.canonicalize().ok().filter(|folder| folder.is_dir()) else { return Ok(start) };
    let top = environment::home().and_then(|home| home.canonicalize().ok());
    let searched =
        || start.ancestors().take_while(|folder| *folder == start || Some(*folder) != top.as_deref());
    for (name, is_there) in SIGNS {
        if let Some(folder) = searched().find(|folder| is_there(&folder.join(name))) {
            if folder != start {
                own(&folder.join(name))?;
            }
            return Ok(folder.to_owned());
        }
    }
    Ok(start)
}

fn has_agents(folder: &Path) -> bool {
    let is_agent = |entry: fs::DirEntry| entry.path().extension().is_some_and(|extension| extension == "md");
    fs::read_dir(folder).is_ok_and(|entries| entries.flatten().any(is_agent))
}

/// Rejects files that neither the user nor root owns: anyone may create a file in a folder above, such as
/// `/tmp`.
fn own(path: &Path) -> Result<(), Failure> {
    let owner = fs::symlink_metadata(path).map_or(0, |about| about.uid());
    if owner == 0 || owner == rustix::process::getuid().as_raw() {
        return Ok(());
    }
    let message = format!("{} belongs to another user", path.display());
    Err(Failure::new(Code::Project, message)
        .hint("a project above is used only if it is yours; to use this one, go to its folder"))
}
