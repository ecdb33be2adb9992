//! The examples of a rule, and whether they hold.

use provost_contract::json::Object;

use super::call::{Call, Places, Shape};
use super::tools::ToolNames;
use super::{Applies, ExampleSpec, Rule, RuleError, RuleSpec};
use crate::ActionPolicy;

/// A call somebody thought of when the rule was written.
#[derive(Clone, Debug)]
pub struct Example {
    /// Where it stands: `matches[0]`.
    pub place: String,
    pub tool: String,
    pub arguments: Object,
    wanted: Wanted,
}

/// What a rule should say to an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Match,
    Unclear,
    Pass,
}

/// An example, and what the rule said to it.
#[derive(Clone, Debug)]
pub struct Checked<'r> {
    pub rule: &'r str,
    pub example: &'r Example,
    pub applies: Option<Applies>,
}

impl Example {
    pub(super) fn read_all(spec: &RuleSpec, tools: &ToolNames) -> Result<Vec<Self>, RuleError> {
        let read = |kind: &'static str, examples: &[ExampleSpec], wanted: Wanted| {
            let read = |(place, example): (usize, &ExampleSpec)| {
                let place = format!("{kind}[{place}]");
                let tool = example.tool.as_deref().or(tools.only());
                let tool = tool.ok_or_else(|| RuleError::ExampleTool { example: place.clone() })?.to_owned();
                Ok(Self { place, tool, arguments: example.arguments.clone(), wanted })
            };
            examples.iter().enumerate().map(read).collect::<Result<Vec<_>, RuleError>>()
        };
        let matches = read("matches", &spec.matches, Wanted::Match)?;
        let unclear = read("unclear", &spec.unclear, Wanted::Unclear)?;
        let passes = read("passes", &spec.passes, Wanted::Pass)?;
        Ok([matches, unclear, passes].concat())
    }
}

impl Checked<'_> {
    /// Whether the rule did what the example says.
    pub fn holds(&self) -> bool {
        let got = match &self.applies {
            None => Wanted::Pass,
            Some(Applies { unclear: Some(_), .. }) => Wanted::Unclear,
            Some(Applies { unclear: None, .. }) => Wanted::Match,
        };
        got == self.example.wanted
    }

    /// What the example says, and what came of it.
    pub fn told(&self) -> String {
        let Self { rule, example, applies } = self;
        let arguments = serde_json::Value::Object(example.arguments.clone());
        let call = format!("{} {arguments}", example.tool);
        let wanted = match example.wanted {
            Wanted::Match => "should match",
            Wanted::Unclear => "should be unclear",
            Wanted::Pass => "should not match",
        };
        let got = match applies {
            None => "does not match".to_owned(),
            Some(Applies { policy, unclear: None, .. }) => format!("matches: {}", policy.word()),
            Some(Applies { policy: ActionPolicy::Preview, unclear: Some(why), .. }) => {
                format!("is unclear, so it asks a person: {why}")
            }
            Some(Applies { unclear: Some(why), .. }) => format!("is unclear: {why}"),
        };
        format!("rule `{rule}`: {} ({call}) {wanted}, and {got}", example.place)
    }
}

impl Rule {
    /// Asks the rule about each of its examples. `shape` says what is known of a tool.
    pub fn check<'r>(&'r self, places: &dyn Places, shape: &dyn Fn(&str) -> Shape) -> Vec<Checked<'r>> {
        let check = |example: &'r Example| {
            let shape = shape(&example.tool);
            let Example { tool, arguments, .. } = example;
            let call = Call { tool, arguments, shape: &shape, places };
            Checked { rule: self.name(), example, applies: self.applies(&call) }
        };
        self.examples.iter().map(check).collect()
    }
}
