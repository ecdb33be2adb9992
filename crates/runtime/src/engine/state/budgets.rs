//! What was used of each limit.

use provost_contract::IterationBudget;

use crate::engine::{BudgetExceeded, BudgetSpec};

const TURNS: &str = "turns";
const TOOL_CALLS: &str = "tool_calls";
const WALL_CLOCK: &str = "wall_clock_seconds";

/// The limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budgets(Vec<IterationBudget>);

impl Budgets {
    pub(super) fn new(specs: &[BudgetSpec]) -> Self {
        Self(specs.iter().map(|spec| IterationBudget::new(&*spec.name, spec.ceiling, spec.current)).collect())
    }

    /// The explicit limit of turns, which takes the place of `max_turns`.
    pub fn turns_max(&self) -> Option<u64> {
        self.find(TURNS).map(IterationBudget::ceiling)
    }

    /// The turns are used up.
    pub fn turns_exceeded(&self) -> Option<BudgetExceeded> {
        exceeded(self.find(TURNS)?)
    }

    /// A limit of calls is used up: of all calls first, then of the tool.
    pub fn calls_exceeded(&self, tool: &str) -> Option<BudgetExceeded> {
        let of_all = self.find(TOOL_CALLS).and_then(exceeded);
        of_all.or_else(|| self.0.iter().find(|budget| is_of_tool(budget, tool)).and_then(exceeded))
    }

    /// The time is used up, so many seconds after the start.
    pub fn wall_clock_exceeded(&self, elapsed_seconds: i64) -> Option<BudgetExceeded> {
        let budget = self.find(WALL_CLOCK)?;
        let used = i64::try_from(budget.current()).unwrap_or(i64::MAX).saturating_add(elapsed_seconds);
        let mut spent = budget.clone();
        spent.set_current(used);
        exceeded(&spent)
    }

    pub(super) fn count_turn(&mut self) {
        self.count(|budget| budget.name() == TURNS);
    }

    pub(super) fn count_call(&mut self, tool: &str) {
        self.count(|budget| budget.name() == TOOL_CALLS || is_of_tool(budget, tool));
    }

    fn find(&self, name: &str) -> Option<&IterationBudget> {
        self.0.iter().find(|budget| budget.name() == name)
    }

    fn count(&mut self, counts: impl Fn(&IterationBudget) -> bool) {
        self.0.iter_mut().filter(|budget| counts(budget)).for_each(IterationBudget::increment);
    }
}

fn is_of_tool(budget: &IterationBudget, tool: &str) -> bool {
    budget.name().strip_prefix(TOOL_CALLS).and_then(|rest| rest.strip_prefix('_')) == Some(tool)
}

fn exceeded(budget: &IterationBudget) -> Option<BudgetExceeded> {
    let dimension = match budget.name() {
        WALL_CLOCK => "wall_clock",
        name if name.starts_with(TOOL_CALLS) => TOOL_CALLS,
        name => name,
    };
    budget.is_exceeded().then(|| BudgetExceeded {
        budget: budget.name().to_owned(),
        dimension: dimension.to_owned(),
        current: budget.current(),
        ceiling: budget.ceiling(),
    })
}
