//! Ways out of the workspace, tried through every tool: nothing outside is read, listed, made or changed. And names
//! that only look like ways out, or are hard to handle: they work.

#![cfg(unix)]
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mewcode_tools::headless::DiskEditor;
use mewcode_tools::notice::Notices;
use mewcode_tools::result::{ErrorKind, ToolResult};
use mewcode_tools::{CallContext, Mode, Places, Runtime, Workspace, builtin};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// A tool, and arguments of it for a path.
type Tried = (&'static str, fn(&str) -> Value);

/// Every tool that takes a path, with arguments that would do at the path what it does. A new tool is a line here.
const TOOLS: &[Tried] = &[
    ("read_file", |path| json!({ "path": path })),
    (
        "edit_file",
        |path| json!({ "path": path, "old_string": "text", "new_string": "changed" }),
    ),
    (
        "write_file",
        |path| json!({ "path": path, "content": "written\n" }),
    ),
    ("apply_patch", |path| {
        let patch = format!(
            "*** Begin Patch\n*** Update File: {path}\n@@\n-text\n+changed\n*** End Patch\n"
        );
        json!({ "patch": patch })
    }),
    ("glob", |path| json!({ "pattern": "**", "path": path })),
    ("grep", |path| json!({ "pattern": "text", "path": path })),
    (
        "find_symbol",
        |path| json!({ "name": "text", "path": path }),
    ),
    ("outline", |path| json!({ "path": path })),
    (
        "bash",
        |path| json!({ "command": "cat secret", "workdir": path }),
    ),
];

/// What an argument is called that is a path, or holds some.
const PATHS: &[&str] = &["path", "patch", "workdir"];

/// A folder with `work/`, the workspace, and `outside/`, which holds a secret.
struct Scene {
    folder: TempDir,
    runtime: Runtime,
    context: CallContext,
}

impl Scene {
    fn new() -> Scene {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        for (path, content) in [
            ("work/inside", "text\n"),
            ("work/folder/inside", "text\n"),
            ("outside/secret", "SECRET text\n"),
        ] {
            let path = real.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        let runtime = runtime_in(&real.join("work"));
        Scene {
            folder,
            runtime,
            context: context(),
        }
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(relative)
    }

    fn call(&self, tool: &str, arguments: Value) -> ToolResult {
        call(&self.runtime, &self.context, tool, arguments)
    }

    /// The tools of the table that there are.
    fn tools(&self) -> Vec<&'static Tried> {
        let registry = self.runtime.registry();
        TOOLS
            .iter()
            .filter(|(name, _)| registry.get(name).is_some())
            .collect()
    }

    /// All that is outside, to show that it stays so.
    fn outside(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut ahead = vec![self.path("outside")];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    ahead.push(path.clone());
                    found.insert(path, Vec::new());
                } else {
                    let content = fs::read(&path).unwrap();
                    found.insert(path, content);
                }
            }
        }
        found
    }
}

fn runtime_in(root: &Path) -> Runtime {
    let disk = Arc::new(DiskEditor::default());
    let workspace = Workspace::new(&[root.to_owned()], Places::default(), disk);
    Runtime::new(builtin::registry(), workspace)
}

fn context() -> CallContext {
    CallContext {
        session: "session".to_owned(),
        call: "call".to_owned(),
        mode: Mode::Bypass,
        ledger: None,
        cancel: CancellationToken::new(),
        reason: String::new(),
        notices: Notices::default(),
    }
}

fn call(runtime: &Runtime, context: &CallContext, tool: &str, arguments: Value) -> ToolResult {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(runtime.call(context, tool, arguments))
}

#[test]
fn every_tool_that_takes_a_path_is_tried() {
    let scene = Scene::new();
    for tool in scene.runtime.registry().snapshot().iter() {
        let contract = tool.contract();
        let name = &contract.name;
        let names = contract.parameters.names();
        if !PATHS.iter().any(|path| names.contains(path)) {
            continue;
        }
        assert!(TOOLS.iter().any(|(tried, _)| tried == name), "{name}");
    }
}

#[test]
fn no_tool_leaves_the_workspace() {
    let scene = Scene::new();
    let outside = scene.path("outside/secret").display().to_string();
    symlink("../outside/secret", scene.path("work/file-link")).unwrap();
    symlink("../outside", scene.path("work/folder-link")).unwrap();
    symlink("../outside/new", scene.path("work/dangling")).unwrap();
    symlink("folder-link", scene.path("work/chain")).unwrap();
    symlink(&outside, scene.path("work/absolute-link")).unwrap();
    let ways = [
        "../outside/secret".to_owned(),
        "../outside/new".to_owned(),
        "../outside/new/deep/file".to_owned(),
        "..".to_owned(),
        "folder/../../outside/secret".to_owned(),
        "none/../../outside/secret".to_owned(),
        "./folder/.././../outside/secret".to_owned(),
        outside.clone(),
        "/etc/hostname".to_owned(),
        "file-link".to_owned(),
        "absolute-link".to_owned(),
        "folder-link/secret".to_owned(),
        "folder-link/new".to_owned(),
        "folder-link/deep/new".to_owned(),
        "chain/secret".to_owned(),
        "dangling".to_owned(),
        "folder-link".to_owned(),
        format!("/proc/self/root{outside}"),
        format!("/proc/self/cwd/../../../../../../../../..{outside}"),
        "/proc/self/root".to_owned(),
    ];
    let before = scene.outside();
    for (tool, arguments) in scene.tools() {
        for way in &ways {
            let result = scene.call(tool, arguments(way));
            let kind = result.error.as_ref().map(|error| error.kind);
            assert_eq!(
                kind,
                Some(ErrorKind::OutsideWorkspace),
                "{tool} {way}: {}",
                result.content
            );
            assert!(!result.content.contains("SECRET"), "{tool} {way}");
            assert_eq!(scene.outside(), before, "{tool} {way}");
        }
    }
    assert!(!Path::new(&scene.path("outside/new")).exists());
}

