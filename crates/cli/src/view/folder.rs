//! Folders, as a person who works here would write them.

use std::path::Path;

use provost_project::{DataDir, ProjectRuntime, environment};

use crate::failure::Failure;

/// A folder as seen from the one the program was started in.
pub(crate) fn seen_from_here(folder: &Path) -> Result<&Path, Failure> {
    let folder = folder.strip_prefix(environment::folder()?).unwrap_or(folder);
    Ok(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// What commands about runs of the project need to find it: nothing if they find it from here.
pub(crate) fn elsewhere(setup: &ProjectRuntime) -> String {
    let here = DataDir::find(Path::new("."));
    let is_found =
        here.is_ok_and(|here| setup.database.as_deref().is_none_or(|database| database == here.database()));
    match seen_from_here(&setup.folder) {
        Ok(folder) if !is_found => format!(" --project {}", folder.display()),
        Ok(_) | Err(_) => String::new(),
    }
}
