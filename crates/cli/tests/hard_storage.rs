//! Storage that cannot be written, read, or found: what can be read is read, the rest is told plainly, and
//! nothing is lost.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::script::{call, say};
use super::world::{Printed, World};

/// A world with one run, parked at its question.
fn parked() -> World {
    let world = World::new();
    let run = world.provost(&["run", "-C", "examples/audit"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    world
}

fn listed(printed: &Printed) {
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    assert!(printed.stdout.starts_with("run hp6ktwx3: "), "{}", printed.stdout);
}

#[track_caller]
fn refused(printed: &Printed, words: &str) {
    assert_eq!(printed.code, 1, "{}{}", printed.stdout, printed.stderr);
    assert!(printed.stderr.starts_with("error[PV0006]: "), "{}", printed.stderr);
    assert!(printed.stderr.contains(words), "{}", printed.stderr);
    assert!(printed.stderr.contains("\ntry: "), "{}", printed.stderr);
}

/// Takes away what readers and the writer share, as after a clean end, a copy, or a restored backup.
fn without_shared_memory(world: &World) {
    for file in [".provost/provost.db-shm", ".provost/provost.db-wal"] {
        let _ = fs::remove_file(world.path(file));
    }
}

#[test]
fn a_database_that_may_only_be_read_is_read() {
    let world = parked();
    // Its owner lets others look.
    world.mode(".provost", 0o755);
    world.mode(".provost/provost.db", 0o644);
    listed(&world.bound(&["runs"]));
    without_shared_memory(&world);
    world.mode(".provost/provost.db", 0o444);
    world.mode(".provost", 0o555);
    listed(&world.bound(&["runs"]));
    for words in [&["show", "last"][..], &["explain", "last"], &["verify"], &["replay"], &["export"]] {
        let printed = world.bound(words);
        assert_eq!(printed.code, 0, "{words:?}: {}", printed.stderr);
        assert!(!printed.stdout.is_empty(), "{words:?}");
    }
    refused(&world.bound(&["approve", "last"]), "cannot be written");
    refused(&world.bound(&["run", "-C", "examples/audit"]), "cannot be written");
    world.mode(".provost", 0o755);
    assert!(world.mended().contains("+ 1"), "nothing was done");
}

/// A try that was refused leaves nothing behind that refuses the next one.
#[test]
fn a_database_that_may_be_written_again_is_written() {
    let world = parked();
    world.mode("examples/audit", 0o777);
    let owned =
        Command::new("chown").args(["-R", "65534"]).arg(world.path("examples/audit/.provost")).status();
    if !owned.is_ok_and(|status| status.success()) {
        // Without root the files are this user's own already.
        assert!(!fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0));
    }
    let database = "examples/audit/.provost/provost.db";
    world.mode(database, 0o400);
    refused(&world.bound(&["cancel", "last"]), "cannot be written");
    world.mode(database, 0o600);
    let cancelled = world.bound(&["cancel", "last"]);
    assert_ne!(cancelled.code, 1, "{}{}", cancelled.stdout, cancelled.stderr);
    assert!(!cancelled.stderr.contains("PV0006"), "{}", cancelled.stderr);
}

/// What stands in the log only is not in the file: a reader must not pass the file for all there is.
#[test]
fn a_log_that_cannot_be_read_is_told() {
    let world = parked();
    without_shared_memory(&world);
    fs::write(world.path(".provost/provost.db-wal"), "something newer").unwrap();
    world.mode(".provost/provost.db", 0o444);
    world.mode(".provost", 0o555);
    refused(&world.bound(&["runs"]), "has a log beside it");
    world.mode(".provost", 0o755);
}

#[test]
fn what_may_not_be_read_is_not_called_missing() {
    let world = parked();
    world.mode(".provost/provost.db", 0o000);
    refused(&world.bound(&["runs"]), "provost.db cannot be read: Permission denied");
    world.mode(".provost/provost.db", 0o644);
    world.mode(".provost", 0o000);
    refused(&world.bound(&["runs"]), "provost.db cannot be read: Permission denied");
    let doctor = world.bound(&["doctor", "examples/audit"]);
    assert_eq!(doctor.code, 1);
    assert!(doctor.stdout.contains("wrong storage: "), "{}", doctor.stdout);
    world.mode(".provost", 0o755);
    listed(&world.provost(&["runs"]));
}

#[test]
fn a_read_only_mount_is_read() {
    let world = parked();
    without_shared_memory(&world);
    let script = "mount --bind . . && mount -o remount,bind,ro . && cd \"$PWD/examples/audit\" || exit 9
        provost runs; echo \"runs $?\"
        provost show last >/dev/null; echo \"show $?\"
        provost approve last; echo \"approve $?\"
        provost run; echo \"run $?\"
        provost init new; echo \"init $?\"";
    let Some(printed) = world.with_mounts(script) else { return };
    let codes: Vec<&str> =
        printed.stdout.lines().filter(|line| !line.starts_with("run hp6ktwx3: ")).collect();
    assert_eq!(codes, ["runs 0", "show 0", "approve 1", "run 1", "init 2"], "{}", printed.stderr);
    assert!(printed.stderr.contains("provost.db cannot be written"), "{}", printed.stderr);
    assert!(printed.stderr.contains("new/provost.toml cannot be written"), "{}", printed.stderr);
}

#[test]
fn a_full_disk_stops_a_decision_and_loses_nothing() {
    let world = World::new();
    let script = "mkdir t && mount -t tmpfs -o size=2m tmpfs t && cp -r examples/audit/. t/ && cd t || exit 9
        provost run 2>/dev/null; echo \"run $?\"
        dd if=/dev/zero of=filled bs=1k 2>/dev/null
        provost runs >/dev/null; echo \"runs $?\"
        provost approve last; echo \"approve $?\"
        provost run; echo \"run $?\"
        provost init new; echo \"init $?\"; ls new
        provost export last >kept 2>/dev/null; echo \"export $?\"
        rm filled
        provost verify >/dev/null; echo \"verify $?\"
        provost approve last 2>/dev/null; echo \"approve $?\"
        cat .provost/work/*/src/sum.sh";
    let Some(printed) = world.with_mounts(script) else { return };
    insta::assert_snapshot!(printed.stdout, @r"
    run 3
    runs 0
    approve 1
    run 1
    init 2
    export 1
    verify 0
    Audit of Tally: 4 problems, 1 fixed.

    1. **Fixed**, `src/sum.sh:3`: the sum was 1 too high, so the check failed. It passes now.
    2. **Open**, `config/deploy.env:2`: a payment key is in the repository. Revoke it, then take it out of the history.
    3. **Open**, `README.md:6`: the link to `docs/setup.md` leads nowhere.
    4. **Open**, `README.md:8`: the README says MIT, LICENSE says Apache 2.0.

    Do not release before the key is revoked.
    approve 0
    # Prints the sum of two numbers.
    set -eu
    echo $(($1 + $2))
    ");
    for words in ["there is no room for", "try: free some space", "nothing was written"] {
        assert!(printed.stderr.contains(words), "{words}: {}", printed.stderr);
    }
}

/// Wherever in a run the disk fills up, the run goes on once there is room, and writes once.
#[test]
fn a_disk_that_fills_up_in_the_middle_loses_nothing() {
    let world = World::new();
    let script = "mkdir t && mount -t tmpfs -o size=4m tmpfs t && cp -r examples/audit/. t/ && cd t || exit 9
        for room in 40 60 80 100 120 140; do
            rm -rf .provost; used=$(df -k --output=used . | tail -1)
            mount -o remount,size=$((used + room))k \"$PWD\" || exit 9
            provost run --yes >/dev/null 2>../err; code=$?
            case $code in 0|1) ;; *) echo \"$room ended with $code\"; cat ../err;; esac
            if [ $code = 1 ]; then grep -q 'try: .*free some space' ../err || { echo \"$room:\"; cat ../err; }; fi
            mount -o remount,size=4m \"$PWD\" || exit 9
            if provost runs 2>/dev/null | grep -q .; then
                provost resume last --yes >/dev/null 2>../err || { echo \"$room: not resumed\"; cat ../err; }
            else
                provost run --yes >/dev/null 2>../err || { echo \"$room: not run\"; cat ../err; }
            fi
            echo \"$room: $(provost verify | wc -l) $(cat .provost/work/*/src/sum.sh | grep -c 'echo $(($1 + $2))$')\"
        done";
    let Some(printed) = world.with_mounts(script) else { return };
    let wanted: Vec<String> = [40, 60, 80, 100, 120, 140].map(|room| format!("{room}: 1 1")).into();
    assert_eq!(printed.stdout.lines().collect::<Vec<_>>(), wanted, "{}", printed.stderr);
}

