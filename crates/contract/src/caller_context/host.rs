//! The address of a calling host.

use crate::{ContractError, Result};

use super::CODE;

/// The word for this very host.
pub(super) const SELF: &str = "self";

/// Accepts an absolute `http` or `https` URL with a host part.
pub(super) fn checked_url(host: &str) -> Result<()> {
    if is_absolute_url(host) {
        return Ok(());
    }
    Err(ContractError::field(CODE, "caller_host", "must be \"self\" or an absolute URL"))
}

fn is_absolute_url(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else {
        return false;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let address = authority.rsplit('@').next().unwrap_or_default();
    let readable = !text.contains(|character: char| character.is_whitespace() || character.is_control());
    readable && has_host_and_port(address)
}

/// A name or a bracketed address, then a port or nothing.
fn has_host_and_port(address: &str) -> bool {
    let (name, port) = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').or(Some(rest).filter(|rest| rest.is_empty()))),
        None => address.split_once(':').map_or((address, Some("")), |(name, port)| (name, Some(port))),
    };
    !name.is_empty() && port.is_some_and(|port| port.is_empty() || port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::is_absolute_url;

    #[test]
    fn only_a_scheme_and_a_host_make_a_url() {
        for good in [
            "http://a",
            "https://a.example:8080/b?c#d",
            "https://user@a",
            "http://[::1]",
            "http://[::1]:80/x",
            "http://a:",
        ] {
            assert!(is_absolute_url(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "//a",
            "HTTPS://a",
            "ftp://a",
            "https:a",
            "https://",
            "https://:80",
            "https://user@",
            "https://?a",
            "https://#a",
            "https://a:port",
            "https://a:99999",
            "https://a b",
            "https://[]",
            "https://[::1]x",
            "http://a\u{7}",
        ] {
            assert!(!is_absolute_url(bad), "{bad}");
        }
    }
}
