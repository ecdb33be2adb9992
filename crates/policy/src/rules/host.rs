//! Hosts of addresses.

use url::{Host, Url};

use super::call::Call;
use super::command::PlainCall;
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
            Mode::Ask | Mode::Deny => Fit::any(asked.chain(of_program(call))),
        }
    }

    fn of_address(&self, address: &str) -> Fit {
        match Url::parse(address.trim()) {
            Ok(url) => Fit::of(url.host_str().is_some_and(|host| self.is(host))),
            Err(_) => Fit::unclear("the address cannot be read"),
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

/// Plain programs use no network; what others do is unclear.
fn of_program(call: &Call<'_>) -> Option<Fit> {
    let plain = call.command()?.and_then(|line| PlainCall::read(&line, call.places));
    Some(plain.map_or_else(Fit::unclear, |_| Fit::No))
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
}
