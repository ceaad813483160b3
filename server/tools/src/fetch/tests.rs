//! Fetching from a real server, through every check.

use std::io::Write;
use std::net::Ipv4Addr;

use super::testing::{Answers, NAME, Site, response};
use super::*;

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

async fn fetch(fetcher: &Fetcher, url: &str) -> Result<Fetched, FetchError> {
    fetcher
        .fetch(&Target::parse(url)?, &CancellationToken::new())
        .await
}

async fn page(site: &Site, path: &str) -> Page {
    match fetch(&site.fetcher(), &site.url(path)).await {
        Ok(Fetched::Page(page)) => page,
        other => panic!("{path}: {other:?}"),
    }
}

/// What goes wrong, without the port.
async fn error(site: &Site, path: &str) -> String {
    let error = fetch(&site.fetcher(), &site.url(path))
        .await
        .unwrap_err()
        .to_string();
    error.replace(&format!(":{}", site.address.port()), "")
}

fn ip(address: &str) -> IpAddr {
    address.parse().unwrap()
}

#[tokio::test]
async fn a_page_is_fetched() {
    let site = Site::serve(|_| response(200, "Content-Type: text/plain", "words\n")).await;
    let page = page(&site, "/a?b=c").await;
    assert_eq!(
        (page.text.as_str(), page.media_type.as_str(), page.is_cut),
        ("words\n", "text/plain", false)
    );
    let requests = site.requests();
    assert_eq!(requests.len(), 1);
    let head = requests[0].to_ascii_lowercase();
    assert!(head.starts_with("get /a?b=c http/1.1\r\n"), "{head}");
    assert!(
        head.contains(&format!("host: {NAME}:{}", site.address.port())),
        "{head}"
    );
    for unsaid in ["cookie", "authorization", "referer"] {
        assert!(!head.contains(unsaid), "{head}");
    }
}

/// A host that cannot prove its name on an encrypted connection is asked for nothing.
#[tokio::test]
async fn nothing_is_fetched_from_a_host_that_does_not_prove_its_name() {
    let site = Site::serve(|_| response(200, "", "open")).await;
    let url = site.url("/").replace("http:", "https:");
    let error = fetch(&site.fetcher(), &url).await.unwrap_err();
    assert!(matches!(error, FetchError::Network { .. }), "{error}");
    assert_eq!(site.requests(), Vec::<String>::new());
}

/// Whatever a name resolves to: if any of it is not public, nothing is connected to.
#[tokio::test]
async fn a_name_at_an_address_that_is_not_public_is_refused() {
    let site = Site::serve(|_| response(200, "", "secret")).await;
    for addresses in [
        vec!["127.0.0.2"],
        vec!["0.0.0.0"],
        vec!["10.0.0.1"],
        vec!["169.254.169.254"],
        vec!["100.64.0.1"],
        vec!["::1"],
        vec!["::ffff:127.0.0.1"],
        vec!["64:ff9b::7f00:1"],
        vec!["fd00::1"],
        vec!["fe80::1"],
        vec!["93.184.216.34", "192.168.0.1"],
        vec!["127.0.0.1", "10.0.0.1"],
        vec!["2606:4700::1", "::1"],
    ] {
        let addresses: Vec<IpAddr> = addresses.into_iter().map(ip).collect();
        let fetcher = site.fetcher_with(Answers::new([&addresses]));
        let error = fetch(&fetcher, &site.url("/")).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Address { .. }),
            "{addresses:?}: {error}"
        );
    }
    // The exemption of this test is of one name: the same address is refused for any other, and in the URL itself.
    let url = site.url("/").replace(NAME, "other.example.org");
    let error = fetch(&site.fetcher(), &url).await.unwrap_err();
    assert!(matches!(error, FetchError::Address { .. }), "{error}");
    let port = site.address.port();
    for host in [
        "127.0.0.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "localhost",
    ] {
        let refused = fetch(&site.fetcher(), &format!("http://{host}:{port}/")).await;
        assert!(refused.is_err(), "{host}");
    }
    assert_eq!(site.requests(), Vec::<String>::new());
}

