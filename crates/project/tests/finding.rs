//! Which project a folder belongs to, and where its data is.

use std::fs;
use std::path::{Path, PathBuf};

use provost_project::{Code, DataDir, Project};

struct Tree(tempfile::TempDir);

impl Tree {
    fn new(folders: &[&str], files: &[&str]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        folders.iter().for_each(|folder| fs::create_dir_all(tree.path(folder)).unwrap());
        for file in files {
            fs::create_dir_all(tree.path(file).parent().unwrap()).unwrap();
            fs::write(tree.path(file), if file.ends_with(".md") { "---\nname: a\n---\nWork.\n" } else { "" })
                .unwrap();
        }
        tree
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(path)
    }

    #[track_caller]
    fn finds(&self, start: &str, project: &str) {
        let folder = self.path(project);
        assert_eq!(Project::find(&self.path(start)).unwrap().folder, folder, "from {start}");
        let data = DataDir::find(&self.path(start)).unwrap();
        assert_eq!(data.home(), folder, "from {start}");
        assert_eq!(data.database(), folder.join(".provost/provost.db"), "from {start}");
    }
}

#[test]
fn the_nearest_configuration_upwards_is_the_project() {
    let tree = Tree::new(&["p/src/deep", "p/inner/src"], &["p/provost.toml", "p/inner/provost.toml"]);
    tree.finds("p", "p");
    tree.finds("p/src/deep", "p");
    tree.finds("p/inner/src", "p/inner");
}

#[test]
fn agents_make_a_project_where_there_is_no_configuration() {
    let tree = Tree::new(&["p/src/agents", "q/src"], &["p/provost.toml", "q/agents/a.md"]);
    tree.finds("q/src", "q");
    tree.finds("p/src/agents", "p");
    let tree = Tree::new(&["q/src/agents"], &["q/agents/a.md", "q/src/agents/clerk.py"]);
    tree.finds("q/src/agents", "q");
}

/// An agent can write `agents/x.md` below the folder it works in.
#[test]
fn agents_below_a_project_with_runs_take_nothing_over() {
    let tree = Tree::new(&["q/src"], &["q/agents/a.md", "q/src/agents/a.md"]);
    tree.finds("q/src", "q/src");
    fs::create_dir(tree.path("q/.provost")).unwrap();
    tree.finds("q/src", "q");
}

#[test]
fn a_folder_of_no_project_is_one_by_itself_and_its_runs_are_found_again() {
    let tree = Tree::new(&["p/src"], &[]);
    tree.finds("p/src", "p/src");
    fs::create_dir(tree.path("p/.provost")).unwrap();
    tree.finds("p/src", "p");
}

#[test]
fn a_project_above_of_another_user_is_refused() {
    let tree = Tree::new(&["p/src"], &["p/provost.toml"]);
    // Only root can give files away.
    if std::os::unix::fs::chown(tree.path("p/provost.toml"), Some(65_534), None).is_err() {
        return;
    }
    let refused = Project::find(&tree.path("p/src")).unwrap_err();
    assert_eq!(refused.code, Code::Project);
    assert!(refused.message.ends_with("provost.toml belongs to another user"), "{}", refused.message);
    tree.finds("p", "p");
}

#[test]
fn what_is_no_folder_is_no_project() {
    let tree = Tree::new(&[], &["p/provost.toml"]);
    for start in ["p/provost.toml", "nowhere"] {
        let refused = Project::find(&tree.path(start)).unwrap_err();
        assert_eq!(refused.code, Code::Project, "{start}");
        assert!(!Path::new(start).join(".provost").exists());
    }
}
