//! Ways out of the workspace, each beside the same thing done inside.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use serde_json::{Value, json};

use crate::bench::{Bench, SECRET, code_of};

/// Every file tool, aimed at one path.
fn aimed(path: &str) -> [(&'static str, Value); 5] {
    [
        ("fs/list", json!({ "path": path })),
        ("fs/search", json!({ "path": path, "pattern": "." })),
        ("fs/read", json!({ "path": path })),
        ("fs/write", json!({ "path": path, "content": "changed" })),
        ("fs/edit", json!({ "path": path, "old_text": "secret", "new_text": "changed" })),
    ]
}

/// What each of them answers.
async fn answers(bench: &Bench, path: &str) -> Vec<String> {
    let mut codes = Vec::new();
    for (tool, parameters) in aimed(path) {
        let reply = bench.call(tool, parameters).await;
        assert!(!reply.to_string().contains(SECRET), "{tool} told what {path} says: {reply}");
        codes.push(code_of(&reply));
    }
    assert_eq!(fs::read_to_string(bench.outside().join("secret.txt")).unwrap(), SECRET, "{path}");
    assert_eq!(fs::read_dir(bench.outside()).unwrap().count(), 1, "{path}");
    codes
}

#[tokio::test]
async fn no_path_leads_up_or_starts_at_the_root_of_the_machine() {
    let bench = Bench::new();
    let absolute = bench.outside().join("secret.txt").display().to_string();
    for path in ["../outside/secret.txt", "a/../../outside", "..", &absolute] {
        assert_eq!(answers(&bench, path).await, ["outside_workspace"; 5], "{path}");
    }
    bench.put("outside/file.txt", "secret");
    assert_eq!(answers(&bench, "outside/file.txt").await, ["not_a_folder", "ok", "ok", "ok", "no_match"]);
}

#[tokio::test]
async fn a_link_is_not_followed_wherever_it_points() {
    let bench = Bench::new();
    bench.put("real/file.txt", "secret");
    symlink(bench.outside(), bench.path("away")).unwrap();
    symlink("real", bench.path("near")).unwrap();
    symlink(bench.outside().join("secret.txt"), bench.path("leak.txt")).unwrap();
    symlink("real/gone.txt", bench.path("dangling.txt")).unwrap();
    for path in ["away", "away/secret.txt", "near", "near/file.txt", "leak.txt", "dangling.txt"] {
        assert_eq!(answers(&bench, path).await, ["link"; 5], "{path}");
    }
    assert!(!bench.path("real/gone.txt").exists());
    assert_eq!(bench.code("fs/read", json!({ "path": "real/file.txt" })).await, "ok");
}

#[tokio::test]
async fn a_search_does_not_walk_through_links() {
    let bench = Bench::new();
    symlink(bench.outside(), bench.path("away")).unwrap();
    bench.put("near.txt", "a secret inside");
    let found = bench.read("fs/search", json!({ "pattern": "secret" })).await;
    assert_eq!(
        found,
        r#"{"matches":["near.txt:1:a secret inside"],"files":1,"truncated":false,"skipped":0}"#
    );
}

#[tokio::test]
async fn an_ignore_file_that_is_a_link_says_nothing() {
    let bench = Bench::new();
    bench.put("a.txt", "");
    fs::write(bench.outside().join("secret.txt"), "a.txt").unwrap();
    symlink(bench.outside().join("secret.txt"), bench.path(".gitignore")).unwrap();
    let listed = bench.call("fs/list", json!({})).await;
    assert!(listed["result"]["entries"].as_array().unwrap().contains(&json!("a.txt")), "{listed}");
    fs::remove_file(bench.path(".gitignore")).unwrap();
    bench.put(".gitignore", "a.txt");
    assert_eq!(bench.call("fs/list", json!({})).await["result"]["entries"], json!([".gitignore"]));
}

#[tokio::test]
async fn folders_of_other_programs_are_closed_in_any_case() {
    let bench = Bench::new();
    bench.put(".git/config", SECRET);
    bench.put(".GIT/config", SECRET);
    bench.put("sub/.provost/provost.db", SECRET);
    bench.put(".gitlab/config", "open");
    for path in [".git", ".git/config", ".GIT/config", "sub/.provost/provost.db", ".git/hooks/pre-commit"] {
        assert_eq!(answers(&bench, path).await, ["closed"; 5], "{path}");
    }
    let listed = bench.call("fs/list", json!({ "depth": 9 })).await;
    assert_eq!(listed["result"]["entries"], json!([".gitlab/", ".gitlab/config", "sub/"]));
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_no_files() {
    let bench = Bench::new();
    assert!(Command::new("mkfifo").arg(bench.path("pipe")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(bench.path("socket")).unwrap();
    for path in ["pipe", "socket"] {
        let codes = answers(&bench, path).await;
        assert_eq!(
            codes,
            ["not_a_folder", "not_a_folder", "not_a_file", "not_a_file", "not_a_file"],
            "{path}"
        );
    }
    let listed = bench.call("fs/list", json!({})).await;
    assert_eq!(
        listed["result"]["entries"],
        json!(["pipe (not an ordinary file)", "socket (not an ordinary file)"])
    );
}

#[tokio::test]
async fn a_hard_link_is_broken_by_a_write_and_not_written_through() {
    let bench = Bench::new();
    fs::hard_link(bench.outside().join("secret.txt"), bench.path("hard.txt")).unwrap();
    assert_eq!(bench.code("fs/write", json!({ "path": "hard.txt", "content": "mine" })).await, "ok");
    assert_eq!(bench.text("hard.txt"), "mine");
    assert_eq!(fs::read_to_string(bench.outside().join("secret.txt")).unwrap(), SECRET);
}

/// While calls go on, the folder they name is again and again exchanged for a link to the outside.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_exchanged_for_a_link_in_the_middle_leads_nowhere() {
    let bench = Bench::new();
    bench.put("real/secret.txt", "inside");
    let (swap, real) = (bench.path("swap"), bench.path("real"));
    let outside = bench.outside();
    let done = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_done = done.clone();
    let swapper = std::thread::spawn(move || {
        while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
            // A write may have made a folder in the way; each round starts afresh.
            let _ = fs::create_dir(&real).and_then(|()| fs::write(real.join("secret.txt"), "inside"));
            let _ = fs::rename(&real, &swap);
            let _ = fs::rename(&swap, &real);
            let _ = symlink(&outside, &swap);
            let _ = fs::remove_file(&swap).or_else(|_| fs::remove_dir_all(&swap));
        }
    });
    let (mut inside, mut refused) = (0, 0);
    while inside == 0 || refused < 200 {
        for (tool, parameters) in aimed("swap/secret.txt").into_iter().skip(2) {
            let reply = bench.call(tool, parameters).await;
            assert!(!reply.to_string().contains(SECRET), "{tool}: {reply}");
            match reply["success"].as_bool() {
                Some(true) => inside += 1,
                _ => refused += 1,
            }
        }
        let kept = fs::read_to_string(bench.outside().join("secret.txt")).unwrap();
        assert_eq!(kept, SECRET, "written through the link");
    }
    done.store(true, std::sync::atomic::Ordering::Relaxed);
    swapper.join().unwrap();
}

#[tokio::test]
async fn a_program_starts_inside() {
    let bench = Bench::new();
    symlink(bench.outside(), bench.path("away")).unwrap();
    fs::create_dir(bench.path("sub")).unwrap();
    let pwd = |cwd: &str| json!({ "argv": ["pwd"], "cwd": cwd });
    assert_eq!(bench.code("shell/run", pwd("away")).await, "link");
    assert_eq!(bench.code("shell/run", pwd("../outside")).await, "outside_workspace");
    let reply = bench.call("shell/run", pwd("sub")).await;
    let here = bench.path("sub").canonicalize().unwrap();
    assert_eq!(reply["result"]["stdout"].as_str().unwrap().trim_end(), here.display().to_string());
}

#[tokio::test]
async fn a_write_keeps_the_mode_but_no_borrowed_rights() {
    let bench = Bench::new();
    let mode = |bench: &Bench| fs::metadata(bench.path("run.sh")).unwrap().permissions().mode() & 0o7777;
    let file = bench.put("run.sh", "old");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4750)).unwrap();
    assert_eq!(bench.code("fs/write", json!({ "path": "run.sh", "content": "new" })).await, "ok");
    assert_eq!(mode(&bench), 0o750);
}

/// Names that mean something to somebody.
const NAMES: [&str; 14] = [
    "",
    ".",
    "..",
    "...",
    "sub",
    "file.txt",
    "away",
    "leak.txt",
    "near",
    ".git",
    "~",
    "*",
    "outside",
    "secret.txt",
];

#[test]
fn no_path_anybody_can_write_leads_out() {
    let bench = Bench::new();
    bench.put("sub/sub/file.txt", "inside");
    symlink(bench.outside(), bench.path("away")).unwrap();
    symlink("../..", bench.path("sub/near")).unwrap();
    symlink(bench.outside().join("secret.txt"), bench.path("sub/leak.txt")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    arbtest::arbtest(|bytes| {
        let start = if bytes.ratio(1, 8)? { bench.outside().display().to_string() } else { String::new() };
        let names = (0..bytes.int_in_range(1..=5)?).map(|_| bytes.choose(&NAMES).copied());
        let path = start + &names.collect::<Result<Vec<_>, _>>()?.join("/");
        runtime.block_on(answers(&bench, &path));
        Ok(())
    })
    .budget_ms(500);
}
