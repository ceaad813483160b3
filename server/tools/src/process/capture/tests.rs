//! Tests of what is kept of an output.

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

fn joined(pieces: &[Piece]) -> Vec<u8> {
    pieces
        .iter()
        .flat_map(|piece| piece.bytes.clone())
        .collect()
}

/// What is pushed: which source, and how many bytes.
fn pushes() -> impl Strategy<Value = Vec<(bool, usize)>> {
    let size = prop_oneof![0..40_usize, 1_000..100_000_usize, 300_000..400_000_usize];
    prop::collection::vec((any::<bool>(), size), 0..12)
}

fn source(error: bool) -> Source {
    if error { Source::Error } else { Source::Output }
}

/// Bytes that tell where they stand.
fn content(pushes: &[(bool, usize)]) -> Vec<(Source, Vec<u8>)> {
    let mut at = 0_usize;
    pushes
        .iter()
        .map(|&(error, size)| {
            let bytes = (at..at + size)
                .map(|at| (at ^ (at >> 8) ^ (at >> 16)) as u8)
                .collect();
            at += size;
            (source(error), bytes)
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn head_and_tail_and_file_are_the_output(pushes in pushes(), limit in 0..2_000_000_u64) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("artifact");
        let mut artifact = Some(Artifact::create(&path, limit).unwrap());
        let capture = Capture::new(Some(path.clone()));
        let content = content(&pushes);
        for (source, bytes) in &content {
            capture.push(*source, bytes, &mut artifact);
        }
        let whole: Vec<u8> = content.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        let captured = capture.captured();
        let (head, tail) = (joined(&captured.head), joined(&captured.tail));

        prop_assert_eq!(captured.bytes, whole.len() as u64);
        prop_assert_eq!(&whole[..head.len()], &head[..]);
        prop_assert_eq!(&whole[whole.len() - tail.len()..], &tail[..]);
        prop_assert_eq!(head.len(), whole.len().min(HEAD));
        prop_assert_eq!(tail.len(), (whole.len() - head.len()).min(TAIL));
        prop_assert_eq!(captured.omitted as usize, whole.len() - head.len() - tail.len());
        let errors: usize = content.iter().filter(|(source, _)| *source == Source::Error).map(|(_, bytes)| bytes.len()).sum();
        prop_assert_eq!(captured.error_bytes as usize, errors);
        let lines = whole.split_inclusive(|&byte| byte == b'\n').count();
        prop_assert_eq!(captured.lines as usize, lines);
        let written = whole.len().min(limit as usize);
        prop_assert_eq!(captured.artifact_bytes as usize, written);
        prop_assert_eq!(std::fs::read(&path).unwrap(), &whole[..written]);
    }

    #[test]
    fn reading_on_gives_every_byte_once(pushes in pushes(), step in 1_000..200_000_usize) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("artifact");
        let mut artifact = Some(Artifact::create(&path, u64::MAX).unwrap());
        let capture = Capture::new(Some(path));
        let content = content(&pushes);
        let mut read = Vec::new();
        let mut next = 0;
        // Now and then while more comes, and to the end at last.
        for (source, bytes) in &content {
            capture.push(*source, bytes, &mut artifact);
            let chunk = capture.read(next, step).unwrap();
            prop_assert_eq!(chunk.offset, next);
            read.extend(joined(&chunk.pieces));
            next = chunk.next;
        }
        loop {
            let chunk = capture.read(next, step).unwrap();
            prop_assert_eq!(chunk.offset, next);
            if chunk.next == next {
                break;
            }
            read.extend(joined(&chunk.pieces));
            next = chunk.next;
        }
        let whole: Vec<u8> = content.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        prop_assert_eq!(read, whole);
    }

    #[test]
    fn sources_stay_with_their_bytes(pushes in prop::collection::vec((any::<bool>(), 0..9_usize), 0..60), limit in 0..50_usize) {
        let mut pieces = Pieces::default();
        let mut whole = Vec::new();
        for (source, bytes) in content(&pushes) {
            whole.extend(bytes.iter().map(|&byte| (source, byte)));
            pieces.push_last(source, &bytes, limit);
        }
        let kept: Vec<(Source, u8)> = pieces
            .all()
            .into_iter()
            .flat_map(|piece| piece.bytes.into_iter().map(move |byte| (piece.source, byte)))
            .collect();
        prop_assert_eq!(&whole[whole.len().saturating_sub(limit)..], &kept[..]);
        prop_assert!(pieces.all().windows(2).all(|pair| pair[0].source != pair[1].source));
    }
}

#[test]
fn without_a_file_what_is_between_is_left_out_and_said() {
    let capture = Capture::new(None);
    capture.push(Source::Output, &vec![b'a'; HEAD + TAIL + 100], &mut None);
    let chunk = capture.read(HEAD as u64, 10).unwrap();
    assert_eq!(
        (chunk.offset, chunk.next),
        (HEAD as u64 + 100, HEAD as u64 + 110)
    );
    assert_eq!(capture.read(u64::MAX, 10).unwrap().offset, chunk.total);
}

#[test]
fn a_file_that_cannot_be_written_costs_only_the_file() {
    let mut artifact = Some(Artifact {
        file: File::options().write(true).open("/dev/full").unwrap(),
        room: 100,
    });
    let capture = Capture::new(None);
    for _ in 0..2 {
        capture.push(Source::Error, b"text\n", &mut artifact);
    }
    assert!(capture.artifact_error().unwrap().contains("space"));
    let captured = capture.captured();
    assert_eq!((captured.bytes, captured.artifact_bytes), (10, 0));
    assert_eq!(joined(&captured.head), b"text\ntext\n");
}

#[test]
fn the_file_is_new_and_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("artifact");
    Artifact::create(&path, 1).unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(Artifact::create(&path, 1).is_err(), "it exists");
}
