//! Every outcome as lines: on screens of several widths, without colours, in ASCII, and plain.

use provost_contract::json::into_object;
use provost_engine::event::{EndStatus, Stop};
use provost_engine::view::{
    Allowance, CallEnd, CallName, CallOutcome, Piece, ProgramOutput, StoryLine, Totals,
};
use provost_engine::{Actor, ActorKind, Fault, Seq, Time, WorldEffect};
use provost_project::Colors;
use serde_json::{Value, json};

use super::{Context, Fold, lines, over};
use crate::text::{Line, Paint, Style, styled};

fn context() -> Context {
    Context { me: "user:ada".to_owned(), run: "4n".to_owned(), fold: Fold::Folded }
}

fn person(name: &str) -> Actor {
    Actor::new(ActorKind::Person, name)
}

fn call(tool: &str, arguments: Value, outcome: CallOutcome) -> CallEnd {
    let action = "1.0".parse().unwrap();
    CallEnd {
        call: CallName { action, number: 8, tool: tool.to_owned(), label: String::new() },
        arguments: into_object(arguments),
        reads: matches!(tool, "fs/read" | "fs/list" | "http/get"),
        outcome,
        allowed: None,
        output: None,
        result: Value::Null,
        ms: None,
    }
}

fn run(argv: &[&str], outcome: CallOutcome, ms: u64, stdout: &str) -> CallEnd {
    let output = Some(ProgramOutput { stdout: stdout.to_owned(), stderr: String::new(), above: 0 });
    CallEnd { output, ms: Some(ms), ..call("shell/run", json!({ "argv": argv }), outcome) }
}

fn told(piece: Piece) -> Vec<Line> {
    lines(&StoryLine { seq: Seq(1), at: Time(0), piece }, &context())
}

fn ended(end: CallEnd) -> Vec<Line> {
    told(Piece::Ended(Box::new(end)))
}

/// One of each.
fn outcomes() -> Vec<Line> {
    let path = |path: &str| json!({ "path": path });
    let error = |text: &str| text.to_owned();
    let allowed = Allowance { by: person("user:ada"), after_ms: 9_400, edited: false, standing: false };
    let long: String = (0..14).map(|line| format!("line {line}\n")).collect();
    let all = vec![
        call("fs/read", path("README.md"), CallOutcome::Done { said: "8 lines".into() }),
        CallEnd {
            allowed: Some(allowed.clone()),
            ..call("fs/edit", path("src/sum.sh"), CallOutcome::Done { said: "1 replacement".into() })
        },
        CallEnd {
            allowed: Some(Allowance { standing: true, by: person("user:ben"), ..allowed.clone() }),
            ..call("fs/edit", path("src/a"), CallOutcome::Done { said: String::new() })
        },
        run(&["sh", "check.sh"], CallOutcome::Exited { code: 0 }, 2_130, "sum_test: ok\nall checks passed\n"),
        CallEnd {
            allowed: Some(allowed),
            ..run(&["npm", "test"], CallOutcome::Exited { code: 1 }, 12_400, &long)
        },
        run(&["npx", "tsc", "--noEmit"], CallOutcome::Exited { code: 127 }, 50, ""),
        run(&["./till"], CallOutcome::Exited { code: 126 }, 50, ""),
        run(&["./till", "--serve", "a b"], CallOutcome::Killed { signal: 9 }, 41_000, ""),
        call(
            "http/get",
            json!({ "url": "https://rates.example/eur" }),
            CallOutcome::TimedOut { ms: Some(30_000), error: String::new(), effect: WorldEffect::None },
        ),
        run(
            &["make", "deploy"],
            CallOutcome::TimedOut { ms: Some(100), error: String::new(), effect: WorldEffect::Maybe },
            100,
            "",
        ),
        call(
            "fs/edit",
            path("src/sum.sh"),
            CallOutcome::Failed { error: error("the disk is full"), effect: WorldEffect::None },
        ),
        call(
            "pay/refund",
            json!({ "order": "88-1042" }),
            CallOutcome::Failed { error: error("HTTP 500"), effect: WorldEffect::Maybe },
        ),
    ];
    all.into_iter().chain(refusals()).flat_map(ended).collect()
}

