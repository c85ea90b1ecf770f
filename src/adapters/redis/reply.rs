//! Replies in RESP2, read as they arrive: a kind of one byte, a length where it has one, and what it announces.

use super::RedisError;
use crate::limits;
use crate::net::NetError;
use std::io::BufRead;
use std::io::Read as _;

/// What is read into memory before more of it is asked for: an announced length alone takes none.
const PIECE_BYTES: u64 = 64 * 1024;

/// What a server replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedisReply {
    /// A short text, such as `OK`.
    Word(String),
    /// Why it did not do what was asked, in its own words.
    Refusal(String),
    Number(i64),
    Bytes(Vec<u8>),
    List(Vec<Self>),
    Nothing,
}

/// Reads one reply.
///
/// # Errors
/// When it breaks off, is none, or takes more memory or depth than a reply may.
pub fn read_reply(from: &mut impl BufRead) -> Result<RedisReply, RedisError> {
    ReplyReader { from, bytes_left: limits::REDIS_REPLY_BYTES_MAX }.reply(limits::REDIS_REPLY_DEPTH_MAX)
}

struct ReplyReader<'a, R> {
    from: &'a mut R,
    /// Memory that the reply may still take.
    bytes_left: usize,
}

impl<R: BufRead> ReplyReader<'_, R> {
    fn reply(&mut self, depth: usize) -> Result<RedisReply, RedisError> {
        self.reserve(size_of::<RedisReply>())?;
        let line = self.line()?;
        let (kind, rest) = line.split_at_checked(1).ok_or(RedisError::Garbled)?;
        match kind {
            "+" => Ok(RedisReply::Word(rest.to_owned())),
            "-" => Ok(RedisReply::Refusal(rest.to_owned())),
            ":" => rest.parse().map(RedisReply::Number).map_err(|_| RedisError::Garbled),
            "$" => match length(rest)? {
                Some(length) => self.bytes(length).map(RedisReply::Bytes),
                None => Ok(RedisReply::Nothing),
            },
            "*" => match length(rest)? {
                Some(count) => self.list(count, depth),
                None => Ok(RedisReply::Nothing),
            },
            _ => Err(RedisError::Garbled),
        }
    }

    fn list(&mut self, count: usize, depth: usize) -> Result<RedisReply, RedisError> {
        let below = depth.checked_sub(1).ok_or(RedisError::TooLarge)?;
        if count > self.bytes_left / size_of::<RedisReply>() {
            return Err(RedisError::TooLarge);
        }
        let mut list = Vec::new();
        for _ in 0..count {
            list.push(self.reply(below)?);
        }
        Ok(RedisReply::List(list))
    }

    /// A line without its end. No word, number or length is long, and a refusal is cut where the log would cut it.
    fn line(&mut self) -> Result<String, RedisError> {
        let mut line = Vec::new();
        let most = limits::REDIS_LINE_BYTES_MAX as u64;
        self.from.by_ref().take(most).read_until(b'\n', &mut line)?;
        if !line.ends_with(b"\n") && line.len() < limits::REDIS_LINE_BYTES_MAX {
            return Err(garbled_error());
        }
        self.reserve(line.len())?;
        let text = line.strip_suffix(b"\r\n").ok_or(RedisError::Garbled)?;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>, RedisError> {
        self.reserve(length)?;
        let (mut bytes, mut left) = (Vec::new(), length as u64);
        while left > 0 {
            let amount = self.from.by_ref().take(left.min(PIECE_BYTES)).read_to_end(&mut bytes)? as u64;
            if amount == 0 {
                return Err(garbled_error());
            }
            left -= amount;
        }
        let mut end = [0; 2];
        self.from.read_exact(&mut end)?;
        if end == *b"\r\n" { Ok(bytes) } else { Err(RedisError::Garbled) }
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), RedisError> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(RedisError::TooLarge)?;
        Ok(())
    }
}

/// A length as it is announced; `None` for that of nothing.
fn length(text: &str) -> Result<Option<usize>, RedisError> {
    match text.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(length) => usize::try_from(length).map(Some).map_err(|_| RedisError::Garbled),
        Err(_) => Err(RedisError::Garbled),
    }
}

fn garbled_error() -> RedisError {
    NetError::Broken("the other side closed the connection".into()).into()
}
