//! The front matter of an agent file: finds it, and parses it as strict YAML.
//!
//! An agent without front matter sees every tool. So a typo in the front matter (a wrong or missing fence,
//! text above it) must be an error and must not produce an agent without limits.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::{
    DefaultMessageFormatter, DuplicateKeyPolicy, Error, MergeKeyPolicy, MessageFormatter as _, Options,
    Spanned,
};

use super::compaction::Compaction;

const FENCE: &str = "---";
/// The keys of the front matter.
const KEYS: [&str; 15] = [
    "name",
    "description",
    "model",
    "mode",
    "tools",
    "categories",
    "policy",
    "budgets",
    "compaction",
    "max_turns",
    "repetition_limit",
    "speaks",
    "capabilities",
    "delegable",
    "policies",
];
/// The dashes that word processors substitute for hyphens.
const DASHES: [char; 9] = ['-', '‐', '‑', '‒', '–', '—', '―', '−', '﹣'];

/// A line of the file, from 1, and the mistake in it.
pub(super) type Mistake = (usize, String);

/// The front matter as written, each value with its line.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FrontMatter {
    #[serde(deserialize_with = "present")]
    pub(super) name: Option<Spanned<String>>,
    #[serde(deserialize_with = "present")]
    pub(super) description: Option<Spanned<String>>,
    #[serde(deserialize_with = "present")]
    pub(super) model: Option<Spanned<String>>,
    #[serde(deserialize_with = "present")]
    pub(super) mode: Option<Spanned<String>>,
    #[serde(deserialize_with = "present")]
    pub(super) tools: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(deserialize_with = "present")]
    pub(super) categories: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(deserialize_with = "present")]
    pub(super) policy: Option<BTreeMap<String, Spanned<String>>>,
    #[serde(deserialize_with = "present")]
    pub(super) budgets: Option<BTreeMap<String, Spanned<u64>>>,
    #[serde(deserialize_with = "present")]
    pub(super) compaction: Option<Spanned<Compaction>>,
    #[serde(deserialize_with = "present")]
    pub(super) max_turns: Option<Spanned<u64>>,
    #[serde(deserialize_with = "present")]
    pub(super) repetition_limit: Option<Spanned<u64>>,
    #[serde(deserialize_with = "present")]
    pub(super) speaks: Option<Spanned<Speaks>>,
    #[serde(deserialize_with = "present")]
    pub(super) capabilities: Option<Spanned<Vec<Spanned<String>>>>,
    #[serde(deserialize_with = "present")]
    pub(super) delegable: Option<Spanned<bool>>,
    #[serde(deserialize_with = "present")]
    pub(super) policies: Option<Spanned<serde_json::Value>>,
}

/// How an agent's model requests work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaks {
    /// With native tool calls.
    #[default]
    Plain,
    /// With declarations of the Agent Protocol.
    Protocol,
}

/// Parses the value of a key that is present. `tools:` without a value is an error: as "absent",
/// it would mean every tool.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(source: D) -> Result<Option<T>, D::Error> {
    match Option::deserialize(source)? {
        None => Err(D::Error::custom("a key is here without a value: give it one, or leave the key out")),
        said => Ok(said),
    }
}

/// The front matter and the body of a file.
pub(super) fn read(text: &str) -> Result<(FrontMatter, String), Mistake> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let lines: Vec<&str> = text.lines().collect();
    let Some(first) = lines.iter().position(|line| !line.trim().is_empty()) else {
        return Err((1, "the file is empty: write what the agent is to do".to_owned()));
    };
    let opens = lines.get(first).is_some_and(|line| is_fence(line));
    if !opens {
        return match misplaced(&lines, first) {
            None => Ok((FrontMatter::default(), body(&lines, first))),
            Some(mistake) => Err(mistake),
        };
    }
    let rest = lines.iter().enumerate().skip(first + 1);
    let Some((end, _)) = rest.clone().find(|(_, line)| is_fence(line)) else {
        return Err((first + 1, "the front matter does not end: a line `---` is missing".to_owned()));
    };
    let head = || rest.clone().take_while(|(number, _)| *number < end);
    if let Some((number, line)) = head().find(|(_, line)| looks_like_fence(line) || ends_document(line)) {
        return Err((number + 1, format!("`{line}` in the front matter: it ends with a line `---`")));
    }
    // The lines before it stay as empty ones, so that line numbers of the parser match the file.
    let blank = std::iter::repeat_n("", first + 1);
    let yaml: Vec<&str> = blank.chain(head().map(|(_, line)| *line)).collect();
    Ok((parse(&yaml.join("\n"))?, body(&lines, end + 1)))
}

fn body(lines: &[&str], from: usize) -> String {
    let lines = lines.get(from..).unwrap_or_default();
    lines.join("\n").trim_start_matches('\n').trim_end().to_owned()
}

