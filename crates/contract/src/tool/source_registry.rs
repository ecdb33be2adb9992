//! Tools gathered from named sources, in an order that does not change.

use serde_json::Value;

use super::catalog::NOT_A_DECLARATION;
use super::{RejectedTool, ToolDeclaration};
use crate::json::{self, Object};
use crate::{ContractError, Result};

const CODE: &str = "invalid_tool_source";
/// The priority of a source that names none; lower comes first.
pub const DEFAULT_PRIORITY: i64 = 10;

/// The sources of tools by slug. `Source` is whatever supplies the declarations.
#[derive(Clone, Debug)]
pub struct ToolSourceRegistry<Source> {
    /// In order of registration.
    sources: Vec<Registered<Source>>,
}

#[derive(Clone, Debug)]
struct Registered<Source> {
    slug: String,
    priority: i64,
    source: Source,
}

impl<Source> ToolSourceRegistry<Source> {
    /// Registers a source. One with the same slug is replaced and loses its place.
    pub fn register(&mut self, slug: &str, priority: i64, source: Source) -> Result<()> {
        if slug.is_empty() {
            return Err(ContractError::field(CODE, "source_slug", "must be a non-empty string"));
        }
        self.unregister(slug);
        self.sources.push(Registered { slug: slug.to_owned(), priority, source });
        Ok(())
    }

    /// Removes a source, if it is there.
    pub fn unregister(&mut self, slug: &str) {
        self.sources.retain(|known| known.slug != slug);
    }

    /// The sources by priority, then by registration.
    pub fn sources(&self) -> Vec<(&str, &Source)> {
        let mut ordered: Vec<&Registered<Source>> = self.sources.iter().collect();
        ordered.sort_by_key(|registered| registered.priority);
        ordered.into_iter().map(|registered| (registered.slug.as_str(), &registered.source)).collect()
    }

    /// The sources a host wants, in its order; unknown slugs are passed over.
    pub fn sources_in(&self, order: &[String]) -> Vec<(&str, &Source)> {
        let known = |slug: &String| self.sources.iter().find(|registered| registered.slug == *slug);
        let wanted = order.iter().filter_map(known);
        wanted.map(|registered| (registered.slug.as_str(), &registered.source)).collect()
    }
}

impl<Source> Default for ToolSourceRegistry<Source> {
    fn default() -> Self {
        Self { sources: Vec::new() }
    }
}

/// What the sources supplied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GatheredTools {
    /// By the key the source used, in gathered order.
    pub tools: Vec<(String, ToolDeclaration)>,
    /// What was left out, and why.
    pub rejected: Vec<RejectedTool>,
}

impl GatheredTools {
    /// Gathers the maps of declarations that the sources returned, given in order of precedence. The
    /// first good declaration under a key wins; a bad one keeps nobody else from supplying it.
    pub fn gather<'a>(returned: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Self {
        let mut gathered = Self::default();
        for (slug, value) in returned {
            for (key, entry) in value.as_object().into_iter().flatten() {
                gathered.add(slug, key, entry);
            }
        }
        gathered
    }

    fn add(&mut self, slug: &str, key: &str, entry: &Value) {
        if self.tools.iter().any(|(known, _)| known == key) {
            return;
        }
        let parsed = match entry.as_object() {
            Some(raw) => ToolDeclaration::parse_request(&completed(slug, key, raw))
                .map_err(|error| error.message().to_owned()),
            None => Err(NOT_A_DECLARATION.to_owned()),
        };
        match parsed {
            Ok(tool) => self.tools.push((key.to_owned(), tool)),
            Err(reason) => self.rejected.push(RejectedTool { name: key.to_owned(), reason }),
        }
    }
}

/// Fills in what the place of a declaration says: its key, and the source it came from.
fn completed(slug: &str, key: &str, raw: &Object) -> Object {
    let mut completed = raw.clone();
    if is_absent_or_empty(raw, "name") {
        completed.insert("name".into(), key.into());
    }
    let name = json::text(&completed, "name").unwrap_or_default().to_owned();
    if json::present(raw, "description")
        .is_none_or(|text| text.as_str().is_some_and(|text| text.trim().is_empty()))
    {
        completed.insert("description".into(), name.as_str().into());
    }
    if is_absent_or_empty(raw, "source") {
        let source = if name.starts_with("client/") { "client" } else { slug };
        completed.insert("source".into(), source.into());
    }
    completed
}

fn is_absent_or_empty(raw: &Object, key: &str) -> bool {
    json::present(raw, key).is_none_or(|value| value.as_str() == Some(""))
}
