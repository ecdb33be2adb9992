//! Which open actions use which resource. An index of the open actions: a function of the events.

use std::collections::BTreeMap;

use provost_contract::action::{Access, Resource};

use crate::ActionId;

/// Whose resource it is: parts of an action compete only with each other.
type Scope = Option<ActionId>;

/// The open actions that use each resource, in the order of their declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Resources(BTreeMap<(Scope, String), BTreeMap<ActionId, Access>>);

impl Resources {
    pub(super) fn enter(&mut self, scope: Scope, id: ActionId, resources: &[Resource]) {
        for resource in resources {
            let users = self.0.entry((scope, resource.name.clone())).or_default();
            let access = users.entry(id).or_insert(resource.access);
            if resource.access == Access::Write {
                *access = Access::Write;
            }
        }
    }

    pub(super) fn leave(&mut self, scope: Scope, id: ActionId, resources: &[Resource]) {
        for resource in resources {
            let key = (scope, resource.name.clone());
            if let Some(users) = self.0.get_mut(&key) {
                users.remove(&id);
                if users.is_empty() {
                    self.0.remove(&key);
                }
            }
        }
    }

    /// Returns the other open actions that must not run beside `id`, in the order of their declaration.
    pub(crate) fn rivals<'a>(
        &'a self,
        scope: Scope,
        id: ActionId,
        resources: &'a [Resource],
    ) -> impl Iterator<Item = ActionId> + 'a {
        resources.iter().flat_map(move |resource| {
            let users = self.0.get(&(scope, resource.name.clone()));
            let mine = users.and_then(|users| users.get(&id)).copied().unwrap_or(resource.access);
            let conflicts = move |(other, access): (&ActionId, &Access)| {
                (*other != id && (mine == Access::Write || *access == Access::Write)).then_some(*other)
            };
            users.into_iter().flat_map(|users| users.iter()).filter_map(conflicts)
        })
    }
}
