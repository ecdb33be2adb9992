//! What is the owner's alone: files that hold records, and the keys of models.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::script::{mend, say};
use super::server::Scripted;
use super::world::{World, who};

const KEY: &str = "sk-secret-0123456789";

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn records_are_their_owners_alone_and_are_closed_when_found_open() {
    let world = World::new();
    let script = world.script("one", &[mend(), say("done")]);
    let mut run = world.command(&["run", "-C", "examples/audit"]);
    assert_eq!(world.printed(run.args(&script)).code, 3);
    let assert_closed = |when: &str| {
        assert_eq!(mode(&world.path(".provost")), 0o700, "{when}");
        for path in files(&world.path(".provost")) {
            let closed = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode(&path), closed, "{when}: {}", path.display());
        }
    };
    assert_closed("made");
    assert_eq!(mode(Path::new(&script[3])), 0o600, "a recording");
    for path in files(&world.path(".provost")) {
        let open = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(&path, fs::Permissions::from_mode(open)).unwrap();
    }
    world.mode(".provost", 0o755);
    assert_eq!(world.provost(&["reject", "last", "--only"]).code, 0);
    assert_closed("found open");
}

/// As a user whom modes bind, a program cannot look into the process that holds the key. Reversed, a key would
/// not be recognised and masked.
#[test]
fn a_program_cannot_read_the_environment_or_memory_of_provost() {
    let look = "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ | grep '^VAULT_KEY=' | rev; \
                head -c 1 $p/mem; done 2>/dev/null; id -un";
    let world = World::new();
    let model = Scripted::new(vec![Scripted::call("s", "shell/run", &json!({ "argv": ["sh", "-c", look] }))]);
    fs::create_dir_all(world.path("vault/agents")).unwrap();
    let toml = format!(
        "[models.served]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\nkey_env = \"VAULT_KEY\"\n\
         settings = {{ model = \"m\" }}\n[defaults]\nmodel = \"served\"\nprompt = \"go\"\n\
         [policy.tools]\n\"shell/run\" = \"direct\"\n",
        model.url
    );
    fs::write(world.path("vault/provost.toml"), toml).unwrap();
    fs::write(world.path("vault/agents/clerk.md"), "---\nname: clerk\n---\nWork.\n").unwrap();
    world.mode("", 0o777);
    world.mode("vault", 0o777);
    let run = world.command(&["run", "-C", "vault"]);
    let mut command = if who("-u") == "0" {
        let program = world.path("provost");
        fs::copy(run.get_program(), &program).unwrap();
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
        command
    } else {
        Command::new(run.get_program())
    };
    command.args(run.get_args()).current_dir(world.path("")).env_clear().stdin(Stdio::null());
    command.env("PATH", "/usr/bin:/bin").env("VAULT_KEY", KEY);
    let printed = world.printed(&mut command);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    let mut show = Command::new(command.get_program());
    show.args(command.get_args().take_while(|word| *word != "run")).args([
        "show",
        "last",
        "--json",
        "--project",
        "vault",
    ]);
    let shown = world.printed(show.current_dir(world.path("")).env_clear().env("PATH", "/usr/bin:/bin"));
    assert!(shown.stdout.contains("exit_code"), "{} {}", shown.stdout, shown.stderr);
    let reversed: String = KEY.chars().rev().collect();
    assert!(!shown.stdout.contains(&reversed), "{}", shown.stdout);
    // The control: what is not closed can be read this way.
    let mut open = Command::new("sleep").arg("60").env("VAULT_KEY", KEY).spawn().unwrap();
    let environ = || fs::read_to_string(format!("/proc/{}/environ", open.id())).unwrap();
    while environ().is_empty() {
        std::thread::yield_now();
    }
    let environ = environ();
    open.kill().unwrap();
    open.wait().unwrap();
    assert!(environ.contains(KEY));
}

/// What a call would do is recorded and shown: a secret argument is in neither, also when a tool's own preview has it.
#[test]
fn a_secret_argument_is_in_no_record_of_a_call_that_asks() {
    let world = World::new();
    let arguments = json!({ "user": "ada", "password": "hunter2-in-clear" });
    let model = Scripted::new(vec![Scripted::call("a", "job/login", &arguments)]);
    fs::create_dir_all(world.path("vault/agents")).unwrap();
    fs::write(world.path("vault/agents/clerk.md"), "---\nname: clerk\n---\nWork.\n").unwrap();
    fs::write(world.path("vault/login.sh"), "cat > seen.txt; echo 1\n").unwrap();
    let toml = format!(
        r#"
[models.served]
provider = "openai_compatible"
base_url = "{}"
settings = {{ model = "m" }}
[defaults]
model = "served"
prompt = "go"
[policy.tools]
"job/login" = "preview"
[[tools.commands]]
name = "job/login"
description = "Logs in."
argv = ["sh", "login.sh"]
parameters = {{ type = "object", properties = {{ user = {{ type = "string" }}, password = {{ type = "string" }} }} }}
"#,
        model.url
    );
    fs::write(world.path("vault/provost.toml"), toml).unwrap();
    let key = world.path("keys/seal.key");
    let provost = |words: &[&str]| {
        let mut command = world.command(words);
        world.printed(command.env("PROVOST_SEAL_KEY_FILE", &key).env_remove("PROVOST_CLOCK_MS"))
    };
    let asked = provost(&["run", "-C", "vault"]);
    assert_eq!(asked.code, 3, "{}", asked.stderr);
    let is_clear = |when: &str| {
        for words in [&["show", "last"][..], &["show", "last", "--json"], &["replay", "last", "--json"]] {
            let shown = provost(words);
            assert!(!shown.stdout.contains("hunter2"), "{when}: {words:?}: {}", shown.stdout);
        }
        for file in files(&world.path(".provost")).iter().filter(|file| file.is_file()) {
            let bytes = fs::read(file).unwrap();
            assert!(!String::from_utf8_lossy(&bytes).contains("hunter2"), "{when}: {}", file.display());
        }
    };
    is_clear("while it waits");
    let approved = provost(&["approve", "last"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let seen = fs::read_to_string(world.path("vault/seen.txt")).unwrap();
    assert!(seen.contains("hunter2-in-clear"), "the program got it: {seen}");
    is_clear("when it is over");
}
