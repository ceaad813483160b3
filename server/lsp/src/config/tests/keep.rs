//! "Always allow": what is written where, and what it puts into force.

use mewcode_tools::port::RuleKeeper;

use super::*;

impl Scene {
    fn keep(&self, rules: &[&str]) -> Result<String, String> {
        let rules: Vec<_> = rules.iter().map(|rule| (*rule).to_owned()).collect();
        let keeper = LocalRules::new(self.root(), self.trust());
        keeper.keep(&rules).map_err(|error| self.short(&error))
    }

    fn local(&self) -> String {
        std::fs::read_to_string(local_file(&self.root())).unwrap()
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }
}

#[test]
fn a_kept_rule_is_in_force_from_then_on_and_trusts_nothing_else() {
    let scene = Scene::new("", "mode: bypass\n");
    assert_eq!(
        scene.keep(&["bash(cargo test:*)", "bash(ls:*)"]).unwrap(),
        ".mewcode/settings.local.yaml"
    );
    insta::assert_snapshot!(scene.local(), @"
    # Your own settings for this workspace, not to be committed. MewCode adds the rules here that you always allow.
    permissions:
      allow:
        - 'bash(cargo test:*)'
        - 'bash(ls:*)'
    ");
    assert_eq!(scene.allowed(), ["bash(cargo test:*)", "bash(ls:*)"]);
    let config = scene.files_only().unwrap();
    assert_eq!(
        (config.mode(), config.trust_state()),
        (Mode::Default, TrustState::Untrusted)
    );

    // Who takes it out of the file has taken it back.
    std::fs::write(local_file(&scene.root()), "").unwrap();
    assert_eq!(scene.allowed(), [""; 0]);
}

#[test]
fn a_rule_that_the_repository_brought_along_is_not_blessed_with_the_users_own() {
    let scene = Scene::new("", "").with(
        ".mewcode/settings.local.yaml",
        "mode: bypass # theirs\npermissions:\n  allow:\n    - bash\n",
    );
    scene.keep(&["bash(ls:*)"]).unwrap();
    insta::assert_snapshot!(scene.local(), @"
    mode: bypass # theirs
    permissions:
      allow:
        - bash
        - 'bash(ls:*)'
    ");
    assert_eq!(scene.allowed(), ["bash(ls:*)"]);
    assert_eq!(scene.files_only().unwrap().mode(), Mode::Default);
}

#[test]
fn the_same_words_in_a_committed_file_stay_without_force() {
    let scene = Scene::new("", "permissions: {allow: ['bash(ls:*)']}\n");
    scene.keep(&["bash(ls:*)"]).unwrap();
    std::fs::remove_file(local_file(&scene.root())).unwrap();
    assert_eq!(scene.allowed(), [""; 0]);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let elsewhere = tempfile::tempdir().unwrap();
    let victim = elsewhere.path().join("settings.local.yaml");
    std::fs::write(&victim, "mode: plan\n").unwrap();

    let folder = Scene::new("", "");
    symlink(elsewhere.path(), folder.root().join(".mewcode")).unwrap();
    insta::assert_snapshot!(folder.keep(&["bash"]).unwrap_err(), @"work/.mewcode is not a folder of its own, so no rule is written there; make it one, or write the rule into ~/.mewcode/config.yaml.");

    let file = Scene::new("", "").with(".mewcode/other", "");
    symlink(&victim, local_file(&file.root())).unwrap();
    insta::assert_snapshot!(file.keep(&["bash"]).unwrap_err(), @"work/.mewcode/settings.local.yaml is a link or no file, so no rule is written there; replace it by a file.");
    assert_eq!(std::fs::read_to_string(&victim).unwrap(), "mode: plan\n");
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1);

    // Nor inside: it would be committed.
    let inside = Scene::new("", "model: a\n").with(".mewcode/other", "");
    symlink("../.mewcode.yaml", local_file(&inside.root())).unwrap();
    assert!(inside.keep(&["bash"]).is_err());
    assert_eq!(inside.read(".mewcode.yaml"), "model: a\n");
}

#[test]
fn a_file_without_a_sure_place_is_left_alone() {
    let text = "{model: a}\n";
    let scene = Scene::new("", "").with(".mewcode/settings.local.yaml", text);
    insta::assert_snapshot!(scene.keep(&["bash(ls:*)"]).unwrap_err(), @"there is no sure place for the rule in work/.mewcode/settings.local.yaml; add `bash(ls:*)` to its `permissions.allow` yourself, then `mewcode trust`.");
    assert_eq!(scene.local(), text);
    assert_eq!(scene.allowed(), [""; 0]);
}

#[test]
fn the_home_folder_keeps_no_rules() {
    let scene = Scene::new("", "");
    let keeper = LocalRules::new(scene.home(), scene.trust());
    let error = keeper.keep(&["bash".to_owned()]).unwrap_err();
    insta::assert_snapshot!(error, @"rules of this workspace cannot be kept: it is your home folder, or holds it; write them into ~/.mewcode/config.yaml instead.");
    assert!(!local_file(&scene.home()).exists());
}

#[test]
fn git_does_not_get_to_see_it() {
    // Without a repository there is nothing to hide it from.
    let plain = Scene::new("", "");
    plain.keep(&["bash(a)"]).unwrap();
    assert!(!plain.root().join(".mewcode/.gitignore").exists());

    let fresh = Scene::new("", "").with(".git/HEAD", "ref: refs/heads/main\n");
    assert_eq!(fresh.keep(&["bash(a)"]).unwrap(), LOCAL_FILE);
    assert_eq!(fresh.read(".mewcode/.gitignore"), "settings.local.yaml\n");
    assert_eq!(fresh.keep(&["bash(b)"]).unwrap(), LOCAL_FILE);

    let ignored = Scene::new("", "")
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with(".gitignore", "*.local.yaml\n");
    assert_eq!(ignored.keep(&["bash(a)"]).unwrap(), LOCAL_FILE);
    assert!(!ignored.root().join(".mewcode/.gitignore").exists());

    let theirs = Scene::new("", "")
        .with(".git/HEAD", "ref: refs/heads/main\n")
        .with(".mewcode/.gitignore", "cache/\n");
    insta::assert_snapshot!(theirs.keep(&["bash(a)"]).unwrap(), @".mewcode/settings.local.yaml (git does not ignore it: add it to your .gitignore)");
    assert_eq!(theirs.read(".mewcode/.gitignore"), "cache/\n");
}

#[test]
fn answers_of_several_servers_at_once_are_all_kept() {
    let scene = Scene::new("", "");
    let rules: Vec<_> = (0..6).map(|number| format!("bash({number}:*)")).collect();
    std::thread::scope(|threads| {
        for rule in &rules {
            threads.spawn(|| scene.keep(&[rule]).unwrap());
        }
    });
    let mut allowed = scene.allowed();
    allowed.sort();
    assert_eq!(allowed, rules);
}
