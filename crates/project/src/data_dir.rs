//! Where runs are stored: `.provost/` of a project.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use provost_runtime::store::Store;
use provost_store::sqlite::{OpenError, SqliteOptions, SqliteStore};

use crate::clock;
use crate::config::Project;
use crate::environment;
use crate::failure::{Code, Failure};
use crate::find;

const FOLDER: &str = ".provost";

/// The folder `.provost` of a project: the database, copies of the project, and other files that outlive a
/// process.
pub struct DataDir {
    folder: PathBuf,
    database: PathBuf,
}

impl DataDir {
    /// Returns the data folder of the project that a folder belongs to. The project itself is not read.
    ///
    /// # Errors
    /// If the folder does not exist, the project belongs to another user, or the environment names a database of an unknown kind.
    pub fn find(start: &Path) -> Result<Self, Failure> {
        // A database that the environment names needs no project.
        if environment::database().is_none()
            && let Err(error) = environment::folder()?.join(start).canonicalize()
        {
            let message = format!("there is no project in {}: {error}", start.display());
            return Err(Failure::new(Code::Project, message)
                .hint("name a folder with a provost.toml; provost init makes one"));
        }
        Self::of(&find::home(start)?)
    }

    fn of(home: &Path) -> Result<Self, Failure> {
        let folder = home.join(FOLDER);
        let database = match environment::database() {
            None => folder.join("provost.db"),
            Some(url) => sqlite_path(&url)?,
        };
        Ok(Self { folder, database })
    }

    /// Returns the database file.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Opens the storage for writing; created files are hidden from git.
    pub fn open(&self) -> Result<Arc<dyn Store>, Failure> {
        let ignore = self.folder.join(".gitignore");
        if !ignore.exists() {
            for_the_owner(&self.folder)
                .and_then(|()| write_for_the_owner(&ignore, "*\n"))
                .map_err(|error| Failure::unwritable(&self.folder, &error))?;
        }
        // The folder may have been created with a looser mode.
        closed_to_others(&self.folder);
        for name in [".gitignore", "work", "chat_history"] {
            closed_to_others(&self.folder.join(name));
        }
        self.assert_file()?;
        let opened = SqliteStore::open(&self.database, &options());
        Ok(Arc::new(opened.map_err(|error| refused(&error))?))
    }

    /// Returns the folder that contains `.provost`: the project.
    pub fn home(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// Returns whether nothing has been stored here.
    pub fn is_empty(&self) -> bool {
        matches!(self.database.try_exists(), Ok(false))
    }

    /// Opens the storage for reading.
    pub fn look(&self) -> Result<Arc<dyn Store>, Failure> {
        self.assert_file()?;
        let opened = SqliteStore::look(&self.database, &options());
        Ok(Arc::new(opened.map_err(|error| refused(&error))?))
    }

    /// Rejects a device or a pipe in place of the database: SQLite's own errors for them are confusing.
    fn assert_file(&self) -> Result<(), Failure> {
        if fs::metadata(&self.database).is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            let message = format!("{} is not an ordinary file", self.database.display());
            return Err(Failure::new(Code::Store, message)
                .hint("choose another path with PROVOST_DATABASE_URL, or remove it"));
        }
        Ok(())
    }

    /// Returns the folder for the copy of a project that a run or a conversation works on.
    pub fn copy_of(&self, name: &str) -> PathBuf {
        self.folder.join("work").join(name)
    }

    /// Returns a file beside the database.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

impl Project {
    /// Returns where runs of the project are stored.
    ///
    /// # Errors
    /// If the environment names a database of an unknown kind.
    pub fn data_dir(&self) -> Result<DataDir, Failure> {
        DataDir::of(&self.folder)
    }
}

/// Creates a folder, and its parents, that only its owner can access.
pub(crate) fn for_the_owner(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

fn write_for_the_owner(path: &Path, text: &str) -> io::Result<()> {
    let file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file?.write_all(text.as_bytes())
}

/// Removes the access of others to a file or folder. One that belongs to another user is not changed.
fn closed_to_others(path: &Path) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    let mode = about.permissions().mode();
    if !about.is_symlink() && mode & 0o077 != 0 {
        drop(fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700)));
    }
}

fn sqlite_path(url: &OsStr) -> Result<PathBuf, Failure> {
    let Some(url) = url.to_str() else { return Ok(url.into()) };
    match url.split_once("://") {
        None => Ok(url.strip_prefix("sqlite:").unwrap_or(url).into()),
        Some(("sqlite", path)) => Ok(path.into()),
        Some((scheme, _)) => Err(Failure::new(Code::Store, format!("there is no storage for {scheme}://"))
            .hint("PROVOST_DATABASE_URL takes a path or sqlite:PATH")),
    }
}

fn options() -> SqliteOptions {
    SqliteOptions { clock: clock::clock(), ..SqliteOptions::default() }
}

fn refused(error: &OpenError) -> Failure {
    match error {
        OpenError::Missing { .. } => Failure::new(Code::Store, format!("there are no runs here: {error}"))
            .hint("start one with provost run, or go to the folder of the project"),
        OpenError::Foreign { .. } => {
            Failure::of(Code::Store, error).hint("choose another path with PROVOST_DATABASE_URL")
        }
        error => Failure::of(Code::Store, error).hint(error.advice()),
    }
}
