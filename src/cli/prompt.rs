//! Asks for a password or a passphrase: without showing it on a terminal, as one line of anything else.

use super::CliError;
use crate::domain::service::passphrase::Passphrase;
use std::io::{self, IsTerminal as _, Write as _};
use zeroize::Zeroizing;

pub(super) fn password(question: &str) -> Result<String, CliError> {
    let failed = |error: io::Error| {
        CliError::Failed(format!("no password was read: {error}; give one with --password, or use --random"))
    };
    let line = read_line(question).map_err(failed)?;
    let password = line.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(CliError::other("no password was given; give one with --password, or use --random"));
    }
    Ok(password.to_owned())
}

/// The passphrase that opens a backup.
pub(super) fn passphrase() -> Result<Passphrase, CliError> {
    ask_passphrase("Passphrase of the backup: ")
}

/// The passphrase of a new backup, asked for twice on a terminal: mistyped unseen, it would open nothing.
pub(super) fn new_passphrase() -> Result<Passphrase, CliError> {
    let first = passphrase()?;
    if io::stdin().is_terminal() && ask_passphrase("The same again: ")?.bytes() != first.bytes() {
        return Err(CliError::other("the two passphrases differ; run this again"));
    }
    Ok(first)
}

fn ask_passphrase(question: &str) -> Result<Passphrase, CliError> {
    let mut line = read_line(question).map_err(|error| {
        CliError::Failed(format!("no passphrase was read: {error}; name a file that has it"))
    })?;
    let line = Zeroizing::new(std::mem::take(&mut *line).into_bytes());
    Passphrase::parse(line).map_err(|fault| CliError::Failed(format!("the standard input {fault}")))
}

fn read_line(question: &str) -> io::Result<Zeroizing<String>> {
    let mut line = Zeroizing::new(String::new());
    if !io::stdin().is_terminal() {
        io::stdin().read_line(&mut line)?;
        return Ok(line);
    }
    let mut terminal = io::stderr();
    write!(terminal, "{question}").and_then(|()| terminal.flush())?;
    let quiet = EchoGuard::disable_echo();
    let read = io::stdin().read_line(&mut line);
    drop(quiet);
    // The typed line end was not shown either.
    let _ = writeln!(terminal);
    read?;
    Ok(line)
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
