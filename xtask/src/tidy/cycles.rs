//! The modules at the top of a crate depend on each other in one direction only. A dependency is a path from the root of
//! the crate: `crate::…`, `super::…` in a top module, `super::super::…` one level below. What modules inside one
//! top module use of each other is not checked.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, Source};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Reports groups of modules that depend on each other in a circle.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let circles = graphs(sources).into_iter().flat_map(|(name, graph)| {
        circles(&graph).into_iter().map(move |circle| format!("{name}: {}", circle.join(" ")))
    });
    circles
        .map(|circle| Finding::new(&circle, "these modules depend on each other: move what they share"))
        .collect()
}

/// The dependencies between the top modules of each crate.
fn graphs(sources: &[Source]) -> BTreeMap<String, Graph> {
    let mut graphs: BTreeMap<String, Graph> = BTreeMap::new();
    let exports: BTreeMap<&str, BTreeMap<String, String>> = sources
        .iter()
        .filter_map(|source| Some((crate_of_root(&source.path)?, exports(&source.text))))
        .collect();
    for source in sources.iter().filter(|source| !source.is_test()) {
        let Some((name, rest)) = source.path.split_once("/src/") else { continue };
        let module = rest.split('/').next().unwrap_or(rest).trim_end_matches(".rs");
        let Some(exports) = exports.get(name).filter(|_| module != "lib" && module != "main") else {
            continue;
        };
        let code: String = source.text.lines().take(source.code_lines()).map(code_of).collect();
        let code = code.replace(&"super::".repeat(depth(rest)), "crate::");
        for item in crate_paths(&code) {
            let of = exports.get(&item).unwrap_or(&item);
            if of != module && sources.iter().any(|other| is_module(&other.path, name, of)) {
                let graph = graphs.entry(name.to_owned()).or_default();
                graph.entry(module.to_owned()).or_default().insert(of.clone());
            }
        }
    }
    graphs
}

/// How many times a file below `src` says `super::` to name the root of the crate.
fn depth(path: &str) -> usize {
    path.trim_end_matches("/mod.rs").split('/').count()
}

/// The crate of a file that is the root of a library or a program.
fn crate_of_root(path: &str) -> Option<&str> {
    path.strip_suffix("/src/lib.rs").or_else(|| path.strip_suffix("/src/main.rs"))
}

fn is_module(path: &str, name: &str, module: &str) -> bool {
    path == format!("{name}/src/{module}.rs") || path.starts_with(&format!("{name}/src/{module}/"))
}

/// A line without its comment, ended by a space.
fn code_of(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default();
    format!("{} ", code.trim())
}

/// The items that a crate's root names, with the module that each comes from.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let code: String = lib.lines().map(code_of).collect();
    let mut items = BTreeMap::new();
    for statement in code.split(';') {
        let Some((_, path)) = statement.rsplit_once("use ") else { continue };
        let Some((module, rest)) = path.trim().split_once("::") else { continue };
        for item in segments(rest) {
            items.insert(item, module.to_owned());
        }
    }
    items
}

/// The first segments of every path that begins at the root of the crate.
fn crate_paths(code: &str) -> BTreeSet<String> {
    let after = code.split("crate::").skip(1);
    after.flat_map(segments).collect()
}

/// The first segments of a path, or of each path of a group in braces.
fn segments(text: &str) -> Vec<String> {
    let word = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = text.trim_start().strip_prefix('{') else { return vec![word(text)] };
    let (mut depth, mut first, mut words) = (0_usize, true, Vec::new());
    for (at, letter) in group.char_indices() {
        if first && !letter.is_whitespace() {
            words.push(word(group.get(at..).unwrap_or_default()));
            first = false;
        }
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => first = true,
            _ => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The groups of modules that can all reach each other.
fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|from| (from, reached(graph, from))).collect();
    let mut seen = BTreeSet::new();
    let mut circles = Vec::new();
    for (from, to) in &reach {
        if !to.contains(from) || seen.contains(from) {
            continue;
        }
        let circle: Vec<&String> = to
            .iter()
            .filter(|other| reach.get(**other).is_some_and(|back| back.contains(from)))
            .copied()
            .collect();
        seen.extend(circle.iter().copied());
        circles.push(circle.into_iter().cloned().collect());
    }
    circles
}

fn reached<'g>(graph: &'g Graph, from: &str) -> BTreeSet<&'g String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = open.pop() {
        for next in graph.get(&module).into_iter().flatten() {
            if found.insert(next) {
                open.push(next.clone());
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_circle_is_found_also_through_what_the_root_exports() {
        let sources = [
            source("crates/x/src/lib.rs", "mod a;\nmod b;\npub use b::{Thing, Other};"),
            source("crates/x/src/a.rs", "use crate::{\n    Thing,\n};"),
            source("crates/x/src/b/mod.rs", "// crate::c\nuse crate::a::{One, Two};"),
            source("crates/x/src/c.rs", "use crate::a;"),
        ];
        let graphs = graphs(&sources);
        let circles = circles(&graphs["crates/x"]);
        assert_eq!(circles, [["a", "b"].map(str::to_owned)]);
    }

    #[test]
    fn a_circle_of_a_program_is_found_too() {
        let sources = [
            source("crates/x/src/main.rs", "mod a;\nmod b;"),
            source("crates/x/src/a.rs", "use crate::b;"),
            source("crates/x/src/b.rs", "use crate::a;"),
        ];
        assert_eq!(circles(&graphs(&sources)["crates/x"]).len(), 1);
    }

    #[test]
    fn a_circle_through_a_parent_is_found_too() {
        let circles_of = |path: &str, text: &str| {
            let sources = [
                source("crates/x/src/lib.rs", "mod a;\nmod b;"),
                source("crates/x/src/a/mod.rs", "mod c;"),
                source(path, text),
                source("crates/x/src/b.rs", "use crate::a;"),
            ];
            circles(&graphs(&sources)["crates/x"]).len()
        };
        assert_eq!(circles_of("crates/x/src/a.rs", "use super::b;"), 1);
        assert_eq!(circles_of("crates/x/src/a/mod.rs", "use super::b;"), 1);
        assert_eq!(circles_of("crates/x/src/a/c.rs", "use super::super::b;"), 1);
        assert_eq!(circles_of("crates/x/src/a/c.rs", "use super::b;"), 0, "this is a module of `a`");
    }

    #[test]
    fn one_direction_is_no_circle() {
        let sources = [
            source("crates/x/src/lib.rs", "mod a;\nmod b;"),
            source("crates/x/src/a.rs", "use crate::b;"),
            source("crates/x/src/b.rs", "fn f() {}\n#[cfg(test)]\nuse crate::a;"),
        ];
        assert!(graphs(&sources).values().all(|graph| circles(graph).is_empty()));
    }
}
