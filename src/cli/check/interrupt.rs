//! Ctrl-C, or a request to end, while a service works on what the command asked of it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Hears the first wish to end; the command ends by itself then, so that it can take back what it began.
pub(super) struct Interrupt(Receiver<()>);

impl Interrupt {
    /// From now on the process is not ended by these signals. Where they cannot be heard, they end it as ever.
    pub(super) fn listen() -> Self {
        let (sender, receiver) = channel();
        let hear = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(heard())?;
            // Nobody waits any more once the command is done.
            let _ = sender.send(());
            std::io::Result::Ok(())
        };
        let _ = thread::Builder::new().name("signals".to_owned()).spawn(hear);
        Self(receiver)
    }

    /// Sleeps that long, or less; true when the command is to end.
    pub(super) fn came_within(&self, time: Duration) -> bool {
        match self.0.recv_timeout(time) {
            Ok(()) => true,
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                thread::sleep(time);
                false
            }
        }
    }
}

#[cfg(unix)]
async fn heard() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn heard() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}
