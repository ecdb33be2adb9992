//! What people, scripts and machines hand in that nobody hoped for.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::ffi::OsStrExt as _;
use std::process::Stdio;

use super::world::{Printed, World};

/// Bytes that are no text.
fn strange(text: &[u8]) -> &OsStr {
    OsStr::from_bytes(text)
}

#[track_caller]
fn refused(printed: &Printed, exit: i32, start: &str) {
    assert_eq!(printed.code, exit, "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stderr.starts_with(start), "{}", printed.stderr);
}

#[test]
fn files_nobody_may_read_are_named() {
    let world = World::new();
    let project = |path: &str| format!("examples/audit/{path}");
    let told = |path: &str, words: &[&str]| {
        world.mode(&project(path), 0o000);
        let printed = world.bound(words);
        world.mode(&project(path), if path.contains('.') { 0o644 } else { 0o755 });
        printed
    };
    refused(
        &told("provost.toml", &["agents", "examples/audit"]),
        2,
        "error[PV0002]: examples/audit/provost.toml cannot be read: Permission denied",
    );
    refused(
        &told("agents/auditor.md", &["agents", "examples/audit"]),
        2,
        "error[PV0003]: agents/auditor.md cannot be read: Permission denied",
    );
    refused(
        &told("agents", &["agents", "examples/audit"]),
        2,
        "error[PV0003]: agents cannot be read: Permission denied",
    );
    refused(&told("cassette.json", &["import", "examples/audit/cassette.json"]), 2, "error[PV0012]: ");
    assert_eq!(world.bound(&["agents", "examples/audit"]).code, 0, "readable again, it works");
    // Whoever may write here may not copy what cannot be read.
    world.mode("examples/audit", 0o777);
    let run = told("project/LICENSE", &["run", "-C", "examples/audit"]);
    refused(&run, 2, "error[PV0001]: [here]/examples/audit/project cannot be copied: Permission denied");
    assert_eq!(
        fs::read_dir(world.path(".provost/work")).map_or(0, Iterator::count),
        0,
        "no half copy is left"
    );
}

#[test]
fn endless_and_strange_files_are_refused_at_once() {
    let world = World::new();
    let path = world.path("examples/audit/agents/endless.md");
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    refused(
        &world.provost(&["agents", "examples/audit"]),
        2,
        "error[PV0003]: agents/endless.md cannot be read: it is not an ordinary file",
    );
    fs::remove_file(&path).unwrap();
    fs::write(&path, "x".repeat((4 << 20) + 1)).unwrap();
    refused(
        &world.provost(&["agents", "examples/audit"]),
        2,
        "error[PV0003]: agents/endless.md cannot be read: it is larger than 4194304 bytes",
    );
    fs::write(&path, b"---\nname: a\xff\n---\n").unwrap();
    refused(
        &world.provost(&["agents", "examples/audit"]),
        2,
        "error[PV0003]: agents/endless.md cannot be read: it is not UTF-8 text (byte 11)",
    );
    fs::remove_file(&path).unwrap();
    fs::write(world.path("examples/audit/project/AGENTS.md"), b"\xff").unwrap();
    refused(&world.provost(&["run", "-C", "examples/audit"]), 2, "error[PV0001]: AGENTS.md cannot be read: ");
    refused(
        &world.provost(&["import", "/dev/zero"]),
        2,
        "error[PV0012]: /dev/zero cannot be read: it is larger",
    );
    fs::write(world.path("deep.json"), "[".repeat(200_000)).unwrap();
    let deep = world.provost(&["import", "deep.json", "--from", "anthropic"]);
    refused(&deep, 2, "error[PV0012]: deep.json: invalid_json: nests deeper than 128 levels");
    let cassette = world.provost(&["run", "-C", "examples/audit", "--cassette", "/dev/zero"]);
    refused(&cassette, 2, "error[PV0005]: the cassette");
}

#[test]
fn names_that_are_no_text_work_or_are_refused_before_anything_happens() {
    let world = World::new();
    fs::rename(world.path("examples"), world.path("").join(strange(b"ex\xff"))).unwrap();
    let project = [b"ex\xff/audit".as_slice()].map(strange);
    let agents = world.printed(world.command(&["agents"]).args(project));
    assert_eq!(agents.code, 0, "reading needs no text: {}", agents.stderr);
    let run = world.printed(world.command(&["run", "-C"]).args(project));
    refused(&run, 2, "error[PV0001]: the path ");
    assert!(!world.path(".provost").exists(), "nothing happened");
    let prompt = world.printed(world.command(&["run", "-C", "x"]).arg(strange(b"\xff")));
    refused(&prompt, 2, "error: invalid UTF-8");
    let elsewhere = world.path("").join(strange(b"\xff.db"));
    let show = world.printed(world.command(&["show"]).env("PROVOST_DATABASE_URL", &elsewhere));
    refused(&show, 1, "error[PV0006]: there are no runs here: ");
}

#[test]
fn a_folder_that_is_gone_and_a_bare_environment() {
    let world = World::new();
    fs::create_dir(world.path("gone")).unwrap();
    let program = world.command(&[]).get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "cd gone && rmdir ../gone && \"$0\" runs"]).arg(&program).current_dir(world.path(""));
    refused(&world.printed(&mut shell), 2, "error[PV0001]: the folder this was started in cannot be used");
    let mut bare = std::process::Command::new(&program);
    bare.args(["agents", "examples/audit"]).current_dir(world.path("")).env_clear();
    assert_eq!(world.printed(&mut bare).code, 0, "neither HOME nor PATH nor USER is needed");
}

