//! Work on many things at once, in parts that are taken one after the other. Knows nothing of the work.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::SearchError;

/// Does the work on all parts of `0..count`, each of so many, and returns what came of them, in order. A part is not
/// begun once the call is to end.
pub(crate) fn in_parts<T: Send>(
    count: usize,
    part: usize,
    threads: usize,
    cancel: &CancellationToken,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Result<Vec<T>, SearchError> {
    in_parts_with(count, part, threads, cancel, || (), |(), range| work(range))
}

/// The same, where each thread has something of its own that it uses for all its parts.
pub(crate) fn in_parts_with<S, T: Send>(
    count: usize,
    part: usize,
    threads: usize,
    cancel: &CancellationToken,
    own: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, Range<usize>) -> T + Sync,
) -> Result<Vec<T>, SearchError> {
    let parts = count.div_ceil(part);
    let next = AtomicUsize::new(0);
    let take = || {
        let mut done = Vec::new();
        let mut own = own();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= parts || cancel.is_cancelled() {
                return done;
            }
            let first = number * part;
            done.push((number, work(&mut own, first..count.min(first + part))));
        }
    };
    let mut done = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads.min(parts)).map(|_| scope.spawn(take)).collect();
        let mut done = take();
        for helper in helpers {
            match helper.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    if cancel.is_cancelled() {
        return Err(SearchError::Cancelled);
    }
    done.sort_unstable_by_key(|(number, _)| *number);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_done_once_and_the_results_stand_in_order() {
        for (count, part, threads) in [(0, 3, 4), (1, 3, 4), (10, 3, 1), (1000, 7, 5)] {
            let cancel = CancellationToken::new();
            let parts = in_parts(count, part, threads, &cancel, |range| {
                range.collect::<Vec<_>>()
            });
            assert_eq!(parts.unwrap().concat(), (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_is_begun_once_it_is_to_end() {
        let cancel = CancellationToken::new();
        let begun = AtomicUsize::new(0);
        let result = in_parts(1000, 1, 2, &cancel, |_| {
            begun.fetch_add(1, Ordering::Relaxed);
            cancel.cancel();
        });
        assert!(matches!(result, Err(SearchError::Cancelled)));
        assert!(begun.into_inner() <= 2);
    }
}
