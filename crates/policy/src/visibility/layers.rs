//! The layers, in the order a person reads them. Each looks at one tool and says what it thinks, or nothing.

use provost_contract::json::Object;
use strum::IntoStaticStr;

use super::context::{Context, Source};
use super::fragment::{Fragment, Mode};
use crate::decision::{Decision, Verdict};
use crate::hook::HookAnswer;
use crate::tool;

/// Whether a model sees a tool. The order is the severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Visibility {
    Visible,
    Hidden,
}

/// The layers of tool policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Layer {
    /// The declaration itself.
    Declaration,
    /// The modes a tool is for.
    Mode,
    /// The host's access check.
    Access,
    /// A policy provider that did not answer.
    Provider,
    /// Tools a policy pins.
    Mandatory,
    /// The tools and categories a policy names.
    NamedPolicy,
    /// The categories the run is limited to.
    Categories,
    /// The only tools the run is limited to.
    AllowOnly,
    /// Tools a client brought along.
    ClientTools,
    /// Tools that write, when no person attends.
    WriteGate,
    /// The tools denied whatever else is said.
    Deny,
}

use Visibility::{Hidden, Visible};

pub(super) type Said = Option<Decision<Visibility>>;

/// One tool before the layers.
#[derive(Clone, Copy)]
pub(super) struct Tool<'a> {
    pub(super) name: &'a str,
    pub(super) declaration: &'a Object,
}

impl Tool<'_> {
    fn is_named(&self, list: &[String]) -> bool {
        list.iter().any(|entry| entry == self.name)
    }

    fn is_in(&self, categories: &[String]) -> bool {
        tool::matches_categories(self.declaration, categories)
    }
}

pub(super) fn mode(tool: Tool<'_>, context: &Context) -> Said {
    let modes = tool::modes(tool.declaration).filter(|_| !context.mode.is_empty())?;
    let (verdict, rule) =
        if modes.contains(&context.mode) { (Visible, "listed") } else { (Hidden, "not_listed") };
    let reason =
        format!("the tool is for the modes [{}] and the run's mode is {}", modes.join(", "), context.mode);
    Some(
        Decision::new(verdict, Layer::Mode, rule, reason)
            .given("mode", context.mode.as_str())
            .given("modes", modes),
    )
}

pub(super) fn access(answer: HookAnswer<Verdict>) -> Said {
    match answer {
        Ok(None | Some(Verdict::Allow)) => None,
        Ok(Some(Verdict::Deny)) => {
            Some(Decision::new(Hidden, Layer::Access, "refused", "the access check refused the tool"))
        }
        Err(failure) => {
            let reason = format!("the access check decides, and {failure}");
            Some(Decision::new(Hidden, Layer::Access, "check_failed", reason))
        }
    }
}

/// A provider that was to decide and could not has not allowed anything.
pub(super) fn provider(context: &Context) -> Said {
    let (place, failure) = context.failed_providers.first()?;
    let reason = format!("policy provider {place} decides, and {failure}");
    Some(Decision::new(Hidden, Layer::Provider, "provider_failed", reason).given("provider", *place))
}

/// Pinned tools pass the layers that narrow, but not mode, access and deny.
pub(super) fn mandatory(tool: Tool<'_>, context: &Context) -> Said {
    let pins = |fragment: &Fragment| {
        tool.is_named(&fragment.mandatory_tools) || tool.is_in(&fragment.mandatory_categories)
    };
    if let Some(source) = context.first_source(pins) {
        let reason = format!("{} makes the tool mandatory", source.words());
        return Some(Decision::new(Visible, Layer::Mandatory, "pinned", reason).given("by", source.words()));
    }
    tool::is_declared_mandatory(tool.declaration)
        .then(|| Decision::new(Visible, Layer::Mandatory, "declared", "the tool is declared mandatory"))
}

