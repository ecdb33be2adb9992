//! The program killed in the middle, and resumed.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::world::{Printed, World};

/// Runs the quick start until it prints a line with these words, and kills it there.
fn killed_at(words: &str) -> World {
    let world = World::new();
    kill_at(&world, words, || ());
    world
}

/// The same in a given world, once `ready` has returned.
fn kill_at(world: &World, words: &str, ready: impl FnOnce()) {
    let mut program = world
        .command(&["run", "-C", "examples/audit", "--yes"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(program.stderr.take().unwrap()).lines();
    let mut seen = Vec::new();
    for line in lines {
        seen.push(line.unwrap());
        if seen.last().is_some_and(|line| line.contains(words)) {
            break;
        }
    }
    assert!(seen.last().is_some_and(|line| line.contains(words)), "{seen:?}");
    ready();
    program.kill().unwrap();
    program.wait().unwrap();
}

/// Resumes the run and sees it through.
///
/// The program writes its line and works on, so the kill may come before, while or after `check.sh` runs. If it came
/// while it ran, that is asked, and answered here.
fn resumed_to_its_end(world: &World) -> Printed {
    let resumed = world.provost(&["resume", "last", "--yes"]);
    if resumed.code == 3 { answered(world, &resumed) } else { resumed }
}

/// Says yes to the question whether what may have happened shall be done again.
fn answered(world: &World, resumed: &Printed) -> Printed {
    assert!(resumed.stderr.contains("it is not known whether it took effect"), "{}", resumed.stderr);
    let explained = world.provost(&["explain", "last", "shell/run"]).stdout;
    assert!(explained.contains("recovery: never_repeat_an_effect"), "{explained}");
    assert_eq!(world.provost(&["approve", "last", "--only"]).code, 0);
    world.provost(&["resume", "last", "--yes"])
}

/// After a kill at any place the run is resumed, and the write happened once.
#[test]
fn a_killed_run_goes_on_and_writes_once() {
    for words in [
        "turn 1",
        "fs/search (?i)licen[cs]e: done",
        "turn 2",
        "turn 3",
        "asks to edit",
        "fs/edit src/sum.sh: running",
        "fs/edit src/sum.sh: done",
        "turn 4",
        "turn 5",
    ] {
        let world = killed_at(words);
        let resumed = resumed_to_its_end(&world);
        assert_eq!(resumed.code, 0, "killed at {words}: {}", resumed.stderr);
        assert!(resumed.stdout.starts_with("Audit of Tally"), "killed at {words}: {}", resumed.stdout);
        assert_eq!(world.mended().matches("echo $(($1 + $2))").count(), 1, "killed at {words}");
        let story = world.provost(&["show", "last"]).stdout;
        let written = story.lines().filter(|line| line.contains("fs/edit src/sum.sh: done")).count();
        assert_eq!(written, 1, "killed at {words}: {story}");
        let replay = world.provost(&["replay", "last"]);
        assert_eq!(replay.code, 0, "killed at {words}: {}", replay.stderr);
    }
}

/// A program that ran when the process died may have done anything: that is asked, even with `--yes`.
#[test]
fn what_may_have_happened_is_not_repeated_without_a_question() {
    let world = World::new();
    // While there is this pipe, the check says that it runs, and stays at it.
    let pipe = world.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let check = world.path("examples/audit/project/check.sh");
    let checks = std::fs::read_to_string(&check).unwrap();
    let stays = format!("if [ -p {0} ]; then echo runs > {0}; exec sleep 60; fi\n", pipe.display());
    std::fs::write(&check, stays + &checks).unwrap();
    kill_at(&world, "shell/run sh check.sh: running", || {
        assert_eq!(std::fs::read_to_string(&pipe).unwrap(), "runs\n");
    });
    std::fs::remove_file(&pipe).unwrap();

    let resumed = world.provost(&["resume", "last", "--yes"]);
    assert_eq!(resumed.code, 3, "{}", resumed.stderr);
    let resumed = answered(&world, &resumed);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(world.mended().matches("echo $(($1 + $2))").count(), 1);
}

/// A run that another process works on is watched to its end, and a person reads so.
#[test]
fn a_run_of_another_process_is_watched() {
    let world = World::new();
    let check = world.path("examples/audit/project/check.sh");
    let announced = world.pipe();
    let release = world.path("release");
    assert!(Command::new("mkfifo").arg(&release).status().unwrap().success());
    let (pipe, gate) = (world.path("pipe"), release.display());
    let once = format!("test -e gone && exit 0; touch gone; echo runs > {}; cat {gate}\n", pipe.display());
    std::fs::write(&check, once).unwrap();
    let live = |words: &[&str]| {
        let mut command = world.command(words);
        command.env_remove("PROVOST_CLOCK_MS").stderr(Stdio::piped()).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let mut worker = live(&["run", "-C", "examples/audit", "--yes"]);
    assert_eq!(announced(), "runs\n");
    let mut watcher = live(&["resume", "last", "--yes"]);
    let mut lines = BufReader::new(watcher.stderr.take().unwrap()).lines().map(Result::unwrap);
    let said = lines.find(|line| line.starts_with("watches: ")).unwrap();
    let works = format!("watches: process {} works on this run; this process only watches. ", worker.id());
    assert!(said.starts_with(&works) && said.contains("Ctrl-C cancels the run"), "{said}");
    std::fs::write(&release, "go\n").unwrap();
    let rest: Vec<String> = lines.collect();
    let both = (worker.wait().unwrap().code(), watcher.wait().unwrap().code());
    assert_eq!(both.0, both.1, "both see the same end: {rest:?}");
    // The control: a run that no process works on is not watched.
    assert!(!world.provost(&["resume", "last"]).stderr.contains("watches"));
}

/// Ctrl-C stops a run honestly: the call that ran gets a result that says so.
#[test]
fn an_interrupted_run_is_cancelled_honestly() {
    let world = World::new();
    // The check waits for somebody, so that there is something to interrupt.
    let check = world.path("examples/audit/project/check.sh");
    let announced = world.pipe();
    let script = format!("echo runs > {}; exec sleep 600\n", world.path("pipe").display());
    std::fs::write(&check, script).unwrap();
    let mut program = world
        .command(&["run", "-C", "examples/audit", "--yes"])
        .env_remove("PROVOST_CLOCK_MS")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains(": running")));
    assert_eq!(announced(), "runs\n");
    let interrupted = Command::new("kill").args(["-INT", &program.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let rest: Vec<String> = lines.collect();
    assert_eq!(program.wait().unwrap().code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("cancelled by you")), "{rest:?}");
    let explained = world.provost(&["explain", "last"]).stdout;
    assert!(explained.contains("cancelled by you: Ctrl-C"), "{explained}");
    assert!(explained.contains("It may have taken effect in part or in full."), "{explained}");
}
