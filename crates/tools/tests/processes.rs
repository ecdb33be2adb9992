//! Programs: their time, their output, their environment, and that nothing of them stays.

use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use provost_runtime::port::{Report, ReportSink};
use provost_tools::{Limits, ProcessLimits};
use serde_json::{Value, json};

use crate::bench::Bench;

/// A shell that starts two generations, writes down who they are, and waits.
const FAMILY: &str =
    "sh -c 'sleep 600 & echo $! >> pids; echo $$ >> pids; wait' & echo $! $$ >> pids; touch ready; wait";

/// Whether a process runs. One that is dead and not yet buried does not.
fn is_alive(pid: &str) -> bool {
    let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    !matches!(state, Some("Z" | "X"))
}

/// Looks again and again until it is so.
async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let looking = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), looking).await.unwrap_or_else(|_| panic!("never: {what}"));
}

fn pids(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("pids")).unwrap_or_default();
    text.split_whitespace().map(str::to_owned).collect()
}

fn shell(script: &str) -> Value {
    json!({ "argv": ["sh", "-c", script] })
}

#[tokio::test]
async fn the_whole_family_dies_when_the_time_is_up() {
    let bench = Bench::new();
    let mut asked = shell(FAMILY);
    // On a busy machine a family takes longer to grow up.
    for limit_ms in [300, 3_000, 20_000] {
        asked["timeout_ms"] = limit_ms.into();
        assert_eq!(bench.code("shell/run", asked.clone()).await, "timed_out");
        if pids(&bench.path("")).len() >= 4 {
            break;
        }
    }
    let family = pids(&bench.path(""));
    assert!(family.len() >= 4, "the family never grew up: {family:?}");
    // Those whose parent died are buried by somebody else.
    until("all are dead", || !family.iter().any(|pid| is_alive(pid))).await;
}

#[tokio::test]
async fn the_whole_family_dies_when_nobody_waits_any_more() {
    let bench = Bench::new();
    let asked = shell(FAMILY);
    let mut call = Box::pin(bench.call("shell/run", asked));
    let grown_up = || bench.path("ready").exists() && pids(&bench.path("")).len() >= 4;
    let running = std::future::poll_fn(|context| {
        assert!(call.as_mut().poll(context).is_pending(), "the family waits for ever");
        context.waker().wake_by_ref();
        if grown_up() { Poll::Ready(()) } else { Poll::Pending }
    });
    tokio::time::timeout(Duration::from_secs(30), running).await.unwrap();
    let family = pids(&bench.path(""));
    assert!(family.iter().all(|pid| is_alive(pid)), "{family:?}");
    drop(call);
    until("all are dead", || !family.iter().any(|pid| is_alive(pid))).await;
}

#[tokio::test]
async fn what_a_program_leaves_running_dies_with_it() {
    let bench = Bench::new();
    let reply = bench.call("shell/run", shell("sleep 600 & echo $! > pids")).await;
    assert_eq!(reply["result"]["exit_code"], 0);
    let left = pids(&bench.path(""));
    until("the rest is dead", || !left.iter().any(|pid| is_alive(pid))).await;
}

/// Who leaves the group may hold the pipes open; the call ends nevertheless.
#[tokio::test]
async fn a_deserter_does_not_hold_up_the_call() {
    let bench = Bench::new();
    let reply = bench.call("shell/run", shell("setsid sleep 600 & echo $! > pids; echo out")).await;
    assert_eq!(reply["result"]["stdout"], "out\n");
    for pid in pids(&bench.path("")) {
        assert!(std::process::Command::new("kill").arg("-9").arg(pid).status().is_ok());
    }
}

#[tokio::test]
async fn a_flood_is_read_to_its_end_and_mostly_forgotten() {
    let processes = ProcessLimits { output_bytes_max: 64, ..ProcessLimits::default() };
    let bench = Bench::with(Limits { processes, ..Limits::default() });
    let flood =
        "head -c 50000000 /dev/zero | tr '\\0' x; echo; echo end; head -c 1000 /dev/zero | tr '\\0' y >&2";
    let reply = bench.call("shell/run", shell(flood)).await;
    let (stdout, stderr) =
        (reply["result"]["stdout"].as_str().unwrap(), reply["result"]["stderr"].as_str().unwrap());
    assert!(stdout.starts_with("xxxx") && stdout.ends_with("xx\nend\n"), "{stdout}");
    assert!(stdout.contains("[49999941 bytes left out]"), "{stdout}");
    assert!(stderr.contains("[936 bytes left out]"), "{stderr}");
}

#[tokio::test]
async fn a_program_sees_the_listed_variables_and_no_others() {
    let bench = Bench::new();
    let reply = bench.call("shell/run", json!({ "argv": ["env"] })).await;
    let mut seen: Vec<&str> = reply["result"]["stdout"].as_str().unwrap().lines().collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            "LANG=C",
            "PATH=/usr/bin:/bin",
            "PROVOST_ACTION=1.0",
            "PROVOST_IDEMPOTENCY_KEY=key-1",
            "PROVOST_RUN=run-1",
        ]
    );
}

#[tokio::test]
async fn a_program_cannot_ask_for_more_time_than_there_is() {
    let processes = ProcessLimits { ms_max: 50, ..ProcessLimits::default() };
    let bench = Bench::with(Limits { processes, ..Limits::default() });
    let slow = json!({ "argv": ["sleep", "600"], "timeout_ms": 600_000 });
    assert_eq!(bench.read("shell/run", slow).await, "timed_out: killed after 50 ms; it had printed:\n");
    assert_eq!(bench.code("shell/run", json!({ "argv": ["true"] })).await, "ok");
}

#[tokio::test]
async fn a_signal_is_told() {
    let bench = Bench::new();
    let told = bench.read("shell/run", shell("kill -9 $$")).await;
    assert_eq!(told, r#"{"signal":9,"stdout":"","stderr":""}"#);
}

#[tokio::test]
async fn a_program_that_reads_gets_the_end_of_its_input() {
    let bench = Bench::new();
    let told = bench.read("shell/run", json!({ "argv": ["cat"] })).await;
    assert_eq!(told, r#"{"exit_code":0,"stdout":"","stderr":""}"#);
}

/// Remembers what was streamed, and lets the program go on once it was heard of.
struct LetsGo {
    heard: Mutex<String>,
    go: PathBuf,
}

impl ReportSink for LetsGo {
    fn output(&self, text: &str) {
        self.heard.lock().unwrap().push_str(text);
        fs::write(&self.go, "").unwrap();
    }

    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
}

/// The program ends only after its first line was heard.
#[tokio::test]
async fn what_a_program_prints_is_streamed_while_it_runs() {
    let bench = Bench::new();
    let sink = Arc::new(LetsGo { heard: Mutex::default(), go: bench.path("go") });
    let script = "echo first; until [ -e go ]; do :; done; echo last >&2";
    let reply = bench.reported("shell/run", shell(script), &Report::new(sink.clone())).await;
    assert_eq!(reply["result"]["exit_code"], 0, "{reply}");
    assert_eq!(*sink.heard.lock().unwrap(), "first\nlast\n");
}
