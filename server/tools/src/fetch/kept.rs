//! The pages that were fetched last, so that a long one is read on as it was, without asking for it again. Knows no tool
//! and no network.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use url::Url;

use super::Page;

/// As many pages of one session are kept.
const MOST_OF_A_SESSION: usize = 4;

/// As much text of all of them, in bytes.
const MOST_BYTES: usize = 20 << 20;

/// How long one is kept: nobody wants to read on in an old page.
const LIFETIME: Duration = Duration::from_secs(600);

/// The newest last.
#[derive(Default)]
pub(super) struct KeptPages(VecDeque<Kept>);

struct Kept {
    session: String,
    /// As it was asked for, whatever that led to.
    url: Url,
    page: Arc<Page>,
    since: Instant,
}

impl KeptPages {
    /// Keeps a page in place of an earlier one of the same URL, and drops what is too much or too old.
    pub(super) fn keep(&mut self, session: &str, url: &Url, page: Arc<Page>, now: Instant) {
        let Self(pages) = self;
        pages.retain(|kept| {
            let is_same = kept.session == session && kept.url == *url;
            !is_same && now.duration_since(kept.since) < LIFETIME
        });
        let of_session = |kept: &Kept| kept.session == session;
        if pages.iter().filter(|kept| of_session(kept)).count() == MOST_OF_A_SESSION
            && let Some(oldest) = pages.iter().position(of_session)
        {
            pages.remove(oldest);
        }
        pages.push_back(Kept {
            session: session.to_owned(),
            url: url.clone(),
            page,
            since: now,
        });
        let mut bytes: usize = pages.iter().map(|kept| kept.page.text.len()).sum();
        while bytes > MOST_BYTES
            && let Some(oldest) = pages.pop_front()
        {
            bytes -= oldest.page.text.len();
        }
    }

    /// The page that the session got for this URL, if it is not too old.
    pub(super) fn get(&self, session: &str, url: &Url, now: Instant) -> Option<Arc<Page>> {
        let kept = self
            .0
            .iter()
            .find(|kept| kept.session == session && kept.url == *url)?;
        (now.duration_since(kept.since) < LIFETIME).then(|| Arc::clone(&kept.page))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("https://docs.example.org/")
            .unwrap()
            .join(path)
            .unwrap()
    }

    fn page(bytes: usize) -> Arc<Page> {
        Arc::new(Page {
            url: url("/"),
            media_type: String::new(),
            text: "x".repeat(bytes),
            is_cut: false,
        })
    }

    /// Which of these paths the session has.
    fn kept(pages: &KeptPages, session: &str, now: Instant) -> String {
        let is_kept = |path: &&str| pages.get(session, &url(path), now).is_some();
        ["a", "b", "c", "d", "e"]
            .into_iter()
            .filter(is_kept)
            .collect()
    }

    #[test]
    fn the_last_few_of_each_session_are_kept_for_a_while() {
        let start = Instant::now();
        let mut pages = KeptPages::default();
        for path in ["a", "b", "c", "a", "d"] {
            pages.keep("s", &url(path), page(1), start);
        }
        pages.keep("other", &url("e"), page(1), start + LIFETIME / 2);
        assert_eq!(kept(&pages, "s", start), "abcd");
        pages.keep("s", &url("e"), page(1), start + LIFETIME / 2);
        assert_eq!(kept(&pages, "s", start), "acde", "b was the oldest");
        assert_eq!(kept(&pages, "other", start + LIFETIME), "e");
        assert_eq!(kept(&pages, "s", start + LIFETIME), "e");
    }

    #[test]
    fn all_of_them_have_a_bound() {
        let now = Instant::now();
        let mut pages = KeptPages::default();
        pages.keep("s", &url("a"), page(MOST_BYTES / 2), now);
        pages.keep("other", &url("b"), page(MOST_BYTES / 2), now);
        pages.keep("s", &url("c"), page(1), now);
        assert_eq!(kept(&pages, "s", now), "c");
        pages.keep("s", &url("d"), page(MOST_BYTES + 1), now);
        assert_eq!(kept(&pages, "s", now), "");
    }
}
