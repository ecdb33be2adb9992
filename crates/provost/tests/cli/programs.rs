//! Programs that a tool starts: the key they get, and what becomes of them when the runtime dies.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::server::Scripted;
use super::world::{Printed, World};

/// A project with one tool, which is a script, and an agent that calls it once.
struct Job {
    world: World,
    _model: Scripted,
}

impl Job {
    fn new(idempotency: &str, script: &str) -> Self {
        let world = World::new();
        let model = Scripted::new(vec![Scripted::call("c1", "job/do", &json!({}))]);
        fs::create_dir_all(world.path("job/agents")).unwrap();
        let toml = format!(
            r#"
[models.served]
provider = "openai_compatible"
base_url = "{}"
settings = {{ model = "m" }}
[defaults]
agent = "worker"
model = "served"
prompt = "go"
[policy.categories]
write = "direct"
[[tools.commands]]
name = "job/do"
description = "Does the job."
argv = ["sh", "-c", {script:?}]
idempotency = "{idempotency}"
"#,
            model.url
        );
        fs::write(world.path("job/provost.toml"), toml).unwrap();
        fs::write(world.path("job/agents/worker.md"), "---\nname: worker\n---\nWork.\n").unwrap();
        Self { world, _model: model }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(words);
        command.env_remove("PROVOST_CLOCK_MS");
        command
    }

    fn provost(&self, words: &[&str]) -> Printed {
        self.world.printed(&mut self.command(words))
    }

    /// Starts the agent.
    fn started(&self) -> Child {
        self.command(&["run", "job"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    }
}

/// A pipe that a program announces itself on; reading it waits for that.
fn pipe(world: &World) -> impl Fn() -> String {
    let pipe = world.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    move || fs::read_to_string(&pipe).unwrap()
}

/// A keyed program is given its key, and the same one when it runs again after a crash.
#[test]
fn a_keyed_program_gets_the_same_key_again() {
    let says = r#"echo "$PROVOST_IDEMPOTENCY_KEY $PROVOST_RUN $PROVOST_ACTION" >> keys"#;
    let stays = "[ -p ../pipe ] && echo runs > ../pipe && exec sleep 60";
    let job = Job::new("keyed", &format!("{says}; {stays}; echo 1"));
    let announced = pipe(&job.world);
    let mut program = job.started();
    assert_eq!(announced(), "runs\n");
    program.kill().unwrap();
    program.wait().unwrap();
    fs::remove_file(job.world.path("pipe")).unwrap();
    let resumed = job.provost(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let keys = fs::read_to_string(job.world.path("job/keys")).unwrap();
    let keys: Vec<&str> = keys.lines().collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(keys[0], keys[1]);
    let words: Vec<&str> = keys[0].split(' ').collect();
    assert_eq!(words[0], format!("{}/{}", words[1], words[2]));
    assert_eq!(words[2], "1/c1");
    assert!(job.provost(&["show", words[1]]).stdout.contains("job/do"));
}
