//! One connection: commands go out, and a reply comes back for each.

use super::{RedisError, Reply, Server, reply};
use crate::domain::cancel::Cancel;
use crate::limits;
use crate::net::{Line, Outgoing};
use std::io::{BufReader, Write as _};
use std::time::{Duration, Instant};

/// The longest an exchange may take.
const TIME_MAX: Duration = Duration::from_secs(limits::REDIS_SECONDS);
/// After this long without a use a connection is asked whether it still is one: servers, and what stands before them, end
/// those that say nothing.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// A command and its arguments.
pub type Command<'a> = [&'a [u8]];

/// A connection that is signed in.
pub struct Connection {
    line: BufReader<Line>,
    password: String,
    used: Instant,
}

impl Connection {
    /// Connects, signs in where there is a password, and chooses the database.
    ///
    /// # Errors
    /// As [`RedisError`].
    pub fn open(server: &Server, outgoing: &Outgoing, cancel: &Cancel) -> Result<Self, RedisError> {
        let most = Duration::from_secs(limits::REDIS_SIGN_IN_SECONDS);
        let mut line = outgoing.connect(&server.host, server.port, cancel, most)?;
        if server.tls {
            line = line.secure(None)?;
        }
        let password = server.password.clone().unwrap_or_default();
        let mut connection = Self { line: BufReader::new(line), password, used: Instant::now() };
        let number = server.database.to_string();
        let mut sign_in: Vec<Vec<&[u8]>> = Vec::new();
        match (&server.user, &server.password) {
            (Some(user), password) => {
                let password = password.as_deref().unwrap_or_default();
                sign_in.push(vec![b"AUTH", user.as_bytes(), password.as_bytes()]);
            }
            (None, Some(password)) => sign_in.push(vec![b"AUTH", password.as_bytes()]),
            (None, None) => {}
        }
        if server.database != 0 {
            sign_in.push(vec![b"SELECT", number.as_bytes()]);
        }
        for command in sign_in {
            connection.run(&command, cancel)?;
        }
        Ok(connection)
    }

    /// Runs one command.
    ///
    /// # Errors
    /// As [`RedisError`]. After one that the server did not tell itself, the connection cannot be used any more.
    pub fn run(&mut self, command: &Command<'_>, cancel: &Cancel) -> Result<Reply, RedisError> {
        Ok(self.run_all(&[command], cancel)?.pop().unwrap_or(Reply::Nothing))
    }

    /// Sends several commands at once; a reply for each.
    ///
    /// # Errors
    /// As [`Self::run`], of the first that the server refuses. The others are done all the same.
    pub fn run_all(&mut self, commands: &[&Command<'_>], cancel: &Cancel) -> Result<Vec<Reply>, RedisError> {
        self.line.get_mut().exchange(cancel, TIME_MAX);
        let mut out = Vec::new();
        commands.iter().for_each(|command| write(command, &mut out));
        let line = self.line.get_mut();
        line.write_all(&out)?;
        line.flush()?;
        let (mut replies, mut refusal) = (Vec::with_capacity(commands.len()), None);
        for _ in commands {
            match reply::read(&mut self.line)? {
                Reply::Refusal(said) => {
                    refusal.get_or_insert_with(|| RedisError::told(&said, &[&self.password]));
                }
                reply => replies.push(reply),
            }
        }
        self.used = Instant::now();
        refusal.map_or(Ok(replies), Err)
    }

    /// True when it was used just now, or still answers.
    pub(super) fn is_open(&mut self, cancel: &Cancel) -> bool {
        self.used.elapsed() < IDLE_MAX || self.run(&[b"PING"], cancel).is_ok()
    }
}

/// A command on the wire: the number of its parts, and each with its length before it.
fn write(command: &Command<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
    for part in command {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}
