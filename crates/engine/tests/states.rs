//! Every pair of a stage and an input, as a table that is compared with `docs/states.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use provost_engine::event::*;
use provost_engine::{Event, EventKind, Input, react, view};

use crate::inputs::{hook_answers, inputs, variant};
use crate::line::event_line;
use crate::stage::{Named, runs, stages};
use crate::world::{World, id, reads, step};

const INTRODUCTION: &str = include_str!("fixtures/states.md");

/// What an input did to a run.
struct Cells {
    events: Vec<String>,
    becomes: String,
    due: String,
}

fn stage(world: &World) -> String {
    let status = view::status(&world.state, &world.now).as_str();
    let Some(action) = world.state.action(id("1.0")) else { return status.to_owned() };
    let stage: &'static str = action.stage.into();
    let end = action.end.as_ref().map(|end| {
        let status: &'static str = end.status.into();
        format!(" {status} ({})", end.reason)
    });
    let wait = action.wait.map(|number| format!(" with w{number}"));
    let stage = stage.replace('_', " ");
    format!("{stage}{}{}; run {status}", wait.unwrap_or_default(), end.unwrap_or_default())
}

fn cells(world: &World, input: Input) -> Cells {
    let mut world = world.clone();
    let events = world.feed(vec![input]);
    check(&world, &events);
    let due = due(&world);
    Cells { events: events.iter().map(event_line).collect(), becomes: stage(&world), due }
}

