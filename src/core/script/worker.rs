//! A worker for code: the other end of the pipes, in a process of its own.

use super::engine;
use super::protocol::{FromWorker, ScriptJob, ScriptWorkerSetup, ToWorker};
use crate::limits;
use crate::worker::{frame, sandbox};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::de::DeserializeOwned;
use std::io::{self, Read};
use std::process::ExitCode;
use std::time::Instant;

/// What a worker for code may use beside the heap of its engine: messages in both directions, read and written (manual 14.12).
const CODE_WORKER_BYTES: usize = 128 * 1024 * 1024;

/// Serves as a worker until nobody has work for it; the whole of a process that was started with [`super::ROLE`].
#[must_use]
pub fn work() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let mut pipes = Pipes;
    let Some(greeting) = pipes.read::<ScriptWorkerSetup>()? else { return Ok(()) };
    let memory_bytes = (greeting.heap_bytes + CODE_WORKER_BYTES) as u64;
    sandbox::enter_sandbox(sandbox::SandboxLimits { memory_bytes })
        .map_err(|error| io::Error::other(error.to_string()))?;
    frame::write(&mut io::stdout().lock(), b"ready")?;
    while engine::serve_one(&mut pipes, greeting.heap_bytes)? {}
    Ok(())
}

/// The two pipes of the process. Nothing is read ahead, so that waiting for the pipe and reading it agree.
pub(super) struct Pipes;

impl Read for Pipes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(io::stdin(), buffer)?)
    }
}

impl Pipes {
    fn read<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        match frame::read(self, limits::CODE_MESSAGE_TO_WORKER_BYTES_MAX)? {
            Some(message) => Ok(Some(serde_json::from_slice(&message)?)),
            None => Ok(None),
        }
    }

    pub(super) fn receive(&mut self) -> io::Result<Option<ToWorker>> {
        self.read()
    }

    /// Waits for the next run. Answers that come late, for a run that is over, are dropped here.
    pub(super) fn next_job(&mut self) -> io::Result<Option<(ScriptJob, Vec<u8>)>> {
        loop {
            match self.receive()? {
                Some(ToWorker::Run(job)) => {
                    let scope = frame::read(self, limits::CODE_MESSAGE_TO_WORKER_BYTES_MAX)?;
                    return Ok(scope.map(|scope| (job, scope)));
                }
                Some(ToWorker::Fetched { .. } | ToWorker::Called { .. } | ToWorker::Queried { .. }) => {}
                None => return Ok(None),
            }
        }
    }

    pub(super) fn send(&mut self, message: &FromWorker) -> io::Result<()> {
        frame::write(&mut io::stdout().lock(), &serde_json::to_vec(message)?)
    }

    /// Waits until something can be read, or `end` has come. True when something can be read.
    pub(super) fn readable_until(&mut self, end: Instant) -> io::Result<bool> {
        loop {
            let wait = end.saturating_duration_since(Instant::now());
            let wait = Timespec { tv_sec: wait.as_secs().cast_signed(), tv_nsec: wait.subsec_nanos().into() };
            let stdin = io::stdin();
            match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(&wait)) {
                Ok(ready) => return Ok(ready > 0),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}
