//! Programs that a tool starts: the key they get, and what becomes of them when the runtime dies.

use std::fs;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use super::server::Scripted;
use super::world::{Printed, World, until};

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
        self.command(&["run", "-C", "job"]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    }
}

/// A keyed program is given its key, and the same one when it runs again after a crash.
#[test]
fn a_keyed_program_gets_the_same_key_again() {
    let says = r#"echo "$PROVOST_IDEMPOTENCY_KEY $PROVOST_RUN $PROVOST_ACTION" >> keys"#;
    let stays = "[ -p ../pipe ] && echo runs > ../pipe && exec sleep 60";
    let job = Job::new("keyed", &format!("{says}; {stays}; echo 1"));
    let announced = job.world.pipe();
    let mut program = job.started();
    assert_eq!(announced(), "runs\n");
    assert!(job.provost(&["runs"]).stdout.contains(": running, turn 1"), "it is worked on");
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(job.provost(&["runs"]).stdout.contains(": no process, can go on"), "and now it is not");
    assert!(job.provost(&["show", "last"]).stdout.contains("provost resume"), "which goes on");
    fs::remove_file(job.world.path("pipe")).unwrap();
    let resumed = job.provost(&["resume", "last"]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    let keys = fs::read_to_string(job.world.path("job/keys")).unwrap();
    let keys: Vec<&str> = keys.lines().collect();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert_eq!(keys[0], keys[1]);
    let words: Vec<&str> = keys[0].split(' ').collect();
    assert!(words[0].starts_with("sha256:"), "{}", words[0]);
    assert_eq!(words[2], "1.0");
    assert!(job.provost(&["show", words[1]]).stdout.contains("job/do"));
}

fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X"))
}

/// Says that it runs, waits until it may go on, and takes effect.
const EFFECT: &str = "echo $$ >> pids; while [ ! -e go ]; do sleep 0.02; done; echo done > effect";
/// The ways a program can try to outlive the one that started it.
const WAYS: [(&str, &str); 5] = [
    ("plainly", "sh effect.sh"),
    ("in the background", "sh effect.sh & wait"),
    ("in a session of its own", "setsid sh effect.sh & while [ ! -e effect ]; do sleep 0.02; done"),
    ("after a double fork", "( (setsid sh effect.sh &) & ); while [ ! -e effect ]; do sleep 0.02; done"),
    ("deaf to signals", "trap '' HUP TERM INT; nohup sh effect.sh >/dev/null 2>&1 & wait"),
];

impl Job {
    /// A job whose effect comes when it may.
    fn with_effect(idempotency: &str, way: &str) -> Self {
        let job = Self::new(idempotency, &format!("{way}; echo 1"));
        fs::write(job.path("effect.sh"), EFFECT).unwrap();
        job
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.world.path("job").join(name)
    }

