//! `approve --remember`, `remembered` and `forget`: a question that later runs are spared, and how it comes back.

use super::world::{Printed, World};

/// Another run of the same project, in an environment that names a user.
fn run(world: &World, seed: &str, user: &str) -> Printed {
    // Each a second later than the one before: the newest is the last.
    let clock = format!("178000000{seed}000");
    let mut command = world.command(&["run", "-C", "examples/audit"]);
    world.printed(command.env("PROVOST_SEED", seed).env("PROVOST_CLOCK_MS", clock).env("USER", user))
}

#[test]
fn a_yes_to_remember_spares_later_runs_their_question_until_it_is_forgotten() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3, "it asks");
    let approved = world.provost(&["approve", "last", "--remember"]);
    assert_eq!(approved.code, 0, "{}", approved.stderr);
    let allowed = "fs/edit runs unasked in this run and later ones, until provost forget, whatever its arguments, \
                   where this rule asks  [category_policy: preview]\n";
    assert!(approved.stderr.contains(allowed), "{}", approved.stderr);

    let later = run(&world, "2", "ada");
    assert_eq!(later.code, 0, "{}", later.stderr);
    let explained = world.provost(&["explain", "last"]).stdout;
    let word = "fs/edit allow: runs, as you said to remember: you said so at 2026-05-28T20:26:40Z";
    assert!(explained.contains(word), "{explained}");
    assert_eq!(run(&world, "3", "bob").code, 0, "a variable makes no other person");

    let listed = world.provost(&["remembered"]).stdout;
    let question = listed.split_whitespace().next().unwrap();
    // The folder, and so the name of the question, is another each time.
    insta::assert_snapshot!(listed.replace(question, "mem_"), @"mem_  auditor may fs/edit for user:ada in [here]/examples/audit: user:ada said so at 2026-05-28T20:26:40Z  [category_policy: preview]");
    let forgotten = world.provost(&["forget", question]);
    assert_eq!(forgotten.code, 0, "{}", forgotten.stderr);
    assert_eq!(run(&world, "4", "ada").code, 3, "it asks again");
    let again = world.provost(&["forget", question]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(again.stderr.starts_with("error[PV0008]: nothing is remembered as"), "{}", again.stderr);
    assert!(world.provost(&["remembered"]).stderr.contains("nothing is remembered"));
}

#[test]
fn a_yes_to_remember_in_the_run_spares_later_runs_nothing() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3);
    assert_eq!(world.provost(&["approve", "last", "--remember-in-run"]).code, 0);
    assert_eq!(run(&world, "2", "ada").code, 3);
    assert_eq!(world.provost(&["forget", "all"]).code, 0, "there is nothing to forget");
}

/// A word about a tool lifts no refusal that came later; beside it, the same run without the refusal.
#[test]
fn a_refusal_that_came_later_refuses() {
    let world = World::new();
    assert_eq!(run(&world, "1", "ada").code, 3);
    assert_eq!(world.provost(&["approve", "last", "--remember"]).code, 0);
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
