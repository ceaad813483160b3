//! Patterns of hosts: `domain:docs.rs` is that host and no other, `domain:*.docs.rs` is every host below it.

use url::Host;

use super::Fault;

const DOMAIN: &str = "domain:";

/// A pattern of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::permission) enum HostPattern {
    /// This one, in its canonical form.
    Exactly(String),
    /// All that end in this, a dot and the canonical form of a domain.
    Below(String),
    /// Every host.
    Any,
}

impl HostPattern {
    pub(super) fn read(text: &str) -> Result<HostPattern, Fault> {
        let text = text.trim_end();
        let Some(host) = text.strip_prefix(DOMAIN) else {
            return Err(Fault::at(
                1,
                "`domain:` and a host are expected, as `domain:docs.rs`",
            ));
        };
        let column = DOMAIN.len() + 1;
        let expected = |host: &str| {
            Fault::at(
                column,
                format!(
                    "`{host}` is no host; a name is expected, as `docs.rs` or `*.docs.rs`, without scheme, port and path"
                ),
            )
        };
        if host == "*" {
            return Ok(HostPattern::Any);
        }
        if let Some(below) = host.strip_prefix("*.") {
            let canonical = canonical_host(below).filter(|_| !below.contains('*'));
            // Nothing is below an address.
            let domain = canonical.filter(|host| host.parse::<std::net::IpAddr>().is_err());
            return domain
                .map(|domain| HostPattern::Below(format!(".{domain}")))
                .ok_or_else(|| expected(host));
        }
        if host.contains('*') {
            return Err(Fault::at(
                column,
                "`*` is expected in front only, as `*.docs.rs`",
            ));
        }
        canonical_host(host)
            .map(HostPattern::Exactly)
            .ok_or_else(|| expected(host))
    }

    /// Whether this host, in whatever form it is written, is one of them.
    pub(in crate::permission) fn matches(&self, host: &str) -> bool {
        let Some(host) = canonical_host(host) else {
            return *self == HostPattern::Any;
        };
        match self {
            HostPattern::Exactly(own) => *own == host,
            HostPattern::Below(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            HostPattern::Any => true,
        }
    }
}

/// The one form of a host: lower case, punycode, without a dot at the end; addresses as numbers, without brackets.
pub(in crate::permission) fn canonical_host(host: &str) -> Option<String> {
    let host = host.trim_end_matches('.');
    let bracketed = if host.contains(':') && !host.starts_with('[') {
        format!("[{host}]")
    } else {
        host.to_owned()
    };
    match Host::parse(&bracketed).ok()? {
        Host::Domain(domain) => Some(domain),
        Host::Ipv4(address) => Some(address.to_string()),
        Host::Ipv6(address) => Some(address.to_string()),
    }
}
