//! The decision over each tool, and everything the layers said about it.

use provost_contract::json::Object;
use serde_json::Value;

use super::context::Context;
use super::layers::{self, Layer, Tool, Visibility};
use crate::decision::{Decision, Explained, Verdict};
use crate::hook::HookAnswer;

/// What was decided over one tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolVisibility {
    pub name: String,
    pub explained: Explained<Visibility>,
}

impl ToolVisibility {
    pub fn is_visible(&self) -> bool {
        self.explained.decision.verdict == Visibility::Visible
    }
}

/// Decides over every tool given, in the order given. `access` is what the host's checker answered.
pub fn resolve(
    tools: &Object,
    context: &Context,
    access: impl Fn(&str) -> HookAnswer<Verdict>,
) -> Vec<ToolVisibility> {
    let decide = |(name, declaration): (&String, &Value)| ToolVisibility {
        name: name.clone(),
        explained: explain(name, declaration, context, &access),
    };
    tools.iter().map(decide).collect()
}

fn explain(
    name: &str,
    declaration: &Value,
    context: &Context,
    access: impl Fn(&str) -> HookAnswer<Verdict>,
) -> Explained<Visibility> {
    let silence = || {
        Decision::new(Visibility::Visible, Layer::Declaration, "nothing_hides_it", "no layer hides the tool")
    };
    let Some(declaration) = declaration.as_object() else {
        let reason = "a declaration is an object";
        let refused = Decision::new(Visibility::Hidden, Layer::Declaration, "not_an_object", reason);
        return Explained::strictest(vec![refused], silence());
    };
    let tool = Tool { name, declaration };
    let mut said = Vec::new();
    said.extend(layers::mode(tool, context));
    said.extend(layers::access(access(name)));
    said.extend(layers::provider(context));
    match layers::mandatory(tool, context) {
        Some(pinned) => said.push(pinned),
        None => said.extend(narrowing(tool, context)),
    }
    said.extend(layers::deny(tool, context));
    Explained::strictest(said, silence())
}

/// The layers a pinned tool passes.
fn narrowing(tool: Tool<'_>, context: &Context) -> Vec<Decision<Visibility>> {
    let named =
        context.fragments.iter().map(|(source, fragment)| layers::named_policy(tool, *source, fragment));
    let rest = [
        layers::categories(tool, context),
        layers::allow_only(tool, context),
        layers::client_tools(tool, context),
        layers::write_gate(tool, context),
    ];
    named.chain(rest).flatten().collect()
}
