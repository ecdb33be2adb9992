//! The files that govern an agent: which they are, which of them a call names, and whether they changed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use provost_contract::canonical;
use provost_contract::json::{self, Object};
use provost_policy::{ActionPolicy, Decision};
use provost_tools::GOVERNING_NAMES;

use crate::config::Project;
use crate::environment;

/// How much of a file its digest covers; a longer file is identified by its beginning and its length.
const DIGEST_BYTES_MAX: usize = 4 << 20;
/// The maximum number of files of one folder.
const FOLDER_FILES_MAX: usize = 1_000;
/// The layer of decisions about governing files.
const LAYER: &str = "control_plane";

/// The parts of a git folder that run programs or change the behaviour of git.
const GIT_FILES: [&str; 4] = ["config", "config.worktree", "commondir", "objects/info/alternates"];
const GIT_FOLDERS: [&str; 2] = ["hooks", "info"];

/// Names of files and folders whose content other programs run later, without a question.
const RUNS_LATER: [&str; 31] = [
    ".envrc",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".cargo",
    ".github",
    ".gitlab-ci.yml",
    ".circleci",
    ".husky",
    ".pre-commit-config.yaml",
    ".gitmodules",
    ".gitattributes",
    ".npmrc",
    ".yarnrc.yml",
    ".mcp.json",
    ".claude",
    ".cursor",
    "package.json",
    "build.rs",
    "Makefile",
    "Jenkinsfile",
    "setup.py",
    "conftest.py",
    ".bashrc",
    ".bash_profile",
    ".profile",
    ".zshrc",
    ".gitconfig",
    "GNUmakefile",
    "justfile",
    "pyproject.toml",
];

/// The files that govern a project's agents.
#[derive(Clone, Debug)]
pub struct Governed {
    project: PathBuf,
    /// The folder the agent works in: the project's own, or a copy.
    root: PathBuf,
    /// The git folders, if the project is in a repository.
    git: Vec<PathBuf>,
    /// The anchor file and the user's own configuration, if they exist.
    outside: Vec<PathBuf>,
    /// The user's own configuration, even if it does not exist yet.
    person: Option<PathBuf>,
}

/// Files by name, with the digests of their content.
pub(crate) type Digests = BTreeMap<String, String>;

impl Governed {
    pub fn new(project: &Project, root: &Path) -> Self {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let person = environment::config_file();
        let outside =
            project.anchor_file().into_iter().chain(person.clone()).map(|path| lexical(&path)).collect();
        Self { project: project.folder.clone(), git: git_folders(&project.root()), root, outside, person }
    }

    /// Returns the workspace of the project's runs.
    pub fn workspace(&self) -> String {
        self.project.to_string_lossy().into_owned()
    }

    /// Returns the current digests. A missing file has none.
    pub fn digests(&self) -> Digests {
        let mut files = vec![self.project.join("provost.toml")];
        files.extend(self.person.clone());
        files.extend(listed(&self.project.join("agents")));
        for folder in [&self.project, &self.root] {
            files.extend(["AGENTS.md", "CLAUDE.md"].map(|name| folder.join(name)));
        }
        for git in &self.git {
            files.push(git.with_file_name(".git"));
            files.extend(GIT_FILES.map(|name| git.join(name)));
            files.extend(GIT_FOLDERS.iter().flat_map(|folder| listed(&git.join(folder))));
        }
        // Full paths, because several projects may share one folder of records.
        files.iter().filter_map(|file| Some((file.to_string_lossy().into_owned(), digest(file)?))).collect()
    }

    /// Returns whether file tools may not change a path, relative to the root of the workspace.
    pub fn guards(&self, path: &str) -> bool {
        lexical(&self.root.join(path)).starts_with(self.project.join("agents"))
    }

    /// Makes a decision stricter if the call concerns governing files.
    pub fn bind(
        &self,
        tool: &str,
        arguments: &Object,
        decision: Decision<ActionPolicy>,
    ) -> Decision<ActionPolicy> {
        if decision.verdict == ActionPolicy::Forbidden {
            return decision;
        }
        if let Some(name) = self.named(tool, arguments) {
            let reason = format!(
                "the command names {name}, which governs agents or runs unasked; the file tools read what may be read"
            );
            return Decision::new(ActionPolicy::Forbidden, LAYER, "a_command_names_it", reason);
        }
        let later = json::text(arguments, "path").filter(|_| is_writer(tool)).and_then(runs_later);
        // A separate question: a standing approval of the tool does not answer it.
        match later {
            Some(name) => {
                let reason = format!("other programs read {name} and later run what it says without asking");
                Decision::new(ActionPolicy::Preview, LAYER, "it_runs_later", reason)
            }
            None => decision,
        }
    }

    /// Returns the governing file that an argument of a program's call names.
    fn named(&self, tool: &str, arguments: &Object) -> Option<String> {
        if tool != "shell/run" {
            return None;
        }
        let folder = self.root.join(json::text(arguments, "cwd").unwrap_or_default());
        let words = arguments.get("argv").and_then(|argv| argv.as_array());
        let words = words.into_iter().flatten().filter_map(|word| word.as_str());
        words.chain(json::text(arguments, "cwd")).find_map(|word| {
            let whole = (word == "agents").then(|| self.governing(&folder, word)).flatten();
            let parts = || word.split(|letter: char| !is_path_letter(letter)).filter(|part| !part.is_empty());
            whole.or_else(|| {
                parts().filter(|part| *part != "agents").find_map(|part| self.governing(&folder, part))
            })
        })
    }

