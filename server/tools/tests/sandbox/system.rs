//! What else a command could reach: the network, other processes, the kernel; and that the usual tools work.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::{Child, Command};

use crate::scene::{NOBODY, Scene, Way, each};

/// Runs lines of Python in which `attempt(function, ...)` prints what the system answers.
fn python(scene: &Scene, lines: &str) -> String {
    let program = format!(
        "import ctypes, os, signal, socket\nlibc = ctypes.CDLL(None, use_errno=True)\n\
         def attempt(function, *arguments):\n try: print('done', function(*arguments))\n except OSError as error: print(error.strerror)\n\
         def call(*arguments):\n result = libc.syscall(*map(ctypes.c_long, arguments))\n \
         if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))\n return result\n{lines}"
    );
    std::fs::write(scene.inside("src/attempt.py"), program).unwrap();
    scene.works("python3 src/attempt.py")
}

#[test]
fn nobody_is_reached_by_any_socket() {
    each(&Way::ALL, |scene| {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let path = scene.path("outside/socket");
        let by_path = UnixListener::bind(&path).unwrap();
        let name = format!("mewcode-test-{}", std::process::id());
        let abstract_address = SocketAddr::from_abstract_name(&name).unwrap();
        let by_name = UnixListener::bind_addr(&abstract_address).unwrap();
        scene.hand_over();
        let output = python(
            &scene,
            &format!(
                "attempt(socket.create_connection, ('127.0.0.1', {}), 5)\n\
                 attempt(socket.create_connection, ('192.0.2.1', 80), 5)\n\
                 attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {})))\n\
                 attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53)))\n\
                 attempt(lambda: socket.socket(socket.AF_UNIX).connect('{}'))\n\
                 attempt(lambda: socket.socket(socket.AF_UNIX).connect('\\0{name}'))\n\
                 attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', '/dev/log'))\n\
                 attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))\n\
                 attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))\n",
                tcp.local_addr().unwrap().port(),
                udp.local_addr().unwrap().port(),
                path.display(),
            ),
        );
        let not_permitted = "Operation not permitted\n";
        let expected = if scene.way == Way::Landlock {
            not_permitted.repeat(9)
        } else {
            // In a network of its own nobody listens. That a datagram was sent there says nothing.
            format!(
                "Connection refused\nNetwork is unreachable\ndone 1\nNetwork is unreachable\n{}",
                not_permitted.repeat(5)
            )
        };
        assert_eq!(output, expected, "{:?}", scene.way);
        udp.set_nonblocking(true).unwrap();
        tcp.set_nonblocking(true).unwrap();
        by_path.set_nonblocking(true).unwrap();
        by_name.set_nonblocking(true).unwrap();
        assert!(udp.recv(&mut [0]).is_err(), "nothing arrived");
        assert!(tcp.accept().is_err() && by_path.accept().is_err() && by_name.accept().is_err());
    });
}

#[test]
fn pairs_of_sockets_and_servers_of_its_own_work() {
    each(&Way::WITH_NAMESPACES, |scene| {
        let output = python(
            &scene,
            "a, b = socket.socketpair()\na.send(b'x')\nprint(b.recv(1))\n\
             for host in ('127.0.0.1', 'localhost'):\n \
             server = socket.create_server((host, 0))\n client = socket.create_connection(server.getsockname())\n \
             server.accept()[0].send(b'y')\n print(client.recv(1))\n",
        );
        assert_eq!(output, "b'x'\nb'y'\nb'y'\n");
    });
}

/// A process of the same user outside the sandbox.
struct Sibling(Child);

impl Sibling {
    fn new(scene: &Scene) -> Sibling {
        let mut command = Command::new("sleep");
        command.arg("1000").env("SECRET_OF_SIBLING", "of a sibling");
        if scene.way != Way::Own && rustix::process::geteuid().is_root() {
            use std::os::unix::process::CommandExt;
            command.uid(NOBODY).gid(NOBODY);
        }
        Sibling(command.spawn().unwrap())
    }
}

