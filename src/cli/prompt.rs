//! Asks for a password: without showing it on a terminal, as one line of anything else.

use super::CliError;
use std::io::{self, IsTerminal as _, Write as _};

pub(super) fn password(question: &str) -> Result<String, CliError> {
    let failed = |error: io::Error| {
        CliError::Failed(format!("no password was read: {error}; give one with --password, or use --random"))
    };
    let mut line = String::new();
    if io::stdin().is_terminal() {
        let mut terminal = io::stderr();
        write!(terminal, "{question}").and_then(|()| terminal.flush()).map_err(failed)?;
        let quiet = EchoGuard::disable_echo();
        let read = io::stdin().read_line(&mut line);
        drop(quiet);
        // The typed line end was not shown either.
        let _ = writeln!(terminal);
        read.map_err(failed)?;
    } else {
        io::stdin().read_line(&mut line).map_err(failed)?;
    }
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(CliError::other("no password was given; give one with --password, or use --random"));
    }
    Ok(password.to_owned())
}

/// Shows nothing of what is typed until dropped.
#[cfg(unix)]
struct EchoGuard(Option<rustix::termios::Termios>);

#[cfg(unix)]
impl EchoGuard {
    fn disable_echo() -> Self {
        use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
        let Ok(before) = tcgetattr(io::stdin()) else { return Self(None) };
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        let set = tcsetattr(io::stdin(), OptionalActions::Flush, &silent);
        Self(set.is_ok().then_some(before))
    }
}

#[cfg(unix)]
impl Drop for EchoGuard {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // A terminal that is gone needs no restoring.
            let _ = rustix::termios::tcsetattr(io::stdin(), rustix::termios::OptionalActions::Now, before);
        }
    }
}

/// Elsewhere what is typed is shown.
#[cfg(not(unix))]
struct EchoGuard;

#[cfg(not(unix))]
impl EchoGuard {
    const fn disable_echo() -> Self {
        Self
    }
}