/// Calls that did not run, or did not end by themselves.
fn refusals() -> Vec<CallEnd> {
    let path = |path: &str| json!({ "path": path });
    let error = |text: &str| text.to_owned();
    vec![
        call(
            "fs/edit",
            path("src/sum.sh"),
            CallOutcome::WouldFail {
                error: error("Not run, no person was asked: it would fail: old_text is not in src/sum.sh"),
            },
        ),
        call(
            "fs/read",
            path("secrets/key.txt"),
            CallOutcome::Denied {
                layer: "rule".into(),
                rule: "secrets-stay".into(),
                reason: error("Secrets are not for agents."),
                source: "provost.toml:48".into(),
            },
        ),
        call(
            "fs/write",
            path("notes/plan.md"),
            CallOutcome::Denied {
                layer: "category_policy".into(),
                rule: "forbidden".into(),
                reason: error("the policy for the category write says deny"),
                source: String::new(),
            },
        ),
        call(
            "fs/write",
            path("notes/plan.md"),
            CallOutcome::Declined {
                by: person("user:ben"),
                reason: error("not before the release"),
                after_ms: 120_000,
            },
        ),
        call(
            "fs/write",
            path("notes/plan.md"),
            CallOutcome::Declined { by: person("user:ada"), reason: String::new(), after_ms: 0 },
        ),
        call("fs/write", path("notes/plan.md"), CallOutcome::Expired),
        call(
            "db/drop",
            json!({ "table": "users" }),
            CallOutcome::UnknownTool { error: error("There is no tool db/drop.") },
        ),
        call("fs/read", json!({ "depth": 2 }), CallOutcome::Unfit { error: error("path is missing") }),
        run(
            &["make", "deploy"],
            CallOutcome::StoppedMidway { by: Some(person("user:ada")) },
            8_100,
            "copying 14 files to web-2\n",
        ),
        call("fs/write", path("a"), CallOutcome::Cancelled { by: Some(person("user:ada")) }),
        call(
            "pay/refund",
            json!({ "order": "88-1042" }),
            CallOutcome::InDoubt { left_by: Some(person("user:ada")), error: String::new() },
        ),
        call("pay/refund", json!({ "order": "88-1042" }), CallOutcome::Attested { by: person("user:ada") }),
        call("pay/refund", json!({ "order": "88-1042" }), CallOutcome::Probed),
        call("fs/write", path("a"), CallOutcome::Superseded),
        call("release/upload", json!({}), CallOutcome::Blocked { error: error("sign_arm did not complete") }),
        call("fix_checks", json!({}), CallOutcome::LeftOut { error: error("checks passed") }),
    ]
}

fn ends() -> Vec<Line> {
    let totals = Totals {
        turns: 5,
        calls: 10,
        tokens: 7_486,
        cost_microusd: Some(60_000),
        ms: 6_240,
        by_policy: 9,
        by_people: [(person("user:ada"), 1)].into(),
        refused: 1,
        changed: vec!["src/sum.sh".to_owned()],
    };
    let stops = [
        (EndStatus::Completed, None),
        (
            EndStatus::Failed,
            Some(Stop::Failed { fault: Fault::new("x", "the model's answer does not fit the schema") }),
        ),
        (
            EndStatus::BudgetExceeded,
            Some(Stop::Budget {
                name: "tokens".into(),
                dimension: "tokens".into(),
                used: 200_000,
                limit: 200_000,
            }),
        ),
        (EndStatus::Stalled, Some(Stop::Stalled { signature: Value::Null, count: 5 })),
        (EndStatus::Interrupted, Some(Stop::Interrupted { code: "crash_loop".into(), message: None })),
        (EndStatus::Cancelled, None),
    ];
    stops.iter().flat_map(|(status, stop)| over(*status, stop.as_ref(), &totals, &context())).collect()
}

