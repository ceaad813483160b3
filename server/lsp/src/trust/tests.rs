//! What is trusted, by which path, and what is remembered of it.

use std::fs;

use super::*;

/// A state folder, a home and a workspace of a test's own.
struct Scene {
    folder: tempfile::TempDir,
    trust: Trust,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "home/project/inner", "work/inner"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let trust = Trust::new(
            folder.path().join("state/trust"),
            folder.path().join("home"),
        );
        Scene { folder, trust }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A grant of the file `.mewcode.yaml` as it stands in a workspace.
    fn grant(&self, root: &str, value: &str) -> Grant {
        let digest = Digest::of(".mewcode.yaml", "permissions.allow", value);
        self.trust.standing(&self.path(root)).grant(
            "FILE:1".to_owned(),
            format!("allow `{value}`"),
            digest,
        )
    }

    fn in_force(&self, root: &str, value: &str) -> bool {
        self.grant(root, value).in_force
    }

    fn trust(&self, root: &str, values: &[&str]) -> Result<(), TrustError> {
        let grants: Vec<_> = values.iter().map(|value| self.grant(root, value)).collect();
        self.trust.trust(&self.path(root), &grants)
    }

    fn refused(&self, root: &str) -> String {
        let error = self.trust(root, &["bash"]).unwrap_err().to_string();
        error.replace(&format!("{}/", self.folder.path().display()), "")
    }

    fn records(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("state/trust")).into_iter().flatten();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some()).collect();
        paths.sort();
        paths
    }
}

#[test]
fn trust_is_for_one_folder_and_what_it_was_given_for() {
    let scene = Scene::new();
    assert!(!scene.in_force("work", "bash"));
    scene.trust("work", &["bash"]).unwrap();
    assert!(scene.in_force("work", "bash"));
    assert!(!scene.in_force("work", "web_fetch"), "what was not shown");
    assert!(!scene.in_force("work/inner", "bash"), "a folder inside");
    assert!(!scene.in_force("home/project", "bash"), "another folder");

    // What is trusted later comes on top.
    scene.trust("work", &["web_fetch"]).unwrap();
    assert!(scene.in_force("work", "bash") && scene.in_force("work", "web_fetch"));

    assert!(scene.trust.revoke(&scene.path("work")).unwrap());
    assert!(!scene.in_force("work", "bash"));
    assert!(!scene.trust.revoke(&scene.path("work")).unwrap());
}

#[test]
fn a_grant_is_told_from_every_other() {
    let digests = [
        Digest::of("a", "b", "c"),
        Digest::of("ab", "", "c"),
        Digest::of("a", "bc", ""),
        Digest::of("a", "b", "c\",\"d"),
        Digest::of("a", "b", "C"),
    ];
    let different: std::collections::BTreeSet<_> = digests.iter().collect();
    assert_eq!(different.len(), digests.len());
    assert_eq!(Digest::of("a", "b", "c"), digests[0]);
}

#[test]
fn a_kept_rule_trusts_nothing_else() {
    let scene = Scene::new();
    let root = scene.path("work");
    let kept = Digest::of(".mewcode.yaml", "permissions.allow", "bash(ls:*)");
    scene.trust.keep(&root, &[kept]).unwrap();
    let (kept, other) = (
        scene.grant("work", "bash(ls:*)"),
        scene.grant("work", "bash"),
    );
    assert!(kept.in_force && !other.in_force);
    let standing = scene.trust.standing(&root);
    assert_eq!(
        standing.state(std::slice::from_ref(&kept)),
        TrustState::Nothing
    );
    assert_eq!(standing.state(&[kept, other]), TrustState::Untrusted);
}

#[cfg(unix)]
#[test]
fn a_link_is_judged_by_where_it_leads() {
    let scene = Scene::new();
    std::os::unix::fs::symlink(scene.path("work"), scene.path("link")).unwrap();
    scene.trust("link", &["bash"]).unwrap();
    assert!(scene.in_force("work", "bash"));

    // The link is turned to another repository: that one was never trusted.
    fs::remove_file(scene.path("link")).unwrap();
    std::os::unix::fs::symlink(scene.path("work/inner"), scene.path("link")).unwrap();
    assert!(!scene.in_force("link", "bash"));
}

