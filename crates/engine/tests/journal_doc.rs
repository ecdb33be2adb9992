//! The documentation of the journal names every kind, its version and its words, and its script verifies.

use std::path::Path;
use std::process::Command;

use provost_engine::EventKind;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page() -> String {
    std::fs::read_to_string(root().join("docs/journal.md")).unwrap()
}

#[test]
fn every_kind_is_documented_with_its_version_and_its_words() {
    let page = page();
    let sections: Vec<&str> = page.split("\n### ").collect();
    for (index, (name, version, words)) in EventKind::ALL.iter().enumerate() {
        let title = format!("{}. `{name}`, version {version}\n", index + 1);
        let section = sections.iter().find(|section| section.starts_with(&title));
        let section =
            section.unwrap_or_else(|| panic!("docs/journal.md has no section `### {}`", title.trim()));
        for path in *words {
            assert!(section.contains(&format!("`{path}`")), "{name}: the word `{path}` is not documented");
        }
        let listed = section.lines().find(|line| line.starts_with("- Words: ")).unwrap();
        let count = if words.is_empty() { 0 } else { listed.split(", ").count() };
        assert_eq!(count, words.len(), "{name}: {listed}");
    }
}

/// The script of the page verifies the fixture, and finds a change in it. Without Python it is not run.
#[test]
fn the_script_of_the_page_verifies_a_journal() {
    let page = page();
    let script = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let journal = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/journal-v1.jsonl");
    let verify = |journal: &Path| Command::new("python3").arg("-c").arg(script).arg(journal).output();
    let Ok(whole) = verify(&journal) else { return };
    let summary = std::fs::read_to_string(journal.with_file_name("journal-v1.summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    let said = String::from_utf8(whole.stdout).unwrap();
    assert_eq!(
        said.trim(),
        format!("{} records, head {}", summary["seq"], summary["head"].as_str().unwrap())
    );
    let text = std::fs::read_to_string(&journal).unwrap().replacen("\"at\":1500", "\"at\":1501", 1);
    let changed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("changed.jsonl");
    std::fs::write(&changed, text).unwrap();
    assert!(!verify(&changed).unwrap().status.success());
}
