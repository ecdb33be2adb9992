//! The state of a run: the fold of its events, and nothing else.

mod apply;
mod batch;
mod budgets;
mod call_record;
mod records;
mod resume;
mod rules;
mod run;
mod stops;
mod tool_facts;
mod tools;
mod transition;
mod words;

pub use batch::{Batch, BatchCall, Stage};
pub use budgets::Budgets;
pub use call_record::CallRecord;
pub use records::{Entry, Records};
pub use rules::Rules;
pub use run::{Phase, RunState};
pub use stops::Stops;
pub use tool_facts::ToolFacts;
pub use tools::Tools;
pub use transition::{CALL_TRANSITIONS, CallRow, RUN_TRANSITIONS, transition_tables};
pub use words::Words;
