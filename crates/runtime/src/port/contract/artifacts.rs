//! What artifacts promise.

use super::promises;
use super::sample::must;
use crate::port::{Address, Stores};

promises![
    bytes_are_found_by_their_hash,
    the_same_bytes_have_one_address,
    an_unknown_address_has_nothing,
    a_range_gives_what_lies_within,
    bytes_of_every_size_and_kind_come_back,
];

async fn bytes_are_found_by_their_hash(stores: Stores) {
    let address = must(stores.artifacts.put(b"abc".to_vec()).await);
    assert_eq!(address, Address::of(b"abc"));
    assert_eq!(must(stores.artifacts.get(&address).await), Some(b"abc".to_vec()));
}

async fn the_same_bytes_have_one_address(stores: Stores) {
    let first = must(stores.artifacts.put(b"abc".to_vec()).await);
    assert_eq!(must(stores.artifacts.put(b"abc".to_vec()).await), first);
    assert_ne!(must(stores.artifacts.put(b"abd".to_vec()).await), first);
}

async fn an_unknown_address_has_nothing(stores: Stores) {
    let address = Address::of(b"never stored");
    assert_eq!(must(stores.artifacts.get(&address).await), None);
    assert_eq!(must(stores.artifacts.get_range(&address, 0..10).await), None);
}

async fn a_range_gives_what_lies_within(stores: Stores) {
    let bytes = pattern(100_000);
    let address = must(stores.artifacts.put(bytes.clone()).await);
    let ranges = [0..3, 99_998..200_000, 40_000..60_000, 100_000..100_001, 5..5, u64::MAX - 1..u64::MAX];
    for range in ranges {
        let within: Vec<u8> =
            (0..).zip(&bytes).filter(|(at, _)| range.contains(at)).map(|(_, byte)| *byte).collect();
        assert!(must(stores.artifacts.get_range(&address, range.clone()).await) == Some(within), "{range:?}");
    }
}

async fn bytes_of_every_size_and_kind_come_back(stores: Stores) {
    let text = "line after line\n".repeat(10_000).into_bytes();
    for bytes in [Vec::new(), vec![0], pattern(4_096), pattern(3_000_000), text] {
        let address = must(stores.artifacts.put(bytes.clone()).await);
        assert!(must(stores.artifacts.get(&address).await) == Some(bytes), "{address}");
    }
}

/// Bytes that do not compress.
fn pattern(size: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_u32;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(&mut next).take(size).collect()
}
