//! One connection: commands go out, and a reply comes back for each.

use super::{RedisError, RedisReply, RedisServer, reply};
use crate::base::cancel::CancelToken;
use crate::net::{GuardedStream, Outgoing};
use std::io::{BufReader, Write as _};
use std::time::{Duration, Instant};

/// Time of one exchange with a Redis server (manual 14.6).
const REDIS_SECONDS: u64 = 15;
/// Time to connect to one (manual 14.6).
const REDIS_SIGN_IN_SECONDS: u64 = 10;

/// The longest an exchange may take.
const TIME_MAX: Duration = Duration::from_secs(REDIS_SECONDS);
/// After this long without a use a connection is asked whether it still is one: servers, and what stands before them, end
/// those that say nothing.
const IDLE_MAX: Duration = Duration::from_secs(5);

/// A command and its arguments.
pub(super) type RedisCommand<'a> = [&'a [u8]];

/// A connection that is signed in.
pub struct RedisConnection {
    stream: BufReader<GuardedStream>,
    password: String,
    last_used: Instant,
}

impl RedisConnection {
    /// Connects, signs in where there is a password, and chooses the database.
    ///
    /// # Errors
    /// As [`RedisError`].
    pub fn open(server: &RedisServer, outgoing: &Outgoing, cancel: &CancelToken) -> Result<Self, RedisError> {
        let most = Duration::from_secs(REDIS_SIGN_IN_SECONDS);
        let mut line = outgoing.open_stream(&server.host, server.port, cancel, most)?;
        if server.tls {
            line = line.secure(None)?;
        }
        let password = server.password.clone().unwrap_or_default();
        let mut connection = Self { stream: BufReader::new(line), password, last_used: Instant::now() };
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
    pub fn run(
        &mut self,
        command: &RedisCommand<'_>,
        cancel: &CancelToken,
    ) -> Result<RedisReply, RedisError> {
        Ok(self.run_all(&[command], cancel)?.pop().unwrap_or(RedisReply::Nothing))
    }

    /// Sends several commands at once; a reply for each.
    ///
    /// # Errors
    /// As [`Self::run`], of the first that the server refuses. The others are done all the same.
    pub fn run_all(
        &mut self,
        commands: &[&RedisCommand<'_>],
        cancel: &CancelToken,
    ) -> Result<Vec<RedisReply>, RedisError> {
        self.stream.get_mut().start_exchange(cancel, TIME_MAX);
        let mut out = Vec::new();
        commands.iter().for_each(|command| write_command(command, &mut out));
        let line = self.stream.get_mut();
        line.write_all(&out)?;
        line.flush()?;
        let (mut replies, mut refusal) = (Vec::with_capacity(commands.len()), None);
        for _ in commands {
            match reply::read_reply(&mut self.stream)? {
                RedisReply::Refusal(said) => {
                    refusal.get_or_insert_with(|| RedisError::from_server(&said, &[&self.password]));
                }
                reply => replies.push(reply),
            }
        }
        self.last_used = Instant::now();
        refusal.map_or(Ok(replies), Err)
    }

    /// True when it was used just now, or still answers.
    pub(super) fn is_open(&mut self, cancel: &CancelToken) -> bool {
        self.last_used.elapsed() < IDLE_MAX || self.run(&[b"PING"], cancel).is_ok()
    }
}

/// A command on the wire: the number of its parts, and each with its length before it.
fn write_command(command: &RedisCommand<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
    for part in command {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}
