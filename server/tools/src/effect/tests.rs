//! Bounds, and which effects conflict: every pair of kinds, and paths in every relation.

use proptest::prelude::*;

use super::*;

#[test]
fn a_bound_covers_its_kinds_and_a_workspace_bound_all_that_is_local() {
    let write = EffectBound::new([EffectKind::Write]);
    assert!(write.covers(&Effect::Write(vec![])));
    assert!(!write.covers(&Effect::Read(vec![])));
    assert!(!write.is_read_only());
    let workspace = EffectBound::new([EffectKind::Workspace]);
    assert!(workspace.covers(&Effect::Process(Command::default())));
    assert!(!workspace.covers(&Effect::Network(vec![])));
    assert!(!workspace.covers(&fetch()));
    assert!(EffectBound::new([EffectKind::Read]).is_read_only());
}

fn read(path: &str) -> Effect {
    Effect::Read(vec![path.into()])
}

fn write(path: &str) -> Effect {
    Effect::Write(vec![path.into()])
}

fn command(reads_only: bool) -> Effect {
    Effect::Process(Command {
        reads_only,
        ..Command::default()
    })
}

fn network() -> Effect {
    Effect::Network(vec!["example.org".to_owned()])
}

fn fetch() -> Effect {
    Effect::Fetch {
        host: "example.org".to_owned(),
        url: "https://example.org/".to_owned(),
    }
}

/// All kinds against all kinds, about the same file. A line lists those that the kind conflicts with.
#[test]
fn every_pair_of_kinds() {
    let kinds = [
        ("read", read("/w/a")),
        ("write", write("/w/a")),
        ("process", command(false)),
        ("reading process", command(true)),
        ("network", network()),
        ("fetch", fetch()),
        ("git index", Effect::GitIndex),
        ("workspace", Effect::Workspace),
    ];
    let mut table = String::new();
    for (name, effect) in &kinds {
        let conflicting: Vec<&str> = kinds
            .iter()
            .filter(|(_, other)| effect.conflicts(other))
            .map(|(other, _)| *other)
            .collect();
        table += &format!("{name}: {}\n", conflicting.join(", "));
    }
    insta::assert_snapshot!(table, @r"
    read: write, process, workspace
    write: read, write, process, reading process, git index, workspace
    process: read, write, process, reading process, git index, workspace
    reading process: write, process, workspace
    network: workspace
    fetch: workspace
    git index: write, process, git index, workspace
    workspace: read, write, process, reading process, network, fetch, git index, workspace
    ");
}

/// A write against reads and writes elsewhere: by components, both ways, never by the letters of a path.
#[test]
fn a_write_conflicts_with_what_contains_it_and_with_what_it_contains() {
    for (one, other, expected) in [
        ("/w/a.txt", "/w/a.txt", true),
        ("/w/a.txt", "/w/b.txt", false),
        ("/w/src/a.rs", "/w/src", true),
        ("/w/src/a.rs", "/w", true),
        ("/w/src/a.rs", "/", true),
        ("/w/src/a.rs", "/w/sr", false),
        ("/w/src/a.rs", "/w/src/a.rs.bak", false),
        ("/w/src", "/w/src-old/a.rs", false),
        ("/w/src/a.rs", "/v/src/a.rs", false),
        ("/w/A.txt", "/w/a.TXT", true),
        ("/w/Ä/a", "/w/ä", true),
        ("/w/a..go", "/w/a", false),
        ("", "/w/a.txt", true),
    ] {
        for (one, other) in [(one, other), (other, one)] {
            let (effect, clash) = (write(one), format!("{one:?} and {other:?}"));
            assert_eq!(effect.conflicts(&write(other)), expected, "writes: {clash}");
            assert_eq!(effect.conflicts(&read(other)), expected, "a read: {clash}");
            assert!(!read(one).conflicts(&read(other)), "reads: {clash}");
        }
    }
}

#[test]
fn one_conflicting_effect_is_enough_and_a_call_without_effects_has_none() {
    let several = [
        read("/w/b"),
        Effect::Write(vec!["/w/x".into(), "/w/a".into()]),
    ];
    assert!(conflict(&several, &[network(), read("/w/a")]));
    assert!(!conflict(&several, &[network(), read("/w/b")]));
    assert!(!conflict(&[], &[Effect::Workspace]));
    assert!(!write("/w/a").conflicts(&Effect::Read(vec![])));
}

#[test]
fn the_worst_of_a_bound_is_everything_everywhere() {
    let reads = EffectBound::new([EffectKind::Read]).worst();
    let edits = EffectBound::new([EffectKind::Read, EffectKind::Write]).worst();
    let fetches = EffectBound::new([EffectKind::Network]).worst();
    assert!(!conflict(&reads, &reads) && conflict(&reads, &edits) && conflict(&edits, &edits));
    assert!(conflict(&edits, &[read("/anywhere/at/all")]));
    assert!(!conflict(&reads, &[read("/anywhere/at/all")]));
    assert!(!conflict(&edits, &fetches));
}

fn path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec("[abAB]{0,2}", 0..4).prop_map(|parts| {
        parts
            .iter()
            .fold(PathBuf::from("/"), |path, part| path.join(part))
    })
}

pub(crate) fn effect() -> impl Strategy<Value = Effect> {
    let paths = || prop::collection::vec(path(), 0..3);
    prop_oneof![
        paths().prop_map(Effect::Read),
        paths().prop_map(Effect::Write),
        any::<bool>().prop_map(command),
        Just(Effect::GitIndex),
        Just(Effect::Workspace),
        Just(network()),
        Just(fetch()),
    ]
}

proptest! {
    #[test]
    fn a_conflict_is_mutual(one in effect(), other in effect()) {
        prop_assert_eq!(one.conflicts(&other), other.conflicts(&one));
    }

    #[test]
    fn a_bound_knows_no_less_than_a_call(one in effect(), other in effect()) {
        let worst = EffectBound::new([one.kind()]).worst();
        if one.conflicts(&other) {
            prop_assert!(conflict(&worst, &[other]));
        }
    }

    #[test]
    fn what_changes_something_conflicts_with_itself(paths in prop::collection::vec(path(), 1..3)) {
        let write = Effect::Write(paths);
        prop_assert!(write.conflicts(&write));
    }
}