/// A program fills the disk of the database: the run says so and waits, and a signal ends the process.
#[test]
fn a_run_whose_disk_is_full_says_so_and_can_be_left() {
    let world = World::new();
    let check = call("check-1", "shell/run", &json!({ "argv": ["sh", "check.sh"] }));
    let model = world.script("one", &[check, say("Checked.")]).join(" ");
    let script = format!(
        "mkdir t && mount -t tmpfs -o size=2m tmpfs t || exit 9
        echo \"dd if=/dev/zero of=$PWD/t/filled bs=1k 2>/dev/null; echo done\" > examples/audit/project/check.sh
        export PROVOST_DATABASE_URL=$PWD/t/provost.db
        \"$PROVOST\" run -C examples/audit {model} 2>err >out & run=$!
        until grep -q 'tried again until it can be written' err; do kill -0 $run || exit 8; done
        kill -TERM $run; wait $run; echo \"left $?\"
        rm t/filled
        provost verify | sed 's/.*: [0-9]* records/records/'"
    );
    let Some(printed) = world.with_mounts(&script) else { return };
    let err = fs::read_to_string(world.path("err")).unwrap();
    assert_eq!(printed.stdout.lines().collect::<Vec<_>>(), ["left 143", "records, unbroken"], "{err}");
    assert!(err.contains("exited without cancelling"), "{err}");
}

