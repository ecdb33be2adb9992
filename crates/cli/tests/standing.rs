//! `approve --stop-asking`, `approvals` and `approvals revoke`: questions that are not asked again.

use super::world::{Printed, World};

/// Another run of the same project, in an environment that names a user.
fn run(world: &World, seed: &str, user: &str) -> Printed {
    // Each a second later than the one before: the newest is the last.
    let clock = format!("178000000{seed}000");
    let mut command = world.command(&["run", "-C", "examples/audit"]);
    world.printed(command.env("PROVOST_SEED", seed).env("PROVOST_CLOCK_MS", clock).env("USER", user))
}

const HOUR_MS: u64 = 3_600_000;

/// A run so many hours after the first.
fn hours_later(world: &World, hours: u64) -> Printed {
    let mut command = world.command(&["run", "-C", "examples/audit"]);
    let clock = (1_780_000_000_000 + hours * HOUR_MS).to_string();
    world.printed(command.env("PROVOST_SEED", hours.to_string()).env("PROVOST_CLOCK_MS", clock))
}

#[test]
fn a_standing_approval_spares_later_runs_their_question_until_it_is_revoked() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3, "it asks");
    let approved = world.provost(&["approve", "last", "--stop-asking", "tool", "--for", "always"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let allowed = "approval: standing approval: fs/edit anywhere, until it is revoked; provost \
                   approvals lists and revokes\n";
    assert!(approved.stderr.contains(allowed), "{}", approved.stderr);

    let later = run(&world, "2", "ada");
    assert_eq!(later.code, 0, "{}", later.stderr);
    let explained = world.provost(&["explain", "last"]).stdout;
    assert!(explained.contains("granted at 2026-05-28T20:26:40Z"), "{explained}");
    assert_eq!(run(&world, "3", "bob").code, 0, "a variable makes no other person");

    let listed = world.provost(&["--json", "approvals"]).stdout;
    let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
    let id = listed["id"].as_str().unwrap();
    assert_eq!((&listed["tool"], &listed["covers"]), (&"fs/edit".into(), &"tool".into()));
    let shown = world.provost(&["approvals"]).stdout;
    insta::assert_snapshot!(shown.replace(id, "5f8c20e1"), @r"
    standing approval 5f8c20e1: fs/edit anywhere, agent auditor, ends when revoked, granted by you
    try: provost approvals revoke 5f8c20e1   ask again from the next call on
    ");
    let revoked = world.provost(&["approvals", "revoke", &id[..4]]);
    assert_eq!(revoked.code, 0, "{}", revoked.stderr);
    assert_eq!(run(&world, "4", "ada").code, 3, "it asks again");
    let again = world.provost(&["approvals", "revoke", id]);
    assert_eq!(again.code, 2, "nothing was done: {}", again.stderr);
    assert!(again.stderr.starts_with("error[PV0008]: no standing approval begins with"), "{}", again.stderr);
}

#[test]
fn a_standing_approval_in_the_run_spares_later_runs_nothing() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3);
    let approved = world.provost(&["approve", "last", "--stop-asking", "call", "--for", "run"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    assert_eq!(run(&world, "2", "ada").code, 3);
    let none = world.provost(&["approvals", "revoke", "all"]);
    assert_eq!((none.code, none.stderr.as_str()), (0, "there are no standing approvals\n"));
}

/// An approval for a folder ends by itself. Beside it: a folder that the call is not in, and arguments that say
/// nothing.
#[test]
fn a_standing_approval_for_a_folder_holds_for_its_time() {
    let world = World::new();
    assert_eq!(hours_later(&world, 0).code, 3);
    let refused = world.provost(&["approve", "last", "--stop-asking", "docs", "--for", "8h"]);
    assert_eq!(refused.code, 1, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("is not about that file, or a file in that folder"),
        "{}",
        refused.stderr
    );
    for words in [["--stop-asking", "src"], ["--for", "8h"]] {
        assert_eq!(world.provost(&["approve", "last", words[0], words[1]]).code, 2, "{words:?}");
    }
    let wrong = world.provost(&["approve", "last", "--stop-asking", "src", "--for", "soon"]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);

    let approved = world.provost(&["approve", "last", "--stop-asking", "./src/", "--for", "8h"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let words = "standing approval: fs/edit in src/, until 2026-05-29 04:26;";
    assert!(approved.stderr.contains(words), "{}", approved.stderr);
    assert_eq!(hours_later(&world, 7).code, 0, "it holds");
    assert_eq!(hours_later(&world, 8).code, 3, "it is over");
}

#[test]
fn a_standing_approval_for_a_file_is_listed_as_a_file() {
    for (place, listed) in [("src/sum.sh", "fs/edit of src/sum.sh,"), ("src", "fs/edit in src/,")] {
        let world = World::new();
        assert_eq!(run(&world, "1", "ada").code, 3);
        let approved = world.provost(&["approve", "last", "--stop-asking", place, "--for", "always"]);
        assert_eq!(approved.code, 0, "{}", approved.stderr);
        let shown = world.provost(&["approvals"]).stdout;
        assert!(shown.contains(listed), "{shown}");
    }
}

#[test]
fn what_waits_is_listed_with_what_can_be_typed() {
    let world = World::new();
    assert!(world.provost(&["approvals"]).stderr.contains("nothing waits for a person"));
    assert_eq!(run(&world, "1", "ada").code, 3);
    insta::assert_snapshot!(world.provost(&["approvals"]).stdout, @r"
    run y3hsjcsk, question 1: asks about src/sum.sh +1 -1, since 0 s, it waits on
    try: provost resume y3   look at it and answer
    ");
}

/// A word about a tool lifts no refusal that came later; beside it, the same run without the refusal.
#[test]
fn a_refusal_that_came_later_refuses() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3);
    assert_eq!(world.provost(&["approve", "last", "--stop-asking", "tool", "--for", "30d"]).code, 0);
    assert_eq!(run(&world, "2", "ada").code, 0);
    let config = world.path("examples/audit/provost.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let refusing = text.replace("[policy.tools]\n", "[policy.tools]\n\"fs/edit\" = \"forbidden\"\n");
    assert_ne!(text, refusing);
    std::fs::write(&config, refusing).unwrap();
    // Without the tool the model is told something else than what was recorded, and so it stops.
    assert_ne!(run(&world, "3", "ada").code, 0);
    let told = world.provost(&["explain", "last"]).stdout;
    assert!(!told.contains("fs/edit allow: "), "{told}");
}
