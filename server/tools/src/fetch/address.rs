//! Which addresses are on the public internet. Everything that is not is refused: what listens there trusts whoever can
//! reach it. Knows no name and no request.
//!
//! The ranges are those of IANA's registries of special-purpose addresses; of IPv6 only `2000::/3` has been given out at
//! all, and nothing else is taken.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Ranges of IPv4: first address, bits of the prefix, what it is.
const V4: &[(Ipv4Addr, u32, &str)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an unspecified address"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "a private address"),
    (
        Ipv4Addr::new(100, 64, 0, 0),
        10,
        "an address of a provider's inner network",
    ),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "a loopback address"),
    // The wire server of Azure: a public range, but answered by the host of a virtual machine.
    (
        Ipv4Addr::new(168, 63, 129, 16),
        32,
        "an address of a cloud's metadata",
    ),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "a link-local address"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "a private address"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "a reserved address"),
    (
        Ipv4Addr::new(192, 0, 2, 0),
        24,
        "an address for documentation",
    ),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a reserved address"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "a private address"),
    (
        Ipv4Addr::new(198, 18, 0, 0),
        15,
        "an address for benchmarks",
    ),
    (
        Ipv4Addr::new(198, 51, 100, 0),
        24,
        "an address for documentation",
    ),
    (
        Ipv4Addr::new(203, 0, 113, 0),
        24,
        "an address for documentation",
    ),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "a multicast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "a reserved address"),
];

/// Ranges of IPv6, most of them in `2000::/3` or with a name of their own.
const V6: &[(Ipv6Addr, u32, &str)] = &[
    (Ipv6Addr::UNSPECIFIED, 128, "an unspecified address"),
    (Ipv6Addr::LOCALHOST, 128, "a loopback address"),
    (
        v6(0x64, 0xff9b, 1),
        48,
        "a translated address of a local network",
    ),
    (v6(0x100, 0, 0), 64, "a reserved address"),
    // Teredo, benchmarks, ORCHID: nothing in it is a host that serves pages.
    (v6(0x2001, 0, 0), 23, "a reserved address"),
    (v6(0x2001, 0xdb8, 0), 32, "an address for documentation"),
    (v6(0x3fff, 0, 0), 20, "an address for documentation"),
    (v6(0x5f00, 0, 0), 16, "a reserved address"),
    (v6(0xfc00, 0, 0), 7, "a private address"),
    (v6(0xfe80, 0, 0), 10, "a link-local address"),
    (v6(0xfec0, 0, 0), 10, "a site-local address"),
    (v6(0xff00, 0, 0), 8, "a multicast address"),
];

const fn v6(first: u16, second: u16, third: u16) -> Ipv6Addr {
    Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0)
}

/// What an address is, with its article, if it is not one of the public internet. One that embeds another, by which a
/// gateway goes on, is what that one is.
pub(super) fn refused(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refused_v4(address),
        IpAddr::V6(address) => refused_v6(address),
    }
}

fn refused_v4(address: Ipv4Addr) -> Option<&'static str> {
    let within = |(first, bits, _): &&(Ipv4Addr, u32, &str)| {
        u32::from(address) >> (32 - bits) == u32::from(*first) >> (32 - bits)
    };
    V4.iter().find(within).map(|(_, _, what)| *what)
}

fn refused_v6(address: Ipv6Addr) -> Option<&'static str> {
    let within = |(first, bits, _): &&(Ipv6Addr, u32, &str)| {
        u128::from(address) >> (128 - bits) == u128::from(*first) >> (128 - bits)
    };
    if let Some((_, _, what)) = V6.iter().find(within) {
        return Some(what);
    }
    let embedded = embedded(address);
    if let Some(what) = embedded.iter().find_map(|inner| refused_v4(*inner)) {
        return Some(what);
    }
    let is_given_out = address.segments()[0] >> 13 == 1;
    (!is_given_out && embedded.is_empty()).then_some("a reserved address")
}

