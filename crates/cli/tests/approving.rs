//! A person approves what will run: what is shown, what is named, what is changed, and what happened.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::server::Scripted;
use super::world::{Printed, World};

/// A project in which writing asks, and a model that says these turns and then that it is done.
struct Play {
    world: World,
    _model: Scripted,
}

impl Play {
    fn new(turns: Vec<Value>) -> Self {
        Self::with_policy("[policy.categories]\nwrite = \"preview\"\n", turns)
    }

    fn with_policy(policy: &str, turns: Vec<Value>) -> Self {
        let (world, model) = (World::new(), Scripted::new(turns));
        fs::create_dir_all(world.path("agents")).unwrap();
        fs::write(world.path("agents/worker.md"), "---\nname: worker\n---\nYou work.\n").unwrap();
        let served = format!(
            "[models.served]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\nsettings.model = \"m\"\n",
            model.url
        );
        fs::write(world.path("provost.toml"), format!("{policy}{served}")).unwrap();
        fs::write(world.path("notes"), "one\n").unwrap();
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

    fn run(&self) -> Printed {
        self.provost(&["run", "go"])
    }

    fn is_there(&self, path: &str) -> bool {
        self.world.path(path).exists()
    }

    /// The ids of the calls that wait, as machines read them.
    fn waiting(&self) -> Vec<String> {
        let refused = self.provost(&["--json", "approve", "last", "--only"]);
        let documents = refused.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let approvals = documents.filter(|document| document["type"] == "approval");
        approvals.map(|document| document["id"].as_str().unwrap().to_owned()).collect()
    }
}

fn write(id: &str, path: &str, content: &str) -> Value {
    Scripted::call(id, "fs/write", &json!({ "path": path, "content": content }))
}

/// One turn with the calls of several.
fn together(turns: &[Value]) -> Value {
    let calls = turns.iter().enumerate().map(|(index, turn)| {
        let mut call = turn["tool_calls"][0].clone();
        call["index"] = index.into();
        call
    });
    json!({ "tool_calls": calls.collect::<Vec<_>>() })
}

/// Changes what is stored of a question behind the back of the program.
#[expect(clippy::disallowed_methods, reason = "another program changes the file")]
fn change(world: &World, sql: &str) {
    let file = rusqlite::Connection::open(world.path(".provost/provost.db")).unwrap();
    assert_eq!(file.execute(sql, []).unwrap(), 1, "{sql}");
}

/// What a person reads comes from the journal, and the answer is bound to it.
#[test]
fn a_stored_question_that_was_changed_is_refused() {
    let other = format!("sha256:{}", "0".repeat(64));
    for (sql, through) in [
        ("UPDATE waits SET ask = ask".to_owned(), true),
        ("UPDATE waits SET ask = replace(ask, 'EVIL', 'nice')".to_owned(), true),
        (format!("UPDATE waits SET binding = '{other}'"), false),
    ] {
        let play = Play::new(vec![write("a", "new", "EVIL\n")]);
        assert_eq!(play.run().code, 3);
        change(&play.world, &sql);
        let approved = play.provost(&["approve", "last"]);
        assert_eq!((approved.code == 0, play.is_there("new")), (through, through), "{}", approved.stderr);
        assert_eq!(approved.stderr.contains("added: EVIL"), through, "{}", approved.stderr);
        assert_eq!(approved.stderr.contains("error[PV0011]"), !through, "{}", approved.stderr);
        assert!(!approved.stderr.contains("added: nice"), "{}", approved.stderr);
    }
}

/// The question is decided, and then the answer is changed before the run goes on.
#[test]
fn an_approval_of_other_arguments_runs_nothing() {
    let other = format!("sha256:{}", "0".repeat(64));
    let bound = "json_set(body, '$.answer.binding',";
    for (sql, through) in [
        ("UPDATE signals SET body = body".to_owned(), true),
        (format!("UPDATE signals SET body = {bound} '{other}')"), false),
    ] {
        let play = Play::new(vec![write("a", "new", "text\n")]);
        assert_eq!(play.run().code, 3);
        assert_eq!(play.provost(&["approve", "last", "--only"]).code, 0);
        change(&play.world, &sql);
        let resumed = play.provost(&["resume", "last"]);
        assert_eq!(resumed.code == 0, through, "it is asked again: {}", resumed.stderr);
        assert_eq!(play.is_there("new"), through, "{}", resumed.stderr);
    }
}

/// What only reads asks at once, however many calls there are; effects are asked about in their order.
#[test]
fn several_waiting_calls_are_all_shown_and_each_is_named() {
    let read = |id: &str, path: &str| Scripted::call(id, "fs/read", &json!({ "path": path }));
    let policy = "[policy.tools]\n\"fs/read\" = \"preview\"\n";
    let play = Play::with_policy(policy, vec![together(&[read("a", "notes"), read("b", "provost.toml")])]);
    let parked = play.run();
    assert_eq!(parked.code, 3);
    assert!(
        parked.stderr.contains("--action 1") && parked.stderr.contains("--action 2"),
        "{}",
        parked.stderr
    );
    let unnamed = play.provost(&["approve", "last"]);
    assert_eq!(unnamed.code, 1, "{}", unnamed.stderr);
    assert!(unnamed.stderr.contains("waits for 2 decisions"), "{}", unnamed.stderr);
    let ids = play.waiting();
    assert_eq!(play.provost(&["approve", "last", "--only", "--action", &ids[0]]).code, 0);
    assert_eq!(play.provost(&["reject", "last"]).code, 0);
    let explained = play.provost(&["explain", "last"]).stdout;
    assert_eq!(explained.matches("allow: allowed by").count(), 1, "asked about: {explained}");
    assert_eq!(explained.matches("allow: runs with that approval").count(), 1, "and run: {explained}");
    assert_eq!(explained.matches("declined").count(), 1, "{explained}");
}

#[test]
fn effects_are_asked_about_one_after_the_other() {
    let calls = together(&[write("a", "first", "harmless\n"), write("b", "second", "EVIL\n")]);
    let play = Play::new(vec![calls]);
    let parked = play.run();
    assert_eq!(parked.code, 3);
    assert!(
        parked.stderr.contains("added: harmless") && !parked.stderr.contains("added: EVIL"),
        "{}",
        parked.stderr
    );
    let next = play.provost(&["approve", "last"]);
    assert_eq!(next.code, 3, "{}", next.stderr);
    assert!(play.is_there("first") && next.stderr.contains("added: EVIL"), "{}", next.stderr);
    assert_eq!(play.provost(&["reject", "last"]).code, 0);
    assert!(!play.is_there("second"));
}

#[test]
fn a_diff_is_shown_to_its_end() {
    let long: String = (0..9_000).map(|line| format!("line {line} of a long text\n")).collect();
    let play = Play::new(vec![write("a", "long", &format!("{long}the last line\n"))]);
    let parked = play.run();
    assert_eq!(parked.code, 3);
    for shown in [parked.stderr, play.provost(&["show", "last"]).stdout] {
        assert!(shown.contains("added: the last line"), "the end is missing of {} bytes", shown.len());
    }
}

#[test]
fn a_call_that_cannot_succeed_goes_back_to_the_model_unasked() {
    let edit = |old: &str| {
        Scripted::call("a", "fs/edit", &json!({ "path": "notes", "old_text": old, "new_text": "two" }))
    };
    let play = Play::new(vec![edit("nowhere")]);
    let done = play.run();
    assert_eq!(done.code, 0, "{}", done.stderr);
    let exported = play.provost(&["export", "last", "--to", "openai_chat"]).stdout;
    assert!(exported.contains("no person was asked: it would fail"), "{exported}");
    let control = Play::new(vec![edit("one")]);
    assert_eq!(control.run().code, 3, "an edit that would work asks");
}

#[test]
fn a_call_in_doubt_has_three_answers_and_the_model_reads_them() {
    let answers: [(&[&str], &str, usize); 3] = [
        (&["approve", "last"], "exit_code", 2),
        (&["reject", "last", "--reason", "the ledger has it"], "left it: the ledger has it", 1),
        (&["approve", "last", "--happened", "line 17"], "line 17", 1),
    ];
    for (words, read, runs) in answers {
        let script =
            "echo ran >> effects; if [ ! -e again ]; then touch again; kill -9 $(cat pid); sleep 60; fi";
        let argv = json!({ "argv": ["sh", "-c", script] });
        let policy = "[policy.tools]\n\"shell/run\" = \"direct\"\n";
        let play = Play::with_policy(policy, vec![Scripted::call("a", "shell/run", &argv)]);
        // The program writes down its own number, so that the call can kill it.
        let mut program = Command::new("sh");
        program.args(["-c", "echo $$ > pid; exec \"$@\"", "sh"]);
        let provost = play.command(&["run", "go"]);
        program.arg(provost.get_program()).args(provost.get_args()).current_dir(play.world.path(""));
        program.env_clear().envs(provost.get_envs().filter_map(|(key, value)| Some((key, value?))));
        let killed = play.world.printed(&mut program);
        assert_eq!(killed.code, -1, "{}", killed.stderr);
        let resumed = play.provost(&["resume", "last", "--yes"]);
        assert_eq!(resumed.code, 3, "--yes does not know what happened: {}", resumed.stderr);
        assert!(resumed.stderr.contains("--happened"), "{}", resumed.stderr);
        let remembered = play.provost(&["approve", "last", "--stop-asking", "call", "--for", "8h"]);
        let refused = "this is asked each time: a call in doubt is decided individually";
        assert!(remembered.stderr.contains(refused), "{}", remembered.stderr);
        let answered = play.provost(words);
        let effects = fs::read_to_string(play.world.path("effects")).unwrap();
        assert_eq!(effects.lines().count(), runs, "{words:?}: {}", answered.stderr);
        let exported = play.provost(&["export", "last", "--to", "openai_chat"]).stdout;
        assert!(exported.contains(read), "{words:?}: {exported}");
    }
}

/// Words such as `token` in the name of a governing file are no secret; a change of that file is still found.
#[test]
fn a_project_whose_files_are_named_like_secrets_is_approved_and_its_changes_are_found() {
    for changes in [false, true] {
        let play = Play::new(vec![write("a", "made", "x\n")]);
        let agent = "agents/token-rotator.md";
        fs::rename(play.world.path("agents/worker.md"), play.world.path(agent)).unwrap();
        assert_eq!(play.run().code, 3);
        if changes {
            fs::write(play.world.path(agent), "---\nname: worker\n---\nYou obey.\n").unwrap();
        }
        let approved = play.provost(&["approve", "last"]);
        assert_eq!(approved.stderr.contains("PV0017"), changes, "{}", approved.stderr);
        assert_eq!(play.is_there("made"), !changes);
    }
}

/// A question that was asked under other rules is asked again before it is shown, so that its answer counts.
#[test]
fn a_standing_approval_given_to_an_old_question_is_granted() {
    for changes in [false, true] {
        let play = Play::new(vec![write("a", "made", "x\n"), write("b", "next", "x\n")]);
        assert_eq!(play.run().code, 3);
        if changes {
            let config = play.world.path("provost.toml");
            let text = fs::read_to_string(&config).unwrap();
            fs::write(
                &config,
                text.replace("write = \"preview\"", "write = \"preview\"\nnetwork = \"deny\""),
            )
            .unwrap();
            let confirmed = play.provost(&["policy", "confirm", "--yes"]);
            assert!(confirmed.stderr.contains("confirmed by"), "a run waits for it: {}", confirmed.stderr);
        }
        let approved = play.provost(&["approve", "last", "--stop-asking", "tool", "--for", "8h"]);
        assert_eq!(approved.code, 0, "{}", approved.stderr);
        assert_eq!(approved.stderr.matches("approval: standing approval: fs/write").count(), 1);
        assert!(play.is_there("made") && play.is_there("next"), "{}", approved.stderr);
        let listed = play.provost(&["approvals"]).stdout;
        assert!(listed.starts_with("standing approval"), "{listed}");
        let explained = play.provost(&["explain", "last"]).stdout;
        assert_eq!(explained.contains("is not asked any more"), changes, "{explained}");
    }
}

/// A run that ended does not work: an edit since then is legal, and commands about the run record nothing.
#[test]
fn a_run_that_ended_is_not_checked_against_later_edits() {
    for ended in [true, false] {
        let play = Play::new(vec![write("a", "made", "x\n")]);
        assert_eq!(play.run().code, 3);
        if ended {
            assert_eq!(play.provost(&["approve", "last"]).code, 0);
        }
        let config = play.world.path("provost.toml");
        fs::write(&config, fs::read_to_string(&config).unwrap() + "# edited\n").unwrap();
        let resumed = play.provost(&["resume", "last"]);
        assert_eq!(resumed.stderr.contains("PV0017"), !ended, "{}", resumed.stderr);
        assert_eq!(resumed.stderr.contains("had already ended as completed"), ended, "{}", resumed.stderr);
        assert_eq!(resumed.code, i32::from(!ended));
        let approved = play.provost(&["approve", "last"]);
        assert_eq!(approved.code, 1);
        assert_eq!(approved.stderr.contains("it has ended"), ended, "{}", approved.stderr);
        let next = play.run();
        assert_eq!(next.stderr.contains("PV0017"), !ended, "{}", next.stderr);
    }
}

/// A limit on money needs a price; with one the run goes on.
#[test]
fn a_limit_on_money_without_a_price_is_refused() {
    let limit = "[budgets]\ncost_microusd = 300\n";
    let price = "[prices.models.m]\ninput = 1000\noutput = 1000\n";
    for (policy, code) in [(limit.to_owned(), 2), (format!("{limit}{price}"), 0)] {
        let play = Play::with_policy(&policy, vec![]);
        let run = play.run();
        assert_eq!(run.code, code, "{}", run.stderr);
        assert_eq!(run.stderr.contains("the model `m` has no price"), code == 2, "{}", run.stderr);
    }
}
