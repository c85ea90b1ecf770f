//! A local program that runs, from the service's side: lines in, lines out, and its end.

use super::keeper::{KEEP, NOT_STARTED};
use super::{ProgramError, ProgramSlot, ROLE};
use crate::base::cancel::CancelToken;
use crate::domain::local_program::ProgramGrant;
use crate::domain::secrets;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::collections::VecDeque;
use std::fs;
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longest line of a local program (manual 14.7).
const PROGRAM_LINE_BYTES_MAX: usize = 10 * 1024 * 1024;
/// What is kept of the words that a local program says beside its answers (manual 14.7).
const PROGRAM_WORDS_BYTES_MAX: usize = 4 * 1024;

/// Where programs are looked for, unless the operator says otherwise.
const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// How long a keeper may take to end what it keeps.
const END_WAIT_MAX: Duration = Duration::from_secs(5);
const PIECE_BYTES: usize = 64 * 1024;

/// A program that runs. Dropped, it ends with everything it started, and its folder goes.
pub struct ProgramProcess {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// What it wrote and nobody took yet.
    written: Vec<u8>,
    /// How much of that holds no end of a line.
    searched: usize,
    /// The newest of what it said beside.
    words: VecDeque<u8>,
    cancel: CancelToken,
    /// Becomes readable when the run is to end.
    woken: PipeReader,
    wake: Arc<PipeWriter>,
    failed: bool,
    is_over: bool,
    _folder: TempDir,
    _place: ProgramSlot,
}

impl ProgramProcess {
    pub(super) fn start(
        keeper: &Path,
        admitted: &ProgramGrant<'_>,
        place: ProgramSlot,
        cancel: CancelToken,
    ) -> Result<Self, ProgramError> {
        let path = Path::new(admitted.row.path());
        let is_program =
            fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
        if !is_program {
            return Err(ProgramError::Missing);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let failed = |error: io::Error| {
            tracing::error!(
                target: "flowkeep::programs::process",
                program = name, %error,
                "a local program could not be started"
            );
            ProgramError::CannotStart
        };
        let folder = tempfile::Builder::new().prefix("flowkeep-program-").tempdir().map_err(failed)?;
        let (woken, wake) = io::pipe().map_err(failed)?;
        let mut child = Command::new(keeper)
            .args([ROLE, KEEP])
            .arg(folder.path())
            .arg(admitted.row.memory_mb.to_string())
            .args(&admitted.row.command)
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .envs(&admitted.env)
            .current_dir(folder.path())
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let running = Self {
            name: name.clone(),
            child,
            stdin,
            stdout,
            stderr,
            written: Vec::new(),
            searched: 0,
            words: VecDeque::new(),
            cancel,
            woken,
            wake: Arc::new(wake),
            failed: false,
            is_over: false,
            _folder: folder,
            _place: place,
        };
        // A program that reads nothing must not hold the run.
        let stdin = running.stdin.as_ref().ok_or(ProgramError::CannotStart)?;
        ioctl_fionbio(stdin, true).map_err(|error| failed(error.into()))?;
        Ok(running)
    }

    /// Sends one line.
    ///
    /// # Errors
    /// When the program is gone or takes nothing until `end`, and when the run is to end.
    pub fn send(&mut self, line: &str, end: Instant) -> Result<(), ProgramError> {
        let mut text = line.to_owned();
        text.push('\n');
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let sent = self.step(rest, end).inspect_err(|_| self.failed = true)?;
            rest = &rest[sent..];
        }
        Ok(())
    }

    /// The next line.
    ///
    /// # Errors
    /// When there is none until `end`, it is too long or no text, the program is gone, and when the run is to end.
    pub fn receive(&mut self, end: Instant) -> Result<String, ProgramError> {
        loop {
            let found = memchr::memchr(b'\n', &self.written[self.searched..]);
            if let Some(place) = found.map(|place| self.searched + place) {
                let line: Vec<u8> = self.written.drain(..=place).collect();
                self.searched = 0;
                let line = String::from_utf8(line).map_err(|_| ProgramError::Garbled);
                return line.inspect_err(|_| self.failed = true);
            }
            self.searched = self.written.len();
            if self.searched > PROGRAM_LINE_BYTES_MAX {
                self.failed = true;
                return Err(ProgramError::Garbled);
            }
            self.step(&[], end).inspect_err(|_| self.failed = true)?;
        }
    }

