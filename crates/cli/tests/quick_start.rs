//! The quick start, and what makes sense of it afterwards.

use super::world::World;

const BROKEN: &str = "echo $(($1 + $2 + 1))";
const MENDED: &str = "echo $(($1 + $2))";

#[test]
fn the_quick_start_works_asks_mends_and_reports() {
    let world = World::new();
    let run = world.provost(&["run", "-C", "examples/audit", "--yes"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    insta::assert_snapshot!(run.stdout);
    for line in [
        "model: recorded, a cassette written by hand: no key, no network",
        "a copy; the project stays as it is",
        "line 3 added: echo $(($1 + $2))",
    ] {
        assert!(run.stderr.contains(line), "{}", run.stderr);
    }
    assert!(world.mended().contains(MENDED));
    let original = std::fs::read_to_string(world.path("examples/audit/project/src/sum.sh")).unwrap();
    assert!(original.contains(BROKEN), "the project stays as it is");
    let replay = world.provost(&["replay", "last"]);
    assert_eq!(replay.code, 0, "{}", replay.stderr);
    assert!(replay.stdout.ends_with(&run.stdout), "the same words again");
}

#[test]
fn without_anybody_to_ask_it_parks_and_an_approval_goes_on() {
    let world = World::new();
    let run = world.provost(&["run", "-C", "examples/audit"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("provost approve hp"), "{}", run.stderr);
    assert!(world.mended().contains(BROKEN), "nothing is written before somebody allows it");
    let approved = world.provost(&["approve", "last"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    assert!(approved.stdout.starts_with("Audit of Tally"), "{}", approved.stdout);
    assert!(world.mended().contains(MENDED));
    let late = world.provost(&["approve", "last"]);
    assert_eq!(late.code, 1);
    assert!(late.stderr.starts_with("error[PV0008]: "), "{}", late.stderr);
}

/// Whatever reason somebody gives, or none: the change is not made, and the report says so.
#[test]
fn a_rejected_change_is_not_made_and_reported() {
    for reason in [&["--reason", "not now"][..], &[]] {
        let world = World::new();
        assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
        let rejected = world.provost(&[&["reject", "last"], reason].concat());
        assert_eq!(rejected.code, 0, "{}", rejected.stderr);
        assert!(
            rejected.stdout.starts_with("Audit of Tally: 4 problems, none fixed."),
            "{}",
            rejected.stdout
        );
        assert!(rejected.stdout.contains("was declined"), "{}", rejected.stdout);
        assert!(world.mended().contains(BROKEN));
        let explained = world.provost(&["explain", "last", "fs/edit"]).stdout;
        assert!(explained.contains("declined"), "{explained}");
        assert_eq!(world.provost(&["replay", "last"]).code, 0);
    }
}

/// A request that nobody recorded stops the run, and shows what differs from the recorded one of its turn.
#[test]
fn a_cassette_answers_nothing_it_was_not_asked() {
    let world = World::new();
    let licence = world.path("examples/audit/project/LICENSE");
    std::fs::write(&licence, "No licence at all.\n").unwrap();
    let run = world.provost(&["run", "-C", "examples/audit"]);
    assert_eq!(run.code, 1);
    assert!(run.stderr.contains("the request is not the recorded one"), "{}", run.stderr);
    assert!(run.stderr.contains("+            \"LICENSE:1:No licence at all.\""), "{}", run.stderr);
    assert!(!run.stderr.contains("+  \"turn\""), "it is compared with the same turn: {}", run.stderr);
    assert!(
        run.stderr.contains(
            "\nrun: failed: the request is not the recorded one; record it again if that is right, "
        ),
        "{}",
        run.stderr
    );
}

#[test]
fn a_project_is_found_from_below_and_its_runs_lie_with_it() {
    let world = World::new();
    let below = |words: &[&str], folder: &str| {
        let mut command = world.command(words);
        world.printed(command.current_dir(world.path(folder)))
    };
    let run = below(&["run", "--yes"], "examples/audit/project/src");
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("next: provost show hp   "), "{}", run.stderr);
    assert!(world.path("examples/audit/.provost/provost.db").is_file());
    assert!(!world.path("examples/audit/project/src/.provost").exists());
    let listed = |folder: &str| below(&["runs", "--project", "."], folder).stdout.lines().count();
    assert_eq!(listed("examples/audit/project"), 1);
    assert_eq!(listed("examples/audit"), 1);
    assert_eq!(listed(""), 0, "another folder has no runs");
    assert_eq!(below(&["runs", "--project", "examples/audit/agents"], "").stdout.lines().count(), 1);
}

#[test]
fn a_parked_run_can_be_cancelled() {
    let world = World::new();
    assert_eq!(world.provost(&["run", "-C", "examples/audit"]).code, 3);
    let cancelled = world.provost(&["cancel", "last", "--reason", "enough"]);
    assert_eq!(cancelled.code, 0, "{}", cancelled.stderr);
    assert!(cancelled.stdout.ends_with(": cancelled\n"), "{}", cancelled.stdout);
    assert!(world.mended().contains(BROKEN));
}

#[test]
fn machines_read_one_document_a_line() {
    let world = World::new();
    let run = world.provost(&["run", "-C", "examples/audit", "--yes", "--json"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let documents: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = documents.last().unwrap();
    assert_eq!(last["type"], "outcome");
    assert_eq!(last["status"], "completed");
    assert!(documents.iter().any(|document| document["kind"] == "approval_granted"));
}
