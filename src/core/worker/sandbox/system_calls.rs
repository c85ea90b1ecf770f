//! The system calls a worker keeps: computing, memory, its pipes, the clock. Any other fails with "not permitted".

use super::SandboxError;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use std::collections::BTreeMap;

/// Calls that are harmless whatever their arguments are. None takes a path, an address or another process.
const ALLOWED_CALLS: &[libc::c_long] = &[
    // The pipes it was born with; there are no others.
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_ppoll,
    libc::SYS_fstat,
    libc::SYS_lseek,
    // Memory that is not code.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // The clock, chance, and locks within the process.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getrusage,
    libc::SYS_getpid,
    libc::SYS_gettid,
    // Signals of its own, such as the one a failed assertion raises, and the end.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The older calls that only this processor still has.
#[cfg(target_arch = "x86_64")]
const LEGACY_CALLS: &[libc::c_long] = &[libc::SYS_poll];
#[cfg(not(target_arch = "x86_64"))]
const LEGACY_CALLS: &[libc::c_long] = &[];

/// Calls that may not make memory executable; the flags are their third argument.
const NO_EXEC_CALLS: &[libc::c_long] = &[libc::SYS_mmap, libc::SYS_mprotect];

/// Installs the filter for the whole process, which has one thread.
pub(super) fn install_filter() -> Result<(), SandboxError> {
    let arch = arch().ok_or(SandboxError("its system calls cannot be cut down on this processor"))?;
    let filter = build_filter(arch, std::process::id())
        .map_err(|_| SandboxError("its system calls cannot be cut down"))?;
    seccompiler::apply_filter(&filter).map_err(|_| SandboxError("its system calls cannot be cut down"))
}

const fn arch() -> Option<TargetArch> {
    if cfg!(target_arch = "x86_64") {
        Some(TargetArch::x86_64)
    } else if cfg!(target_arch = "aarch64") {
        Some(TargetArch::aarch64)
    } else if cfg!(target_arch = "riscv64") {
        Some(TargetArch::riscv64)
    } else {
        None
    }
}

fn build_filter(arch: TargetArch, own: u32) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in ALLOWED_CALLS.iter().chain(LEGACY_CALLS) {
        rules.insert(*call, Vec::new());
    }
    let code = u64::from(libc::PROT_EXEC.unsigned_abs());
    let only = |argument, how, value| {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how, value)?;
        Ok::<_, seccompiler::BackendError>(vec![SeccompRule::new(vec![condition])?])
    };
    for call in NO_EXEC_CALLS {
        rules.insert(*call, only(2, SeccompCmpOp::MaskedEq(code), 0)?);
    }
    // Its own limits, and signals to itself: the service runs as the same user.
    rules.insert(libc::SYS_prlimit64, only(0, SeccompCmpOp::Eq, 0)?);
    rules.insert(libc::SYS_tgkill, only(0, SeccompCmpOp::Eq, own.into())?);
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, ErrorKind};
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::process::Command;
    use std::{fs, thread};

    #[test]
    fn files_network_processes_and_others_are_out_of_reach() {
        let here = env!("CARGO_MANIFEST_DIR");
        let parent = rustix::process::getppid().unwrap_or(rustix::process::Pid::INIT);
        // A filter holds for the thread that installs it, so that the other tests go on as before.
        let tried = thread::spawn(move || {
            let before = fs::read_dir(here).is_ok();
            install_filter().unwrap();
            let kind = |result: io::Result<()>| result.err().map(|error| error.kind());
            let tries = [
                kind(fs::read("/etc/passwd").map(drop)),
                kind(fs::write("/tmp/flowkeep-escape", "x")),
                kind(fs::read_dir("/").map(drop)),
                kind(fs::metadata("/").map(drop)),
                kind(TcpStream::connect("127.0.0.1:9").map(drop)),
                kind(TcpListener::bind("127.0.0.1:0").map(drop)),
                kind(UdpSocket::bind("127.0.0.1:0").map(drop)),
                kind(Command::new("/bin/true").status().map(drop)),
                kind(thread::Builder::new().spawn(|| ()).map(drop)),
            ];
            let killed = rustix::process::kill_process(parent, rustix::process::Signal::CONT).is_ok();
            (before, tries, killed, vec![0_u8; 8 << 20].len())
        });
        let (before, tries, killed, memory) = tried.join().unwrap();
        assert!(before && memory == 8 << 20);
        assert_eq!(tries, [Some(ErrorKind::PermissionDenied); 9]);
        assert!(!killed);
    }
}
