//! The declarations of docs/protocol.md: those that are said to run, run; the others are checked.

use std::fs;
use std::path::Path;

use super::super::world::World;

/// The blocks below a mark, with the line of each.
fn marked(page: &str, mark: &str) -> Vec<(usize, String)> {
    let lines: Vec<&str> = page.lines().collect();
    let at = lines.iter().enumerate().filter(|(_, line)| **line == mark).map(|(at, _)| at);
    let block = |at: usize| {
        let opened = lines[at + 1];
        let fence = &opened[..opened.find(|letter: char| letter != '`').unwrap_or(opened.len())];
        let body = lines[at + 2..].iter().take_while(|line| **line != fence);
        let body: Vec<&str> = body.copied().collect();
        (at + 1, body.join("\n"))
    };
    at.map(block).collect()
}

/// A folder with a README and a docs folder, and no configuration.
fn project() -> World {
    let world = World::new();
    fs::create_dir_all(world.path("p/docs")).unwrap();
    fs::write(world.path("p/README.md"), "# A project\n\nTODO: say more.\n").unwrap();
    fs::write(world.path("p/docs/guide.md"), "# Guide\n\nTODO: write it.\n").unwrap();
    world
}

#[test]
fn every_declaration_of_the_page_does_what_the_page_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/protocol.md");
    let page = fs::read_to_string(page).unwrap();
    let (runs, plans) = (marked(&page, "<!-- runs -->"), marked(&page, "<!-- plans -->"));
    assert!(runs.len() >= 8 && plans.len() >= 3, "{} run, {} are planned", runs.len(), plans.len());
    let of_page =
        runs.iter().map(|block| (block, "--yes")).chain(plans.iter().map(|block| (block, "--plan")));
    for ((line, block), how) in of_page {
        let world = project();
        fs::write(world.path("p/declaration"), block).unwrap();
        let words = ["exec", "p/declaration", "--project", "p", how, "--json"];
        let printed = world.printed(world.command(&words).env_remove("PROVOST_CLOCK_MS"));
        assert_eq!(printed.code, 0, "docs/protocol.md:{line}: {}{}", printed.stdout, printed.stderr);
    }
}