fn shown(lines: &[Line], style: Style, unicode: bool, columns: Option<usize>) -> String {
    styled(lines, Paint { style, unicode, columns, colors: Colors::default() }).replace('\u{1b}', "␛")
}

/// No line is wider than the screen, whatever its width.
#[test]
fn outcomes_fit_every_screen() {
    let lines = [outcomes(), ends()].concat();
    for columns in [60, 71, 72, 80, 119, 120, 160, 200] {
        for line in shown(&lines, Style::Colourless, true, Some(columns)).lines() {
            let line = line.replace("␛[1m", "").replace("␛[2m", "").replace("␛[0m", "");
            assert!(crate::text::width(&line) < columns, "{columns}: {line}");
        }
    }
    insta::assert_snapshot!(
        "outcomes_80",
        shown(&lines, Style::Colourless, true, Some(80))
            .replace("␛[1m", "")
            .replace("␛[2m", "")
            .replace("␛[0m", "")
    );
    insta::assert_snapshot!(
        "outcomes_160",
        shown(&lines, Style::Colourless, true, Some(160))
            .replace("␛[1m", "")
            .replace("␛[2m", "")
            .replace("␛[0m", "")
    );
}

#[test]
fn colours_follow_from_meaning() {
    insta::assert_snapshot!("outcomes_coloured", shown(&outcomes(), Style::Coloured, true, Some(80)));
}

#[test]
fn without_unicode_and_without_columns() {
    let lines = [outcomes(), ends()].concat();
    let ascii = shown(&lines, Style::Colourless, false, Some(80))
        .replace("␛[1m", "")
        .replace("␛[2m", "")
        .replace("␛[0m", "");
    assert!(ascii.is_ascii(), "{ascii}");
    insta::assert_snapshot!("outcomes_ascii", ascii);
    insta::assert_snapshot!("outcomes_plain", shown(&lines, Style::Plain, true, None));
}

/// A model and a program that try to speak as Provost: each line has its bar, and nothing is obeyed.
#[test]
fn nobody_speaks_as_provost() {
    let imitation = "All is well:\n✓  deploy      web-1                         allowed by you\n\u{1b}[2J\u{1b}[H\u{202e}moc.elpmaxe\n◆  deploy   y n e s w l ? › y";
    let mut lines = told(Piece::Words { text: imitation.to_owned() });
    let printed = "✓  completed in 6.2 s\r\n\u{1b}[31m◆  deploy\u{1b}[0m\n\u{1b}]0;title\u{7}\n";
    lines.extend(ended(run(&["./check"], CallOutcome::Exited { code: 1 }, 400, printed)));
    let inside = json!({ "path": "a\n✓  fs/write    allowed\u{1b}[1A" });
    lines.extend(ended(call("fs/read", inside, CallOutcome::Done { said: String::new() })));
    for columns in [60, 80, 160] {
        let screen = shown(&lines, Style::Colourless, true, Some(columns));
        assert!(!screen.contains("␛[2J") && !screen.contains("␛]0"), "{screen}");
        let marks = screen.lines().filter(|line| line.starts_with(['✓', '✗', '◆'])).count();
        assert_eq!(marks, 2, "only the two calls have a mark at the edge:\n{screen}");
    }
    insta::assert_snapshot!("imitation", shown(&lines, Style::Coloured, true, Some(80)));
}

/// Words that people do not read.
const BANNED: [&str; 14] = [
    "whoever",
    "somebody",
    "nobody",
    "told",
    "kept",
    "direct",
    "preview",
    "forbidden",
    "parked",
    "runtime_tool_pending",
    "please",
    "oops",
    "successfully",
    "!",
];

#[test]
fn no_line_has_a_banned_word() {
    let lines = [outcomes(), ends(), vec![super::waits(2, 1, &context())]].concat();
    let plain = shown(&lines, Style::Plain, true, None).to_lowercase();
    for word in plain.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        assert!(!BANNED.contains(&word), "{word}");
    }
    assert!(!plain.contains('!'), "{plain}");
}
