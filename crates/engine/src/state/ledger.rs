//! What was spent, reserved and counted, and which limit is used up.

use std::collections::BTreeMap;

use crate::Usage;
use crate::event::{Limits, Stop};

const TURNS: &str = "turns";
const TOOL_CALLS: &str = "tool_calls";
const WALL_CLOCK: &str = "wall_clock_seconds";
const FAN_OUT: &str = "fan_out";

/// What holds a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holder {
    /// A model call, by its number.
    Request(u32),
    /// A wait, by its number: a child's share.
    Wait(u32),
}

/// The account of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    budgets: BTreeMap<String, u64>,
    /// What was used of the budgets before the run began.
    before: BTreeMap<String, u64>,
    turns_max: u32,
    spent: Usage,
    reserved: BTreeMap<Holder, Usage>,
    turns: u32,
    calls: u64,
    calls_by_tool: BTreeMap<String, u64>,
}

impl Ledger {
    pub(crate) fn new(
        limits: &Limits,
        budgets: &BTreeMap<String, u64>,
        before: &BTreeMap<String, u64>,
    ) -> Self {
        let (budgets, before) = (budgets.clone(), before.clone());
        Self { budgets, before, turns_max: limits.turns, ..Self::default() }
    }

    fn before(&self, name: &str) -> u64 {
        self.before.get(name).copied().unwrap_or_default()
    }

    /// Returns all that was spent.
    pub fn spent(&self) -> &Usage {
        &self.spent
    }

    /// Returns what is set aside for open requests and children.
    pub fn reserved(&self) -> impl Iterator<Item = (&Holder, &Usage)> {
        self.reserved.iter()
    }

    /// Returns how many turns began.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns how many calls ended.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns a budget's limit.
    pub fn budget(&self, name: &str) -> Option<u64> {
        self.budgets.get(name).copied()
    }

    /// Returns the budgets with what was used of each, what was used before the run included.
    pub fn budgets_used(&self, active_ms: u64) -> impl Iterator<Item = (&str, u64, u64)> {
        self.budgets.iter().map(move |(name, limit)| (name.as_str(), self.used(name, active_ms), *limit))
    }

    /// Returns how many turns the run may have when no budget names them.
    pub fn turns_max(&self) -> u32 {
        self.turns_max
    }

    /// Returns how many turns the run may have: what a budget says, which replaces the limit of the agent.
    pub fn turns_limit(&self) -> u64 {
        self.budgets.get(TURNS).copied().unwrap_or(self.turns_max.into())
    }

    fn used(&self, name: &str, active_ms: u64) -> u64 {
        let own = match name {
            TURNS => self.turns.into(),
            TOOL_CALLS => self.calls,
            WALL_CLOCK => active_ms / 1_000,
            _ => self.calls_by_tool.get(name).copied().unwrap_or_else(|| self.spent.get(name)),
        };
        self.before(name).saturating_add(own)
    }

    pub(crate) fn raise(&mut self, budgets: &BTreeMap<String, u64>) {
        for (name, limit) in budgets {
            let current = self.budgets.entry(name.clone()).or_default();
            *current = (*current).max(*limit);
            if name == TURNS {
                self.turns_max = self.turns_max.max(u32::try_from(*limit).unwrap_or(u32::MAX));
            }
        }
    }

    pub(crate) fn reserve(&mut self, holder: Holder, amount: Usage) {
        self.reserved.insert(holder, amount);
    }

    pub(crate) fn reservation(&self, holder: Holder) -> Usage {
        self.reserved.get(&holder).cloned().unwrap_or_default()
    }

    pub(crate) fn settle(&mut self, holder: Holder, used: &Usage) {
        self.reserved.remove(&holder);
        self.spent.add(used);
    }

    pub(crate) fn spend(&mut self, used: &Usage) {
        self.spent.add(used);
    }

    pub(crate) fn count_turn(&mut self) {
        self.turns += 1;
    }

    pub(crate) fn count_call(&mut self, tool: &str) {
        self.calls += 1;
        // Counted by tool only where a budget looks at it.
        let name = format!("{TOOL_CALLS}_{tool}");
        if self.budgets.contains_key(&name) {
            *self.calls_by_tool.entry(name).or_default() += 1;
        }
    }

