//! Vector files: `{area, operations, cases: [{name, op, input, expect}]}`.

use std::fs;
use std::path::{Path, PathBuf};

use provost_contract::json::{self, Object};
use serde_json::Value;

use crate::Failure;

/// One file of vectors.
pub(super) struct Vectors {
    pub(super) area: String,
    pub(super) cases: Vec<Case>,
}

/// One case: call `op` with `input`, compare with `expect`.
pub(super) struct Case {
    pub(super) name: String,
    pub(super) op: String,
    pub(super) input: Value,
    pub(super) expect: Value,
}

/// Reads every vector file named, or found in a folder named, in order of name.
pub(super) fn load(paths: &[PathBuf]) -> Result<Vec<Vectors>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        for file in files_of(path)? {
            all.push(read(&file).map_err(|error| format!("{}: {error}", file.display()))?);
        }
    }
    Ok(all)
}

fn files_of(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Vectors, Failure> {
    let document = json::parse_text(&fs::read_to_string(file)?)?;
    let document = document.as_object().ok_or("a vector file is an object")?;
    let cases = json::list(document, "cases").ok_or("a vector file has a list `cases`")?;
    Ok(Vectors {
        area: required(document, "area")?,
        cases: cases.iter().map(read_case).collect::<Result<_, _>>()?,
    })
}

fn read_case(value: &Value) -> Result<Case, Failure> {
    let case = value.as_object().ok_or("a case is an object")?;
    Ok(Case {
        name: required(case, "name")?,
        op: required(case, "op")?,
        input: case.get("input").cloned().unwrap_or_default(),
        expect: case.get("expect").cloned().ok_or("a case has `expect`")?,
    })
}

fn required(object: &Object, key: &str) -> Result<String, Failure> {
    Ok(json::text(object, key).ok_or_else(|| format!("`{key}` is missing"))?.to_owned())
}