/// Returns whether a line is a fence: three hyphens. Trailing spaces are invisible, so they are accepted.
fn is_fence(line: &str) -> bool {
    line.trim_end_matches([' ', '\t']) == FENCE
}

/// Returns whether a line that is not a fence may be a misspelt one: `----`, ` ---`, `—--`, `--- yaml`,
/// `+++`, `***`.
fn looks_like_fence(line: &str) -> bool {
    let line = visible(line);
    let begins = |with: &[char]| line.chars().take_while(|letter| with.contains(letter)).count();
    let is_rule = |of: char| line.chars().count() > 2 && line.chars().all(|letter| letter == of);
    // One long dash is what an editor makes of two or three hyphens.
    let is_dash = !line.is_empty() && line.chars().all(|letter| matches!(letter, '–' | '—' | '―'));
    begins(&DASHES) > 1 || begins(&['+']) > 2 || is_dash || ['*', '_', '=', '~', ';'].into_iter().any(is_rule)
}

/// Trims invisible characters at both ends of a line.
fn visible(line: &str) -> &str {
    line.trim_matches(|letter: char| {
        letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{ad}')
    })
}

/// `...` ends a YAML document; the parser would ignore what follows.
fn ends_document(line: &str) -> bool {
    line.starts_with("...") || line.starts_with('%')
}

/// Finds front matter that is not at the beginning of the file.
fn misplaced(lines: &[&str], first: usize) -> Option<Mistake> {
    let at = |number: usize, what: String| Some((number + 1, what));
    let line = lines.get(first)?;
    if looks_like_fence(line) {
        return at(
            first,
            format!("`{line}` does not begin front matter: write a line `---` before and after it"),
        );
    }
    if is_key(line) {
        return at(
            first,
            format!("`{line}` stands outside of front matter: a line `---` is missing above it"),
        );
    }
    let follows = |number: usize| lines.get(number + 1..)?.iter().find(|line| !line.trim().is_empty());
    let opens = |line: &str| is_fence(line) || looks_like_fence(line) || visible(line).starts_with("```");
    let mut numbered = lines.iter().enumerate();
    let (number, _) =
        numbered.find(|(number, line)| opens(line) && follows(*number).is_some_and(|next| is_key(next)))?;
    at(number, "front matter must be at the top of the file: nothing may stand above it".to_owned())
}

fn is_key(line: &str) -> bool {
    let name = visible(line).split_once(':').map(|(name, _)| name.trim().trim_matches(['"', '\'']));
    name.is_some_and(|name| KEYS.contains(&name))
}

fn parse(yaml: &str) -> Result<FrontMatter, Mistake> {
    let is_said = |line: &str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    if !yaml.lines().any(is_said) {
        return Ok(FrontMatter::default());
    }
    serde_saphyr::from_str_with_options(yaml, strict()).map_err(|error| {
        let line = error.location().and_then(|location| usize::try_from(location.line()).ok());
        (line.unwrap_or(1), said(&error))
    })
}

/// A mistake in terms of the agent file, not of the parser.
fn said(error: &Error) -> String {
    match error {
        Error::DuplicateMappingKey { key, .. } => {
            format!("`{}` is there twice", key.as_deref().unwrap_or("a key"))
        }
        Error::SerdeUnknownField { field, expected, .. } => {
            format!("unknown field `{field}`, expected one of `{}`", expected.join("`, `"))
        }
        Error::InvalidScalar { ty, .. } if ty.starts_with('u') => "expected a whole number".to_owned(),
        Error::Unexpected { expected, .. } if expected.starts_with("sequence") => {
            "expected a list, such as [a, b]".to_owned()
        }
        Error::Unexpected { expected, .. } if expected.starts_with("mapping") => {
            "expected `key: value`".to_owned()
        }
        Error::Budget { breach: BudgetBreach::Anchors { .. } | BudgetBreach::Aliases { .. }, .. }
        | Error::UnknownAnchor { .. } => {
            "`&` and `*` at the beginning of a word refer to other places of a file, which is not supported: \
             write it out, or put it in quotes"
                .to_owned()
        }
        Error::MergeKeyNotAllowed { .. } => "`<<` is not supported: write it out".to_owned(),
        Error::NullIntoString { .. } => "expected a text, found nothing".to_owned(),
        other => DefaultMessageFormatter.format_message(other).into_owned(),
    }
}

