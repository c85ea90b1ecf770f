//! What a mail server answers: lines that begin with the same number, of which the last one has a space behind it.

use super::MailError;
use std::io::{BufRead, Read as _};

/// Longest line of a mail server's answer (manual 14.17).
const MAIL_REPLY_LINE_BYTES_MAX: usize = 2 * 1024;
/// Most lines of a mail server's answer (manual 14.17).
const MAIL_REPLY_LINES_MAX: usize = 100;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reply {
    pub code: u16,
    /// What stands behind the number in each line.
    pub lines: Vec<String>,
}

impl Reply {
    /// True for an answer that lets the exchange go on.
    pub(super) const fn is_good(&self) -> bool {
        self.code < 400
    }

    /// All of its words.
    pub(super) fn text(&self) -> String {
        self.lines.join(" ")
    }
}

/// Reads one answer.
///
/// # Errors
/// [`MailError::Garbled`] for what is none; when the connection ends.
pub(super) fn read_reply(from: &mut impl BufRead) -> Result<Reply, MailError> {
    let mut reply: Option<Reply> = None;
    for _ in 0..MAIL_REPLY_LINES_MAX {
        let mut line = Vec::new();
        from.by_ref().take(MAIL_REPLY_LINE_BYTES_MAX as u64).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
        }
        if line.last() != Some(&b'\n') {
            return Err(MailError::Garbled);
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        let (code, is_last, words) = parse_line(text).ok_or(MailError::Garbled)?;
        let reply = reply.get_or_insert(Reply { code, lines: Vec::new() });
        if reply.code != code {
            return Err(MailError::Garbled);
        }
        reply.lines.push(words.to_owned());
        if is_last {
            return Ok(reply.clone());
        }
    }
    Err(MailError::Garbled)
}

/// Number, whether it is the last line, and words.
fn parse_line(text: &str) -> Option<(u16, bool, &str)> {
    let (digits, rest) = text.split_at_checked(3)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let code = digits.parse::<u16>().ok().filter(|code| is_number && (200..600).contains(code))?;
    match rest.chars().next() {
        None => Some((code, true, "")),
        Some(' ') => Some((code, true, &rest[1..])),
        Some('-') => Some((code, false, &rest[1..])),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::NetError;

    fn read(text: &str) -> Result<(u16, Vec<String>), MailError> {
        read_reply(&mut text.as_bytes()).map(|reply| (reply.code, reply.lines))
    }

    #[test]
    fn an_answer_is_one_line_or_several() {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        assert_eq!(read("250 OK\r\n"), Ok((250, lines(&["OK"]))));
        assert_eq!(read("354\r\n"), Ok((354, lines(&[""]))));
        assert_eq!(read("220 a\n"), Ok((220, lines(&["a"]))));
        assert_eq!(
            read("250-mx.example.org\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n250 next"),
            Ok((250, lines(&["mx.example.org", "STARTTLS", "AUTH PLAIN"])))
        );
    }

    #[test]
    fn what_is_no_answer_ends_the_connection() {
        let endless = "250-x\r\n".repeat(MAIL_REPLY_LINES_MAX + 1);
        let long = format!("250 {}\r\n", "x".repeat(MAIL_REPLY_LINE_BYTES_MAX));
        for bad in [
            "HTTP/1.1 400 Bad\r\n",
            "25\r\n",
            "250_x\r\n",
            "099 x\r\n",
            "600 x\r\n",
            "+50 x\r\n",
            "ö50 x\r\n",
        ]
        .into_iter()
        .chain(["250-a\r\n251 b\r\n", endless.as_str(), long.as_str()])
        {
            assert_eq!(read(bad), Err(MailError::Garbled), "{}", &bad[..bad.len().min(40)]);
        }
        assert!(matches!(read(""), Err(MailError::Net(NetError::Broken(_)))));
        assert!(matches!(read("250-half\r\n"), Err(MailError::Net(NetError::Broken(_)))));
    }
}
