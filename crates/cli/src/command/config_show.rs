//! `provost config show`: prints the effective configuration and the origin of each value.

use std::path::Path;

use provost_project::{Origin, Project, Setting};
use serde_json::{Value, json};

use crate::args::ConfigShowOptions;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::screen::Screen;

pub(crate) fn run(options: &ConfigShowOptions, start: &Path, screen: &Screen) -> Result<Exit, Failure> {
    for setting in Project::find(start)?.effective()? {
        let document = document(&setting, options.origin);
        screen.show(&document, || line(&setting, options.origin));
    }
    Ok(Exit::Done)
}

fn document(setting: &Setting, with_origin: bool) -> Value {
    let Setting { key, value, origin } = setting;
    let (kind, name) = match origin {
        Origin::File(place) => ("file", Some(place)),
        Origin::Variable(name) => ("environment", Some(name)),
        Origin::Default => ("default", None),
    };
    if with_origin {
        json!({ "key": key, "value": value, "origin": { "kind": kind, "name": name } })
    } else {
        json!({ "key": key, "value": value })
    }
}

fn line(setting: &Setting, with_origin: bool) -> String {
    let line = format!("{} = {}", setting.key, setting.value);
    if !with_origin {
        return line;
    }
    match &setting.origin {
        Origin::File(place) => format!("{line}  # {place}"),
        Origin::Variable(name) => format!("{line}  # environment variable {name}"),
        Origin::Default => format!("{line}  # default"),
    }
}
