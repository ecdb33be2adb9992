//! Elements such as `<invoke name="…">…</invoke>` in the middle of a text. No XML parser: what a model
//! writes is rarely well-formed.

/// An element that is opened and closed.
pub(super) struct Element<'a> {
    attributes: &'a str,
    /// What stands between the tags.
    pub(super) body: &'a str,
}

/// The elements of this tag, in order. Elements of one tag do not nest; the first closing tag ends one.
pub(super) fn elements<'a>(text: &'a str, tag: &str) -> Vec<Element<'a>> {
    let (opening, closing) = (format!("<{tag}"), format!("</{tag}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(&opening) {
        rest = after;
        if !after.starts_with(|next: char| next == '>' || next.is_whitespace()) {
            continue; // Only the beginning of a longer tag.
        }
        // When nothing closes this element, nothing closes a later one.
        let Some((attributes, after)) = after.split_once('>') else { break };
        let Some((body, after)) = after.split_once(&closing) else { break };
        found.push(Element { attributes, body });
        rest = after;
    }
    found
}

impl<'a> Element<'a> {
    /// Whether the tag says nothing but its name.
    pub(super) fn is_bare(&self) -> bool {
        self.attributes.trim().is_empty()
    }

    /// The `name` attribute, in either kind of quotes.
    pub(super) fn name(&self) -> Option<&'a str> {
        let starts = self.attributes.match_indices("name").filter(|(start, _)| {
            self.attributes.get(..*start).is_some_and(|before| before.ends_with(char::is_whitespace))
        });
        starts.filter_map(|(start, word)| self.attributes.get(start + word.len()..)).find_map(quoted_value)
    }

    /// The body as text: tags stripped, entities decoded, trimmed.
    pub(super) fn text(&self) -> String {
        decode_entities(&strip_tags(self.body)).trim().to_owned()
    }
}

/// What stands quoted after an equals sign.
fn quoted_value(after_name: &str) -> Option<&str> {
    let value = after_name.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some(value.strip_prefix(quote)?.split_once(quote)?.0)
}

/// Removes what looks like a tag; a `<` before anything but a letter, `/`, `!` or `?` is a character.
fn strip_tags(text: &str) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        stripped.push_str(before);
        if !after.starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next)) {
            stripped.push('<');
            rest = after;
            continue;
        }
        // When this tag does not end, no later one does.
        let Some((_, behind)) = after.split_once('>') else { return stripped + "<" + after };
        rest = behind;
    }
    stripped + rest
}

/// The longest entity, such as `#x10ffff`.
const ENTITY_LENGTH_MAX: usize = 8;

/// Decodes each entity once; what is no entity stays as it is.
fn decode_entities(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        decoded.push_str(before);
        let end = after.bytes().take(ENTITY_LENGTH_MAX + 1).position(|byte| byte == b';');
        let entity = end.and_then(|end| after.split_at_checked(end));
        match entity.and_then(|(entity, behind)| Some((character(entity)?, behind.strip_prefix(';')?))) {
            Some((character, behind)) => {
                decoded.push(character);
                rest = behind;
            }
            None => {
                decoded.push('&');
                rest = after;
            }
        }
    }
    decoded + rest
}

/// The character an entity names: one of the five of XML, or a code point.
fn character(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let digits = entity.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Element<'_> {
        elements(text, "p").pop().unwrap()
    }

    #[test]
    fn an_attribute_is_found_by_its_whole_name_in_either_quotes() {
        assert_eq!(only(r#"<p rename="no" name = 'a"b'>x</p>"#).name(), Some("a\"b"));
        assert_eq!(only(r#"<p rename="no">x</p>"#).name(), None);
    }

    #[test]
    fn a_longer_tag_and_an_unclosed_one_are_no_elements() {
        assert!(elements("<pre>x</pre>", "p").is_empty());
        assert_eq!(elements("<p>a</p> <p>b", "p").len(), 1);
    }

    #[test]
    fn text_keeps_what_only_looks_like_markup() {
        assert_eq!(
            only("<p> 1 < 2 && <b>3</b> &lt;b&gt; &amp;lt; &#233;&#x1F331; &nosuch; </p>").text(),
            "1 < 2 && 3 <b> &lt; é🌱 &nosuch;"
        );
        assert_eq!(only("<p>a <b c</p>").text(), "a <b c");
    }

    #[test]
    fn hostile_text_costs_no_more_than_its_length() {
        let half_open = "<a".repeat(200_000) + &"&".repeat(200_000);
        let text = format!("<p>{half_open}</p>");
        assert_eq!(only(&text).text(), half_open);
    }
}
