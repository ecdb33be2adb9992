//! Which hosts an entry of the list means.

use std::str::FromStr;

use url::{Host, Url};

/// `example.com`, `*.example.com` for everything below it, or either with `:8080`. Without a port, the usual
/// one of the scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRule {
    host: String,
    reach: Reach,
    port: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Itself,
    Below,
}

/// Why a text is no host rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not `host`, `*.host`, `host:port` or `*.host:port`")]
pub struct HostRuleError(String);

impl HostRule {
    /// Returns whether an address is meant. A text that is no address is not.
    pub fn allows_address(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| self.allows(&url))
    }

    /// Whether the host and port of an address are meant.
    pub(super) fn allows(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        // A name may end in a dot and means the same.
        let host = host.strip_suffix('.').unwrap_or(host);
        let is_host = match self.reach {
            Reach::Itself => host == self.host,
            Reach::Below => host.strip_suffix(&self.host).is_some_and(|below| below.ends_with('.')),
        };
        // An address hides the usual port of its scheme.
        let is_port = match self.port {
            None => url.port().is_none(),
            Some(port) => url.port_or_known_default() == Some(port),
        };
        is_host && is_port
    }
}

impl FromStr for HostRule {
    type Err = HostRuleError;

    fn from_str(text: &str) -> Result<Self, HostRuleError> {
        let refused = || HostRuleError(text.to_owned());
        let (reach, rest) = match text.strip_prefix("*.") {
            Some(rest) => (Reach::Below, rest),
            None => (Reach::Itself, text),
        };
        let is_bare_ipv6 = rest.ends_with(']');
        let (host, port) = match rest.rsplit_once(':').filter(|_| !is_bare_ipv6) {
            Some((host, port)) => (host, Some(port.parse().map_err(|_| refused())?)),
            None => (rest, None),
        };
        if host.contains('*') {
            return Err(refused());
        }
        // In the same spelling as in addresses: lower case, and names of other scripts encoded.
        let host = Host::parse(host).map_err(|_| refused())?.to_string();
        Ok(Self { host, reach, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(rule: &str, url: &str) -> bool {
        rule.parse::<HostRule>().unwrap().allows(&url.parse().unwrap())
    }

    #[test]
    fn a_rule_means_a_host_or_what_is_below_it() {
        assert!(allows("Example.com", "https://example.com/a"));
        assert!(allows("example.com", "http://example.com./a"));
        assert!(!allows("example.com", "https://a.example.com"));
        assert!(!allows("example.com", "https://example.com.evil.net"));
        assert!(allows("*.example.com", "https://a.b.example.com"));
        assert!(!allows("*.example.com", "https://example.com"));
        assert!(!allows("*.example.com", "https://badexample.com"));
    }

    #[test]
    fn a_port_is_the_usual_one_unless_it_is_said() {
        assert!(!allows("example.com", "https://example.com:8443"));
        assert!(allows("example.com:8443", "https://example.com:8443"));
        assert!(allows("example.com:443", "https://example.com"));
        assert!(!allows("example.com:443", "http://example.com"));
        assert!(allows("[::1]:80", "http://[::1]/"));
    }

    #[test]
    fn nonsense_is_no_rule() {
        for text in [
            "",
            "*",
            "*.",
            "*.*.net",
            "a.*",
            "a b",
            "example.com:",
            "example.com:99999",
            "http://example.com",
        ] {
            assert_eq!(text.parse::<HostRule>(), Err(HostRuleError(text.to_owned())));
        }
    }
}
