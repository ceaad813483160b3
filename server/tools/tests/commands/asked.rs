//! Commands for which a person is asked.

use std::sync::{Arc, Mutex};

use mewcode_tools::environment::Environment;
use mewcode_tools::error::ErrorKind;
use mewcode_tools::permission::Mode;
use mewcode_tools::port::{Answer, Asker, BoxFuture, Question, Subject};
use mewcode_tools::sandbox::Profile;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::scene::{Documents, Scene};

/// Answers every question alike, and keeps them.
pub struct Person {
    answer: Answer,
    pub asked: Mutex<Vec<Question>>,
}

impl Asker for Person {
    fn is_attended(&self) -> bool {
        true
    }

    fn ask(&self, question: Question, _: CancellationToken) -> BoxFuture<'_, Answer> {
        self.asked.lock().unwrap().push(question);
        let answer = self.answer.clone();
        Box::pin(async move { answer })
    }
}

/// An agent's calls in the mode, with commands confined so, and a person who answers.
pub fn scene(mode: Mode, sandbox: Profile, answer: Answer) -> (Scene, Arc<Person>) {
    let person = Arc::new(Person {
        answer,
        asked: Mutex::default(),
    });
    let mut scene = Scene::with(Documents::default(), sandbox).of_an_agent();
    scene.context.mode = mode;
    scene.host.asker = person.clone();
    scene.runtime = scene.runtime.with_host(scene.host.clone());
    (scene, person)
}

#[tokio::test]
async fn who_is_asked_sees_what_will_run_and_what_for() {
    let (scene, person) = scene(Mode::Default, Profile::Off, Answer::AllowOnce);
    let call = json!({"command": "touch a.txt", "description": "make an empty file"});
    let result = scene.call("bash", call).await;
    assert!(
        result.is_ok() && scene.path("a.txt").exists(),
        "{}",
        result.content
    );
    let asked = person.asked.lock().unwrap();
    let Subject::Permission(permission) = &asked[0].subject else {
        panic!("{:?}", asked[0]);
    };
    assert_eq!(asked[0].reason, "make an empty file");
    let shown = permission.details.join("\n");
    assert!(shown.contains("touch a.txt"), "{shown}");
    assert!(
        shown.contains(
            &scene
                .path("")
                .display()
                .to_string()
                .trim_end_matches('/')
                .to_owned()
        ),
        "{shown}"
    );
}

#[tokio::test]
async fn who_is_asked_sees_whether_it_goes_on_in_the_background() {
    let (scene, person) = scene(Mode::Default, Profile::Off, Answer::AllowOnce);
    for (background, expected) in [(true, 1), (false, 0)] {
        let call = json!({"command": "touch a.txt", "background": background});
        scene.call("bash", call).await;
        let asked = person.asked.lock().unwrap();
        let Subject::Permission(permission) = &asked.last().unwrap().subject else {
            panic!("{asked:?}");
        };
        let told =
            "Goes on in the background until it is stopped, or its session or the server ends";
        let lines = permission.details.iter().filter(|line| *line == told);
        assert_eq!(lines.count(), expected, "{:?}", permission.details);
    }
}

#[tokio::test]
async fn a_denied_command_does_not_run() {
    let feedback = Some("not now".to_owned());
    let (scene, _) = scene(Mode::Default, Profile::Off, Answer::Deny { feedback });
    let result = scene.bash("touch a.txt").await;
    assert!(result.content.contains("not now"), "{}", result.content);
    assert_eq!(result.error.unwrap().kind, ErrorKind::RejectedByUser);
    assert!(!scene.path("a.txt").exists());
}