impl Drop for Sibling {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn other_processes_are_neither_seen_into_nor_signalled() {
    each(&Way::ALL, |scene| {
        let mut sibling = Sibling::new(&scene);
        let id = sibling.0.id();
        let output = python(
            &scene,
            &format!(
                "attempt(call, {ptrace}, 16, {id}, 0, 0)\n\
                 attempt(call, {read}, {id}, 0, 0, 0, 0, 0)\n\
                 attempt(os.kill, {id}, signal.SIGTERM)\n\
                 attempt(os.kill, {id}, 0)\n\
                 attempt(os.kill, 1, signal.SIGTERM)\n\
                 attempt(lambda: __import__('resource').prlimit({id}, 0, (0, 0)))\n\
                 attempt(lambda: open('/proc/{id}/environ').read())\n\
                 attempt(lambda: open('/proc/{id}/mem', 'rb'))\n\
                 attempt(os.listdir, '/proc/{id}/root')\n\
                 attempt(os.readlink, '/proc/{id}/fd/0')\n",
                ptrace = libc::SYS_ptrace,
                read = libc::SYS_process_vm_readv,
            ),
        );
        assert!(!output.contains("of a sibling"));
        let refused = |line: &str| matches!(line, "Operation not permitted" | "Permission denied");
        assert_eq!(output.lines().count(), 10, "{output}");
        assert!(output.lines().all(refused), "{:?}: {output}", scene.way);
        assert!(sibling.0.try_wait().unwrap().is_none(), "it still runs");
    });
}

#[test]
fn the_supervisor_is_neither_seen_into_nor_signalled() {
    each(&Way::ALL, |scene| {
        for line in ["kill -9 $PPID", "kill -STOP $PPID", "kill -9 -1"] {
            let outcome = scene.run(line);
            assert!(
                outcome.finished["faults"].is_array(),
                "{line}: it was there to the end: {outcome:?}"
            );
        }
        scene.is_refused("kill $PPID", &["Operation not permitted"]);
        scene.is_refused("cat /proc/$PPID/environ", &["Permission denied"]);
    });
}

#[test]
fn no_mounts_and_no_namespaces_are_made() {
    each(&Way::ALL, |scene| {
        let output = python(
            &scene,
            &format!(
                "for flag in ({flags}): attempt(call, {unshare}, flag)\n\
                 for flag in ({flags}): attempt(call, {clone}, flag | 17, 0, 0, 0, 0)\n\
                 attempt(call, {clone3}, 0, 0)\n\
                 for number in ({others}): attempt(call, number, 0, 0, 0, 0, 0)\n",
                flags = "0x20000, 0x10000000, 0x40000000, 0x20000000",
                unshare = libc::SYS_unshare,
                clone = libc::SYS_clone,
                clone3 = libc::SYS_clone3,
                others = [
                    libc::SYS_mount,
                    libc::SYS_umount2,
                    libc::SYS_move_mount,
                    libc::SYS_open_tree,
                    libc::SYS_fsopen,
                    libc::SYS_mount_setattr,
                    libc::SYS_pivot_root,
                    libc::SYS_chroot,
                    libc::SYS_setns,
                    libc::SYS_bpf,
                    libc::SYS_io_uring_setup,
                    libc::SYS_perf_event_open,
                    libc::SYS_userfaultfd,
                    libc::SYS_keyctl,
                    libc::SYS_open_by_handle_at,
                    libc::SYS_kexec_load,
                    libc::SYS_init_module,
                    libc::SYS_pidfd_getfd,
                ]
                .map(|number| number.to_string())
                .join(", "),
            ),
        );
        let expected: Vec<&str> = (0..27)
            .map(|index| {
                if index == 8 {
                    "Function not implemented"
                } else {
                    "Operation not permitted"
                }
            })
            .collect();
        assert_eq!(
            output.lines().collect::<Vec<_>>(),
            expected,
            "{:?}",
            scene.way
        );
        scene.is_refused("unshare --user true", &["Operation not permitted"]);
    });
}

#[cfg(target_arch = "x86_64")]
#[test]
fn the_other_interfaces_of_the_processor_lead_nowhere() {
    each(&Way::ALL, |scene| {
        // The numbers of x32: a call that is refused under its own number is refused under this one, too.
        let output = python(
            &scene,
            "attempt(call, 0x40000000 | 41, 1, 1, 0)\nattempt(call, 0x40000000 | 521, 0, 0, 0, 0)\n",
        );
        assert_eq!(output, "Operation not permitted\n".repeat(2));
    });
}

#[test]
fn no_program_is_left_that_others_run_as_its_owner() {
    each(&Way::ALL, |scene| {
        let output = python(
            &scene,
            "attempt(os.chmod, 'src/a', 0o4755)\nattempt(os.open, 'src/b', os.O_CREAT | os.O_WRONLY, 0o4755)\n\
             attempt(lambda: os.fchmod(os.open('src/a', os.O_RDONLY), 0o6755))\nattempt(os.mknod, 'src/c', 0o104755)\n\
             attempt(lambda: os.chmod('src/a', 0o755))\n",
        );
        assert_eq!(
            output,
            format!("{}done None\n", "Operation not permitted\n".repeat(4))
        );
    });
}

#[test]
fn devices_and_terminals_of_others_are_not_opened() {
    each(&Way::ALL, |scene| {
        let controller =
            rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR | rustix::pty::OpenptFlags::NOCTTY)
                .unwrap();
        rustix::pty::grantpt(&controller).unwrap();
        rustix::pty::unlockpt(&controller).unwrap();
        let name = rustix::pty::ptsname(&controller, Vec::new()).unwrap();
        let name = name.to_str().unwrap();
        let owner =
            (scene.way != Way::Own && rustix::process::geteuid().is_root()).then_some(NOBODY);
        std::os::unix::fs::chown(name, owner, None).unwrap();
        let outcome = scene.run(&format!("echo x > {name}"));
        assert_ne!(outcome.code, 0, "{outcome:?}");
        let outcome = scene.run("for device in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do head -c 1 $device && echo read; done; mknod src/device b 8 0 && echo made");
        assert!(
            !outcome.output.contains("read\n") && !outcome.output.contains("made"),
            "{outcome:?}"
        );
        if scene.way == Way::Landlock {
            return;
        }
        // What it makes itself it uses.
        let output = python(
            &scene,
            "import pty\na, b = pty.openpty()\nos.write(b, b'x')\nprint(os.read(a, 1))\n",
        );
        assert_eq!(output, "b'x'\n");
    });
}