    /// Waits until something can be done, and does it: how much of `out` is on its way then.
    fn step(&mut self, out: &[u8], end: Instant) -> Result<usize, ProgramError> {
        if self.stdout.is_none() {
            return Err(self.end_error());
        }
        let (writes, reads, speaks) = self.wait(!out.is_empty(), end)?;
        if speaks {
            self.read_stderr();
        }
        if reads {
            // Nothing more is taken in than one line may be long, whatever it is that was not asked for.
            if self.written.len() > PROGRAM_LINE_BYTES_MAX {
                return Err(ProgramError::Garbled);
            }
            let mut piece = vec![0; PIECE_BYTES];
            let count = self.stdout.as_mut().map_or(Ok(0), |stdout| stdout.read(&mut piece));
            match count {
                Ok(0) => self.stdout = None,
                Ok(count) => self.written.extend_from_slice(&piece[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => self.stdout = None,
            }
        }
        if !writes {
            return Ok(0);
        }
        match self.stdin.as_mut().map(|stdin| stdin.write(out)) {
            Some(Ok(count)) => Ok(count),
            Some(Err(error))
                if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
            {
                Ok(0)
            }
            _ => Err(self.end_error()),
        }
    }

    /// Waits: whether it takes something, wrote something, said something beside.
    fn wait(&self, wants_write: bool, end: Instant) -> Result<(bool, bool, bool), ProgramError> {
        let wake = self.wake.clone();
        let _hook = self.cancel.on_cancel(move || {
            let _ = (&*wake).write(&[1]);
        });
        loop {
            if let Some(reason) = self.cancel.reason() {
                return Err(ProgramError::Cancelled(reason));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ProgramError::Late);
            }
            let left = self.cancel.time_left().map_or(left, |run| run.min(left));
            let left = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
            let mut places = vec![PollFd::new(&self.woken, PollFlags::IN)];
            let stdout = self.stdout.as_ref().map(|stdout| PollFd::new(stdout, PollFlags::IN));
            let stderr = self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN));
            let stdin = self.stdin.as_ref().filter(|_| wants_write);
            let stdin = stdin.map(|stdin| PollFd::new(stdin, PollFlags::OUT));
            let have = [stdin.is_some(), stdout.is_some(), stderr.is_some()];
            places.extend([stdin, stdout, stderr].into_iter().flatten());
            match poll(&mut places, Some(&left)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(_) => return Err(ProgramError::CannotStart),
            }
            let mut ready = places.iter().skip(1).map(|place| !place.revents().is_empty());
            let [writes, reads, speaks] = have.map(|have| have && ready.next().unwrap_or(false));
            if writes || reads || speaks {
                return Ok((writes, reads, speaks));
            }
        }
    }

    /// Takes in what the program says beside its answers: the newest of it, for the log.
    fn read_stderr(&mut self) {
        let mut piece = vec![0; PIECE_BYTES];
        match self.stderr.as_mut().map(|stderr| stderr.read(&mut piece)) {
            Some(Ok(count)) if count > 0 => {
                self.words.extend(&piece[..count]);
                let spare = self.words.len().saturating_sub(PROGRAM_WORDS_BYTES_MAX);
                self.words.drain(..spare);
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => self.stderr = None,
        }
    }

    /// The end of a program that closed its pipes: it has a moment to say with which code.
    fn end_error(&mut self) -> ProgramError {
        let end = Instant::now() + Duration::from_secs(1);
        while self.stderr.is_some() {
            match self.wait(false, end) {
                Ok(_) => self.read_stderr(),
                Err(_) => break,
            }
        }
        self.close();
        match self.child.try_wait().ok().flatten().and_then(|status| status.code()) {
            Some(code) if code == i32::from(NOT_STARTED) => ProgramError::Missing,
            code => ProgramError::Ended(code),
        }
    }

    /// Closes the pipes and waits until the keeper has ended everything.
    fn close(&mut self) {
        if std::mem::replace(&mut self.is_over, true) {
            return;
        }
        (self.stdin, self.stdout, self.stderr) = (None, None, None);
        let pid = Pid::from_child(&self.child);
        let left = Timespec { tv_sec: END_WAIT_MAX.as_secs().cast_signed(), tv_nsec: 0 };
        // Not yet asked how it ended: until then its number, and that of its group, are nobody else's.
        if let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) {
            let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&left));
        }
        // Where the keeper is stuck, or somebody killed it, this ends what it kept.
        let _ = kill_process_group(pid, Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for ProgramProcess {
    fn drop(&mut self) {
        self.close();
        if self.words.is_empty() {
            return;
        }
        let words: Vec<u8> = self.words.iter().copied().collect();
        let words = secrets::redact(&String::from_utf8_lossy(&words)).text;
        let (program, words) = (&self.name, words.escape_debug().to_string());
        if self.failed {
            tracing::warn!(
                target: "flowkeep::programs::process",
                program, words,
                "a local program failed"
            );
        } else {
            tracing::debug!(
                target: "flowkeep::programs::process",
                program, words,
                "a local program wrote beside its answers"
            );
        }
    }
}
