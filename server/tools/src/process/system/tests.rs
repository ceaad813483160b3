//! Tests of reading the system's lists of processes.

use super::*;

fn process_of(pid: i32, parent: i32) -> Process {
    Process {
        pid,
        parent,
        group: 1,
        session: 1,
        state: 'S',
        started: 7,
        name: format!("p{pid}"),
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_may_look_like_the_rest_of_the_line() {
    let tail = "S 1 20 30 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 0 0";
    for name in ["sh", "a b", "a) S 9 9 (b", "()", ""] {
        let read = linux::parse(format!("10 ({name}) {tail}\n").as_bytes()).unwrap();
        assert_eq!(
            (
                read.pid,
                read.parent,
                read.group,
                read.session,
                read.state,
                read.started
            ),
            (10, 1, 20, 30, 'S', 4711),
            "{name:?}"
        );
        assert_eq!(read.name, name);
    }
    assert_eq!(linux::parse(b"10 (sh) S 1"), None, "cut off");
    assert_eq!(linux::parse(b""), None);
}

#[test]
fn a_line_of_ps_is_read_with_blanks_in_the_program() {
    let line = "  312     1    312      0   2048 Ss   Mon Nov 30 09:08:07 2026 /Applications/My App.app/My App";
    let (process, bytes) = ps::parse(line).unwrap();
    assert_eq!(
        (process.pid, process.parent, process.state, bytes),
        (312, 1, 'S', 2048 * 1024)
    );
    assert_eq!(process.name, "My App");
    let (later, _) = ps::parse(&line.replace("09:08:07", "09:08:08")).unwrap();
    assert_ne!(process.started, later.started, "another process");
    assert_eq!(ps::parse("312 1 312 0 2048 Ss Mon Nov"), None, "cut off");
}

#[test]
fn descendants_are_those_below_at_any_depth() {
    let all = vec![
        process_of(5, 4),
        process_of(2, 1),
        process_of(3, 2),
        process_of(4, 3),
        process_of(9, 1),
    ];
    let found: Vec<i32> = below(all, 2).iter().map(|process| process.pid).collect();
    assert_eq!(found, [3, 4, 5]);
}

#[test]
fn this_process_is_found_with_its_memory() {
    let own = i32::try_from(std::process::id()).unwrap();
    let found = process(own).unwrap();
    assert!(found.is_alive());
    assert!(memory(own, false) > 0);
    assert!(memory(own, true) > 0);
    assert!(
        descendants(found.parent)
            .iter()
            .any(|child| child.identity() == found.identity())
    );
}

#[test]
fn a_number_that_went_to_another_process_gets_no_signal() {
    let own = process(i32::try_from(std::process::id()).unwrap()).unwrap();
    let other = Process {
        started: own.started + 1,
        ..own
    };
    // It would end this test.
    signal(&other, Signal::KILL).unwrap();
}
