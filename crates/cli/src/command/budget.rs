//! Limits on the command line: `--budget turns=20`, `--budget usd=0.50`.

use std::collections::BTreeMap;

use provost_project::known_budget;

use crate::failure::{Code, Failure};

const MICRO: u64 = 1_000_000;

/// Parses the limits by name; if a name is repeated, the last one applies.
pub(super) fn read(words: &[String]) -> Result<BTreeMap<String, u64>, Failure> {
    words.iter().map(|word| budget(word)).collect()
}

fn budget(word: &str) -> Result<(String, u64), Failure> {
    let refused = |what: &str| {
        Failure::new(Code::Config, format!("{what}, got `{word}`"))
            .hint("say it as NAME=NUMBER, such as turns=20, tokens=50000 or usd=0.50")
    };
    let (name, amount) = word.split_once('=').ok_or_else(|| refused("a budget is NAME=NUMBER"))?;
    if name == "usd" {
        let amount = microusd(amount).ok_or_else(|| refused("usd must be an amount such as 0.50"))?;
        known_budget("cost_microusd", amount)?;
        return Ok(("cost_microusd".to_owned(), amount));
    }
    let amount: u32 = amount.parse().map_err(|_| refused(&format!("{name} must be a whole number")))?;
    known_budget(name, amount.into())?;
    Ok((name.to_owned(), amount.into()))
}

/// Parses dollars to micro-dollars: `0.50`, `2`.
fn microusd(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.len() <= 6 && text.chars().all(|letter| letter.is_ascii_digit());
    if text.is_empty() || text == "." || !is_number(whole) || !is_number(part) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part: u64 = format!("{part:0<6}").parse().ok()?;
    Some(whole * MICRO + part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_has_a_name_and_a_number() {
        let of = |word: &str| budget(word).map_err(|failure| failure.message);
        assert_eq!(of("turns=20"), Ok(("turns".to_owned(), 20)));
        assert_eq!(of("usd=0.50"), Ok(("cost_microusd".to_owned(), 500_000)));
        assert_eq!(of("usd=2"), Ok(("cost_microusd".to_owned(), 2_000_000)));
        assert_eq!(of("turns=abc"), Err("turns must be a whole number, got `turns=abc`".to_owned()));
        for wrong in ["turns", "usd=", "usd=.", "usd=1.0000001", "usd=-1", "steps=3"] {
            assert!(of(wrong).is_err(), "{wrong}");
        }
    }
}
