//! Conversations through a pipe: one message a line.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::script::{call, mend, say};
use super::world::{Printed, World, until};

const MENDED: &str = "echo $(($1 + $2))";
const BROKEN: &str = "echo $(($1 + $2 + 1))";

impl World {
    /// A conversation whose clock runs: runs of one conversation are told apart by when they began.
    fn chat_command(&self, words: &[&str], model: &[String]) -> Command {
        let mut command = self.command(&["chat", "--project", "examples/audit"]);
        command.args(words).args(model).env_remove("PROVOST_CLOCK_MS").env_remove("PROVOST_SEED");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn chat(&self, words: &[&str], model: &[String], lines: &str) -> Printed {
        let mut program = self.chat_command(words, model).spawn().unwrap();
        program.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let output = program.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| plain(&self.plain(&String::from_utf8(bytes).unwrap()));
        Printed {
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// Names and times differ from run to run.
fn plain(text: &str) -> String {
    let word = |word: &str| match word.trim_matches(|letter: char| !letter.is_ascii_alphanumeric()) {
        id if id.len() == 36 && id.matches('-').count() == 4 => word.replace(id, "[session]"),
        id if id.starts_with("act_") => word.replace(id, "[action]"),
        date if date.len() == 10 && date.matches('-').count() == 2 => "[date]".to_owned(),
        time if time.len() == 8 && time.matches(':').count() == 2 => "[time]".to_owned(),
        _ => word.rsplit_once('/').map_or(word.to_owned(), |(folder, _)| {
            if folder.ends_with("work") { format!("{folder}/[session]") } else { word.to_owned() }
        }),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    let text = text.lines().map(line).collect::<Vec<_>>().join("\n");
    text.split("(").enumerate().fold(String::new(), |text, (place, part)| match part.split_once(" ms)") {
        Some((ms, rest)) if place > 0 && ms.parse::<u64>().is_ok() => format!("{text}([n] ms){rest}"),
        _ if place > 0 => format!("{text}({part}"),
        _ => part.to_owned(),
    })
}

fn documents(printed: &Printed) -> Vec<Value> {
    printed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_conversation_remembers_asks_and_goes_on() {
    let world = World::new();
    let model = world.script("one", &[say("Hello, Ada."), mend(), say("It is mended."), say("Bye.")]);
    let chat = world.chat(&[], &model, "I am Ada\n\nmend it\n/approve\nthank you\n");
    assert_eq!(chat.code, 0, "{}", chat.stderr);
    insta::assert_snapshot!("chat_words", chat.stdout);
    insta::assert_snapshot!("chat_notes", chat.stderr);
    assert!(world.mended().contains(MENDED));
    let recorded: Value = serde_json::from_str(&fs::read_to_string(world.path("one.json")).unwrap()).unwrap();
    let last = recorded["turns"][3]["request"]["messages"].to_string();
    for said in ["I am Ada", "Hello, Ada.", "mend it", "It is mended.", "thank you"] {
        assert_eq!(last.matches(&format!("\"{said}\"")).count(), 1, "{said} in {last}");
    }
    assert_eq!(last.matches("\"role\":\"system\"").count(), 1, "the instructions are there once: {last}");
}

/// What was recorded plays: word for word the same conversation, in another folder.
#[test]
fn a_recorded_conversation_plays() {
    let world = World::new();
    let lines = "hello\nmend it\ny\n";
    let model = world.script("one", &[say("Hello."), mend(), say("It is mended.")]);
    let first = world.chat(&[], &model, lines);
    let other = World::new();
    fs::copy(world.path("one.json"), other.path("one.json")).unwrap();
    let played = other.chat(&["--cassette", "one.json"], &[], lines);
    assert_eq!((played.code, played.stdout.as_str()), (0, first.stdout.as_str()), "{}", played.stderr);
    let changed = World::new();
    fs::copy(world.path("one.json"), changed.path("one.json")).unwrap();
    let refused = changed.chat(&["--cassette", "one.json"], &[], "good day\n");
    assert_eq!(refused.code, 1, "{}", refused.stderr);
}

/// A project as it is, and one with a rule about arguments.
fn with_and_without_rules() -> [World; 2] {
    let ruled = World::new();
    let config = ruled.path("examples/audit/provost.toml");
    let rule = "\n[[policy.rules]]\nname = \"keys-stay\"\ndecision = \"deny\"\nreason = \"no\"\n\
                tools = [\"fs/*\"]\npath = \"keys/**\"\n\
                matches = [{ tool = \"fs/read\", arguments = { path = \"keys/a\" } }]\n\
                passes = [{ tool = \"fs/edit\", arguments = { path = \"src/sum.sh\" } }]\n";
    fs::write(&config, fs::read_to_string(&config).unwrap() + rule).unwrap();
    [World::new(), ruled]
}

/// A question waits over the end of the process, with its diff, and can be answered afterwards.
#[test]
fn what_waits_is_shown_and_answered_after_a_restart() {
    for world in with_and_without_rules() {
        let before = world.chat(&[], &world.script("one", &[mend()]), "mend it\n");
        assert_eq!(before.code, 3, "{}", before.stderr);
        assert!(before.stderr.contains("it waits for you"), "{}", before.stderr);
        assert!(world.mended().contains(BROKEN));
        let after = world.chat(&["--session", "last"], &world.script("two", &[say("Done.")]), "/approve\n");
        assert_eq!((after.code, after.stdout.as_str()), (0, "Done."), "{}", after.stderr);
        let diff = "line 3 added: echo $(($1 + $2))";
        assert_eq!(after.stderr.matches(diff).count(), 1, "the diff is shown again: {}", after.stderr);
        assert!(world.mended().contains(MENDED));
        let late = world.chat(&["--session", "last"], &world.script("three", &[]), "/approve\n");
        assert_eq!(late.code, 1);
        assert!(late.stderr.contains("no call waits for approval"), "{}", late.stderr);
    }
}

#[test]
fn a_refusal_and_its_reason_reach_the_model() {
    let world = World::new();
    let model = world.script("one", &[mend(), say("I leave it.")]);
    let chat = world.chat(&[], &model, "mend it\n/reject not before the release\n");
    assert_eq!((chat.code, chat.stdout.as_str()), (0, "I leave it."), "{}", chat.stderr);
    assert!(world.mended().contains(BROKEN));
    let asked = fs::read_to_string(world.path("one.json")).unwrap();
    assert!(asked.contains("not before the release"), "{asked}");
}

/// Words instead of an answer take the question back; the call is not made, and can no longer be allowed.
#[test]
fn a_message_supersedes_what_waits() {
    for world in with_and_without_rules() {
        let model = world.script("one", &[mend(), say("Then not.")]);
        let chat = world.chat(&[], &model, "mend it\nno, wait, look at the tests first\n/approve\n");
        assert_eq!(chat.stdout, "Then not.", "{}", chat.stderr);
        assert_eq!(chat.code, 1, "{}", chat.stderr);
        assert!(chat.stderr.contains("no call waits for approval"), "{}", chat.stderr);
        assert!(world.mended().contains(BROKEN));
        let asked = fs::read_to_string(world.path("one.json")).unwrap();
        assert!(asked.contains("look at the tests first"), "{asked}");
    }
}

#[test]
fn an_approval_can_change_the_arguments() {
    let world = World::new();
    let model = world.script("one", &[mend(), say("As you like.")]);
    let chat = world.chat(&[], &model, "mend it\n/approve new_text='echo 42'\n");
    assert_eq!((chat.code, chat.stdout.as_str()), (0, "As you like."), "{}", chat.stderr);
    assert!(world.mended().contains("echo 42"), "{}", world.mended());
    let wrong = World::new();
    let chat = wrong.chat(&[], &wrong.script("one", &[mend()]), "mend it\n/approve act_0000\n");
    assert_eq!(chat.code, 1);
    assert!(chat.stderr.contains("is neither KEY=VALUE nor something that waits"), "{}", chat.stderr);
    assert!(wrong.mended().contains(BROKEN), "a mistake allows nothing");
}

#[test]
fn yes_allows_what_is_asked_for() {
    let world = World::new();
    let model = world.script("one", &[mend(), say("Done.")]);
    let chat = world.chat(&["--yes"], &model, "mend it\n");
    assert_eq!((chat.code, chat.stdout.as_str()), (0, "Done."), "{}", chat.stderr);
    assert!(chat.stderr.contains("allowed by --yes"), "{}", chat.stderr);
    assert!(world.mended().contains(MENDED));
}

#[test]
fn commands_show_what_they_are_asked_for() {
    let world = World::new();
    let model = world.script("one", &[mend(), say("Done.")]);
    let chat =
        world.chat(&["--yes"], &model, "mend it\n/why\n/budget\n/sessions\n/help\n/quit\nnever said\n");
    assert_eq!(chat.code, 0, "{}", chat.stderr);
    insta::assert_snapshot!("chat_commands", chat.stdout);
    let nothing = world.chat(&[], &model, "/why\n");
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("there is no message yet"), "{}", nothing.stderr);
}

#[test]
fn an_unknown_command_gets_a_suggestion_and_says_nothing() {
    let world = World::new();
    let model = world.script("one", &[say("Hello.")]);
    let chat = world.chat(&[], &model, "/aprove\n");
    assert_eq!((chat.code, chat.stdout.as_str()), (2, ""));
    assert!(chat.stderr.contains("did you mean /approve?"), "{}", chat.stderr);
    assert!(!world.path("one.json").exists(), "the model was not asked");
    let said = world.chat(&[], &model, "//aprove\n");
    assert_eq!((said.code, said.stdout.as_str()), (0, "Hello."), "{}", said.stderr);
}

/// The older messages give way to a summary the model made; the instructions and the newest stay.
#[test]
fn compaction_sums_up_before_the_next_message() {
    let world = World::new();
    let long = "word ".repeat(60);
    let turns: Vec<Value> =
        (0..5).map(|_| say(&long)).chain([say("Ada said five things."), say("Yes?")]).collect();
    let lines = "one\ntwo\nthree\nfour\nfive\n/compact\nsix\n";
    let chat = world.chat(&[], &world.script("one", &turns), lines);
    assert_eq!(chat.code, 0, "{}", chat.stderr);
    assert!(chat.stdout.ends_with("\nYes?"), "{}", chat.stdout);
    let recorded: Value = serde_json::from_str(&fs::read_to_string(world.path("one.json")).unwrap()).unwrap();
    let asked = recorded["turns"][6]["request"]["messages"].to_string();
    assert!(asked.contains("Ada said five things.") && asked.contains("\"six\""), "{asked}");
    assert!(!asked.contains("\"one\""), "{asked}");
    assert!(asked.contains("You audit"), "the instructions stay: {asked}");
    let after = world.chat(&["--session", "last"], &world.script("two", &[say("Seven.")]), "seven\n");
    assert_eq!(after.code, 0, "{}", after.stderr);
    let asked = fs::read_to_string(world.path("two.json")).unwrap();
    assert!(asked.contains("Ada said five things.") && asked.contains("You audit"), "{asked}");
}

#[test]
fn machines_read_one_event_a_line() {
    let world = World::new();
    let model = world.script("one", &[say("Hello."), mend(), say("Done.")]);
    let chat = world.chat(&["--json"], &model, "hello\nmend it\n/approve\n/budget\n/why\n/sessions\n");
    assert_eq!((chat.code, chat.stderr.as_str()), (0, ""), "{}", chat.stdout);
    let documents = documents(&chat);
    let kinds: Vec<&str> = documents.iter().map(|document| document["type"].as_str().unwrap()).collect();
    for kind in ["session", "event", "answer", "approval", "outcome", "budget", "decision"] {
        assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
    }
    // Every message and answer begins with the name of its run, and ends with the outcome of that run.
    assert_eq!(kinds[0], "session");
    let of_runs: Vec<(&str, &Value)> = documents
        .iter()
        .map(|document| (document["type"].as_str().unwrap(), &document["run"]))
        .filter(|(kind, _)| ["run", "outcome"].contains(kind))
        .collect();
    let (first, second) = (of_runs[0].1, of_runs[2].1);
    assert_ne!(first, second);
    let expected = [("run", first), ("outcome", first), ("run", second), ("outcome", second)];
    assert_eq!(of_runs, [&expected[..], &expected[2..]].concat());
    let outcomes: Vec<&str> = documents
        .iter()
        .filter(|document| document["type"] == "outcome")
        .map(|outcome| outcome["status"].as_str().unwrap())
        .collect();
    assert_eq!(outcomes, ["completed", "waiting", "completed"]);
}

#[test]
fn sessions_are_found_by_their_ids_and_no_others() {
    let world = World::new();
    let nobody = world.chat(&["--session", "last"], &world.script("one", &[]), "");
    assert_eq!(nobody.code, 2);
    assert!(nobody.stderr.starts_with("error[PV0015]: "), "{}", nobody.stderr);
    let silent = world.chat(&[], &world.script("one", &[]), "/quit\n");
    assert_eq!(silent.code, 0, "{}", silent.stderr);
    let first = world.chat(&["--json"], &world.script("one", &[say("Hello.")]), "hello\n");
    let id = documents(&first)[0]["session"].as_str().unwrap().to_owned();
    let second =
        world.chat(&["--session", &id], &world.script("two", &[say("Again.")]), "/sessions\nagain\n");
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(
        second.stdout.lines().count(),
        2,
        "a conversation in which nobody spoke is none: {}",
        second.stdout
    );
    let stranger = world.chat(&["--session", &id, "somebody"], &world.script("three", &[]), "");
    assert_eq!(stranger.code, 2);
    assert!(stranger.stderr.contains("the conversation is with `auditor`"), "{}", stranger.stderr);
}

/// A program that says when it began, and then takes its time.
fn slow_check(world: &World) -> Value {
    let (effects, began) = (world.path("effects"), world.path("began"));
    assert!(Command::new("mkfifo").arg(&began).status().unwrap().success());
    let script = format!("echo once >> {}\necho > {}\nexec sleep 30\n", effects.display(), began.display());
    fs::write(world.path("examples/audit/project/check.sh"), script).unwrap();
    call("check-1", "shell/run", &json!({ "argv": ["sh", "check.sh"] }))
}

/// A conversation in the middle of that program.
fn at_work(world: &World, turns: &[Value]) -> Child {
    let mut turns = turns.to_vec();
    turns.insert(0, slow_check(world));
    let mut program = world.chat_command(&[], &world.script("one", &turns)).spawn().unwrap();
    program.stdin.as_mut().unwrap().write_all(b"check it\n").unwrap();
    fs::File::open(world.path("began")).unwrap().read_to_string(&mut String::new()).unwrap();
    program
}

/// What ran when the process died is asked about, not run again.
#[test]
fn a_killed_conversation_goes_on_and_repeats_nothing() {
    let world = World::new();
    let mut program = at_work(&world, &[]);
    program.kill().unwrap();
    program.wait().unwrap();
    let model = world.script("two", &[say("I leave it at that."), say("You are welcome.")]);
    let chat = world.chat(&["--session", "last", "--yes"], &model, "/reject it is done\nthanks\n");
    assert_eq!(chat.code, 0, "{}", chat.stderr);
    assert!(chat.stderr.contains("it is not known whether it took effect"), "{}", chat.stderr);
    assert_eq!(chat.stdout, "I leave it at that.\nYou are welcome.");
    assert_eq!(fs::read_to_string(world.path("effects")).unwrap(), "once\n");
    let story = world.provost(&["verify"]);
    assert_eq!(story.code, 0, "{}", story.stdout);
}

/// Killed anywhere in a message, the conversation goes on with it: written once, said once, answered once.
#[test]
fn a_conversation_killed_anywhere_goes_on_with_its_message() {
    let lines = "mend it\nthank you\n";
    let recording = World::new();
    let model = recording.script("one", &[mend(), say("It is mended."), say("You are welcome.")]);
    assert_eq!(recording.chat(&["--yes"], &model, lines).code, 0);
    for words in ["asks to edit", "allowed by --yes", "fs/edit src/sum.sh: running", "done, allowed by"] {
        let world = World::new();
        fs::copy(recording.path("one.json"), world.path("one.json")).unwrap();
        let mut program = world.chat_command(&["--yes", "--cassette", "one.json"], &[]).spawn().unwrap();
        program.stdin.as_mut().unwrap().write_all(b"mend it\n").unwrap();
        let mut notes = BufReader::new(program.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(notes.any(|line| line.contains(words)), "{words}");
        program.kill().unwrap();
        program.wait().unwrap();
        let chat = world.chat(&["--yes", "--session", "last"], &[], "thank you\n");
        assert_eq!(chat.code, 0, "killed at {words}: {}", chat.stderr);
        assert!(chat.stdout.ends_with("You are welcome."), "killed at {words}: {}", chat.stdout);
        assert_eq!(world.mended().matches(MENDED).count(), 1, "killed at {words}");
        let verify = world.provost(&["verify"]);
        assert_eq!(verify.code, 0, "killed at {words}: {}", verify.stdout);
    }
}

/// While one process works in a conversation, what another says there reaches the same run; no run begins beside it.
#[test]
fn what_is_said_in_a_busy_conversation_reaches_its_run() {
    let world = World::new();
    let mut first = at_work(&world, &[say("Checked.")]);
    let mut second =
        world.chat_command(&["--session", "last"], &world.script("two", &[say("Mine.")])).spawn().unwrap();
    second.stdin.take().unwrap().write_all(b"hello\n").unwrap();
    let mut seen = BufReader::new(second.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(seen.any(|line| line.contains("another process runs this conversation")));
    let said = || world.provost(&["show", "last"]).stdout.contains("asked: hello");
    until("the message is in the journal", said);
    assert_eq!(world.provost(&["runs", "--json"]).stdout.lines().count(), 1, "no run beside it");
    let interrupted = Command::new("kill").args(["-INT", &first.id().to_string()]).status();
    assert!(interrupted.unwrap().success());
    let mut notes = BufReader::new(first.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(notes.any(|line| line.contains("cancelled; send a message to continue")));
    assert!(seen.any(|line| line.contains("cancelled; send a message to continue")), "both see how it ends");
    second.wait().unwrap();
    let third = world.chat(&["--session", "last"], &world.script("three", &[say("Mine.")]), "bye\n");
    assert_eq!((third.code, third.stdout.as_str()), (0, "Mine."), "{}", third.stderr);
    drop(first.stdin.take());
    assert_eq!(first.wait().unwrap().code(), Some(130));
    let asked = fs::read_to_string(world.path("three.json")).unwrap();
    for words in ["check it", "hello", "cancelled", "bye"] {
        assert!(asked.contains(words), "the model reads everything: {words}: {asked}");
    }
}

/// A yes holds for what its person has read, not for what is asked by the time it is typed.
#[test]
fn an_answer_to_a_question_that_was_answered_elsewhere_decides_nothing_else() {
    for answer in ["y", "/approve", "/approve 2", "/approve all", "/reject", "something else"] {
        let world = World::new();
        let unset = json!({ "path": "src/sum.sh", "old_text": "set -eu", "new_text": "set -u" });
        let (mut both, mut second) = (mend(), call("fix-2", "fs/edit", &unset));
        let more = second["answer"]["turn"]["tool_calls"][0].take();
        both["answer"]["turn"]["tool_calls"].as_array_mut().unwrap().push(more);
        let model = world.script("one", &[both, say("Done.")]);
        let mut chat = world.chat_command(&[], &model).spawn().unwrap();
        let mut input = chat.stdin.take().unwrap();
        input.write_all(b"mend both\n").unwrap();
        let mut notes = BufReader::new(chat.stderr.take().unwrap()).lines().map(Result::unwrap);
        assert!(notes.any(|line| line.contains("added: echo $(($1 + $2))")));
        assert!(notes.any(|line| line.contains("/approve or /reject")));
        assert_eq!(world.provost(&["approve", "last"]).code, 3, "the second call asks by now");
        input.write_all(format!("{answer}\n").as_bytes()).unwrap();
        drop(input);
        let said: Vec<String> = notes.collect();
        assert!(
            said.iter().any(|line| line.contains("typed before this question appeared")),
            "{answer}: {said:?}"
        );
        assert!(said.iter().any(|line| line.contains("added: set -u")), "{answer}: it is shown: {said:?}");
        assert_eq!(chat.wait().unwrap().code(), Some(1), "{answer}: a script does not go on");
        let runs = world.provost(&["runs"]).stdout;
        assert!(runs.contains("waits for you"), "{answer}: {runs}");
    }
}

/// A conversation whose lines were changed is found by `verify`, beside its control.
#[test]
#[expect(clippy::disallowed_methods, reason = "another program changes the file")]
fn a_conversation_that_lost_lines_is_found() {
    let world = World::new();
    let said = world.chat(&[], &world.script("one", &[say("Hello."), say("Bye.")]), "hi\nbye\n");
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(world.provost(&["verify"]).code, 0);
    let database = world.path("examples/audit/.provost/provost.db");
    let whole = fs::read(&database).unwrap();
    for (sql, found) in [
        (
            "DELETE FROM session_entries WHERE no IN (1, 2)",
            "has other lines of this run than its journal: record 1",
        ),
        ("UPDATE session_entries SET seq = 2 WHERE no = 1", "has other lines of this run than its journal"),
        ("DELETE FROM sessions", "of the run is missing"),
        ("UPDATE runs SET session = NULL", "the list of runs says conversation none, the journal says "),
    ] {
        let file = rusqlite::Connection::open(&database).unwrap();
        assert!(file.execute(sql, []).unwrap() > 0, "{sql}");
        drop(file);
        let verified = world.provost(&["verify"]);
        assert_eq!(verified.code, 1, "{sql}: {}", verified.stdout);
        assert!(verified.stdout.contains(found), "{sql}: {}", verified.stdout);
        fs::write(&database, &whole).unwrap();
    }
}
