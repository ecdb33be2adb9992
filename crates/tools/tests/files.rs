//! Reading, searching and changing files.

use insta::assert_snapshot;
use provost_tools::{FileLimits, Limits, Preview};
use serde_json::json;

use crate::bench::Bench;

fn small() -> Limits {
    let files = FileLimits {
        file_bytes_max: 64,
        read_bytes_max: 16,
        entries_max: 2,
        matches_max: 2,
        line_bytes_max: 5,
        ..FileLimits::default()
    };
    Limits { files, ..Limits::default() }
}

fn project() -> Bench {
    let bench = Bench::new();
    bench.put("src/main.rs", "fn main() {\n    greet(\"world\");\n}\n");
    bench.put("src/greet.rs", "pub fn greet(name: &str) {}\n");
    bench.put("target/debug/greet", "fn greet");
    bench.put("notes/.ignore", "!kept.log\n");
    bench.put("notes/kept.log", "greet, kept\n");
    bench.put("notes/other.log", "greet, hidden\n");
    bench.put(".gitignore", "/target\n*.log\n");
    bench.put("image.png", b"greet\0\x01\x02");
    bench
}

#[tokio::test]
async fn what_the_model_reads_of_a_project() {
    let bench = project();
    assert_snapshot!(bench.read("fs/list", json!({})).await, @r#"{"path":".","entries":[".gitignore","image.png","notes/","src/"],"truncated":false,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/list", json!({ "path": "notes" })).await, @r#"{"path":"notes","entries":["notes/.ignore","notes/kept.log"],"truncated":false,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/search", json!({ "pattern": r"fn \w+" })).await, @r#"{"matches":["src/greet.rs:1:pub fn greet(name: &str) {}","src/main.rs:1:fn main() {"],"files":2,"truncated":false,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/search", json!({ "pattern": "GREET", "case": "insensitive", "glob": "notes/*" })).await, @r#"{"matches":["notes/kept.log:1:greet, kept"],"files":1,"truncated":false,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/search", json!({ "pattern": "^}", "path": "src/main.rs" })).await, @r#"{"matches":["src/main.rs:3:}"],"files":1,"truncated":false,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/read", json!({ "path": "src/main.rs" })).await, @r#"{"path":"src/main.rs","text":"fn main() {\n    greet(\"world\");\n}\n","first_line":1,"last_line":3,"total_lines":3}"#);
    assert_snapshot!(bench.read("fs/read", json!({ "path": "src/main.rs", "first_line": 2, "lines": 1 })).await, @r#"{"path":"src/main.rs","text":"    greet(\"world\");\n","first_line":2,"last_line":2,"total_lines":3,"next_line":3}"#);
    assert_snapshot!(bench.read("fs/write", json!({ "path": "docs/a/new.md", "content": "# New\n" })).await, @r#"{"path":"docs/a/new.md","change":"created","bytes":6,"lines":1}"#);
    assert_snapshot!(bench.read("fs/write", json!({ "path": "docs/a/new.md", "content": "# New\n" })).await, @r#"{"path":"docs/a/new.md","change":"unchanged","bytes":6,"lines":1}"#);
    assert_snapshot!(bench.read("fs/edit", json!({ "path": "src/main.rs", "old_text": "world", "new_text": "you" })).await, @r#"{"path":"src/main.rs","replaced":1,"first_line":2}"#);
    assert_snapshot!(bench.read("shell/run", json!({ "argv": ["sh", "-c", "echo out; echo err >&2; exit 3"] })).await, @r#"{"exit_code":3,"stdout":"out\n","stderr":"err\n"}"#);
    assert_eq!(bench.text("src/main.rs"), "fn main() {\n    greet(\"you\");\n}\n");
}

#[tokio::test]
async fn what_the_model_reads_of_a_refusal() {
    let bench = project();
    for (tool, parameters, told) in [
        ("fs/read", json!({ "path": "src/gone.rs" }), "not_found: src/gone.rs does not exist"),
        ("fs/read", json!({ "path": "image.png" }), "binary: image.png is not UTF-8 text"),
        ("fs/write", json!({ "path": "image.png", "content": "" }), "binary: image.png is not UTF-8 text"),
        ("fs/write", json!({ "path": "a", "content": "\0" }), "binary: a is not UTF-8 text"),
        ("fs/read", json!({ "path": "src" }), "not_a_file: src is not an ordinary file"),
        ("fs/write", json!({ "path": ".", "content": "" }), "not_a_file: . is not an ordinary file"),
        (
            "fs/edit",
            json!({ "path": "src/main.rs", "old_text": "n", "new_text": "m" }),
            "many_matches: old_text is in src/main.rs 2 times: add lines around it until it is there once, or replace all",
        ),
        (
            "fs/write",
            json!({ "path": "src/main.rs" }),
            "invalid_parameters: content is missing; say \"\" if it is meant to be empty",
        ),
        (
            "fs/read",
            json!({ "file": "a" }),
            "invalid_parameters: unknown field `file`, expected one of `path`, `first_line`, `lines`",
        ),
        (
            "shell/run",
            json!({ "argv": [] }),
            "invalid_parameters: argv must name a program, and no argument may hold a NUL",
        ),
        (
            "shell/run",
            json!({ "argv": ["no-such-program"] }),
            "not_started: no-such-program could not be started: No such file or directory (os error 2)",
        ),
    ] {
        assert_eq!(bench.read(tool, parameters.clone()).await, told, "{tool} {parameters}");
    }
}

#[tokio::test]
async fn what_a_person_sees_before_approving() {
    let bench = project();
    let shown = async |tool, parameters| bench.preview(tool, parameters).await.unwrap().to_string();
    assert_snapshot!(shown("fs/write", json!({ "path": "docs/new.md", "content": "# New\n" })).await, @r#"
--- /dev/null
+++ b/docs/new.md
@@ -0,0 +1 @@
+# New
"#);
    assert_snapshot!(shown("fs/write", json!({ "path": "src/greet.rs", "content": "pub fn greet() {}\n" })).await, @r#"
--- a/src/greet.rs
+++ b/src/greet.rs
@@ -1 +1 @@
-pub fn greet(name: &str) {}
+pub fn greet() {}
"#);
    assert_snapshot!(shown("fs/edit", json!({ "path": "src/main.rs", "old_text": "world", "new_text": "you" })).await, @r#"
--- a/src/main.rs
+++ b/src/main.rs
@@ -1,3 +1,3 @@
 fn main() {
-    greet("world");
+    greet("you");
 }
"#);
    assert_snapshot!(shown("fs/edit", json!({ "path": "src/main.rs", "old_text": "moon", "new_text": "you" })).await, @r#"would fail: old_text is not in src/main.rs: read the file again and copy the text exactly"#);
    assert_snapshot!(shown("shell/run", json!({ "argv": ["rm", "-rf", "a b"], "cwd": "src", "timeout_ms": 5 })).await, @r#"
rm -rf 'a b'
(in src, at most 5 ms)
"#);
    assert_eq!(bench.preview("fs/read", json!({ "path": "src/main.rs" })).await, None);
    assert!(!bench.path("docs").exists(), "a preview changes nothing");
    assert_eq!(bench.text("src/main.rs"), "fn main() {\n    greet(\"world\");\n}\n");
}

#[tokio::test]
async fn everything_read_is_bounded_and_says_so() {
    let bench = Bench::with(small());
    for name in ["a", "b", "c"] {
        bench.put(name, "123456789\n123456789\n");
    }
    assert_snapshot!(bench.read("fs/list", json!({})).await, @r#"{"path":".","entries":["a","b"],"truncated":true,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/search", json!({ "pattern": "1" })).await, @r#"{"matches":["a:1:12345","a:2:12345"],"files":1,"truncated":true,"skipped":0}"#);
    assert_snapshot!(bench.read("fs/read", json!({ "path": "a" })).await, @r#"{"path":"a","text":"123456789\n","first_line":1,"last_line":1,"total_lines":2,"next_line":2}"#);
    bench.put("long", "x".repeat(40));
    assert_snapshot!(bench.read("fs/read", json!({ "path": "long" })).await, @r#"{"path":"long","text":"xxxxxxxxxxxxxxxx","first_line":1,"last_line":1,"total_lines":1,"line_cut":true}"#);
    bench.put("huge", "x".repeat(65));
    assert_eq!(bench.code("fs/read", json!({ "path": "huge" })).await, "too_large");
    let write = |bytes: usize| json!({ "path": "new", "content": "x".repeat(bytes) });
    assert_eq!(bench.code("fs/write", write(65)).await, "too_large");
    let shown = bench.preview("fs/write", write(65)).await;
    assert!(matches!(shown, Some(Preview::Refused { code: "too_large", .. })), "{shown:?}");
    assert!(!bench.path("new").exists());
    assert_eq!(bench.code("fs/write", write(64)).await, "ok");
}

#[tokio::test]
async fn nothing_is_left_beside_a_written_file() {
    let bench = Bench::new();
    for content in ["one", "two"] {
        assert_eq!(bench.code("fs/write", json!({ "path": "sub/a", "content": content })).await, "ok");
    }
    std::fs::create_dir(bench.path("sub/folder")).unwrap();
    assert_eq!(bench.code("fs/write", json!({ "path": "sub/folder", "content": "x" })).await, "not_a_file");
    let names: Vec<_> =
        std::fs::read_dir(bench.path("sub")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

/// Two edits of one turn may run side by side: none may be lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edits_of_one_file_at_the_same_time_all_count() {
    let bench = Bench::new();
    let names: Vec<String> = (0..16).map(|number| format!("<{number}>")).collect();
    bench.put("a", names.concat());
    let mut tasks = tokio::task::JoinSet::new();
    for name in &names {
        let (tools, parameters) =
            (bench.tools.clone(), json!({ "path": "a", "old_text": name, "new_text": "." }));
        tasks.spawn(async move { crate::bench::call(&tools, "fs/edit", parameters).await });
    }
    tasks.join_all().await;
    assert_eq!(bench.text("a"), ".".repeat(16));
}
