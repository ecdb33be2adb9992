//! Tool names at the rim: our canonical names inside, what a provider accepts outside.

use std::borrow::Cow;

use crate::tool::ToolAliases;

/// Translates tool names at the rim. A name translated out and back is the same name.
pub trait ToolNames {
    /// The name the provider is told.
    fn alias<'a>(&'a self, canonical: &'a str) -> Cow<'a, str>;

    /// The canonical name behind what the provider says.
    fn canonical<'a>(&'a self, alias: &'a str) -> Cow<'a, str>;
}

/// Leaves names as they are: for transcripts whose names are already the provider's.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdentityNames;

impl ToolNames for IdentityNames {
    fn alias<'a>(&'a self, canonical: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(canonical)
    }

    fn canonical<'a>(&'a self, alias: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(alias)
    }
}

/// A name without an alias is left as it is, and so is an alias without a name.
impl ToolNames for ToolAliases {
    fn alias<'a>(&'a self, canonical: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(self.alias_of(canonical).unwrap_or(canonical))
    }

    fn canonical<'a>(&'a self, alias: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(self.name_of(alias).unwrap_or(alias))
    }
}