/// The IPv4 addresses that an IPv6 address stands for.
fn embedded(address: Ipv6Addr) -> Vec<Ipv4Addr> {
    let parts = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    let last = joined(parts[6], parts[7]);
    match parts {
        // Mapped, compatible and translated (RFC 4291, RFC 2765), and the well-known prefix of NAT64 (RFC 6052).
        [0, 0, 0, 0, 0, 0xffff | 0, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..] => vec![last],
        // 6to4 (RFC 3056).
        [0x2002, high, low, ..] => vec![joined(high, low)],
        // ISATAP (RFC 5214): in any network, by the last half.
        [_, _, _, _, 0 | 0x200, 0x5efe, ..] => vec![last],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `public`, or what it is refused as.
    fn check(rows: &[(&str, &str)]) {
        for (address, expected) in rows {
            let refused = refused(address.parse().unwrap()).unwrap_or("public");
            assert_eq!(refused, *expected, "{address}");
        }
    }

    #[test]
    fn ipv4() {
        check(&[
            ("0.0.0.0", "an unspecified address"),
            ("0.255.255.255", "an unspecified address"),
            ("1.0.0.0", "public"),
            ("8.8.8.8", "public"),
            ("9.255.255.255", "public"),
            ("10.0.0.0", "a private address"),
            ("10.255.255.255", "a private address"),
            ("11.0.0.0", "public"),
            ("100.63.255.255", "public"),
            ("100.64.0.0", "an address of a provider's inner network"),
            (
                "100.100.100.200",
                "an address of a provider's inner network",
            ),
            (
                "100.127.255.255",
                "an address of a provider's inner network",
            ),
            ("100.128.0.0", "public"),
            ("126.255.255.255", "public"),
            ("127.0.0.1", "a loopback address"),
            ("127.255.255.254", "a loopback address"),
            ("128.0.0.0", "public"),
            ("168.63.129.15", "public"),
            ("168.63.129.16", "an address of a cloud's metadata"),
            ("169.254.169.254", "a link-local address"),
            ("169.254.170.2", "a link-local address"),
            ("172.15.255.255", "public"),
            ("172.16.0.0", "a private address"),
            ("172.31.255.255", "a private address"),
            ("172.32.0.0", "public"),
            ("192.0.0.192", "a reserved address"),
            ("192.0.2.1", "an address for documentation"),
            ("192.88.99.1", "a reserved address"),
            ("192.167.255.255", "public"),
            ("192.168.0.0", "a private address"),
            ("192.169.0.0", "public"),
            ("198.17.255.255", "public"),
            ("198.18.0.0", "an address for benchmarks"),
            ("198.19.255.255", "an address for benchmarks"),
            ("198.51.100.7", "an address for documentation"),
            ("203.0.113.7", "an address for documentation"),
            ("223.255.255.255", "public"),
            ("224.0.0.1", "a multicast address"),
            ("239.255.255.255", "a multicast address"),
            ("240.0.0.1", "a reserved address"),
            ("255.255.255.255", "a reserved address"),
        ]);
    }

    #[test]
    fn ipv6() {
        check(&[
            ("::", "an unspecified address"),
            ("::1", "a loopback address"),
            ("100::1", "a reserved address"),
            ("2001::1", "a reserved address"),
            ("2001:2::1", "a reserved address"),
            ("2001:10::1", "a reserved address"),
            ("2001:200::1", "public"),
            ("2001:4860:4860::8888", "public"),
            ("2001:db8::1", "an address for documentation"),
            ("2606:4700:4700::1111", "public"),
            ("3fff::1", "an address for documentation"),
            ("4000::1", "a reserved address"),
            ("5f00::1", "a reserved address"),
            ("fbff::1", "a reserved address"),
            ("fc00::1", "a private address"),
            ("fd00:ec2::254", "a private address"),
            ("fe80::1", "a link-local address"),
            ("febf::1", "a link-local address"),
            ("fec0::1", "a site-local address"),
            ("feff::1", "a site-local address"),
            ("ff02::1", "a multicast address"),
        ]);
    }

    #[test]
    fn what_embeds_an_address_is_what_that_is() {
        check(&[
            ("::ffff:127.0.0.1", "a loopback address"),
            ("::ffff:169.254.169.254", "a link-local address"),
            ("::ffff:8.8.8.8", "public"),
            ("::127.0.0.1", "a loopback address"),
            ("::10.0.0.1", "a private address"),
            ("::2", "an unspecified address"),
            ("::ffff:0:192.168.0.1", "a private address"),
            ("64:ff9b::10.0.0.1", "a private address"),
            ("64:ff9b::169.254.169.254", "a link-local address"),
            ("64:ff9b::8.8.8.8", "public"),
            (
                "64:ff9b:1::8.8.8.8",
                "a translated address of a local network",
            ),
            ("2002:7f00:1::", "a loopback address"),
            ("2002:a9fe:a9fe::1", "a link-local address"),
            ("2002:c0a8:1::1", "a private address"),
            ("2002:808:808::1", "public"),
            ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "a reserved address"),
            ("2606:4700::5efe:10.0.0.1", "a private address"),
            ("2606:4700::200:5efe:127.0.0.1", "a loopback address"),
            ("2606:4700::5efe:8.8.8.8", "public"),
        ]);
    }
}
