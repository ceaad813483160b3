//! The end of the conversation, in its order.

use super::*;
use std::convert::Infallible;
use tower_lsp::ls_types::request::Shutdown;

#[tokio::test]
async fn the_end_is_told_before_the_requests_that_still_wait_fail() {
    let (out, outgoing) = mpsc::unbounded_channel();
    let peer = Arc::new(Peer::new(out));
    let transport = Transport {
        service: tower::service_fn(|_: Request| std::future::ready(Ok::<_, Infallible>(None))),
        documents: Arc::default(),
        peer: Arc::clone(&peer),
        outgoing,
        parent: watch::channel(None).1,
    };
    let mut request = Box::pin(peer.request::<Shutdown>((), Duration::MAX));
    assert!((&mut request).now_or_never().is_none(), "it is asked");
    let mut waits = false;
    let (input, output) = (Box::new(tokio::io::empty()), Box::new(tokio::io::sink()));
    let ending = || waits = (&mut request).now_or_never().is_none();
    assert_eq!(transport.serve(input, output, ending).await, End::Abrupt);
    assert!(waits, "it had failed before");
    assert!(request.await.is_err());
}