#[test]
fn root_gives_up_what_concerns_the_machine() {
    each(&Way::ALL, |scene| {
        let output =
            scene.works("grep -E '^(Cap(Prm|Eff|Bnd)|NoNewPrivs|Seccomp):' /proc/self/status");
        let kept: u64 = 0x4ff;
        for line in output.lines() {
            let (name, value) = line.split_once(":\t").unwrap();
            match name {
                "NoNewPrivs" => assert_eq!(value, "1"),
                "Seccomp" => assert_eq!(value, "2"),
                // Of another user's bound nothing is had without a right to begin with.
                "CapBnd" if scene.way == Way::User => {}
                _ => assert_eq!(u64::from_str_radix(value, 16).unwrap() & !kept, 0, "{line}"),
            }
        }
        assert_eq!(output.lines().count(), 5);
    });
}

#[test]
fn the_usual_tools_work() {
    each(&Way::WITH_NAMESPACES, |scene| {
        scene.write(
            "place/workspace/Makefile",
            "all: a b\na:\n\t@echo made a\nb:\n\t@echo made b\n",
        );
        scene.hand_over();
        for (line, expected) in [
            (
                "cat <<< here; cat < <(echo sub); echo a | tr a b | cat; cat <<X\ndocument\nX",
                "here\nsub\nb\ndocument\n",
            ),
            (
                "set -m; sleep 0.01 & fg > /dev/null; echo $?; (exit 3); echo $?; trap 'echo left' EXIT",
                "0\n3\nleft\n",
            ),
            (
                "seq 100000 | sort -R -S 64K | sort -n | tail -1",
                "100000\n",
            ),
            ("make -j 4 | sort", "made a\nmade b\n"),
            (
                "python3 -c 'import multiprocessing as m, tempfile, subprocess\nwith m.Pool(2) as p: print(p.map(abs, [-1, 2]))\n\
                 tempfile.TemporaryFile().close(); print(subprocess.check_output([\"echo\", \"sub\"]))'",
                "[1, 2]\nb'sub\\n'\n",
            ),
            (
                "script -qec 'stty size; tty' /dev/null | tr -d '\\r'",
                "0 0\n/dev/pts/0\n",
            ),
            (
                "tar cf - src | tar tf - | head -1; gzip -c src/a | gunzip; find . -name a; id -u > /dev/null; ps > /dev/null; date > /dev/null",
                "src/\na\n./src/a\n",
            ),
        ] {
            assert_eq!(scene.works(line), expected, "{:?}: {line}", scene.way);
        }
    });
}

#[test]
fn node_and_cargo_work() {
    let scene = Scene::new(Way::Own);
    let has = |program: &str| {
        Command::new(program)
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success())
    };
    if has("node") {
        let output = scene.works(
            "node -e 'const s = require(\"http\").createServer((q, r) => r.end(\"served\")).listen(0, () => \
             fetch(\"http://localhost:\" + s.address().port).then(r => r.text()).then(t => { console.log(t); s.close(); \
             console.log(require(\"child_process\").execSync(\"echo child\").toString()) }))'",
        );
        assert_eq!(output, "served\nchild\n\n");
    }
    scene.write(
        "place/workspace/Cargo.toml",
        "[package]\nname = \"tiny\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n",
    );
    scene.write("place/workspace/src/main.rs", "fn main() {}\n");
    let home = std::env::home_dir().unwrap();
    let tools = std::env::var_os("CARGO").unwrap();
    let tools = std::path::Path::new(&tools).parent().unwrap();
    let output = scene.works(&format!(
        "export CARGO_HOME={} PATH={}:$PATH; cargo check --offline 2>&1",
        home.join(".cargo").display(),
        tools.display()
    ));
    assert!(output.contains("Finished"), "{output}");
}