#[tokio::test]
async fn what_only_reads_is_not_asked_for() {
    let (scene, person) = scene(Mode::Default, Profile::WorkspaceWrite, Answer::AllowOnce);
    scene.write("a.txt", "one\n");
    let result = scene.bash("cat a.txt | wc -l && git --version").await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(person.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn confined_commands_run_unasked_where_edits_are_accepted_and_leaving_the_sandbox_asks() {
    let (scene, person) = scene(
        Mode::AcceptEdits,
        Profile::WorkspaceWrite,
        Answer::AllowOnce,
    );
    let result = scene.bash("touch a.txt").await;
    assert!(
        result.is_ok() && scene.path("a.txt").exists(),
        "{}",
        result.content
    );
    assert_eq!(person.asked.lock().unwrap().len(), 0);
    let call = json!({"command": "touch b.txt", "sandbox": "off"});
    let result = scene.call("bash", call).await;
    assert!(result.is_ok(), "{}", result.content);
    assert_eq!(person.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_typed_into_a_command_is_judged_as_a_command() {
    let (scene, person) = scene(Mode::Default, Profile::Off, Answer::AllowOnce);
    let call = json!({"command": "bash", "background": true});
    scene.call("bash", call).await;
    let typed = json!({"id": "cmd_1", "text": "touch a.txt\n"});
    scene.call("process_input", typed).await;
    assert_eq!(person.asked.lock().unwrap().len(), 2);
    let typed = json!({"id": "cmd_1", "text": "rm -rf /\n"});
    let result = scene.call("process_input", typed).await;
    assert_eq!(result.error.unwrap().kind, ErrorKind::DeniedByPolicy);
    for (tool, call) in [
        ("process_output", json!({"id": "cmd_1"})),
        ("process_list", json!({})),
        ("process_input", json!({"id": "cmd_1", "close": true})),
        ("process_stop", json!({"id": "cmd_1"})),
    ] {
        let result = scene.call(tool, call).await;
        assert!(result.is_ok(), "{tool}: {}", result.content);
    }
    assert_eq!(person.asked.lock().unwrap().len(), 2);
}

/// How many questions a command leads to.
async fn questions(scene: &Scene, person: &Person, command: &str) -> usize {
    let before = person.asked.lock().unwrap().len();
    scene.bash(command).await;
    person.asked.lock().unwrap().len() - before
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_names_a_secret_is_asked_for_whatever_the_program() {
    let feedback = None;
    let denied = Answer::Deny { feedback };
    let (scene, person) = scene(Mode::AcceptEdits, Profile::WorkspaceWrite, denied);
    scene.write(".env", "KEY=1\n");
    scene.write("a.txt", "one\n");
    scene.write("sub/.env", "KEY=2\n");
    scene.write("sub/a.txt", "two\n");
    std::os::unix::fs::symlink(".env", scene.path("notes")).unwrap();
    for command in [
        "expand .env",
        "tar cf - .env",
        "no-program --file=.env",
        "no-program -f.env",
        "no-program -d @.env",
        "no-program \"file://$PWD/.env\" ./.env:/x",
        "timeout 5 expand ./.env",
        "expand notes",
        "expand .e*",
        "cat .en?",
    ] {
        assert_eq!(questions(&scene, &person, command).await, 1, "{command}");
    }
    for command in [
        "expand a.txt",
        "expand *.txt",
        "expand sub/*",
        "echo .env > b.txt",
        "no-program process.env",
    ] {
        assert_eq!(questions(&scene, &person, command).await, 0, "{command}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_that_nobody_was_asked_about_is_no_program_of_the_workspace() {
    use std::os::unix::fs::PermissionsExt;
    for path in [
        ".:/usr/bin:/bin",
        ":/usr/bin:/bin",
        "bin:/usr/bin:/bin",
        ".",
        "",
    ] {
        let (mut scene, person) = scene(Mode::Default, Profile::Off, Answer::AllowOnce);
        let variables = [("PATH".into(), path.into())];
        scene.host.environment = Arc::new(Environment::of(variables, &[]));
        scene.runtime = scene.runtime.with_host(scene.host.clone());
        for name in ["cat", "bin/cat"] {
            let program = scene.write(name, "#!/bin/sh\necho of the workspace\n");
            let executable = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(program, executable).unwrap();
        }
        scene.write("a.txt", "one\n");
        let result = scene.bash("cat a.txt").await;
        assert!(
            result.content.contains("\none"),
            "{path:?}: {}",
            result.content
        );
        assert_eq!(person.asked.lock().unwrap().len(), 0, "{path:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_comparison_of_folders_is_asked_for_where_links_lead_out_of_them() {
    let feedback = None;
    let denied = Answer::Deny { feedback };
    let (scene, person) = scene(Mode::Default, Profile::WorkspaceWrite, denied);
    scene.write(".env", "KEY=1\n");
    scene.write("a/file", "one\n");
    scene.write("b/file", "two\n");
    scene.write("b/link", "three\n");
    scene.write("c/file", "two\n");
    std::os::unix::fs::symlink("../.env", scene.path("a/link")).unwrap();
    std::os::unix::fs::symlink("file", scene.path("c/link")).unwrap();
    for command in ["diff -r a b", "diff a b", "/usr/bin/diff -ru a b"] {
        assert_eq!(questions(&scene, &person, command).await, 1, "{command}");
    }
    for command in [
        "diff a/file b/file",
        "diff -r --no-dereference a b",
        "diff -r b c",
        // What is found by a name is closed under all.
        "diff -r . b",
    ] {
        assert_eq!(questions(&scene, &person, command).await, 0, "{command}");
    }
}