/// What holds after every input, whatever the stage.
fn check(world: &World, events: &[Event]) {
    let mut again = world.state.clone();
    assert_eq!(react(&mut again, &world.now, Vec::new()).unwrap(), [], "advance reaches a fixpoint");
    for event in events {
        if let EventKind::ActionStarted(started) = &event.kind {
            let may = world.state.cancel.is_none() || started.phase == Phase::Apply;
            assert!(may, "nothing starts after a cancel: {}", event_line(event));
        }
    }
    let idle = world.due().is_empty() && world.state.waits.is_empty() && world.state.claimed;
    assert!(!idle || world.state.ended.is_some(), "the run neither ends nor goes on: {}", stage(world));
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The rows of one stage, and the inputs that record nothing.
fn table((name, world): &Named, inputs: Vec<(String, Input)>) -> String {
    let mut text = format!("\n### {name}\n\nBefore: {}. Due: {}.\n\n", stage(world), due(world));
    text += "| input | events | becomes | due |\n| --- | --- | --- | --- |\n";
    let mut nothing = Vec::new();
    for (input, value) in inputs {
        let cells = cells(world, value);
        if cells.events.is_empty() {
            assert_eq!((cells.becomes, cells.due), (stage(world), due(world)));
            nothing.push(input);
            continue;
        }
        let events = escaped(&cells.events.join("<br>"));
        text += &format!("| {input} | {events} | {} | {} |\n", cells.becomes, cells.due);
    }
    if !nothing.is_empty() {
        text += &format!("\nIgnored, nothing is recorded: {}.\n", nothing.join("; "));
    }
    text
}

fn due(world: &World) -> String {
    let due = world.due();
    if due.is_empty() { "nothing".to_owned() } else { due.join(", ") }
}

/// A run that waits for exactly this hook, and whom the hook is asked about.
fn asking(hook: Hook) -> World {
    let mut hooks = HookSet::default();
    match hook {
        Hook::BeforeModel => hooks.before_model = true,
        Hook::AfterModel => hooks.after_model = true,
        Hook::Resolve => return unresolved(),
        Hook::Policy => hooks.policy = true,
        Hook::Mediate => hooks.mediate = true,
        Hook::AfterTool => hooks.after_tool = true,
        Hook::Completion => hooks.completion = true,
        Hook::Continue => hooks.continuation = Continuation::Asked,
        Hook::Interrupt => hooks.interrupt = true,
        Hook::OnStop => hooks.on_stop = true,
    }
    let mut world = World::with_hooks(Mode::Plain, hooks);
    if hook == Hook::BeforeModel {
        return world;
    }
    let first = if hook == Hook::OnStop { world.says("Done.") } else { world.calls(&["write"]) };
    world = world.after(first);
    if matches!(hook, Hook::AfterTool | Hook::Completion | Hook::Continue | Hook::Interrupt) {
        let done = world.ends("1.0", crate::world::done());
        world = world.after(done);
    }
    world
}

/// An action whose arguments refer to a result.
fn unresolved() -> World {
    let mut refers = step("read", ExecutorKind::Tool, reads());
    refers.spec.resolves = true;
    let world = World::protocol();
    let graph = world.acts(vec![refers]);
    world.after(graph)
}

const HOOKS: [Hook; 10] = [
    Hook::BeforeModel,
    Hook::AfterModel,
    Hook::Resolve,
    Hook::Policy,
    Hook::Mediate,
    Hook::AfterTool,
    Hook::Completion,
    Hook::Continue,
    Hook::Interrupt,
    Hook::OnStop,
];

fn hook_tables() -> String {
    let mut text = String::new();
    for hook in HOOKS {
        let world = asking(hook);
        let asked =
            provost_engine::due(&world.state, &world.now).into_iter().find_map(|effect| match effect {
                provost_engine::Effect::Hook { hook: due, subject } if due == hook => Some(subject),
                _ => None,
            });
        let subject = asked.unwrap_or_else(|| panic!("{hook:?} is not asked"));
        let name: &'static str = hook.into();
        let inputs = hook_answers()
            .into_iter()
            .map(|(name, answer)| (name.to_owned(), Input::Hook { hook, subject, answer }));
        text += &table(&(name, world), inputs.collect());
    }
    text
}

fn previews() -> Named {
    let hooks = HookSet { preview: true, ..HookSet::default() };
    let world = World::with_hooks(Mode::Protocol, hooks);
    let graph = world.acts(vec![step("test/ask", ExecutorKind::Tool, reads())]);
    ("pending, a preview is made", world.after(graph))
}

fn page() -> String {
    let mut text = INTRODUCTION.to_owned();
    text += "\n## Stages of an action\n";
    for named in stages().into_iter().chain([previews()]) {
        let inputs = inputs(&named.1);
        text += &table(&named, inputs);
    }
    text += "\n## States of a run\n";
    for named in runs() {
        let inputs = inputs(&named.1);
        text += &table(&named, inputs);
    }
    text += "\n## Hooks\n";
    text + &hook_tables()
}

#[test]
fn the_table_of_states_is_the_documented_one() {
    let page = page();
    let committed = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/states.md");
    let today = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("states.md");
    std::fs::write(&today, &page).unwrap();
    let stored = std::fs::read_to_string(&committed).unwrap_or_default();
    let differs = page.lines().zip(stored.lines()).find(|(today, stored)| today != stored);
    assert!(
        page == stored,
        "docs/states.md is not what the engine does. First difference: {differs:#?}\n\
         If that is meant, read the difference and run: cp {} docs/states.md",
        today.display()
    );
}

#[test]
fn every_stage_and_every_input_has_a_row() {
    let page = page();
    let sections: Vec<&str> = page.split("\n### ").skip(1).collect();
    let named: Vec<Named> = stages().into_iter().chain([previews()]).chain(runs()).collect();
    assert_eq!(sections.len(), named.len() + HOOKS.len());
    let mut variants = BTreeSet::new();
    for ((name, world), section) in named.iter().zip(&sections) {
        assert!(section.starts_with(*name));
        let (rows, ignored) = section.split_once("Ignored, nothing is recorded: ").unwrap_or((section, ""));
        let ignored = ignored.lines().next().unwrap_or_default().trim_end_matches('.');
        let ignored: Vec<&str> = ignored.split("; ").collect();
        for (input, value) in inputs(world) {
            variants.insert(variant(&value));
            let rows = rows.matches(&format!("\n| {input} |")).count();
            let ignored = ignored.iter().filter(|name| **name == input).count();
            assert_eq!(rows + ignored, 1, "{name}: {input}");
        }
    }
    assert_eq!(variants.len(), 10, "{variants:?}");
}
