//! Runs a program and stops it at each of its system calls, which need not know of that.

use super::recorder::{PendingCall, Recorder};
use nix::errno::Errno;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::process::{Command, Stdio};

/// What stops a program at a call, in the words of the kernel.
const CALL_BEGINS: u8 = 1;
const CALL_ENDS: u8 = 2;

/// Runs a program to its end and records what it does. Belongs onto a thread of its own, which is told the id of the
/// process.
#[allow(clippy::zombie_processes, reason = "it is waited for by its id, with all it starts")]
pub fn run(program: &Command, recorder: &mut Recorder, started: impl FnOnce(Pid)) {
    // It stops itself before it becomes the program, so that nothing of that is missed.
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "kill -STOP $$; exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args());
    shell.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let child = shell.spawn().expect("a shell can be started");
    let process = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let own = WaitPidFlag::__WNOTHREAD | WaitPidFlag::__WALL;
    waitpid(process, Some(own | WaitPidFlag::WUNTRACED)).unwrap();
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL;
    ptrace::seize(process, options).expect("this system lets a program look at another one's system calls");
    nix::sys::signal::kill(process, Signal::SIGCONT).unwrap();
    started(process);
    let mut calls: HashMap<Pid, PendingCall> = HashMap::new();
    loop {
        let (thread, signal) = match waitpid(Pid::from_raw(-1), Some(own)) {
            Ok(WaitStatus::PtraceSyscall(thread)) => {
                call(thread, recorder, &mut calls);
                (thread, None)
            }
            Ok(WaitStatus::Stopped(thread, signal)) => (thread, Some(signal)),
            Ok(WaitStatus::PtraceEvent(thread, ..)) => (thread, None),
            Ok(WaitStatus::Exited(thread, _) | WaitStatus::Signaled(thread, ..)) => {
                calls.remove(&thread);
                if thread == process {
                    break;
                }
                continue;
            }
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => break,
        };
        // It may have been killed meanwhile.
        let _ = ptrace::syscall(thread, signal);
    }
    // Whatever it started ends with it.
    while let Ok(status) = waitpid(Pid::from_raw(-1), Some(own)) {
        if let Some(thread) =
            status.pid().filter(|_| !matches!(status, WaitStatus::Exited(..) | WaitStatus::Signaled(..)))
        {
            let _ = ptrace::cont(thread, None);
        }
    }
}

fn call(thread: Pid, recorder: &mut Recorder, calls: &mut HashMap<Pid, PendingCall>) {
    let (Ok(info), Ok(mut regs)) = (ptrace::syscall_info(thread), ptrace::getregs(thread)) else { return };
    match info.op {
        CALL_BEGINS => {
            let Some(begun) = recorder.begin(thread, &regs) else { return };
            if let Some((_, true)) = Recorder::failure(&begun) {
                // No call has this number, so nothing happens.
                regs.orig_rax = u64::MAX;
                ptrace::setregs(thread, regs).unwrap();
            }
            calls.insert(thread, begun);
        }
        CALL_ENDS => {
            let Some(begun) = calls.remove(&thread) else { return };
            let result = regs.rax.cast_signed();
            if let Some((failure, _)) = Recorder::failure(&begun) {
                regs.rax = failure.cast_unsigned();
                ptrace::setregs(thread, regs).unwrap();
            }
            recorder.end(thread, begun, result);
        }
        _ => {}
    }
}
