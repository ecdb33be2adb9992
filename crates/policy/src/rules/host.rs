//! Hosts of addresses.

use url::{Host, Url};

use super::call::Call;
use super::command::Seen;
use super::{Fit, RuleError};
use crate::rules::fit::Mode;

/// `example.com`, or `*.example.com` for everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HostPattern {
    host: String,
    below: bool,
}

impl HostPattern {
    pub(super) fn read(text: &str) -> Result<Self, RuleError> {
        let refused = |why: &str| RuleError::pattern("the host", text, why);
        let (below, host) = text.strip_prefix("*.").map_or((false, text), |rest| (true, rest));
        if host.contains('*') {
            return Err(refused("it is `host` or `*.host`"));
        }
        let host = Host::parse(host).map_err(|_| refused("it is no name or address of a host"))?;
        Ok(Self { host: host.to_string(), below })
    }

    pub(super) fn fits(&self, call: &Call<'_>, mode: Mode) -> Fit {
        let addresses = call.addresses();
        let asked = addresses.iter().map(|address| self.of_address(address));
        match mode {
            Mode::Strict if addresses.is_empty() => Fit::No,
            Mode::Strict => Fit::all(asked),
            Mode::Ask | Mode::Deny => {
                Fit::any(asked.chain(call.seen().iter().map(|seen| self.of_seen(seen))))
            }
        }
    }

    fn of_address(&self, address: &str) -> Fit {
        match Url::parse(address.trim()) {
            Ok(url) => Fit::of(url.host_str().is_some_and(|host| self.is(host))),
            Err(_) => Fit::unclear("the address cannot be read"),
        }
    }

    fn of_seen(&self, seen: &Seen) -> Fit {
        match seen {
            Seen::Opaque(why) => Fit::unclear(why),
            Seen::Command { words, .. } => Fit::any(words.iter().skip(1).map(|word| {
                if !word.clear {
                    return Fit::unclear("a word of the command is made when it runs");
                }
                Fit::of(named_hosts(&word.text).any(|host| self.is(&host)))
            })),
            Seen::Target(_) => Fit::No,
        }
    }

    fn is(&self, host: &str) -> bool {
        // A name may end in a dot and means the same.
        let host = host.strip_suffix('.').unwrap_or(host);
        match self.below {
            false => host == self.host,
            true => host.strip_suffix(&self.host).is_some_and(|below| below.ends_with('.')),
        }
    }
}

/// The hosts a word of a command may name: of an address, of `user@host:path`, or bare.
fn named_hosts(word: &str) -> impl Iterator<Item = String> {
    let of_address = Url::parse(word).ok().and_then(|url| url.host_str().map(str::to_owned));
    let value = word.rsplit(['=', '@']).next().unwrap_or(word);
    let value = value.split_once("://").map_or(value, |(_, rest)| rest);
    let bare = value.split(['/', ':', '?', '#']).next().and_then(|host| Host::parse(host).ok());
    of_address.into_iter().chain(bare.map(|host| host.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_in_every_spelling() {
        let host = HostPattern::read("*.Example.com").unwrap();
        for address in
            ["https://a.example.com/x", "http://A.EXAMPLE.com.:8080", "https://u:p@b.a.example.com"]
        {
            assert_eq!(host.of_address(address), Fit::Yes, "{address}");
        }
        for address in
            ["https://example.com", "https://a.example.com.evil.net", "https://evil.net/a.example.com"]
        {
            assert_eq!(host.of_address(address), Fit::No, "{address}");
        }
        assert!(matches!(host.of_address("//a.example.com"), Fit::Unclear(_)));
        assert_eq!(HostPattern::read("127.0.0.1").unwrap().of_address("http://0x7f.1/"), Fit::Yes);
        assert!(HostPattern::read("a*").is_err());
    }

    #[test]
    fn a_word_may_name_a_host() {
        let named = |word: &str| named_hosts(word).collect::<Vec<_>>();
        for word in ["https://evil.net/a", "git@evil.net:repo", "evil.net", "--proxy=http://evil.net:3128"] {
            assert!(named(word).contains(&"evil.net".to_owned()), "{word}: {:?}", named(word));
        }
    }
}
