//! The order of eligible executors.

use std::cmp::{Ordering, Reverse};

use provost_contract::action::ExecutorType;
use serde::Serialize;
use strum::{EnumString, IntoStaticStr, VariantArray};

use super::choose::Wish;
use crate::read::Availability;
use crate::{Entry, Permission};

/// The criteria, in order; the first difference decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, EnumString, IntoStaticStr, VariantArray)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Criterion {
    /// The number of requested capabilities that it offers.
    Capabilities,
    /// Whether it is made for the operation.
    Operation,
    /// Whether it may run without asking.
    Permission,
    /// Whether it is free.
    Availability,
    /// Its cost; an unknown cost comes last.
    Cost,
    /// The order of types, then of names, so that the choice is deterministic.
    Name,
}

/// The rank of one executor.
#[derive(Clone, Debug)]
pub(super) struct Rank<'a> {
    capabilities: Reverse<usize>,
    operation: Reverse<bool>,
    permission: Permission,
    availability: Availability,
    cost: u64,
    kind: ExecutorType,
    name: &'a str,
}

impl<'a> Rank<'a> {
    pub(super) fn of(entry: &'a Entry, wish: &Wish<'_>) -> Self {
        let offered = wish.executor.capabilities.iter().filter(|wanted| entry.offers(wanted)).count();
        Self {
            capabilities: Reverse(offered),
            operation: Reverse(wish.operation.is_some_and(|verb| entry.name == verb || entry.offers(verb))),
            permission: entry.permission.unwrap_or(Permission::Ask),
            availability: entry.availability,
            cost: entry.cost_micros.unwrap_or(u64::MAX),
            kind: entry.kind,
            name: &entry.name,
        }
    }

    /// Returns whether a capability or the operation points to it.
    pub(super) fn is_wanted(&self) -> bool {
        self.capabilities.0 > 0 || self.operation.0
    }

    /// Returns the first difference, and the better one.
    pub(super) fn compare(&self, other: &Self) -> (Ordering, Criterion) {
        let by_name = (self.kind as usize, self.name).cmp(&(other.kind as usize, other.name));
        let criteria = [
            (self.capabilities.cmp(&other.capabilities), Criterion::Capabilities),
            (self.operation.cmp(&other.operation), Criterion::Operation),
            (self.permission.cmp(&other.permission), Criterion::Permission),
            (self.availability.cmp(&other.availability), Criterion::Availability),
            (self.cost.cmp(&other.cost), Criterion::Cost),
        ];
        criteria.into_iter().find(|(order, _)| order.is_ne()).unwrap_or((by_name, Criterion::Name))
    }
}