/// Rejects YAML indirection: duplicate keys, merged maps, anchors, tags.
fn strict() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_anchors: 0,
            max_aliases: 0,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &str) -> Mistake {
        read(text).map(|(head, _)| head).expect_err(text)
    }

    #[test]
    fn one_agent_in_every_way_to_write_it() {
        let plain =
            "---\nname: a\ntools: [fs/read]\npolicy:\n  fs/*: forbidden\nmax_turns: 3\n---\nRead.\n\nMore.\n";
        let variants = [
            plain.to_owned(),
            plain.replace('\n', "\r\n"),
            format!("\u{feff}{plain}"),
            format!("\u{feff}\r\n \r\n{}", plain.replace('\n', "\r\n")),
            format!("\n\n{plain}"),
            plain.replace("---", "--- \t"),
            plain.replace("[fs/read]", "[fs/read] # only"),
            plain.replace("[fs/read]", "\n  - \"fs/read\""),
            plain.replace("name: a", "# who\nname: 'a' # c"),
            plain.replace("\n---\n", "\n\n---\n\n"),
            plain.replace("policy:\n  fs/*: forbidden", "policy: { 'fs/*': forbidden }"),
            plain.trim_end().to_owned(),
        ];
        for text in variants {
            let (head, body) = read(&text).expect(&text);
            let tools: Vec<_> = head.tools.unwrap().value.into_iter().map(|tool| tool.value).collect();
            let policy: Vec<_> =
                head.policy.unwrap().into_iter().map(|(name, word)| (name, word.value)).collect();
            assert_eq!(
                (tools, policy),
                (vec!["fs/read".into()], vec![("fs/*".into(), "forbidden".into())]),
                "{text:?}"
            );
            let (name, turns) = (head.name.unwrap().value, head.max_turns.unwrap().value);
            assert_eq!((name.as_str(), turns, body.as_str()), ("a", 3, "Read.\n\nMore."), "{text:?}");
        }
    }

    #[test]
    fn what_was_meant_as_front_matter_and_is_none_is_an_error() {
        for fence in [
            "----",
            " ---",
            "—--",
            "———",
            "—",
            "--",
            "-- -",
            "+++",
            "--- yaml",
            "---yaml",
            "\u{a0}---",
            "\u{200b}---",
            "***",
            "===",
        ] {
            let text = format!("\n{fence}\ntools: [fs/read]\n---\nRead.\n");
            assert_eq!(mistake(&text).0, 2, "{text}");
            let text = format!("---\nname: a\n{fence}\nRead.\n---\n");
            assert!(mistake(&text).0 > 1, "{text}");
        }
        assert_eq!(mistake("---\rname: a\r---\rRead.\r").0, 1);
        assert_eq!(mistake("---\nname: a\n").0, 1, "it does not end");
        assert_eq!(mistake("tools: [fs/read]\n---\nRead.\n").0, 1, "it does not begin");
        assert_eq!(
            mistake("<!-- mine -->\n---\ntools: [fs/read]\n---\nRead.\n").0,
            2,
            "it is not at the top"
        );
        assert_eq!(mistake("```yaml\npolicy:\n  fs/*: forbidden\n```\nRead.\n").0, 1);
        assert_eq!(mistake("---\nname: a\n...\ntools: []\n---\nRead.\n").0, 3, "the rest would not be read");
        for text in ["", "\n \r\n", "\u{feff}"] {
            assert_eq!(mistake(text).0, 1, "{text:?} is empty");
        }
    }

    #[test]
    fn instructions_alone_are_an_agent() {
        for text in [
            "Read.\n",
            "# Title\n\nText\n---\nMore: text.\n",
            "- one\n- two\n",
            "**Be** brief.\n",
            "---\n---\nRead.",
        ] {
            let (head, body) = read(text).expect(text);
            assert!(head.tools.is_none() && !body.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_mistake_has_its_line() {
        for key in KEYS {
            for nothing in ["", "~", "null"] {
                assert_eq!(mistake(&format!("---\n# c\n{key}: {nothing}\n---\n")).0, 3, "{key}: {nothing}");
            }
            assert!(is_key(&format!("{key}: x")), "{key}");
        }
        let cases = [
            ("name: a\nname: b", 3),
            ("policy:\n  a: direct\n  a: forbidden", 4),
            ("<<: { name: a }", 2),
            ("tools: &t [a]", 2),
            ("policy:\n  *: direct", 3),
            ("name: !own a", 2),
            ("tools: fs/read", 2),
            ("tools: { a: b }", 2),
            ("tools: [[a]]", 2),
            ("tools: [~]", 2),
            ("Tools: [a]", 2),
            ("max_turns: -1", 2),
            ("max_turns: 1.5", 2),
            ("budgets:\n  turns: many", 3),
            ("policy:\n  fs/read: [direct]", 3),
            ("just text", 2),
            ("- a", 2),
        ];
        for (head, line) in cases {
            assert_eq!(mistake(&format!("---\n{head}\n---\nRead.\n")).0, line, "{head}");
        }
    }
}
