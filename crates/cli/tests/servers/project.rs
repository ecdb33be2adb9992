//! A project whose model is a server on this machine.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use provost_contract::provider::Provider;
use serde_json::Value;

use super::server::Server;
use crate::world::{Printed, World};

/// Nothing that leaves the program may hold this, but the request.
pub(super) const KEY: &str = "sk-test-0123456789-never-shown";

/// A garden, and an agent that looks after it.
pub(super) struct Garden {
    pub(super) world: World,
    provider: Provider,
}

impl Garden {
    pub(super) fn asking(provider: Provider, server: &Server) -> Self {
        let world = World::new();
        fs::create_dir_all(world.path("garden/agents")).unwrap();
        fs::create_dir_all(world.path("garden/land")).unwrap();
        fs::write(world.path("garden/land/beds"), "bed 1: free\nbed 2: free\n").unwrap();
        let agent = "---\nname: gardener\ntools: [fs/list, fs/read]\nmax_turns: 5\n---\nYou tend a garden.\n";
        fs::write(world.path("garden/agents/gardener.md"), agent).unwrap();
        let garden = Self { world, provider };
        garden.move_to(server);
        garden
    }

    /// The provider has another address from now on.
    pub(super) fn move_to(&self, server: &Server) {
        let config = format!(
            "[defaults]\nmodel = \"served\"\nprompt = \"Which beds are free?\"\n\n[workspace]\nroot = \"land\"\n\n\
             [models.served]\nprovider = \"{}\"\nbase_url = \"{}\"\nkey_env = \"GARDEN_KEY\"\n\
             settings = {{ model = \"rose-1\" }}\nretry = {{ attempts_max = 3, wait_ms = 1 }}\n",
            self.provider, server.url
        );
        fs::write(self.world.path("garden/provost.toml"), config).unwrap();
    }

    /// Runs the program, on the clock of the machine: a test that stopped it would wait for ever.
    pub(super) fn provost(&self, words: &[&str], variables: &[(&str, &str)]) -> Printed {
        let mut command = self.world.command(words);
        command.env_remove("PROVOST_CLOCK_MS").env("GARDEN_KEY", KEY).envs(variables.iter().copied());
        let printed = self.world.printed(&mut command);
        assert!(!printed.stdout.contains(KEY) && !printed.stderr.contains(KEY), "the key was printed");
        self.assert_no_key_is_kept();
        printed
    }

    pub(super) fn run(&self) -> Printed {
        self.provost(&["run", "-C", "garden"], &[])
    }

    /// The run, and how long it took.
    #[expect(clippy::disallowed_methods, reason = "how long the machine really waited is what is asked")]
    pub(super) fn timed_run(&self) -> (Printed, Duration) {
        let began = Instant::now();
        (self.run(), began.elapsed())
    }

    /// The newest run, as it stands in the journal.
    pub(super) fn shown(&self) -> Value {
        let shown = self.provost(&["show", "last", "--json"], &[]);
        serde_json::from_str(&shown.stdout).unwrap()
    }

    /// How the newest run ended, and why.
    pub(super) fn end(&self) -> (String, String) {
        let shown = self.shown();
        let text =
            |pointer: &str| shown.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        assert_eq!(self.provost(&["verify"], &[]).code, 0, "the journal is whole");
        (text("/run/status"), text("/result/failure/code"))
    }

    /// Goes on with the newest run at another server, once a person has confirmed the changed file.
    pub(super) fn resume_at(&self, server: &Server) -> Printed {
        self.move_to(server);
        let refused = self.provost(&["resume", "last"], &[]);
        assert!(refused.stderr.contains("PV0017"), "{}", refused.stderr);
        let confirmed = self.provost(&["policy", "confirm", "--yes", "--project", "garden"], &[]);
        assert_eq!(confirmed.code, 0, "{}", confirmed.stderr);
        self.provost(&["resume", "last"], &[])
    }

    fn assert_no_key_is_kept(&self) {
        assert_eq!(files_with(&self.world.path(""), KEY.as_bytes()), Vec::<String>::new());
    }
}

/// The files under a folder that hold some bytes.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if fs::read(&path).unwrap().windows(bytes.len()).any(|window| window == bytes) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn a_kept_key_would_be_found() {
    let world = World::new();
    assert_eq!(files_with(&world.path(""), KEY.as_bytes()), Vec::<String>::new());
    fs::write(world.path("examples/kept"), format!("..{KEY}..")).unwrap();
    assert_eq!(files_with(&world.path(""), KEY.as_bytes()).len(), 1);
}
