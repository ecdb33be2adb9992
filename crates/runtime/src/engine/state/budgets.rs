//! What was used of each limit.

use provost_contract::IterationBudget;
use provost_contract::json::Object;
use provost_contract::loose;

use crate::engine::{BudgetExceeded, BudgetSpec, Reservation};

const TURNS: &str = "turns";
const TOOL_CALLS: &str = "tool_calls";
const WALL_CLOCK: &str = "wall_clock_seconds";
const TOKENS: &str = "tokens";
const COST: &str = "cost_microusd";
const DEPTH: &str = "depth";
const FAN_OUT: &str = "fan_out";

/// The limits of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budgets {
    limits: Vec<IterationBudget>,
    /// What the turn under way may cost; counted until it is known what it did cost.
    reserved: Reservation,
}

impl Budgets {
    pub(super) fn new(specs: &[BudgetSpec]) -> Self {
        let limit = |spec: &BudgetSpec| IterationBudget::new(&*spec.name, spec.ceiling, spec.current);
        Self { limits: specs.iter().map(limit).collect(), reserved: Reservation::default() }
    }

    /// The limits, with what was used of each; of time only what earlier runs used.
    pub fn limits(&self) -> impl Iterator<Item = &IterationBudget> {
        self.limits.iter()
    }

    /// Changes ceilings; what was used stays used, and so do the turns of a run that had no such limit.
    pub(super) fn change(&mut self, specs: &[BudgetSpec], turns: u64) {
        for spec in specs {
            let turns = (spec.name == TURNS).then_some(turns);
            let used = self.find(&spec.name).map(IterationBudget::current).or(turns);
            let used = used.and_then(|used| i64::try_from(used).ok()).unwrap_or(spec.current);
            self.limits.retain(|limit| limit.name() != spec.name);
            self.limits.push(IterationBudget::new(&*spec.name, spec.ceiling, used));
        }
    }

    /// A turn that may cost so much does not fit any more: nothing is left, or too little.
    pub fn spending_exceeded(&self, asked: Reservation) -> Option<BudgetExceeded> {
        let over = |name: &str, asked: u64| {
            let limit = self.find(name)?;
            let mut spent = limit.clone();
            let wanted = limit.current().saturating_add(asked);
            // Exactly the rest may be spent; a limit that is reached is used up.
            if limit.is_exceeded() || wanted > limit.ceiling() {
                spent.set_current(i64::try_from(wanted.max(limit.ceiling())).unwrap_or(i64::MAX));
                return exceeded(&spent);
            }
            None
        };
        over(TOKENS, asked.tokens).or_else(|| over(COST, asked.cost_microusd))
    }

    /// The turn under way does not fit any more.
    pub fn turn_exceeded(&self) -> Option<BudgetExceeded> {
        self.spending_exceeded(self.reserved)
    }

    /// The run stands too deep below others.
    pub fn depth_exceeded(&self, depth: u64) -> Option<BudgetExceeded> {
        let mut spent = self.find(DEPTH)?.clone();
        spent.set_current(i64::try_from(depth).unwrap_or(i64::MAX));
        exceeded(&spent)
    }

    /// A turn may not have this many calls.
    pub fn fan_out_exceeded(&self, calls: usize) -> Option<BudgetExceeded> {
        let limit = self.find(FAN_OUT)?;
        let mut spent = limit.clone();
        spent.set_current(i64::try_from(calls).unwrap_or(i64::MAX));
        // So many calls are allowed; it is the next one that is not.
        exceeded(&spent).filter(|_| calls as u64 > limit.ceiling())
    }

    /// Whether another call of a tool fits beside those at work.
    pub fn has_room_for_call(&self, tool: &str, at_work: usize, at_work_of_tool: usize) -> bool {
        let fits = |limit: &IterationBudget, at_work: usize| {
            at_work == 0 || limit.current().saturating_add(at_work as u64) < limit.ceiling()
        };
        self.find(TOOL_CALLS).is_none_or(|limit| fits(limit, at_work))
            && self
                .limits
                .iter()
                .filter(|limit| is_of_tool(limit, tool))
                .all(|limit| fits(limit, at_work_of_tool))
    }

    pub(super) fn reserve(&mut self, asked: Reservation) {
        self.reserved = asked;
    }

    /// The turn cost this much. What its usage does not say is what was set aside for it: a provider that
    /// counts nothing gives nothing away.
    pub(super) fn count_usage(&mut self, usage: &Object) {
        let reserved = std::mem::take(&mut self.reserved);
        self.spend(TOKENS, tokens(usage).unwrap_or(reserved.tokens));
        self.spend(COST, amount(usage, COST).unwrap_or(reserved.cost_microusd));
    }

    /// Something beside the turn cost this much: what is set aside for the turn stays so.
    pub(super) fn count_beside(&mut self, usage: &Object) {
        self.spend(TOKENS, tokens(usage).unwrap_or_default());
        self.spend(COST, amount(usage, COST).unwrap_or_default());
    }

    /// Nobody will ever know what an interrupted turn cost: all that was set aside counts as spent.
    pub(super) fn forfeit(&mut self) {
        let lost = std::mem::take(&mut self.reserved);
        self.spend(TOKENS, lost.tokens);
        self.spend(COST, lost.cost_microusd);
    }

    fn spend(&mut self, name: &str, amount: u64) {
        if let Some(limit) = self.limits.iter_mut().find(|limit| limit.name() == name) {
            let spent = limit.current().saturating_add(amount);
            limit.set_current(i64::try_from(spent).unwrap_or(i64::MAX));
        }
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
        of_all.or_else(|| self.limits.iter().find(|budget| is_of_tool(budget, tool)).and_then(exceeded))
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
        self.limits.iter().find(|budget| budget.name() == name)
    }

    fn count(&mut self, counts: impl Fn(&IterationBudget) -> bool) {
        self.limits.iter_mut().filter(|budget| counts(budget)).for_each(IterationBudget::increment);
    }
}

/// The tokens of a turn; none when nobody counted them. A sum is believed unless its parts are more.
fn tokens(usage: &Object) -> Option<u64> {
    let sum = |left: &str, right: &str| match (amount(usage, left), amount(usage, right)) {
        (None, None) => None,
        (left, right) => Some(left.unwrap_or_default().saturating_add(right.unwrap_or_default())),
    };
    let told = [
        amount(usage, "total_tokens"),
        sum("prompt_tokens", "completion_tokens"),
        sum("input_tokens", "output_tokens"),
    ];
    told.into_iter().flatten().max()
}

/// A number however it is written, a part of one rounded up.
fn amount(usage: &Object, key: &str) -> Option<u64> {
    let value = usage.get(key)?;
    let whole = || loose::number(value).filter(|number| *number >= 0.0).map(|number| number.ceil() as u64);
    value.as_u64().or_else(whole)
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