    fn governing(&self, folder: &Path, word: &str) -> Option<String> {
        let path = lexical(&folder.join(word));
        let is_named = |name: &&&str| {
            // Only names are compared, not paths: a program can change its folder before it opens a file.
            Path::new(word).components().any(|part| {
                matches!(part, Component::Normal(part) if part.to_string_lossy().eq_ignore_ascii_case(name))
            })
        };
        if let Some(name) = GOVERNING_NAMES.iter().chain(&[".git", ".provost"]).find(is_named) {
            return Some((*name).to_owned());
        }
        let below = |place: &Path| path.starts_with(place).then(|| place.to_string_lossy().into_owned());
        below(&self.project.join("agents"))
            .or_else(|| self.git.iter().chain(&self.outside).find_map(|file| below(file)))
    }
}

/// Returns the names of files that differ.
pub(crate) fn changed(before: &Digests, now: &Digests) -> Vec<String> {
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    names.filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}

fn is_writer(tool: &str) -> bool {
    matches!(tool, "fs/write" | "fs/edit")
}

/// Returns the part of a path whose content runs later.
fn runs_later(path: &str) -> Option<&str> {
    let is_one = |part: &&str| RUNS_LATER.iter().any(|name| name.eq_ignore_ascii_case(part));
    path.split('/').find(is_one)
}

fn is_path_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '.' | '/' | '_' | '-')
}

/// Resolves `.` and `..` lexically, because the path may not exist yet.
fn lexical(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut place, part| {
        match part {
            Component::ParentDir => drop(place.pop()),
            Component::CurDir => {}
            part => place.push(part),
        }
        place
    })
}

/// Returns the git folders of a working folder: its own, and the shared one of a linked worktree.
fn git_folders(root: &Path) -> Vec<PathBuf> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let Some(git) = root.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists()) else {
        return Vec::new();
    };
    if git.is_dir() {
        return vec![git];
    }
    // A linked worktree or a submodule: a file that names its git folder.
    let named = fs::read_to_string(&git).unwrap_or_default();
    let Some(own) = named.trim().strip_prefix("gitdir:").map(|path| git.with_file_name(path.trim())) else {
        return vec![git];
    };
    let shared = fs::read_to_string(own.join("commondir")).ok().map(|path| lexical(&own.join(path.trim())));
    [own].into_iter().chain(shared).collect()
}

/// Returns the files of a folder, in order.
fn listed(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        entries.flatten().take(FOLDER_FILES_MAX).map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// Returns the digest of a file; for a link it also covers the target path.
fn digest(file: &Path) -> Option<String> {
    let metadata = file.symlink_metadata().ok()?;
    let link = file.read_link().ok().map(|target| target.to_string_lossy().into_owned()).unwrap_or_default();
    let mut bytes = if file.is_file() { fs::read(file).unwrap_or_default() } else { Vec::new() };
    bytes.truncate(DIGEST_BYTES_MAX);
    let length = if metadata.is_dir() { 0 } else { metadata.len() };
    let mode = metadata.permissions().mode() & 0o777;
    bytes.extend(format!("\0{length}\0{link}\0{mode:o}").bytes());
    Some(canonical::sha256_hex(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn governed() -> Governed {
        let project = PathBuf::from("/p");
        let outside = vec!["/w/anchors".into(), "/home/ada/.config/provost/config.toml".into()];
        Governed { root: project.clone(), git: vec!["/p/.git".into()], project, outside, person: None }
    }

    #[test]
    fn a_command_that_names_a_governing_file_is_found_in_any_word() {
        let call = |argv: &[&str]| Object::from_iter([("argv".to_owned(), argv.into())]);
        for argv in [
            &["rm", "provost.toml"][..],
            &["sh", "-c", "echo x>>provost.toml"],
            &["python3", "-c", "open('Agents.md','w')"],
            &["cp", "x", "./agents/a.md"],
            &["rm", "-r", "agents"],
            &["tee", "--output=.git/hooks/pre-commit"],
            &["sqlite3", "/p/.provost/provost.db"],
            &["sed", "-i", "s/a/b/", "../p/agents/a.md"],
            &["ls", "x/../CLAUDE.md"],
            &["sh", "-c", "echo x>>../w/anchors"],
            &["tee", "/home/ada/.config/provost/config.toml"],
        ] {
            assert!(governed().named("shell/run", &call(argv)).is_some(), "{argv:?}");
        }
        for argv in [
            &["cat", "README.md"][..],
            &["git", "commit", "-m", "more agents"],
            &["ls", "src/agents/x.py", ".github", ".gitignore"],
            &["grep", "provost", "docs"],
            &["cat", "anchors", "/w/anchors.md"],
        ] {
            assert_eq!(governed().named("shell/run", &call(argv)), None, "{argv:?}");
        }
    }

    #[test]
    fn a_file_that_runs_later_is_known_by_any_part_of_its_path() {
        for path in [".envrc", "a/.vscode/tasks.json", ".CARGO/config.toml", "web/package.json"] {
            assert!(runs_later(path).is_some(), "{path}");
        }
        for path in ["README.md", "src/main.rs", "docs/cargo.md"] {
            assert_eq!(runs_later(path), None, "{path}");
        }
    }

    #[test]
    fn digests_notice_changes_additions_removals_and_links() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a");
        assert_eq!(digest(&file), None);
        fs::write(&file, "one").unwrap();
        let first = digest(&file);
        fs::write(home.path().join("b"), "one").unwrap();
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink("b", &file).unwrap();
        assert_ne!(digest(&file), first);
        let table = |pairs: &[(&str, &str)]| -> Digests {
            pairs.iter().map(|(name, hash)| ((*name).to_owned(), (*hash).to_owned())).collect()
        };
        let before = table(&[("a", "1"), ("b", "2"), ("c", "3")]);
        let now = table(&[("a", "1"), ("b", "9"), ("d", "4")]);
        assert_eq!(changed(&before, &now), ["b", "c", "d"]);
    }
}
