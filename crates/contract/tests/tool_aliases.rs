//! Provider aliases: every name has one, no two share one, each leads back.

use std::collections::HashSet;

use proptest::prelude::*;
use provost_contract::tool::ToolAliases;

/// Names that are near each other, canonical ones and anything a model might have called.
fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab]{1,2}[_-]{0,3}/[ab][_-]{0,3}[ab]?",
        "[a-z][a-z0-9_-]{0,50}/[a-z][a-z0-9_-]{0,50}",
        ".{0,80}"
    ]
}

proptest! {
    #[test]
    fn aliases_are_legal_distinct_and_reversible(names in prop::collection::hash_set(any_name(), 0..12)) {
        let aliases = ToolAliases::new(&names);
        let mut seen = HashSet::new();
        for name in &names {
            let alias = aliases.alias_of(name).expect("every name has an alias");
            prop_assert!((1..=64).contains(&alias.len()), "{alias}");
            prop_assert!(alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)), "{alias}");
            prop_assert!(alias.starts_with(|first: char| first.is_ascii_alphabetic()), "{alias}");
            prop_assert!(seen.insert(alias.to_owned()), "{alias} twice");
            prop_assert_eq!(aliases.name_of(alias), Some(name.as_str()));
        }
    }

    #[test]
    fn neither_order_nor_other_tools_change_an_alias(names in prop::collection::vec(any_name(), 1..12)) {
        let together = ToolAliases::new(&names);
        prop_assert_eq!(&ToolAliases::new(names.iter().rev()), &together);
        for name in &names {
            let alone = ToolAliases::new([name]);
            prop_assert_eq!(alone.alias_of(name), together.alias_of(name));
        }
    }
}