pub(super) fn named_policy(tool: Tool<'_>, source: Source, fragment: &Fragment) -> Said {
    let named = tool.is_named(&fragment.tools) || tool.is_in(&fragment.categories);
    let (verdict, rule, verb) = match (fragment.mode, named) {
        (Mode::Allow, true) => (Visible, "allowed_by_name", "allows"),
        (Mode::Allow, false) => (Hidden, "not_allowed_by_name", "allows others, not"),
        (Mode::Deny, true) => (Hidden, "denied_by_name", "denies"),
        (Mode::Deny, false) | (Mode::Unknown, _) => return None,
    };
    let reason = format!("{} {verb} the tool by name or category", source.words());
    Some(Decision::new(verdict, Layer::NamedPolicy, rule, reason).given("by", source.words()))
}

pub(super) fn categories(tool: Tool<'_>, context: &Context) -> Said {
    (!context.categories.is_empty() && !tool.is_in(&context.categories)).then(|| {
        let reason = format!("the run is limited to the categories [{}]", context.categories.join(", "));
        Decision::new(Hidden, Layer::Categories, "not_listed", reason)
            .given("categories", context.categories.clone())
    })
}

pub(super) fn allow_only(tool: Tool<'_>, context: &Context) -> Said {
    let limiting = context.first_source(|fragment| !fragment.allow_only.is_empty())?;
    let (verdict, rule, by) = match context.first_source(|fragment| tool.is_named(&fragment.allow_only)) {
        Some(listing) => (Visible, "listed", listing),
        None => (Hidden, "not_listed", limiting),
    };
    let reason = format!("{} limits the run to a list of tools", by.words());
    Some(Decision::new(verdict, Layer::AllowOnly, rule, reason).given("by", by.words()))
}

pub(super) fn client_tools(tool: Tool<'_>, context: &Context) -> Said {
    tool::is_client_supplied(tool.declaration).then(|| match opted_in(tool, context) {
        Some(source) => {
            let reason = format!("a client supplied the tool and {} opts it in", source.words());
            Decision::new(Visible, Layer::ClientTools, "opted_in", reason).given("by", source.words())
        }
        None => {
            let reason = "a client supplied the tool and no policy opts it in";
            Decision::new(Hidden, Layer::ClientTools, "not_opted_in", reason)
        }
    })
}

pub(super) fn write_gate(tool: Tool<'_>, context: &Context) -> Said {
    let why = context.attendance.why_unattended()?;
    if !tool::is_write_capable(tool.declaration, &tool::WRITE_CATEGORIES) {
        return None;
    }
    let decided = |verdict, rule, how: &str| {
        Decision::new(verdict, Layer::WriteGate, rule, format!("the tool writes, {why}, and {how}"))
            .given("unattended", why)
    };
    if let Some(source) = context.first_source(|fragment| fragment.allow_write_tools) {
        return Some(decided(
            Visible,
            "writes_allowed",
            &format!("{} allows tools that write", source.words()),
        ));
    }
    Some(match opted_in(tool, context) {
        Some(source) => decided(Visible, "opted_in", &format!("{} opts the tool in", source.words())),
        None => decided(Hidden, "not_opted_in", "no policy opts the tool in"),
    })
}

/// Explicit denies, from any policy. Nothing lifts them.
pub(super) fn deny(tool: Tool<'_>, context: &Context) -> Said {
    let source = context.first_source(|fragment| tool.is_named(&fragment.deny))?;
    let reason = format!("{} denies the tool", source.words());
    Some(Decision::new(Hidden, Layer::Deny, "denied", reason).given("by", source.words()))
}

/// Who asked for this tool in so many words: by its name, or by one of its categories.
fn opted_in(tool: Tool<'_>, context: &Context) -> Option<Source> {
    context.first_source(|fragment| {
        let allows = fragment.mode == Mode::Allow;
        tool.is_named(&fragment.allow_only)
            || tool.is_named(&fragment.mandatory_tools)
            || tool.is_named(&fragment.runtime_tools)
            || (allows && tool.is_named(&fragment.tools))
            || tool.is_in(&fragment.mandatory_categories)
            || tool.is_in(&fragment.runtime_categories)
            || (allows && tool.is_in(&fragment.categories))
    })
}
