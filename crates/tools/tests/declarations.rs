//! What the tools say of themselves.

use provost_contract::action::{SideEffect, SideEffects};
use provost_contract::tool::{ToolCall, ToolCatalog};
use provost_contract::{json::Object, tool::RuntimeMetadata};
use provost_policy::tool;
use provost_runtime::port::{DeclaredExecutor, ExecutorError, ToolAction, ToolExecutor};
use provost_tools::{HttpAccess, RegistryError, Tools};
use serde_json::{Value, json};

use crate::bench::{Bench, environment};

/// Every tool there is.
fn all() -> Tools {
    let tools = Bench::new().tools;
    tools.with_human().unwrap().with_http(HttpAccess::default()).unwrap()
}

#[test]
fn every_tool_says_what_it_changes_and_whether_it_may_be_repeated() {
    let told: Vec<String> = all()
        .declarations()
        .map(|tool| {
            let says = |field| tool.extension(field).unwrap_or(&Value::Null);
            format!(
                "{}: {} {} {}",
                tool.name(),
                says("side_effects"),
                says("idempotency"),
                says("categories")
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
fs/list: ["read"] "pure" ["filesystem","read"]
fs/search: ["read"] "pure" ["filesystem","read"]
fs/read: ["read"] "pure" ["filesystem","read"]
fs/write: ["write"] "pure" ["filesystem","write"]
fs/edit: ["write"] "none" ["filesystem","write"]
shell/run: ["execute"] "none" ["shell","write","destructive"]
human/ask: ["none"] "keyed" ["human"]
http/get: ["read","send"] "pure" ["network"]
"#);
}

#[test]
fn what_changes_something_is_write_capable_for_policies() {
    for declared in all().declarations() {
        let effects = SideEffects::parse(declared.extension("side_effects").unwrap()).unwrap();
        let declaration = provost_contract::json::into_object(declared.to_value());
        let writes = tool::is_write_capable(&declaration, &tool::WRITE_CATEGORIES);
        let SideEffects::Declared(effects) = effects else { panic!("{} says nothing", declared.name()) };
        let changes = [SideEffect::Write, SideEffect::Delete, SideEffect::Execute];
        assert_eq!(effects.iter().any(|effect| changes.contains(effect)), writes, "{}", declared.name());
    }
}

#[test]
fn the_catalog_takes_every_declaration_and_schemas_say_what_is_read() {
    let wire: Value = all().declarations().map(|tool| tool.to_value()).collect();
    let catalog = ToolCatalog::read(&wire);
    assert_eq!(catalog.rejected(), []);
    let schemas: Vec<Value> = catalog
        .tools()
        .iter()
        .map(|tool| json!({ tool.name().as_str(): tool.rules().model_schema() }))
        .collect();
    insta::assert_json_snapshot!(schemas);
}

#[test]
fn two_tools_of_one_name_are_refused() {
    let bench = Bench::new();
    let again = bench.tools.clone().with_shell(&bench.workspace, &environment());
    assert!(matches!(again.map(drop), Err(RegistryError::Twice(name)) if name == "shell/run"));
    assert!(Tools::default().with_shell(&bench.workspace, &environment()).is_ok());
}

#[tokio::test]
async fn nobody_executes_an_unknown_tool() {
    let bench = Bench::new();
    let (runtime, context) = (RuntimeMetadata::default(), Object::new());
    for (name, known) in [("fs/unknown", false), ("fs/list", true)] {
        let call = ToolCall::parse(&json!({ "tool_name": name })).unwrap();
        let action = ToolAction {
            call: &call,
            executor: DeclaredExecutor::Host,
            runtime: &runtime,
            context: &context,
            run: "r",
            action: "1.0",
            key: "k",
            report: provost_runtime::port::Report::unheard(),
        };
        let reply = bench.tools.execute(action).await;
        assert_eq!(reply.is_ok(), known);
        assert!(known || reply == Err(ExecutorError::TargetUnavailable));
    }
}