    /// Returns the stop that another turn would mean.
    pub(crate) fn turns_spent(&self) -> Option<Stop> {
        let limit = self.turns_limit();
        let used = self.before(TURNS) + u64::from(self.turns);
        (used >= limit).then(|| stop(TURNS, TURNS, used, limit))
    }

    /// Returns whether a budget names the turns; then they are not the limit of the agent alone.
    pub(crate) fn has_turn_budget(&self) -> bool {
        self.budgets.contains_key(TURNS)
    }

    /// Returns the stop that calls made so far mean, with `begun` calls counted as made. A limit is spent by
    /// a call of the run: what was used before it only leaves less.
    pub(crate) fn calls_spent(&self, tool: &str, begun: u64, begun_of_tool: u64) -> Option<Stop> {
        let spent = |name: &str, made: u64| {
            let limit = self.budgets.get(name)?;
            let used = self.before(name) + made;
            (made > 0 && used >= *limit).then(|| stop(name, TOOL_CALLS, used, *limit))
        };
        spent(TOOL_CALLS, self.calls + begun).or_else(|| {
            let name = format!("{TOOL_CALLS}_{tool}");
            let made = self.calls_by_tool.get(&name).copied().unwrap_or_default() + begun_of_tool;
            spent(&name, made)
        })
    }

    /// Returns the stop that so many actions of one declaration mean. So many are allowed; the next one is not.
    pub(crate) fn fan_out_stop(&self, actions: u64) -> Option<Stop> {
        let limit = self.budgets.get(FAN_OUT)?;
        (actions > *limit).then(|| stop(FAN_OUT, FAN_OUT, actions, *limit))
    }

    /// Returns the stop that spending `more` would mean. Exactly the rest may be spent.
    pub(crate) fn spending_stop(&self, more: &Usage) -> Option<Stop> {
        self.budgets.iter().filter(|(name, _)| is_spent(name)).find_map(|(name, limit)| {
            let reserved: u64 = self.reserved.values().map(|usage| usage.get(name)).sum();
            let used = self.spent.get(name).saturating_add(reserved).saturating_add(self.before(name));
            let wanted = used.saturating_add(more.get(name));
            (used >= *limit || wanted > *limit).then(|| stop(name, name, wanted.max(*limit), *limit))
        })
    }

    /// Returns the stop that the time spent at work means.
    pub(crate) fn wall_clock_stop(&self, active_ms: u64) -> Option<Stop> {
        let limit = self.budgets.get(WALL_CLOCK)?;
        let used = self.before(WALL_CLOCK) + active_ms / 1_000;
        (used >= *limit).then(|| stop(WALL_CLOCK, "wall_clock", used, *limit))
    }

    /// Returns how much longer the run may work.
    pub(crate) fn wall_clock_left_ms(&self, active_ms: u64) -> Option<u64> {
        let left = self.budgets.get(WALL_CLOCK)?.saturating_sub(self.before(WALL_CLOCK));
        Some(left.saturating_mul(1_000).saturating_sub(active_ms))
    }
}

/// Whether a budget is about spending, and not about something that is counted elsewhere.
fn is_spent(name: &str) -> bool {
    !matches!(name, TURNS | WALL_CLOCK | "depth" | "children" | FAN_OUT) && !name.starts_with(TOOL_CALLS)
}

fn stop(name: &str, dimension: &str, used: u64, limit: u64) -> Stop {
    Stop::Budget { name: name.to_owned(), dimension: dimension.to_owned(), used, limit }
}

impl Ledger {
    /// Returns the stop that the calls made so far mean, of all tools or of one.
    pub(crate) fn any_calls_spent(&self) -> Option<Stop> {
        self.calls_spent("", 0, 0).or_else(|| {
            self.calls_by_tool.iter().find_map(|(name, used)| {
                let (limit, used) = (self.budgets.get(name)?, self.before(name) + used);
                (used >= *limit).then(|| stop(name, TOOL_CALLS, used, *limit))
            })
        })
    }
}
