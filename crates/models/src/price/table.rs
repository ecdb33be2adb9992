//! The prices of many models, from a TOML file.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Price;

/// Prices by the name of the model. A name that ends in `*` is for every model that begins so; of
/// several that fit, the longest counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceTable {
    #[serde(default)]
    models: BTreeMap<String, Price>,
}

/// Why a table cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the price table cannot be read: {0}")]
pub struct PriceError(#[from] toml::de::Error);

impl PriceTable {
    /// Returns the price of a model, if the table has one.
    pub fn price(&self, model: &str) -> Option<Price> {
        let beginnings =
            self.models.iter().filter_map(|(name, price)| Some((name.strip_suffix('*')?, price)));
        let begun = beginnings.filter(|(start, _)| model.starts_with(start));
        let longest = || begun.max_by_key(|(start, _)| start.len()).map(|(_, price)| *price);
        self.models.get(model).copied().or_else(longest)
    }
}

impl FromStr for PriceTable {
    type Err = PriceError;

    fn from_str(text: &str) -> Result<Self, PriceError> {
        Ok(toml::from_str(text)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_counts() {
        let table: PriceTable = r#"
            [models."claude-*"]
            input = 1
            output = 1
            [models."claude-sonnet-*"]
            input = 2
            output = 2
            [models."claude-sonnet-4"]
            input = 3
            output = 3
        "#
        .parse()
        .unwrap();
        let input = |model| table.price(model).map(|price| price.input);
        assert_eq!(input("claude-sonnet-4"), Some(3));
        assert_eq!(input("claude-sonnet-4-5-20250929"), Some(2));
        assert_eq!(input("claude-opus"), Some(1));
        assert_eq!(input("gpt"), None);
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let error = "[models.a]\ninput = 1\noutptu = 2\n".parse::<PriceTable>().unwrap_err().to_string();
        assert!(error.contains("outptu") && error.contains("line 3"), "{error}");
    }
}
