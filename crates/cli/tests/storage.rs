//! The database: what it holds, whether it is what was written, what a person erases and prunes, and the witness
//! outside of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::server::Scripted;
use super::world::{Printed, World, until};

const PROMPT: &str = "the code of the safe is PROMPTED-4711";
const IN_FILE: &str = "LEDGER-0815";
/// Larger than what a record holds itself.
const LINES: usize = 600;

/// A project in a folder of its own. Its agent reads a large file, and then asks to write.
struct Vault {
    world: World,
    _model: Scripted,
}

impl Vault {
    fn new(storage: &str) -> Self {
        let turns = vec![
            Scripted::call("r", "fs/read", &json!({ "path": "ledger.txt" })),
            Scripted::call("w", "fs/write", &json!({ "path": "out.txt", "content": "written" })),
        ];
        Self::saying(storage, turns)
    }

    fn saying(storage: &str, turns: Vec<Value>) -> Self {
        let (world, model) = (World::new(), Scripted::new(turns));
        fs::create_dir_all(world.path("vault/agents")).unwrap();
        let toml = format!(
            "[models.served]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\nsettings.model = \"m\"\n\
             [policy.categories]\nwrite = \"preview\"\n[policy.tools]\n\"shell/run\" = \"direct\"\n{storage}",
            model.url
        );
        fs::write(world.path("vault/provost.toml"), toml).unwrap();
        fs::write(world.path("vault/agents/clerk.md"), "---\nname: clerk\n---\nWork.\n").unwrap();
        let lines = (0..LINES).map(|line| format!("{line} {IN_FILE} {}\n", line * 7_919 % 10_007));
        fs::write(world.path("vault/ledger.txt"), lines.collect::<String>()).unwrap();
        Self { world, _model: model }
    }

    /// A vault whose run waits for a decision.
    fn waiting() -> Self {
        let vault = Self::new("");
        let run = vault.provost(&["run", PROMPT]);
        assert_eq!(run.code, 3, "{}", run.stderr);
        vault
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(words);
        command
            .current_dir(self.world.path("vault"))
            .env_remove("PROVOST_CLOCK_MS")
            .env_remove("PROVOST_SEED");
        command
    }

    fn provost(&self, words: &[&str]) -> Printed {
        self.world.printed(&mut self.command(words))
    }

    /// What a command prints that is carried out.
    #[track_caller]
    fn works(&self, words: &[&str]) -> String {
        let printed = self.provost(words);
        assert_eq!(printed.code, 0, "{words:?}: {}{}", printed.stdout, printed.stderr);
        printed.stdout
    }

    /// Its documents of JSON.
    #[track_caller]
    fn documents(&self, words: &[&str]) -> Vec<Value> {
        let words: Vec<&str> = ["--json"].iter().chain(words).copied().collect();
        self.works(&words).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn database(&self) -> PathBuf {
        self.world.path("vault/.provost/provost.db")
    }

    /// Opens the database behind the back of the program.
    #[expect(clippy::disallowed_methods, reason = "another program opens the file")]
    fn tamper(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.database()).unwrap()
    }

    fn change(&self, sql: &str) {
        assert!(self.tamper().execute(sql, []).unwrap() > 0, "{sql}");
    }

    /// The numbers of the records of a kind.
    fn records(&self, kind: &str) -> Vec<String> {
        let records = self.documents(&["db", "records"]);
        let wanted = records.iter().filter(|record| record["kind"] == kind);
        wanted.map(|record| record["seq"].to_string()).collect()
    }

    /// Whether some bytes are in a file of the database, its log or its shared memory.
    fn holds(&self, bytes: &[u8]) -> bool {
        let files = fs::read_dir(self.world.path("vault/.provost")).unwrap().map(|file| file.unwrap().path());
        let mut files = files.filter(|path| path.is_file());
        files.any(|path| fs::read(path).unwrap().windows(bytes.len()).any(|part| part == bytes))
    }

    fn anchor(&self) -> PathBuf {
        self.world.path("anchors.jsonl")
    }

