//! Every public item of the crate has an example; doc tests compile them.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The public items of a source whose documentation has no example.
fn without_example(text: &str) -> Vec<String> {
    let (mut missing, mut has_example) = (Vec::new(), false);
    for line in text.lines().map(str::trim) {
        let kinds = ["pub fn ", "pub async fn ", "pub struct ", "pub enum ", "pub trait ", "pub const "];
        if line.starts_with("///") {
            has_example |= line.contains("```");
        } else if kinds.iter().any(|kind| line.starts_with(kind)) {
            if !has_example {
                missing.push(line.to_owned());
            }
            has_example = false;
        } else if line.is_empty() || line.ends_with('}') || line.ends_with(';') {
            has_example = false;
        }
    }
    missing
}

#[test]
fn every_public_item_has_an_example() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.len() > 20, "{found:?}");
    for path in found {
        let missing = without_example(&std::fs::read_to_string(&path).unwrap());
        assert!(missing.is_empty(), "{}: {missing:?}", path.display());
    }
    let plain = "/// Says hello.\npub fn hello() {}\n";
    assert_eq!(without_example(plain), ["pub fn hello() {}"], "one without is found");
}