/// The name means another address a moment after it was checked: that one is never asked for.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_connection_is_made_to_the_address_that_was_checked() {
    let site = Site::serve(|_| response(200, "", "the checked one")).await;
    let rebound = SocketAddr::new(ip("127.0.0.2"), site.address.port());
    let rebound = Site::serve_at(rebound, |_| response(200, "", "the other one")).await;
    let answers = Answers::new([&[LOOPBACK], &[rebound.address.ip()]]);
    let fetcher = site.fetcher_with(Arc::clone(&answers));
    let Ok(Fetched::Page(page)) = fetch(&fetcher, &site.url("/")).await else {
        panic!("the page is fetched")
    };
    assert_eq!(page.text, "the checked one");
    assert_eq!(answers.asked(), [NAME], "the name is resolved once");
    assert_eq!(rebound.requests(), Vec::<String>::new());
    let error = fetch(&fetcher, &site.url("/")).await.unwrap_err();
    assert!(
        matches!(error, FetchError::Address { .. }),
        "the next call checks anew: {error}"
    );
    assert_eq!(rebound.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn every_redirection_is_checked_again() {
    let site = Site::serve(|path| match path {
        "/metadata" => response(302, "Location: http://169.254.169.254/latest/", ""),
        "/decimal" => response(302, "Location: //2130706433/", ""),
        "/mapped" => response(307, "Location: http://[::ffff:10.0.0.1]/", ""),
        "/local" => response(301, "Location: http://localhost/", ""),
        "/file" => response(302, "Location: file:///etc/passwd", ""),
        "/login" => response(302, "Location: http://me:secret@docs.example.org/", ""),
        "/mail" => response(302, "Location: http://docs.example.org:25/", ""),
        _ => response(302, "Location: /next", ""),
    })
    .await;
    for path in [
        "/metadata",
        "/decimal",
        "/mapped",
        "/local",
        "/file",
        "/login",
        "/mail",
    ] {
        let error = fetch(&site.fetcher(), &site.url(path)).await.unwrap_err();
        assert!(
            matches!(error, FetchError::Redirect { .. }),
            "{path}: {error}"
        );
    }
    insta::assert_snapshot!(error(&site, "/metadata").await, @"`http://docs.example.org/metadata` redirects to what is not fetched. `169.254.169.254` is a link-local address. Only public hosts are fetched from.");
    // The same name, at another address by the second hop.
    let answers = Answers::new([&[LOOPBACK], &[ip("169.254.169.254")]]);
    let error = fetch(&site.fetcher_with(Arc::clone(&answers)), &site.url("/"))
        .await
        .unwrap_err();
    assert!(matches!(error, FetchError::Address { .. }), "{error}");
    assert_eq!(answers.asked().len(), 2);
}

#[tokio::test]
async fn redirections_are_followed_on_the_same_host_and_not_for_ever() {
    let site = Site::serve(|path| match path {
        "/1" => response(301, "Location: 2", ""),
        "/2" => response(302, "Location: /3#part", ""),
        "/3" => response(303, "Location: ./4", ""),
        "/4" => response(307, "Location: 5", ""),
        "/5" => response(308, "Location: 6", ""),
        "/6" => response(200, "Content-Type: text/plain", "here"),
        "/elsewhere" => response(302, "Location: https://other.example.org/page?x=1", ""),
        "/nowhere" => response(302, "", ""),
        _ => response(302, "Location: /again", ""),
    })
    .await;
    let page = page(&site, "/1").await;
    assert_eq!((page.text.as_str(), page.url.path()), ("here", "/6"));
    let before = site.requests().len();
    assert!(
        error(&site, "/again")
            .await
            .ends_with("redirects again and again.")
    );
    assert_eq!(site.requests().len() - before, MAX_REDIRECTS + 1);
    assert!(error(&site, "/nowhere").await.contains("answered 302"));
    match fetch(&site.fetcher(), &site.url("/elsewhere")).await {
        Ok(Fetched::Moved {
            to, status: 302, ..
        }) => assert_eq!(to.as_str(), "https://other.example.org/page?x=1"),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_body_is_read_to_the_bound_and_no_further() {
    let site = Site::serve(|path| match path {
        "/exact" => response(200, "Content-Type: text/plain", "x".repeat(body::MAX_BYTES)),
        _ => response(
            200,
            "Content-Type: text/plain",
            "x".repeat(body::MAX_BYTES + 1),
        ),
    })
    .await;
    let exact = page(&site, "/exact").await;
    assert_eq!((exact.text.len(), exact.is_cut), (body::MAX_BYTES, false));
    let more = page(&site, "/more").await;
    assert_eq!((more.text.len(), more.is_cut), (body::MAX_BYTES, true));
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[tokio::test]
async fn packed_bodies_are_unpacked_to_the_bound_and_no_further() {
    let site = Site::serve(|path| match path {
        "/gzip" => response(200, "Content-Encoding: gzip", gzip(b"words")),
        "/members" => response(
            200,
            "Content-Encoding: x-gzip",
            [gzip(b"two "), gzip(b"parts")].concat(),
        ),
        "/deflate" => {
            let mut packed =
                flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(b"words").unwrap();
            response(200, "Content-Encoding: deflate", packed.finish().unwrap())
        }
        "/bomb" => response(
            200,
            "Content-Encoding: gzip",
            gzip(&vec![b'x'; 200 * 1024 * 1024]),
        ),
        "/broken" => response(200, "Content-Encoding: gzip", "not packed at all"),
        "/short" => response(200, "Content-Encoding: gzip", &gzip(&[b'x'; 1000])[..15]),
        _ => response(200, "Content-Encoding: br", "x"),
    })
    .await;
    assert_eq!(page(&site, "/gzip").await.text, "words");
    assert_eq!(page(&site, "/members").await.text, "two parts");
    assert_eq!(page(&site, "/deflate").await.text, "words");
    let bomb = page(&site, "/bomb").await;
    assert_eq!((bomb.text.len(), bomb.is_cut), (body::MAX_BYTES, true));
    for path in ["/broken", "/short"] {
        let error = error(&site, path).await;
        assert!(error.contains("cannot be unpacked"), "{path}: {error}");
    }
    insta::assert_snapshot!(error(&site, "/brotli").await, @"`http://docs.example.org/brotli` could not be fetched: its text is packed as `br`, which was not asked for.");
}

#[tokio::test]
async fn what_is_no_page_is_told() {
    let site = Site::serve(|path| match path {
        "/missing" => response(404, "", "x"),
        "/busy" => response(429, "Retry-After: 120", "x"),
        "/image" => response(200, "Content-Type: image/png", "x"),
        "/cut" => response(200, "Content-Type: text/plain\nContent-Length: 100", "x"),
        _ => Vec::new(),
    })
    .await;
    insta::assert_snapshot!(error(&site, "/missing").await, @"`http://docs.example.org/missing` answered 404 Not Found.");
    insta::assert_snapshot!(error(&site, "/busy").await, @"`http://docs.example.org/busy` answered 429 Too Many Requests (try again after: 120).");
    insta::assert_snapshot!(error(&site, "/image").await, @"`http://docs.example.org/image` is an image, not text.");
    assert!(error(&site, "/cut").await.contains("could not be fetched"));
    assert!(
        error(&site, "/nothing")
            .await
            .contains("could not be fetched")
    );
    let fetcher = Fetcher::with_resolver(Settings::default(), Answers::new([]));
    insta::assert_snapshot!(fetch(&fetcher, "https://gone.example.org/").await.unwrap_err(), @"The name `gone.example.org` cannot be resolved: no such name.");
}

/// A host that answers never, or a byte now and then, holds nobody up who wants to go on.
#[tokio::test]
async fn a_fetch_ends_when_it_is_told_to() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let cancel = CancellationToken::new();
    let fetcher = Fetcher::with_resolver(Settings::default(), Answers::always(LOOPBACK))
        .with_exempt(NAME, LOOPBACK);
    let target = Target::parse(&format!("http://{NAME}:{}/", address.port())).unwrap();
    let told = async {
        let (_stream, _) = listener.accept().await.unwrap();
        cancel.cancel();
        std::future::pending::<()>().await;
    };
    tokio::select! {
        fetched = fetcher.fetch(&target, &cancel) => assert!(matches!(fetched, Err(FetchError::Cancelled)), "{fetched:?}"),
        () = told => unreachable!(),
    }
}

/// The proxy resolves names; what is local by its name or its address does not get that far.
#[tokio::test]
async fn a_proxy_is_used_where_one_is_set() {
    let proxy = Site::serve(|_| response(200, "Content-Type: text/plain", "by the proxy")).await;
    let answers = Answers::always(LOOPBACK);
    let settings = Settings {
        proxy: Some(Url::parse(&format!("http://{}", proxy.address)).unwrap()),
    };
    let fetcher = Fetcher::with_resolver(settings, Arc::clone(&answers) as Arc<dyn Resolver>);
    let Ok(Fetched::Page(page)) = fetch(&fetcher, "http://docs.example.org/x").await else {
        panic!("the page is fetched")
    };
    assert_eq!(page.text, "by the proxy");
    assert!(proxy.requests()[0].starts_with("GET http://docs.example.org/x "));
    assert_eq!(answers.asked(), Vec::<String>::new());
    for url in [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://metadata.google.internal/",
    ] {
        assert!(fetch(&fetcher, url).await.is_err(), "{url}");
    }
    assert_eq!(proxy.requests().len(), 1);
}