    fn anchored(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.anchor()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[track_caller]
fn refused(printed: &Printed, code: &str, words: &str) {
    assert_ne!(printed.code, 0, "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stderr.contains(&format!("error[{code}]: ")), "{}", printed.stderr);
    assert!(printed.stderr.contains(words), "{words}: {}", printed.stderr);
    assert!(printed.stderr.contains("\ntry: "), "{}", printed.stderr);
}

#[test]
fn stats_say_how_much_there_is() {
    let empty = Vault::new("");
    refused(&empty.provost(&["db", "stats", "-C", "."]), "PV0006", "there are no runs here");
    let vault = Vault::waiting();
    let stats = &vault.documents(&["db", "stats"])[0];
    let count = |name: &str| stats[name].as_u64().unwrap();
    assert_eq!((count("runs"), count("open"), count("waits"), count("owned")), (1, 1, 1, 0));
    assert!(count("artifact_bytes") > 8 * 1_024 && count("artifacts") > 0, "{stats}");
    assert_eq!(count("database_bytes"), fs::metadata(vault.database()).unwrap().len());
    assert_eq!(stats["warning"], Value::Null);
    let text = vault.works(&["db", "stats"]);
    assert!(text.contains("1 (1 not ended, 0 being worked on)") && text.contains(" KiB"), "{text}");
}

/// What somebody can do to a run that waits, and what is said of it.
const TAMPERINGS: [(&str, &str); 19] = [
    (
        "DELETE FROM journal WHERE seq >= (SELECT max(seq) - 1 FROM journal)",
        "the end of the journal is missing",
    ),
    ("DELETE FROM journal WHERE seq = 5", "record 6: does not follow record 4"),
    ("UPDATE journal SET facts = '{}' WHERE seq = 4", "record 4: its facts were changed"),
    ("UPDATE journal SET words = '{}' WHERE seq = 1", "record 1: its words were changed"),
    ("UPDATE journal SET words = NULL WHERE seq = 1", "its words are missing, and no erasure is recorded"),
    (
        "UPDATE journal SET at = at - 1 WHERE seq = 3",
        "record 3: its hash does not follow from what is stored",
    ),
    ("UPDATE runs SET status = 'completed'", "the list of runs says completed, the journal says not ended"),
    ("UPDATE runs SET agent = 'other'", "the list of runs says agent other, the journal says clerk"),
    ("UPDATE runs SET status = 'garbage'", "the list of runs says garbage, the journal says not ended"),
    ("UPDATE runs SET status = 'queued'", "the list of runs says queued, the journal says that it was begun"),
    ("UPDATE runs SET status = 'running', due = NULL", "says running, and nothing would wake the run"),
    ("UPDATE runs SET ended = 1", "the list of runs says waiting, the journal says not ended"),
    ("UPDATE runs SET owner = 'nobody'", "names a worker that does not exist: nobody"),
    ("UPDATE runs SET epoch = 0", "the list of runs says epoch 0, the journal says 1"),
    ("UPDATE waits SET due = 1", "the table of waits has another due time than the journal"),
    (
        "UPDATE waits SET binding = 'sha256:0000000000000000000000000000000000000000000000000000000000000000'",
        "the table of waits has another binding than the journal",
    ),
    (
        "UPDATE waits SET may_answer = '[\"user:eve\"]'",
        "another list of people who may answer than the journal",
    ),
    ("DELETE FROM waits", "is open in the journal and missing in the table of waits"),
    ("DELETE FROM artifacts WHERE size = (SELECT max(size) FROM artifacts)", ": it is missing"),
];

#[test]
fn a_run_that_was_changed_is_found_and_refused_with_the_same_words() {
    let vault = Vault::waiting();
    let whole = fs::read(vault.database()).unwrap();
    for (sql, found) in TAMPERINGS {
        // The control: the same run as it was written.
        for words in [&["verify"][..], &["verify", "last"], &["show"]] {
            vault.works(words);
        }
        vault.change(sql);
        refused(&vault.provost(&["verify"]), "PV0011", "1 of 1 runs were changed after they were written");
        assert!(vault.provost(&["verify"]).stdout.contains(found), "{sql}");
        let commands: [&[&str]; 6] = [
            &["verify", "last"],
            &["show", "last"],
            &["resume", "last"],
            &["approve", "last"],
            &["explain", "last"],
            &["export", "last"],
        ];
        let sentences = commands.map(|words| {
            let printed = vault.provost(words);
            refused(&printed, "PV0011", found);
            assert!(printed.stderr.contains("restore the database from a backup"), "{}", printed.stderr);
            printed.stderr
        });
        assert!(sentences.iter().all(|sentence| *sentence == sentences[0]), "{sql}: {sentences:#?}");
        assert!(!vault.world.path("vault/out.txt").exists(), "{sql}: nothing was done");
        fs::write(vault.database(), &whole).unwrap();
    }
    // The control: it goes on once it is what was written.
    vault.works(&["approve", "last"]);
    assert!(vault.world.path("vault/out.txt").exists());
}

#[test]
fn a_journal_without_its_entry_in_the_list_is_found() {
    let vault = Vault::waiting();
    vault.change("DELETE FROM runs");
    let verify = vault.provost(&["verify"]);
    refused(&verify, "PV0011", "1 of 1 runs were changed after they were written");
    assert!(verify.stdout.contains("the journal has no entry in the list of runs"), "{}", verify.stdout);
}

#[test]
fn a_damaged_database_file_is_refused_when_it_is_opened() {
    let vault = Vault::waiting();
    vault.works(&["verify"]);
    let whole = fs::read(vault.database()).unwrap();
    let page = 2_048;
    let mut damages = vec![whole[..whole.len() / 2].to_vec()];
    // The root of a table: noise in the middle of a text would be found by the chain and not by SQLite.
    let mut noise = whole.clone();
    noise[3 * page..3 * page + 64].fill(0xff);
    damages.push(noise);
    for damaged in damages {
        fs::write(vault.database(), damaged).unwrap();
        for words in [&["verify"][..], &["show"], &["resume", "last"], &["approve", "last"], &["db", "stats"]]
        {
            let printed = vault.provost(words);
            refused(&printed, "PV0006", "provost.db is damaged: ");
            assert!(printed.stderr.contains("try: restore it from a backup"), "{}", printed.stderr);
        }
    }
    fs::write(vault.database(), whole).unwrap();
    vault.works(&["approve", "last"]);
}

/// The files while a process has the database open: what it wrote last is in the log alone.
#[test]
fn a_log_that_lost_commits_is_refused_when_it_is_opened() {
    let vault = Vault::waiting();
    let other = vault.tamper();
    other.execute_batch("PRAGMA wal_autocheckpoint = 0").unwrap();
    for _ in 0..4 {
        other.execute("UPDATE runs SET priority = priority + 1", []).unwrap();
    }
    let log = vault.database().with_extension("db-wal");
    let (database, whole) = (fs::read(vault.database()).unwrap(), fs::read(&log).unwrap());
    drop(other);
    let put = |bytes: &[u8]| {
        fs::write(vault.database(), &database).unwrap();
        fs::write(&log, bytes).unwrap();
        let _ = fs::remove_file(vault.database().with_extension("db-shm"));
    };
    put(&whole);
    vault.works(&["verify"]);
    let mut damaged = whole.clone();
    damaged[32 + 24 + 100] ^= 0xff;
    put(&damaged);
    let verify = vault.provost(&["verify"]);
    refused(&verify, "PV0006", "the log beside it is damaged at byte 32");
    refused(&vault.provost(&["approve", "last"]), "PV0006", "the log beside it is damaged");
    // A last transaction that was cut off was never acknowledged: that is a power failure, not damage.
    put(&whole[..whole.len() - 100]);
    vault.works(&["verify"]);
}

#[test]
fn erased_words_are_in_no_file_and_the_run_goes_on() {
    let vault = Vault::waiting();
    let sql =
        "SELECT coalesce(a.bytes, p.bytes) FROM artifacts a LEFT JOIN artifact_parts p ON p.upload = a.upload
               ORDER BY a.size DESC LIMIT 1";
    let artifact: Vec<u8> = vault.tamper().query_row(sql, [], |row| row.get(0)).unwrap();
    let piece = &artifact[artifact.len() / 2..artifact.len() / 2 + 48];
    // The control: they are there.
    let secrets: [&[u8]; 3] = [PROMPT.as_bytes(), IN_FILE.as_bytes(), piece];
    assert!(secrets.iter().all(|secret| vault.holds(secret)));
    assert!(vault.works(&["runs"]).contains(PROMPT));
    let input = vault.records("run_accepted").remove(0);
    let result = vault.records("action_ended").remove(0);
    let found = vault.documents(&["db", "records", "--find", IN_FILE]);
    let found: Vec<String> = found.iter().map(|record| record["seq"].to_string()).collect();
    assert_eq!(found, std::slice::from_ref(&result));
    let erased = vault.documents(&[
        "db",
        "erase",
        "last",
        "--seq",
        &input,
        "--seq",
        &result,
        "--reason",
        "consent withdrawn",
    ]);
    assert_eq!(erased.len(), 2);
    assert_eq!(erased[1]["artifacts"].as_array().unwrap().len(), 1, "{erased:?}");
    for secret in secrets {
        assert!(!vault.holds(secret), "{}", String::from_utf8_lossy(secret));
    }
    vault.tamper().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    assert!(!secrets.iter().any(|secret| vault.holds(secret)));
    let verify = vault.works(&["verify"]);
    assert!(verify.contains("unbroken, the text of 2 erased"), "{verify}");
    assert!(vault.works(&["runs"]).contains("[erased]"));
    assert_eq!(vault.documents(&["runs"])[0]["prompt"], "[erased]");
    let shown = vault.works(&["show"]);
    assert!(
        shown.contains("fs/read ledger.txt: done, [erased]"),
        "an erased result is none that failed: {shown}"
    );
    assert!(shown.contains(&format!("was erased: {input}, {result}\n")), "{shown}");
    let exported = vault.works(&["export"]);
    assert_eq!(exported.matches("[erased]").count(), 2, "{exported}");
    for words in [&["explain"][..], &["replay"], &["db", "stats"]] {
        vault.works(words);
    }
    vault.works(&["approve", "last"]);
    assert!(vault.world.path("vault/out.txt").exists());
    assert!(vault.works(&["verify"]).contains("unbroken, the text of 2 erased"));
    assert!(!vault.holds(PROMPT.as_bytes()), "no later record has it again");
}

/// A call whose arguments were erased is not made, whatever a person says.
#[test]
fn a_waiting_call_without_its_arguments_is_not_made() {
    let vault = Vault::waiting();
    let (declared, asked) = (vault.records("declaration_accepted"), vault.records("wait_opened"));
    let printed =
        vault.works(&["db", "erase", "last", "--seq", &declared[1], "--seq", &asked[0], "--reason", "r"]);
    assert!(printed.contains("erased question and answer of wait run_"), "{printed}");
    assert!(!vault.holds(b"written"), "neither record nor wait has it");
    vault.works(&["approve", "last"]);
    assert!(!vault.world.path("vault/out.txt").exists());
    assert!(vault.works(&["show"]).contains("Not run: its arguments were erased."));
}

#[test]
fn erasing_says_what_repeats_the_words() {
    let turns = vec![Scripted::call("w", "fs/write", &json!({ "path": "out.txt", "content": PROMPT }))];
    let vault = Vault::saying("", turns);
    assert_eq!(vault.provost(&["run", PROMPT]).code, 3);
    let erased = vault.documents(&["db", "erase", "last", "--seq", "1", "--reason", "r"]);
    let kinds =
        erased[0]["repeated"].as_array().unwrap().iter().map(|record| record["kind"].as_str().unwrap());
    assert_eq!(kinds.collect::<Vec<_>>(), ["declaration_accepted", "wait_opened"]);
    // Erasing it again says who was first, and changes nothing.
    let again = vault.works(&["db", "erase", "last", "--seq", "1", "--reason", "again"]);
    assert!(again.contains("record 1 was erased before, by user:ada"), "{again}");
    assert!(vault.works(&["db", "records"]).contains("erased by user:ada: r\n"));
}

/// A word that is hardly there by chance is enough.
#[test]
fn erasing_finds_a_code_that_others_repeat() {
    let turns = vec![
        Scripted::call("w", "fs/write", &json!({ "path": "s.txt", "content": "my pin is SWORDFISH-77" })),
        json!({ "content": "Stored SWORDFISH-77." }),
    ];
    let vault = Vault::saying("", turns);
    assert_eq!(vault.provost(&["run", "store it", "--yes"]).code, 0);
    let declared = &vault.records("declaration_accepted")[0];
    let erased = vault.documents(&["db", "erase", "last", "--seq", declared, "--reason", "r"]);
    let repeated = erased[0]["repeated"].as_array().unwrap();
    let kinds: Vec<&str> = repeated.iter().map(|record| record["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"model_responded") && kinds.contains(&"run_ended"), "{kinds:?}");
    assert!(!kinds.contains(&"run_accepted"), "the prompt says nothing of it: {kinds:?}");
}

#[test]
fn an_erasure_needs_a_reason_and_a_record() {
    let vault = Vault::waiting();
    assert_eq!(vault.provost(&["db", "erase", "last", "--seq", "1"]).code, 2);
    assert_eq!(vault.provost(&["db", "erase", "last", "--reason", "r"]).code, 2);
    refused(&vault.provost(&["db", "erase", "last", "--seq", "1", "--reason", " "]), "PV0002", "is empty");
    for seq in ["0", "999"] {
        let printed = vault.provost(&["db", "erase", "last", "--seq", "1", "--seq", seq, "--reason", "r"]);
        refused(&printed, "PV0007", &format!("has no record {seq}: its last one is "));
    }
    assert!(vault.works(&["verify"]).ends_with(" records, unbroken\n"), "nothing was erased");
}

/// A worker has the words in memory. A program of the run is no person.
#[test]
fn a_run_at_work_is_not_erased_and_a_program_erases_and_prunes_nothing() {
    let script = "for words in 'db erase last --seq 1 --reason r' 'db prune --before 0 --yes'; do \
                  \"$PROVOST\" $words >>said 2>&1; echo \"code $?\" >>said; done; echo up >up; cat go";
    let turns = vec![Scripted::call("s", "shell/run", &json!({ "argv": ["sh", "-c", script] }))];
    let vault = Vault::saying("[tools]\nenvironment = [\"PROVOST\"]\n", turns);
    let folder = vault.world.path("vault");
    assert!(Command::new("mkfifo").arg(folder.join("go")).status().unwrap().success());
    let mut run = vault.command(&["run", PROMPT]);
    let program = run.get_program().to_owned();
    run.env("PROVOST", program).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = run.spawn().unwrap();
    until("the program runs", || folder.join("up").exists());
    let said = fs::read_to_string(folder.join("said")).unwrap();
    assert_eq!(said.matches("error[PV0016]").count(), 2, "{said}");
    assert_eq!(said.matches("code 1").count(), 2, "{said}");
    let erase = ["db", "erase", "last", "--seq", "1", "--reason", "r"];
    refused(&vault.provost(&erase), "PV0009", "is being worked on by process");
    assert!(vault.holds(PROMPT.as_bytes()));
    fs::write(folder.join("go"), "go").unwrap();
    assert!(run.wait().unwrap().success());
    // The control: the same when it has ended.
    vault.works(&erase);
    assert!(!vault.holds(PROMPT.as_bytes()));
}

/// The title of a conversation is made of its first words.
#[test]
fn an_erased_message_names_no_conversation() {
    let vault = Vault::saying("", Vec::new());
    let mut chat = vault.command(&["chat"]);
    chat.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut chat = chat.spawn().unwrap();
    std::io::Write::write_all(&mut chat.stdin.take().unwrap(), PROMPT.as_bytes()).unwrap();
    assert!(chat.wait().unwrap().success());
    let title =
        || vault.tamper().query_row("SELECT title FROM sessions", [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(title(), PROMPT);
    vault.works(&["db", "erase", "last", "--seq", "1", "--reason", "r"]);
    assert_eq!(title(), "[erased]");
    let _ = fs::remove_file(vault.world.path("vault/.provost/chat_history"));
    assert!(!vault.holds(PROMPT.as_bytes()));
    vault.works(&["verify"]);
}

#[test]
fn pruning_removes_runs_that_ended_and_asks_first() {
    let vault = Vault::new("");
    vault.works(&["run", "first", "--yes"]);
    let ended = vault.documents(&["verify"]).remove(0);
    assert_eq!(vault.provost(&["run", "second"]).code, 3);
    let runs = || vault.documents(&["runs"]).len();
    refused(&vault.provost(&["db", "prune", "--before", "soon"]), "PV0002", "a number of days or a date");
    refused(&vault.provost(&["db", "prune", "--before", "2999-01-01"]), "PV0002", "is in the future");
    refused(&vault.provost(&["db", "prune", "--before", "0"]), "PV0008", "nothing was removed: 1 run ");
    let would = vault.documents(&["db", "prune", "--before", "0", "--dry-run"]);
    assert_eq!((would.len(), &would[0]["run"], &would[0]["type"]), (1, &ended["run"], &json!("would_prune")));
    // The control: runs that are younger stay.
    assert!(vault.documents(&["db", "prune", "--before", "1", "--yes"]).is_empty());
    assert_eq!(runs(), 2);
    let pruned = vault.documents(&["db", "prune", "--before", "0", "--yes"]);
    assert_eq!((pruned.len(), &pruned[0]["type"]), (1, &json!("pruned")));
    for name in ["run", "hash", "records"] {
        assert_eq!(pruned[0][name], ended[name], "{name}");
    }
    assert_eq!(runs(), 1);
    assert!(!vault.holds(b"\"first\""), "the file is rewritten");
    refused(&vault.provost(&["show", ended["run"].as_str().unwrap()]), "PV0007", "was pruned at ");
    vault.works(&["verify"]);
    vault.works(&["approve", "last"]);
}

#[test]
fn a_conversation_keeps_its_runs_until_it_is_pruned() {
    let vault = Vault::saying("", Vec::new());
    let mut chat = vault.command(&["chat"]);
    chat.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut chat = chat.spawn().unwrap();
    std::io::Write::write_all(&mut chat.stdin.take().unwrap(), b"hello").unwrap();
    assert!(chat.wait().unwrap().success());
    assert!(vault.documents(&["db", "prune", "--before", "0", "--yes"]).is_empty());
    assert_eq!(vault.documents(&["db", "prune", "--before", "0", "--sessions", "--dry-run"]).len(), 1);
    assert_eq!(vault.documents(&["db", "prune", "--before", "0", "--sessions", "--yes"]).len(), 1);
    let stats = &vault.documents(&["db", "stats"])[0];
    assert_eq!((&stats["runs"], &stats["sessions"]), (&json!(0), &json!(0)));
}

const ANCHORED: &str = "[storage]\nanchor = \"../anchors.jsonl\"\n";

#[test]
fn every_ended_run_has_a_line_outside_and_pruning_adds_one() {
    let vault = Vault::new(ANCHORED);
    vault.works(&["run", "go", "--yes"]);
    let verified = vault.documents(&["verify", "--anchor"]).remove(0);
    let lines = vault.anchored();
    assert_eq!((lines.len(), &lines[0]["type"], &lines[0]["run"]), (1, &json!("ended"), &verified["run"]));
    assert_eq!(lines[0]["seq"], verified["records"]);
    vault.works(&["db", "prune", "--before", "0", "--yes"]);
    let lines = vault.anchored();
    assert_eq!((lines.len(), &lines[1]["type"], &lines[1]["run"]), (2, &json!("pruned"), &verified["run"]));
    // What was pruned is not missing; without that line it is.
    vault.works(&["verify", "--anchor"]);
    let without = vault.world.path("without.jsonl");
    fs::write(&without, format!("{}\n", lines[0])).unwrap();
    let verify = vault.provost(&["verify", "--anchor", &without.to_string_lossy()]);
    assert_eq!(verify.code, 1, "a value names the file");
}

/// A database that was put back to an earlier state proves itself. Only the file outside knows better.
#[test]
fn a_database_that_was_put_back_is_found_by_its_anchors() {
    let vault = Vault::new(ANCHORED);
    assert_eq!(vault.provost(&["run", "go"]).code, 3);
    let earlier = fs::read(vault.database()).unwrap();
    vault.works(&["approve", "last"]);
    vault.works(&["verify", "--anchor"]);
    fs::write(vault.database(), earlier).unwrap();
    vault.works(&["verify"]);
    let verify = vault.provost(&["verify", "--anchor"]);
    refused(&verify, "PV0011", "anchored records are missing or differ");
    assert!(verify.stdout.contains("BROKEN, the anchored record "), "{}", verify.stdout);
}

#[test]
fn an_anchor_file_is_where_no_agent_writes() {
    refused(
        &Vault::new("").provost(&["verify", "--anchor", "-C", "."]),
        "PV0002",
        "no anchor file is configured",
    );
    for place in ["anchors.jsonl", ".provost/anchors.jsonl", "../vault/agents/a", "link/a"] {
        let vault = Vault::new(&format!("[storage]\nanchor = \"{place}\"\n"));
        std::os::unix::fs::symlink(".", vault.world.path("vault/link")).unwrap();
        let run = vault.provost(&["run", "go"]);
        refused(&run, "PV0002", "is in the workspace, where an agent could change it");
        assert!(run.stderr.contains("provost.toml:"), "{}", run.stderr);
    }
    let vault = Vault::new("");
    let run =
        |file: &Path| vault.world.printed(vault.command(&["run", "go"]).env("PROVOST_ANCHOR_FILE", file));
    refused(&run(&vault.world.path("vault/a")), "PV0002", "is in the workspace");
    refused(&run(&vault.world.path("none/a")), "PV0012", "cannot be written");
    // The control, by the variable: a file outside.
    assert_eq!(run(&vault.anchor()).code, 3);
    let mut approve = vault.command(&["approve", "last"]);
    assert_eq!(vault.world.printed(approve.env("PROVOST_ANCHOR_FILE", vault.anchor())).code, 0);
    assert_eq!(vault.anchored().len(), 1);
    let doctor = Vault::new("[storage]\nancor = \"x\"\n").provost(&["doctor"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("wrong project: unknown field `ancor`"), "{}", doctor.stdout);
}

/// A command of an agent may not name the file.
#[test]
fn a_command_that_names_the_anchor_file_is_forbidden() {
    let call = |file: &str| Scripted::call("s", "shell/run", &json!({ "argv": ["cp", "ledger.txt", file] }));
    for (file, written) in [("../anchors.jsonl", false), ("../other.jsonl", true)] {
        let vault = Vault::saying(ANCHORED, vec![call(file)]);
        vault.works(&["run", "go", "--yes"]);
        assert_eq!(vault.world.path("other.jsonl").exists(), written);
        assert_eq!(vault.anchored().len(), 1, "{file}");
    }
}

/// A witness that is gone confirms nothing; beside it, an empty one that is there.
#[test]
fn an_anchor_file_that_is_missing_is_no_witness() {
    let vault = Vault::waiting();
    let file = vault.world.path("witness");
    let words = ["verify", "--anchor", &*file.to_string_lossy()];
    refused(&vault.provost(&words), "PV0012", "there is no anchor file");
    fs::write(&file, "").unwrap();
    vault.works(&words);
}
