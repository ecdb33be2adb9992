//! The target of a link, for people.

use crate::text::escaped;

/// A link while its text is parsed.
pub(super) struct Link {
    to: String,
    text: String,
}

impl Link {
    pub(super) fn new(to: &str) -> Self {
        Self { to: to.to_owned(), text: String::new() }
    }

    pub(super) fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns what follows the text: the host, or the whole target if it has none; nothing if the text
    /// contains it.
    pub(super) fn target(&self) -> Option<String> {
        let is_said = self.text == self.to || self.to == format!("mailto:{}", self.text);
        let target = host(&self.to).unwrap_or(&self.to);
        (!is_said && !target.is_empty()).then(|| escaped(target))
    }
}

/// Returns the host of a URL. The part before an `@` is a user name that anyone can choose.
fn host(address: &str) -> Option<&str> {
    let (_, rest) = address.split_once("://")?;
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    Some(authority.rsplit('@').next().unwrap_or(authority))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(to: &str, text: &str) -> Option<String> {
        let mut link = Link::new(to);
        link.say(text);
        link.target()
    }

    #[test]
    fn a_link_says_where_it_leads() {
        assert_eq!(target("https://tally.example/notes?x", "notes").as_deref(), Some("tally.example"));
        assert_eq!(target("https://bank.example@evil.example/", "bank").as_deref(), Some("evil.example"));
        assert_eq!(
            target("https://evil.example\\@bank.example", "bank.example").as_deref(),
            Some("evil.example")
        );
        assert_eq!(target("docs/setup.md", "setup").as_deref(), Some("docs/setup.md"));
        assert_eq!(target("https://tally.example", "https://tally.example"), None);
        assert_eq!(target("mailto:ada@x.example", "ada@x.example"), None);
    }
}
