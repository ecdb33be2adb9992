//! Rules about the arguments of calls: which tool, which places, commands, hosts or texts, and how such a
//! call may run.
//!
//! A rule is read once ([`Rule::read`]) and checked against its own examples ([`Rule::check`]). A set of
//! rules answers about one call ([`RuleSet::decide`]): of the rules that match, the strictest decides.
//!
//! File tools and addresses are matched exactly, by where a path leads. What a program does is known for a
//! short list of plain programs; any other call of a program is *unclear* to a rule that restricts, unless it
//! is the very command that the rule names. A rule that permits (`direct`), and the exceptions of any rule
//! (`unless`), match only what is certain.

mod call;
mod command;
mod condition;
mod decide;
mod error;
mod example;
mod fit;
mod host;
mod path;
mod rule;
mod spec;
mod text;
mod tools;
mod words;

pub use call::{Call, Lexical, Places, Reach, Shape};
pub use decide::{RuleSet, Ruled};
pub use error::RuleError;
pub use example::{Checked, Example};
pub use fit::Fit;
pub use rule::{Applies, Rule};
pub use spec::{ConditionSpec, ExampleSpec, OneOrMany, RuleSpec, TextSpec};
pub use words::AgentWords;
