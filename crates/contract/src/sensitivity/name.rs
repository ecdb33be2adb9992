//! Which names are sensitive.
//!
//! A name is judged by its whole words, never by letters inside a word, so `secretary` and `tokenizer`
//! are ordinary names. Four rules decide:
//!
//! 1. A word of [`WORDS`] makes a name sensitive, in singular or plural: `client_secret`, `Set-Cookie`,
//!    `passwordHint`, `credentials`.
//! 2. So does a pair of [`PAIRS`] standing side by side: `api_key`, `apiKey`, `x-api-keys`.
//! 3. A name written together shows its words only at its end, so a word that *ends* in one of these
//!    counts too: `accesstoken`, `dbpassword`, `apikey`.
//! 4. Models count text in tokens. `token` is therefore an ordinary word in a name that says it is a
//!    quantity: `max_tokens`, `tokenBudget`, `prompt_tokens`. Without such a word it is a credential.
//!
//! A name is what programs use as a key; words with a space between them are prose, and a pair does
//! not reach across the space.

use super::word::words;

/// Words that make a name sensitive wherever they stand in it.
const WORDS: [&str; 11] = [
    "authorization",
    "bearer",
    "cookie",
    "credential",
    "jwt",
    "nonce",
    "passphrase",
    "passwd",
    "password",
    "secret",
    TOKEN,
];

/// Pairs that make a name sensitive where either word alone is harmless.
const PAIRS: [(&str, &str); 6] = [
    ("access", "key"),
    ("api", "key"),
    ("encryption", "key"),
    ("private", "key"),
    ("secret", "key"),
    ("signing", "key"),
];

/// The id of a session lets its holder into it, yet our own records must say which session they are of.
const SESSION_ID: (&str, &str) = ("session", "id");

const TOKEN: &str = "token";

/// Words that make a quantity of the `token` they stand directly before: `max_token`.
const QUANTITY_BEFORE: [&str; 5] = ["max", "maximum", "min", "minimum", "total"];

/// Words that make a quantity of the `token` they stand directly after: `token_limit`.
const QUANTITY_AFTER: [&str; 7] = ["budget", "budgets", "count", "counts", "limit", "limits", "usage"];

/// Words that make a quantity of the plural alone: an `input_token` may be the credential in a form,
/// `input_tokens` are what a model read.
const COUNTED: [&str; 11] = [
    "completion",
    "input",
    "minute",
    "n",
    "num",
    "output",
    "prompt",
    "reasoning",
    "remaining",
    "second",
    "used",
];

/// Whether the value under this name must not be shown: a credential, or the id of a session.
pub fn is_sensitive_name(name: &str) -> bool {
    is_credential_name(name) || names_of(name).any(|words| holds_pair(&words, SESSION_ID))
}

/// Whether the value under this name is a credential. Unlike [`is_sensitive_name`] it lets the id of a
/// session pass, for records that are about one.
pub fn is_credential_name(name: &str) -> bool {
    names_of(name).any(|words| {
        words.iter().enumerate().any(|(index, word)| is_secret_word(index, word, &words))
            || PAIRS.into_iter().any(|pair| holds_pair(&words, pair))
    })
}

/// The words of each stretch between spaces.
fn names_of(name: &str) -> impl Iterator<Item = Vec<String>> {
    name.split_whitespace().map(words)
}

fn is_secret_word(index: usize, word: &str, all: &[String]) -> bool {
    WORDS.into_iter().any(|secret| {
        let Some(before) = singular(word).strip_suffix(secret) else { return false };
        secret != TOKEN || !is_quantity(index, word, before, all)
    })
}

/// Whether the word at `index`, which ends in `token` after the letters `before`, counts tokens.
///
/// The plural counts as soon as any word of the name says so; the singular only next to such a word.
fn is_quantity(index: usize, word: &str, before: &str, all: &[String]) -> bool {
    let is_before = |word: &str| QUANTITY_BEFORE.contains(&word);
    let is_after = |word: &str| QUANTITY_AFTER.contains(&word);
    if word.ends_with('s') {
        let says_so = |word: &str| is_before(word) || is_after(word) || COUNTED.contains(&word);
        return says_so(before) || all.iter().any(|other| says_so(other));
    }
    let neighbour = |index: Option<usize>| index.and_then(|index| all.get(index)).map_or("", String::as_str);
    let left = if before.is_empty() { neighbour(index.checked_sub(1)) } else { before };
    is_before(left) || is_after(neighbour(index.checked_add(1)))
}

fn holds_pair(words: &[String], (first, second): (&str, &str)) -> bool {
    let side_by_side = words
        .windows(2)
        .any(|pair| matches!(pair, [left, right] if left.as_str() == first && singular(right) == second));
    let together =
        |word: &String| singular(word).strip_suffix(second).is_some_and(|before| before.ends_with(first));
    side_by_side || words.iter().any(together)
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], sensitive: bool) {
        for name in names {
            assert_eq!(is_sensitive_name(name), sensitive, "{name}");
        }
    }

    #[test]
    fn whole_words_count_in_every_spelling() {
        check(&["api_key", "apiKey", "x-api-key", "API-KEY", "APIKey", "stripe.api.keys"], true);
        check(&["Set-Cookie", "cookieJar", "proxy-authorization", "credentials", "PASSWORD2"], true);
        check(&["sessionID", "session-ids", "awsSecretAccessKey", "signing_key"], true);
    }

    #[test]
    fn letters_inside_a_word_do_not_count() {
        check(&["tokenizer", "secretary", "passwordless", "cookiecutter", "monkey", "author"], false);
        check(&["auth", "session", "id", "key", "private", "public_key", "pass", "api", ""], false);
    }

    #[test]
    fn names_written_together_count_by_their_end() {
        check(&["accesstoken", "dbpassword", "APIKEY", "phpsessionid", "clientsecrets", "secretkey"], true);
    }

    #[test]
    fn tokens_are_credentials_unless_the_name_counts_them() {
        check(&["token", "tokens", "access_tokens", "csrfToken", "input_token", "token_hint"], true);
        check(&["usage_token", "second_token", "limitToken", "max_access_token"], true);
        check(&["max_tokens", "maxTokens", "maxtokens", "token_count", "tokenBudget", "total_token"], false);
        check(&["prompt_tokens", "tokens_used", "tokens_per_minute", "cache_read_input_tokens"], false);
        check(&["max_secrets", "password_count"], true);
    }

    #[test]
    fn prose_is_not_a_name() {
        check(&["api key", "the private key of the house"], false);
        check(&["my secret"], true);
    }

    #[test]
    fn a_session_id_is_sensitive_but_no_credential() {
        assert!(is_sensitive_name("session_id") && !is_credential_name("session_id"));
        assert!(is_credential_name("session_token"));
    }
}
