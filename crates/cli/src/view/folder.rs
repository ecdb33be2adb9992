//! Formats folders relative to the current one.

use std::path::Path;

use provost_project::{DataDir, ProjectRuntime, environment};

use crate::failure::Failure;

/// Formats a folder relative to the current one.
pub(crate) fn seen_from_here(folder: &Path) -> Result<&Path, Failure> {
    let folder = folder.strip_prefix(environment::folder()?).unwrap_or(folder);
    Ok(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })
}

/// Returns the option that commands need to find the project; empty if they find it from here.
pub(crate) fn elsewhere(setup: &ProjectRuntime) -> String {
    let here = DataDir::find(Path::new("."));
    let is_found =
        here.is_ok_and(|here| setup.database.as_deref().is_none_or(|database| database == here.database()));
    match seen_from_here(&setup.folder) {
        Ok(folder) if !is_found => format!(" --project {}", folder.display()),
        Ok(_) | Err(_) => String::new(),
    }
}
