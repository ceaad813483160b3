//! A filter of system calls: what could reach other processes, machines or the kernel itself is refused with `EPERM`, which
//! programs take as "not permitted" and go on.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, apply_filter,
};

use crate::sandbox::error::{SandboxError, Unavailable};

/// Refused whatever their arguments.
const REFUSED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Work that the kernel does past this filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_nfsservctl,
    libc::SYS_lookup_dcookie,
    // Keys that are shared by all processes of a user.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Files by something else than their path, and what is told of all files.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_unshare,
    libc::SYS_setns,
    // The terminal of who started it.
    libc::SYS_vhangup,
];

/// What is shared with all processes of the user.
const SHARED: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];

/// Newer than the table of `libc`; the same number on all processors.
const OPEN_TREE_ATTR: c_long = 467;
const FCHMODAT2: c_long = 452;

#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[c_long] = &[
    libc::SYS_kexec_file_load,
    libc::SYS_modify_ldt,
    libc::SYS_ioperm,
    libc::SYS_iopl,
    libc::SYS_uselib,
    libc::SYS__sysctl,
];
/// `kexec_file_load` on ARM, which not every `libc` names.
#[cfg(target_arch = "aarch64")]
const REFUSED_HERE: &[c_long] = &[294];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const REFUSED_HERE: &[c_long] = &[];

/// A program that others run as the user who it belongs to (`S_ISUID`) would outlive the sandbox: calls that give a file
/// its mode, with the place of that argument.
const SET_USER: i32 = 0o4000;
const MODES: &[(c_long, u8)] = &[
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
];
/// The same where the mode counts only if something is made, with the place of the flags that say so; the mode follows.
const CREATIONS: &[(c_long, u8)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// `PRIO_USER`, `linux/resource.h`.
const PRIORITY_OF_USER: i32 = 2;

/// The bit that marks a call of the x32 interface, and the calls that have numbers of their own there.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
#[cfg(target_arch = "x86_64")]
const X32_ONLY: std::ops::RangeInclusive<i64> = 512..=547;

/// Flags of `clone` that make namespaces: of mounts, cgroups, host names, IPC, users, processes, the network; and the one
/// that marks the process as traced. That of time has no bit in `clone`.
const CLONE_FLAGS: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Whether there is a filter for this processor.
pub(super) fn check() -> Result<(), Unavailable> {
    match processor() {
        // For others the numbers were not looked up.
        Ok(TargetArch::x86_64 | TargetArch::aarch64) => Ok(()),
        _ => Err(Unavailable::Processor),
    }
}

/// Installs the filter, for good. What has a namespace of its own may be used in it: sockets of the internet, and shared
/// memory and queues of System V.
pub(super) fn install(own_network: bool, own_memory: bool) -> Result<(), SandboxError> {
    let step = SandboxError::step::<seccompiler::Error>("the filter of system calls");
    let compiled = programs(own_network, own_memory).map_err(|error| step(error.into()))?;
    for program in &compiled {
        apply_filter(program).map_err(&step)?;
    }
    Ok(())
}

fn programs(own_network: bool, own_memory: bool) -> Result<[BpfProgram; 2], BackendError> {
    let mut refused = Rules::new();
    let shared = if own_memory { &[] } else { SHARED };
    for call in REFUSED.iter().chain(REFUSED_HERE).chain(shared) {
        refuse(&mut refused, *call, Vec::new());
    }
    for (call, rules) in [
        (libc::SYS_socket, sockets(own_network)?),
        (libc::SYS_socketpair, pairs()?),
        (libc::SYS_clone, namespaces()?),
        (libc::SYS_ioctl, terminal_input()?),
        // Limits of another process; what a user's processes all run at.
        (libc::SYS_prlimit64, vec![rule(&[(0, Not(0))])?]),
        (
            libc::SYS_setpriority,
            vec![rule(&[(0, Is(PRIORITY_OF_USER))])?],
        ),
    ] {
        refuse(&mut refused, call, rules);
    }
    for (call, mode) in MODES {
        refuse(&mut refused, *call, vec![rule(&[(*mode, Has(SET_USER))])?]);
    }
    for (call, flags) in CREATIONS {
        let creates = (*flags, Has(libc::O_CREAT));
        refuse(
            &mut refused,
            *call,
            vec![rule(&[creates, (flags + 1, Has(SET_USER))])?],
        );
    }
    #[cfg(target_arch = "x86_64")]
    for call in X32_ONLY {
        refused.insert(call | X32, Vec::new());
    }
    // Their flags are in memory, where a filter cannot look. As if they did not exist: older ones are taken instead.
    let mut unknown = Rules::new();
    for call in [libc::SYS_clone3, libc::SYS_openat2] {
        refuse(&mut unknown, call, Vec::new());
    }
    Ok([
        program(refused, libc::EPERM)?,
        program(unknown, libc::ENOSYS)?,
    ])
}

/// No sockets but those of the internet in a network of its own, and those that ask the kernel about that network. Sockets
/// with a path lead to other programs (a shell's agent, a container's daemon, the desktop's bus), whatever the network.
fn sockets(own_network: bool) -> Result<Vec<SeccompRule>, BackendError> {
    let mut others = vec![(0, Not(libc::AF_NETLINK))];
    if own_network {
        others.extend([(0, Not(libc::AF_INET)), (0, Not(libc::AF_INET6))]);
    }
    let mut rules = vec![
        rule(&others)?,
        rule(&[(0, Is(libc::AF_NETLINK)), (2, Not(libc::NETLINK_ROUTE))])?,
    ];
    // Raw ones would see what others in the same network send; `SOCK_RAW` under the flags of the kind.
    for family in [libc::AF_INET, libc::AF_INET6] {
        rules.push(rule(&[(0, Is(family)), (1, Kind(libc::SOCK_RAW))])?);
    }
    Ok(rules)
}

/// Pairs of sockets reach only each other, but for datagrams, which can be sent to any path. (A raw one is one of those.)
fn pairs() -> Result<Vec<SeccompRule>, BackendError> {
    let mut rules = vec![rule(&[(0, Not(libc::AF_UNIX))])?];
    for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
        rules.push(rule(&[(1, Kind(kind))])?);
    }
    Ok(rules)
}