#[test]
fn what_holds_everything_cannot_be_trusted() {
    let scene = Scene::new();
    insta::assert_snapshot!(scene.refused("home"), @"home cannot be trusted: it is your home folder, or holds it");
    insta::assert_snapshot!(scene.refused("nowhere"), @"nowhere cannot be trusted: its real path cannot be told (No such file or directory (os error 2))");
    assert!(
        scene.refused("").contains("home folder"),
        "a folder above the home"
    );
    scene.trust("home/project", &["bash"]).unwrap();

    let root = Path::new("/");
    let error = scene.trust.trust(root, &[]).unwrap_err();
    insta::assert_snapshot!(error, @"/ cannot be trusted: it is the root of the file system");

    // A workspace that holds the state could bring its own trust along.
    let inside = Trust::new(scene.path("work/.state/mewcode/trust"), scene.path("home"));
    let error = inside
        .trust(&scene.path("work"), &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("where trust is remembered"), "{error}");
    assert!(inside.standing(&scene.path("work")).impossible.is_some());
    inside.trust(&scene.path("work/inner"), &[]).unwrap();

    let nowhere = Trust::default();
    assert!(nowhere.trust(&scene.path("work"), &[]).is_err());
    assert!(!nowhere.revoke(&scene.path("work")).unwrap());
}

#[test]
fn a_record_that_is_damaged_or_of_another_folder_does_not_count() {
    let scene = Scene::new();
    scene.trust("work", &["bash"]).unwrap();
    let record = scene.records().remove(0);
    let text = fs::read_to_string(&record).unwrap();
    let fault = || scene.trust.standing(&scene.path("work")).fault;
    assert_eq!(fault(), None);

    fs::write(&record, &text[..text.len() / 2]).unwrap();
    assert!(fault().unwrap().contains("is damaged"), "{:?}", fault());
    assert!(!scene.in_force("work", "bash"));

    fs::write(&record, text.replace("/work\"", "/other\"")).unwrap();
    assert!(fault().unwrap().contains("another folder"), "{:?}", fault());
    assert!(!scene.in_force("work", "bash"));

    // It is begun anew.
    scene.trust("work", &["bash"]).unwrap();
    assert!(fault().is_none() && scene.in_force("work", "bash"));
}

#[cfg(unix)]
#[test]
fn records_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new();
    scene.trust("work", &["bash"]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let record = scene.records().remove(0);
    assert_eq!(
        (mode(&record), mode(&scene.path("state/trust"))),
        (0o600, 0o700)
    );
    assert_eq!(mode(&scene.path("state/trust/lock")), 0o600);

    fs::set_permissions(&record, fs::Permissions::from_mode(0o622)).unwrap();
    let standing = scene.trust.standing(&scene.path("work"));
    assert!(standing.fault.unwrap().contains("others than you"));
    assert!(!scene.in_force("work", "bash"));
}

#[test]
fn several_servers_at_once_lose_nothing() {
    let scene = Scene::new();
    let root = scene.path("work");
    let names: Vec<_> = (0..16).map(|number| format!("bash({number}:*)")).collect();
    std::thread::scope(|threads| {
        for name in &names {
            let (trust, root) = (scene.trust.clone(), &root);
            threads.spawn(move || {
                let digest = Digest::of(".mewcode.yaml", "permissions.allow", name);
                trust.keep(root, &[digest]).unwrap();
            });
        }
    });
    for name in &names {
        assert!(scene.in_force("work", name), "{name}");
    }
    assert_eq!(scene.records().len(), 1, "no temporary file is left");
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_unicode_are_not_mixed_up() {
    use std::os::unix::ffi::OsStrExt;
    let scene = Scene::new();
    let [one, other] =
        [b"a\xff", b"a\xfe"].map(|name| scene.path("work").join(std::ffi::OsStr::from_bytes(name)));
    fs::create_dir(&one).unwrap();
    fs::create_dir(&other).unwrap();
    let digest = || Digest::of(".mewcode.yaml", "permissions.allow", "bash");
    scene.trust.keep(&one, &[digest()]).unwrap();
    let in_force = |root: &Path| {
        let standing = scene.trust.standing(root);
        standing
            .grant(String::new(), String::new(), digest())
            .in_force
    };
    assert!(in_force(&one) && !in_force(&other));
}