#[test]
fn hard_names_are_names() {
    let scene = Scene::new();
    let long = "n".repeat(255);
    for name in [
        "a..go",
        "..a",
        "...",
        "-rf",
        "--path",
        "new\nline",
        "tab\tand\u{7}bell",
        "trailing ",
        "trailing.",
        " leading",
        "%2e%2e",
        "$HOME",
        "*?[a]",
        "back\\slash",
        "ü你\u{1f600}",
        "folder/..b/c..",
        long.as_str(),
    ] {
        let wrote = scene.call("write_file", json!({ "path": name, "content": "text\n" }));
        assert!(wrote.is_ok(), "{name:?}: {}", wrote.content);
        assert_eq!(
            fs::read_to_string(scene.path("work").join(name)).unwrap(),
            "text\n",
            "{name:?}"
        );
        let read = scene.call("read_file", json!({ "path": name }));
        assert!(read.content.contains("text"), "{name:?}: {}", read.content);
        let edit = json!({ "path": name, "old_string": "text", "new_string": "changed" });
        let edited = scene.call("edit_file", edit);
        assert!(edited.is_ok(), "{name:?}: {}", edited.content);
        assert_eq!(
            fs::read_to_string(scene.path("work").join(name)).unwrap(),
            "changed\n",
            "{name:?}"
        );
    }
    let too_long = "n".repeat(256);
    let refused = scene.call(
        "write_file",
        json!({ "path": too_long, "content": "text\n" }),
    );
    assert!(refused.content.contains("too long"), "{}", refused.content);
}

#[test]
fn a_file_whose_name_is_no_text_is_reached_by_a_link() {
    let scene = Scene::new();
    let real = scene.path("work").join(OsStr::from_bytes(b"\xff\xfe.txt"));
    fs::write(&real, "text\n").unwrap();
    symlink(real.file_name().unwrap(), scene.path("work/alias")).unwrap();
    let read = scene.call("read_file", json!({ "path": "alias" }));
    assert!(read.content.contains("text"), "{}", read.content);
    let edit = json!({ "path": "alias", "old_string": "text", "new_string": "changed" });
    assert!(scene.call("edit_file", edit).is_ok());
    assert_eq!(fs::read_to_string(&real).unwrap(), "changed\n");
    assert!(scene.path("work/alias").is_symlink());
    let lossy = scene.call("read_file", json!({ "path": "\u{fffd}\u{fffd}.txt" }));
    assert_eq!(lossy.error.unwrap().kind, ErrorKind::NotFound);
}

/// The path is judged, then used; in between somebody swaps a folder of it for a link that leads out.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_swapped_for_a_link_leads_nowhere() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    const CALLS: usize = 600;
    let scene = Scene::new();
    // Two names, one of which is the folder and the other one the link: which is which changes all the time.
    let (folder, aside) = (scene.path("work/folder"), scene.path("work/aside"));
    fs::write(folder.join("secret"), "text\n").unwrap();
    symlink("../outside", &aside).unwrap();
    let before = scene.outside();
    let (stop, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &aside, RenameFlags::EXCHANGE).unwrap();
                std::thread::yield_now();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        // Ends the other thread also if an assertion fails.
        let stopped = Stop(&stop);
        let mut done = 0;
        for number in 0..CALLS {
            let names = ["folder/secret", "folder/new", "folder/deep/new"];
            let name = names
                .get(number % 4)
                .map_or_else(|| format!("folder/{number}/new"), ToString::to_string);
            for (tool, arguments) in scene.tools() {
                let result = scene.call(tool, arguments(&name));
                assert!(
                    !result.content.contains("SECRET"),
                    "{tool} {name}: {}",
                    result.content
                );
                done += usize::from(result.is_ok());
            }
        }
        drop(stopped);
        assert!(done > CALLS / 10, "{done} calls did their work");
    });
    assert!(swaps.load(Ordering::Relaxed) > 100, "{swaps:?}");
    assert_eq!(scene.outside(), before);
}

struct Stop<'flag>(&'flag AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_may_not_be_written_is_told() {
    let scene = Scene::new();
    let read_only = fs::Permissions::from_mode(0o444);
    fs::set_permissions(scene.path("work/inside"), read_only).unwrap();
    for (tool, arguments) in scene.tools() {
        if ["write_file", "edit_file", "apply_patch"].contains(tool) {
            let result = scene.call(tool, arguments("inside"));
            assert!(
                result.content.contains("the file is read-only"),
                "{tool}: {}",
                result.content
            );
        }
    }
    assert_eq!(
        fs::read_to_string(scene.path("work/inside")).unwrap(),
        "text\n"
    );
}

/// A folder in which not even root can make a file.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_in_which_nothing_can_be_made_is_told() {
    let runtime = runtime_in(Path::new("/proc/sys/fs"));
    let arguments = json!({ "path": "new", "content": "text\n" });
    let result = call(&runtime, &context(), "write_file", arguments);
    assert!(
        result
            .content
            .contains("`new` cannot be written: no file can be made in its folder"),
        "{}",
        result.content
    );
}