/// A line that does not fit is taken back and reported; the file is whole once there is room.
#[test]
fn an_anchor_file_on_a_full_disk_stays_readable() {
    let world = World::new();
    let script = "mkdir t && mount -t tmpfs -o size=64k tmpfs t || exit 9
        export PROVOST_ANCHOR_FILE=$PWD/t/anchors.jsonl
        provost run -C examples/audit --yes >/dev/null 2>&1; echo \"run $?\"
        dd if=/dev/zero bs=1k 2>/dev/null >t/filled
        # The file has room up to its page; long enough lines cross it.
        for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
            PROVOST_SEED=$n provost run -C examples/audit --yes >/dev/null 2>err || echo \"run $?\"
            grep -q 'is not witnessed' err && echo said && break
        done
        rm t/filled
        PROVOST_SEED=99 provost run -C examples/audit --yes >/dev/null 2>&1; echo \"run $?\"
        cd examples/audit && provost verify --anchor >found 2>&1; echo \"verify $?\"
        grep -c 'not anchored yet' found; grep -c 'cannot be read' found";
    let Some(printed) = world.with_mounts(script) else { return };
    let wanted = ["run 0", "said", "run 0", "verify 0", "1", "0"];
    assert_eq!(printed.stdout.lines().collect::<Vec<_>>(), wanted, "{}", printed.stderr);
}

#[test]
fn a_database_that_is_none_of_ours_is_left_as_it_is() {
    let world = parked();
    let database = world.path(".provost/provost.db");
    let whole = fs::read(&database).unwrap();
    let mut told = Vec::new();
    let mut tell = |name: &str, bytes: Option<&[u8]>| {
        without_shared_memory(&world);
        if let Some(bytes) = bytes {
            fs::write(&database, bytes).unwrap();
        }
        let before = fs::read(&database).ok();
        let reading = world.provost(&["runs"]);
        let writing = world.provost(&["run", "-C", "examples/audit"]);
        assert_eq!((reading.code, writing.code), (1, 1), "{name}: {}{}", reading.stderr, writing.stderr);
        assert_eq!(fs::read(&database).ok(), before, "{name}: it is left as it is");
        told.push(format!("== {name}\n{}", reading.stderr));
    };
    tell("another program's text", Some(&b"a diary of another program, not ours\n".repeat(40)));
    tell("cut in half", Some(&whole[..whole.len() / 2]));
    let mut newer = whole.clone();
    newer[60..64].copy_from_slice(&999_u32.to_be_bytes());
    tell("a newer format", Some(&newer));
    fs::remove_file(&database).unwrap();
    fs::create_dir(&database).unwrap();
    tell("a folder", None);
    insta::assert_snapshot!(told.join("\n"));
}

/// Readers do not wait for a writer; a writer waits, and then says for whom.
#[test]
#[expect(clippy::disallowed_methods, reason = "another program locks the file")]
fn a_locked_database_is_read_and_whoever_holds_it_is_named() {
    let world = parked();
    let other = rusqlite::Connection::open(world.path(".provost/provost.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    listed(&world.provost(&["runs"]));
    let approve = world.provost(&["approve", "last"]);
    refused(&approve, &format!("is in use by process {}", std::process::id()));
    assert!(world.mended().contains("+ 1"), "nothing was done");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(world.provost(&["approve", "last"]).code, 0);
}

/// A database that is no ordinary file, or has nothing in it, is named as what it is.
#[test]
fn a_database_that_is_a_device_or_empty_is_told() {
    let world = World::new();
    let folder = world.path("examples/audit/.provost");
    fs::create_dir_all(&folder).unwrap();
    let database = folder.join("provost.db");
    fs::write(&database, "").unwrap();
    refused(&world.provost(&["runs"]), "is not a Provost database (it is empty)");
    assert_eq!(world.provost(&["doctor", "examples/audit", "--offline"]).code, 0, "a run makes one of it");
    fs::remove_file(&database).unwrap();
    std::os::unix::fs::symlink("/dev/null", &database).unwrap();
    for words in [&["runs"][..], &["run", "-C", "examples/audit"]] {
        refused(&world.provost(words), "provost.db is not an ordinary file");
    }
    assert_eq!(world.provost(&["doctor", "examples/audit", "--offline"]).code, 1);
}