/// Whoever reads only the beginning, as `head` does, breaks nothing; a full disk is told.
#[test]
fn a_reader_that_goes_away_breaks_nothing() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit", "--yes"]).code, 0);
    for words in [&["show", "last"][..], &["export", "last"], &["completions", "bash"], &["reference"]] {
        let mut program = world.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        let told = program.wait_with_output().unwrap();
        let stderr = String::from_utf8(told.stderr).unwrap();
        assert_eq!(told.status.code(), Some(0), "{words:?}: {stderr}");
        assert!(!stderr.contains("error"), "{words:?}: {stderr}");
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let told = world.command(words).stdout(full).output().unwrap();
        let stderr = String::from_utf8(told.stderr).unwrap();
        assert_eq!(told.status.code(), Some(1), "{words:?}: {stderr}");
        assert!(
            stderr.contains("error[PV0014]: standard output could not be written"),
            "{words:?}: {stderr}"
        );
    }
}

/// A run is not stopped by whoever watched it and left.
#[test]
fn a_run_goes_on_when_nobody_watches_any_more() {
    let world = World::new();
    let mut program = world
        .command(&["run", "-C", "examples/audit", "--yes"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("run "));
    drop(lines);
    assert_eq!(program.wait().unwrap().code(), Some(0));
    assert!(world.mended().contains("echo $(($1 + $2))\n"));
}

#[test]
fn words_nobody_knows_are_told_with_the_nearest_one() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
    let told = |words: &[&str]| {
        let printed = world.provost(words);
        format!("$ provost {} (exit {})\n{}", words.join(" "), printed.code, printed.stderr)
    };
    let cases = [
        told(&["runs", "--status", "complete"]),
        told(&["runs", "--status", "zzz"]),
        told(&["resume", "last", "--budget", "turn=3"]),
        told(&["resume", "last", "--budget", "turns=many"]),
        told(&["show", "run_nothing"]),
        told(&["explain", "last", "fs/wirte"]),
        told(&["explain", "PV9999"]),
        told(&["approve", "last", "--action", "nothing"]),
        told(&["export", "last", "--to", "openai"]),
        told(&["import", "examples/audit/cassette.json"]),
        told(&["import", "missing.json"]),
        told(&["run", "-C", "examples/audit", "--agent", "auditer"]),
        told(&["run", "-C", "examples/audit", "--model", "recordd"]),
        told(&["run", "-C", "examples/audit/provost.toml"]),
        told(&["init", "examples/audit"]),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

/// What a command names is not there or cannot be read: nothing was done, and the exit code says so.
#[test]
fn commands_that_name_nothing_usable_exit_with_2() {
    let world = World::new();
    let ran = world.provost(&["run", "-C", "examples/audit", "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    std::fs::write(world.path("bytes"), b"\xff\xfe").unwrap();
    let wrong: [&[&str]; 14] = [
        &["import", "missing"],
        &["import", "bytes"],
        &["validate", "missing"],
        &["validate", "bytes"],
        &["export", "last", "--to", "foo"],
        &["approvals", "revoke", "nn"],
        &["explain", "last", "999"],
        &["show", "-C", "missing"],
        &["verify", "-C", "missing"],
        &["db", "stats", "-C", "missing"],
        &["runs", "-C", "missing"],
        &["approvals", "-C", "missing"],
        &["resume", "last", "-C", "missing"],
        &["runs", "-n", "0"],
    ];
    for words in wrong {
        let printed = world.provost(words);
        assert_eq!(printed.code, 2, "{words:?}: {}", printed.stderr);
        assert!(printed.stderr.starts_with("error"), "{words:?}: {}", printed.stderr);
    }
    let mut task = world.command(&["run", "-", "-C", "examples/audit"]);
    task.stdin(std::fs::File::open(world.path("bytes")).unwrap());
    assert_eq!(world.printed(&mut task).code, 2);
    // The control: the same commands about what is there.
    for words in [&["show", "last"][..], &["verify"], &["db", "stats"], &["runs", "-n", "1"], &["approvals"]]
    {
        assert_eq!(world.provost(words).code, 0, "{words:?}");
    }
}

/// A call has the number in `explain` that it has in `show`.
#[test]
fn explain_takes_the_number_of_a_call_as_show_does() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit", "--yes"]).code, 0);
    for (number, tool) in [("1", "fs/list"), ("9", "fs/edit")] {
        let shown = world.provost(&["show", "last", number]).stdout;
        assert!(shown.contains(tool), "{shown}");
        let explained = world.provost(&["explain", "last", number]).stdout;
        let lines: Vec<&str> = explained.lines().skip(1).collect();
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(tool)), "{explained}");
    }
}