    /// The processes that said that they run.
    fn pids(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("pids")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until what takes effect is under way.
    fn under_way(&self) {
        until("the program runs", || !self.pids().is_empty());
    }

    /// Nothing of the program is left, and its effect never comes.
    fn assert_nothing_is_left(&self, how: &str) {
        until(&format!("{how}: all are dead"), || !self.pids().iter().any(|pid| is_alive(pid)));
        fs::write(self.path("go"), "").unwrap();
        assert!(!self.path("effect").exists(), "{how}");
    }
}

fn signal(program: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &program.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

#[test]
fn programs_die_with_the_runtime_however_they_try_to_live_on() {
    for (how, way) in WAYS {
        let job = Job::with_effect("none", way);
        let mut program = job.started();
        job.under_way();
        signal(&program, "-KILL");
        program.wait().unwrap();
        job.assert_nothing_is_left(how);

        // The control: when it is let alone, the effect comes.
        let job = Job::with_effect("none", way);
        let mut program = job.started();
        job.under_way();
        fs::write(job.path("go"), "").unwrap();
        assert_eq!(program.wait().unwrap().code(), Some(0), "{how}");
        assert!(job.path("effect").exists(), "{how}");
    }
}

#[test]
fn what_a_program_leaves_behind_dies_with_it() {
    let job = Job::with_effect(
        "none",
        "(setsid sh effect.sh >/dev/null 2>&1 &) ; while [ ! -e pids ]; do sleep 0.02; done",
    );
    let mut program = job.started();
    assert_eq!(program.wait().unwrap().code(), Some(0));
    assert_eq!(job.pids().len(), 1);
    job.assert_nothing_is_left("left behind");
}

/// SIGTERM and SIGHUP stop a run as Ctrl-C does: honestly, with what it started.
#[test]
fn signals_that_end_the_program_stop_its_run() {
    for (name, code, word) in [("-TERM", 143, "SIGTERM"), ("-HUP", 129, "SIGHUP"), ("-INT", 130, "Ctrl-C")] {
        let job = Job::with_effect("none", "setsid sh effect.sh & wait");
        let mut program = job.started();
        job.under_way();
        signal(&program, name);
        assert_eq!(program.wait().unwrap().code(), Some(code), "{name}");
        job.assert_nothing_is_left(name);
        let explained = job.provost(&["explain", "last"]).stdout;
        assert!(explained.contains(&format!(": {word}")), "{explained}");
        assert!(explained.contains("It may have taken effect in part or in full."), "{explained}");
        assert!(job.provost(&["runs"]).stdout.contains("cancelled"));
    }
}

/// Started to outlive its terminal, it does.
#[test]
fn a_run_under_nohup_does_not_hear_the_terminal_go() {
    let job = Job::with_effect("none", "sh effect.sh");
    let run = job.command(&["run", "-C", "job"]);
    let mut command = Command::new("nohup");
    command.arg(run.get_program()).args(run.get_args()).current_dir(job.world.path("")).env_clear();
    command.envs(run.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut program =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    job.under_way();
    signal(&program, "-HUP");
    fs::write(job.path("go"), "").unwrap();
    assert_eq!(program.wait().unwrap().code(), Some(0));
    assert!(job.path("effect").exists());
}

/// The process is in the record before the program runs.
#[test]
fn the_record_names_the_process() {
    let job = Job::with_effect("none", "echo $PPID > keeper; sh effect.sh");
    let mut program = job.started();
    job.under_way();
    signal(&program, "-KILL");
    program.wait().unwrap();
    let explained = job.command(&["explain", "last", "job/do", "--json"]).output().unwrap().stdout;
    let explained = String::from_utf8(explained).unwrap();
    let keeper = fs::read_to_string(job.path("keeper")).unwrap();
    assert!(explained.contains(&format!("/{}/", keeper.trim())), "{explained}");
}

/// What supervises the program is stopped, so that it cannot notice that the runtime died. Whoever goes on
/// with the run ends it first.
#[test]
fn nothing_runs_again_and_nothing_is_called_stopped_while_the_earlier_process_lives() {
    let freeze = "kill -STOP $PPID; sh effect.sh";
    for (idempotency, words, code) in
        [("keyed", ["resume", "last"], 0), ("none", ["resume", "last"], 3), ("none", ["cancel", "last"], 0)]
    {
        let job = Job::with_effect(idempotency, &format!("[ -e pids ] || {{ {freeze}; }}"));
        let mut program = job.started();
        job.under_way();
        signal(&program, "-KILL");
        program.wait().unwrap();
        assert!(job.pids().iter().all(|pid| is_alive(pid)), "{words:?}: the control, it lives on");
        let went_on = job.provost(&words);
        assert_eq!(went_on.code, code, "{words:?}: {}{}", went_on.stdout, went_on.stderr);
        let alive: Vec<String> = job.pids().into_iter().filter(|pid| is_alive(pid)).collect();
        assert!(alive.is_empty(), "{idempotency} {words:?}: {alive:?} {}{}", went_on.stdout, went_on.stderr);
        job.assert_nothing_is_left("frozen");
    }
}

/// A program that kills the process that supervises it is killed too.
#[test]
fn a_program_gains_nothing_by_killing_what_supervises_it() {
    let job = Job::with_effect("none", "kill -KILL $PPID; setsid sh effect.sh & sh effect.sh");
    let mut program = job.started();
    program.wait().unwrap();
    assert!(!job.pids().iter().any(|pid| is_alive(pid)));
    job.assert_nothing_is_left("killed its keeper");
    let shown = job.provost(&["show", "last"]).stdout;
    assert!(shown.contains("the process that supervised it was killed"), "{shown}");
}
