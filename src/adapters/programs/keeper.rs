//! The keeper of a local program, in a process of its own: it starts the program and ends all that comes of it.

use crate::worker::sandbox;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, getppid, getrlimit, kill_process,
    pidfd_open, set_child_subreaper, set_parent_process_death_signal, setrlimit, wait,
};
use std::ffi::OsString;
use std::os::fd::AsFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::{fs, io};

/// Processor seconds of a process of a local program (manual 14.7).
const PROGRAM_CPU_SECONDS: u64 = 120;
/// Files that a process of a local program may have open (manual 14.7).
const PROGRAM_FILES_MAX: u64 = 1024;
/// Largest file that a local program may write (manual 14.7).
const PROGRAM_FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// The second word of a keeper, and of the process that turns into the program.
pub(super) const KEEP: &str = "keep";
const BECOME: &str = "become";
/// How long a program whose input is closed may take to end by itself.
const GRACE: Timespec = Timespec { tv_sec: 0, tv_nsec: 300_000_000 };
/// What a keeper ends with where it could do nothing.
const FAILED: u8 = 125;
/// What a process ends with that could not turn into its program, as shells have it.
pub(super) const NOT_STARTED: u8 = 127;
/// Bytes of memory in a mebibyte.
const MB: u64 = 1024 * 1024;
/// Engines set aside far more addresses than they ever fill; what is filled has a limit of its own.
const ADDRESSES_PER_MEMORY: u64 = 64;

/// Does what the words after the program's role say.
pub fn run_keeper(words: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = words.collect();
    let code = match words.split_first() {
        Some((stage, rest)) if stage == KEEP => run_program(rest),
        Some((stage, rest)) if stage == BECOME => exec_program(rest),
        _ => None,
    };
    ExitCode::from(code.unwrap_or(FAILED))
}

/// Words: the folder, the memory, the program and its arguments.
fn run_program(words: &[OsString]) -> Option<u8> {
    let [folder, rest @ ..] = words else { return None };
    let folder = FolderCleanup(PathBuf::from(folder));
    sandbox::close_inherited();
    set_child_subreaper(Some(getpid())).ok()?;
    rustix::thread::set_no_new_privs(true).ok()?;
    let child = Command::new(own_path())
        .args([super::ROLE, BECOME, &getpid().as_raw_nonzero().to_string()])
        .args(rest)
        .current_dir(&folder.0)
        .spawn();
    let mut child = child.ok()?;
    let ended = wait_for_end(&child).unwrap_or(false);
    let status = if ended { child.wait().ok() } else { None };
    end_all();
    drop(folder);
    // As shells have it: a program that a signal ended has the signal's number and 128.
    let code = status?.code().or_else(|| status?.signal().map(|signal| signal + 128));
    u8::try_from(code?).ok()
}

fn own_path() -> &'static Path {
    Path::new("/proc/self/exe")
}

/// Waits until the program ends, or its input closes and its grace is over. True where it ended by itself.
fn wait_for_end(child: &Child) -> io::Result<bool> {
    let pid = Pid::from_child(child);
    let process = pidfd_open(pid, PidfdFlags::empty())?;
    let input = io::stdin();
    loop {
        // Of the input only its end: what stands there is the program's.
        let mut both = [
            PollFd::new(&process, PollFlags::IN),
            PollFd::from_borrowed_fd(input.as_fd(), PollFlags::empty()),
        ];
        match poll(&mut both, None) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        if !both[0].revents().is_empty() {
            return Ok(true);
        }
        if !both[1].revents().is_empty() {
            break;
        }
    }
    let mut process = [PollFd::new(&process, PollFlags::IN)];
    Ok(poll(&mut process, Some(&GRACE))? > 0)
}

/// Ends what the program left, and what that left: whose parent is gone belongs to the keeper.
fn end_all() {
    loop {
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn children() -> Vec<Pid> {
    let listed = fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    listed.split_whitespace().filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

/// The folder of the program, which goes with it.
struct FolderCleanup(PathBuf);

impl Drop for FolderCleanup {
    fn drop(&mut self) {
        // The service removes it too, where it still runs.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Words: the keeper, the memory, the program and its arguments. Comes back only when it cannot turn into it.
fn exec_program(words: &[OsString]) -> Option<u8> {
    let [keeper, memory, program, args @ ..] = words else { return None };
    let keeper: i32 = keeper.to_str()?.parse().ok()?;
    let memory: u64 = memory.to_str()?.parse().ok()?;
    set_parent_process_death_signal(Some(Signal::KILL)).ok()?;
    if getppid().map(|parent| parent.as_raw_nonzero().get()) != Some(keeper) {
        return None;
    }
    for (resource, most) in [
        (Resource::Data, memory.saturating_mul(MB)),
        (Resource::As, memory.saturating_mul(MB).saturating_mul(ADDRESSES_PER_MEMORY)),
        (Resource::Cpu, PROGRAM_CPU_SECONDS),
        (Resource::Nofile, PROGRAM_FILES_MAX),
        (Resource::Fsize, PROGRAM_FILE_BYTES_MAX),
        (Resource::Core, 0),
    ] {
        let most = getrlimit(resource).maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).ok()?;
    }
    // Back only with an error, which the service reads from the code: what stood in the way is the operator's to see.
    let _ = Command::new(program).args(args).exec();
    Some(NOT_STARTED)
}