fn namespaces() -> Result<Vec<SeccompRule>, BackendError> {
    let each = CLONE_FLAGS.into_iter();
    each.map(|flag| rule(&[(0, Has(flag))])).collect()
}

/// Writing into a terminal as if somebody had typed it, and pasting into the console.
fn terminal_input() -> Result<Vec<SeccompRule>, BackendError> {
    const TIOCSTI: i32 = 0x5412;
    const TIOCLINUX: i32 = 0x541c;
    Ok(vec![
        rule(&[(1, Is(TIOCSTI))])?,
        rule(&[(1, Is(TIOCLINUX))])?,
    ])
}

/// What an argument has to be like.
#[derive(Clone, Copy)]
enum Like {
    Is(i32),
    Not(i32),
    /// All bits of it are set.
    Has(i32),
    /// It is this one but for the flags of a socket's kind.
    Kind(i32),
}
use Like::{Has, Is, Kind, Not};

/// Holds if all arguments are as they have to be.
fn rule(arguments: &[(u8, Like)]) -> Result<SeccompRule, BackendError> {
    let bits = |value: i32| u64::from(value.cast_unsigned());
    let conditions = arguments.iter().map(|(index, like)| {
        let (comparison, value) = match *like {
            Is(value) => (SeccompCmpOp::Eq, bits(value)),
            Not(value) => (SeccompCmpOp::Ne, bits(value)),
            Has(flag) => (SeccompCmpOp::MaskedEq(bits(flag)), bits(flag)),
            Kind(kind) => (SeccompCmpOp::MaskedEq(0xf), bits(kind)),
        };
        SeccompCondition::new(*index, SeccompCmpArgLen::Dword, comparison, value)
    });
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

/// Refuses a call where one of the rules holds, or always where there is none.
fn refuse(all: &mut Rules, call: c_long, rules: Vec<SeccompRule>) {
    #[cfg(target_arch = "x86_64")]
    all.insert(call | X32, rules.clone());
    all.insert(call, rules);
}

fn program(rules: Rules, error: i32) -> Result<BpfProgram, BackendError> {
    let action = SeccompAction::Errno(error.cast_unsigned());
    SeccompFilter::new(rules, SeccompAction::Allow, action, processor()?)?.try_into()
}

fn processor() -> Result<TargetArch, BackendError> {
    std::env::consts::ARCH.try_into()
}
