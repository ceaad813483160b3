//! What a URL may name, in every spelling.

use super::*;

/// The host, or why there is none in a word.
fn read(url: &str) -> String {
    match Target::parse(url) {
        Ok(target) => target.host().to_owned(),
        Err(FetchError::NoUrl { .. }) => "no URL".to_owned(),
        Err(FetchError::TooLong(..)) => "too long".to_owned(),
        Err(FetchError::Scheme(_)) => "scheme".to_owned(),
        Err(FetchError::Credentials) => "credentials".to_owned(),
        Err(FetchError::Port(_)) => "port".to_owned(),
        Err(FetchError::LocalName(_)) => "local".to_owned(),
        Err(FetchError::Address { what, .. }) => what.to_owned(),
        Err(other) => panic!("{other}"),
    }
}

fn check(rows: &[(&str, &str)]) {
    for (url, expected) in rows {
        assert_eq!(read(url), *expected, "{url}");
    }
}

#[test]
fn public_hosts_are_taken_as_rules_name_them() {
    check(&[
        ("https://docs.rs/serde", "docs.rs"),
        (" https://DOCS.RS/serde#top\n", "docs.rs"),
        ("https://docs.rs./", "docs.rs"),
        ("https://docs.rs:8443/", "docs.rs"),
        ("http://8.8.8.8/", "8.8.8.8"),
        ("http://134744072/", "8.8.8.8"),
        ("http://[2606:4700:4700::1111]/", "2606:4700:4700::1111"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("https://localhost.example.com/", "localhost.example.com"),
        ("https://mylocal.dev/", "mylocal.dev"),
        // How browsers read it, and so do we.
        ("https:docs.rs", "docs.rs"),
        (r"https:\\docs.rs\x", "docs.rs"),
    ]);
    let target = Target::parse("https://docs.rs./serde#top").unwrap();
    assert_eq!(target.url().as_str(), "https://docs.rs/serde");
}

#[test]
fn addresses_that_are_not_public_are_refused_in_every_spelling() {
    let loopback = "a loopback address";
    let link_local = "a link-local address";
    let private = "a private address";
    check(&[
        ("http://127.0.0.1/", loopback),
        ("http://127.0.0.1./", loopback),
        ("http://127.1/", loopback),
        ("http://127.0.1/", loopback),
        ("http://2130706433/", loopback),
        ("http://0x7f000001/", loopback),
        ("http://0X7F.1/", loopback),
        ("http://0x7f.0x0.0x0.0x1/", loopback),
        ("http://017700000001/", loopback),
        ("http://0177.0.0.1/", loopback),
        ("http://0177.0x0.0.1/", loopback),
        ("http://%31%32%37.0.0.1/", loopback),
        ("http://１２７.０.０.１/", loopback),
        ("http://127。0。0。1/", loopback),
        ("http://①②⑦.0.0.1/", loopback),
        (r"http:\\127.0.0.1\", loopback),
        ("http:127.0.0.1", loopback),
        ("http://0/", "an unspecified address"),
        ("http://0.0.0.0:8080/", "an unspecified address"),
        ("http://169.254.169.254/latest/meta-data/", link_local),
        ("http://2852039166/", link_local),
        ("http://0xa9fea9fe/", link_local),
        ("http://0251.0376.0251.0376/", link_local),
        ("http://10.0.0.1/", private),
        ("http://172.16.0.1/", private),
        ("http://192.168.1.1/", private),
        (
            "http://100.100.100.200/",
            "an address of a provider's inner network",
        ),
        ("http://168.63.129.16/", "an address of a cloud's metadata"),
        ("http://198.18.0.1/", "an address for benchmarks"),
        ("http://203.0.113.1/", "an address for documentation"),
        ("http://224.0.0.1/", "a multicast address"),
        ("http://255.255.255.255/", "a reserved address"),
        ("http://[::1]/", loopback),
        ("http://[0:0:0:0:0:0:0:1]/", loopback),
        ("http://[::]/", "an unspecified address"),
        ("http://[::ffff:127.0.0.1]/", loopback),
        ("http://[::ffff:7f00:1]/", loopback),
        ("http://[::127.0.0.1]/", loopback),
        ("http://[::ffff:169.254.169.254]/", link_local),
        ("http://[64:ff9b::a9fe:a9fe]/", link_local),
        ("http://[2002:7f00:1::]/", loopback),
        (
            "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
            "a reserved address",
        ),
        ("http://[fe80::1]/", link_local),
        ("http://[fec0::1]/", "a site-local address"),
        ("http://[fd00:ec2::254]/", private),
        ("http://[ff02::1]/", "a multicast address"),
    ]);
}

#[test]
fn local_names_are_refused_before_they_are_resolved() {
    for url in [
        "http://localhost/",
        "http://LOCALHOST:3000/",
        "http://localhost./",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://app.localhost/",
        "http://printer.local/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://router.lan/",
        "http://nas.home.arpa/",
        "http://intranet/",
        "http://kubernetes.default.svc.cluster.local/",
        "http://x.onion/",
    ] {
        assert_eq!(read(url), "local", "{url}");
    }
}

#[test]
fn what_else_is_no_page() {
    check(&[
        ("file:///etc/passwd", "scheme"),
        ("ftp://example.org/", "scheme"),
        ("gopher://example.org/", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("data:text/plain,x", "scheme"),
        ("view-source:https://docs.rs", "scheme"),
        ("docs.rs", "no URL"),
        ("", "no URL"),
        ("https://", "no URL"),
        ("http://[fe80::1%25eth0]/", "no URL"),
        ("http://[::1%lo]/", "no URL"),
        ("http://1.2.3.4.5/", "no URL"),
        ("http://docs.rs../", "no URL"),
        ("http://docs..rs/", "no URL"),
        ("http://.docs.rs/", "no URL"),
        ("http://localhost../", "no URL"),
        ("http://docs.rs。。/", "no URL"),
        ("http://256.1.1.1/", "no URL"),
        ("http://exa mple.org/", "no URL"),
        ("http://a%00b.example/", "no URL"),
        ("https://user@docs.rs/", "credentials"),
        ("https://user:password@docs.rs/", "credentials"),
        ("https://:password@docs.rs/", "credentials"),
        ("https://docs.rs@127.0.0.1/", "credentials"),
        ("http://docs.rs:22/", "port"),
        ("http://docs.rs:25/", "port"),
        ("http://docs.rs:0/", "port"),
        ("http://docs.rs:6667/", "port"),
        ("https://docs.rs:6379/", "docs.rs"),
    ]);
    assert_eq!(
        read(&format!("https://docs.rs/?{}", "x".repeat(3000))),
        "too long"
    );
}

#[test]
fn a_consent_covers_the_same_host_and_no_open_connection_instead_of_an_encrypted_one() {
    let covers = |first: &str, second: &str| {
        let [first, second] = [first, second].map(|url| Target::parse(url).unwrap());
        first.includes(&second)
    };
    assert!(covers("http://docs.rs/a", "http://docs.rs/b"));
    assert!(covers("http://docs.rs/a", "https://docs.rs/b"));
    assert!(covers("https://docs.rs/a", "https://DOCS.rs./b"));
    assert!(!covers("https://docs.rs/a", "http://docs.rs/b"));
    assert!(!covers("https://docs.rs/a", "https://www.docs.rs/a"));
    assert!(!covers(
        "https://docs.rs/a",
        "https://docs.rs.evil.example/a"
    ));
}
