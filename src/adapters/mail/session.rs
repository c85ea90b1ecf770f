//! One connection to a mail server (RFC 5321): commands go out, and an answer comes back for each.

use super::reply::{Reply, read_reply};
use super::{MailError, MailStep};
use crate::base::cancel::CancelToken;
use crate::domain::service::mail::address::MailAddress;
use crate::net::{GuardedStream, Outgoing};
use crate::settings::{MailSecurity, MailSettings};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::{BufReader, Write as _};
use std::time::Duration;

/// Time of one exchange with a mail server; some of them let strangers wait (manual 14.17).
const MAIL_SECONDS: u64 = 60;

/// The longest an exchange may take.
const TIME_MAX: Duration = Duration::from_secs(MAIL_SECONDS);

/// A connection that can send. What it knows of passwords it shows to nobody.
pub struct MailSession {
    stream: BufReader<GuardedStream>,
    cancel: CancelToken,
    /// Whatever must not stand in what the server is quoted with.
    secrets: Vec<String>,
}

impl MailSession {
    /// Connects to the server of these settings, encrypts and signs in. `name` is how the service calls itself.
    ///
    /// # Errors
    /// As [`MailError`].
    pub(super) fn open(
        outgoing: &Outgoing,
        settings: &MailSettings,
        name: &str,
        sign_in: Option<(&str, &str)>,
        cancel: &CancelToken,
    ) -> Result<Self, MailError> {
        let mut line = outgoing.open_stream(&settings.host, settings.port, cancel, TIME_MAX)?;
        if settings.security == MailSecurity::Tls {
            line = line.secure(None)?;
        }
        let stream = BufReader::new(line);
        let mut session = Self { stream, cancel: cancel.clone(), secrets: Vec::new() };
        session.start_exchange();
        let greeting = read_reply(&mut session.stream)?;
        session.expect(MailStep::Greeting, greeting)?;
        let mut offers = session.greet(name)?;
        if settings.security == MailSecurity::StartTls {
            if !offers.has("STARTTLS") {
                return Err(MailError::NoStartTls);
            }
            session = session.encrypt()?;
            // What was offered before could have come from anybody.
            offers = session.greet(name)?;
        }
        if let Some((user, password)) = sign_in {
            session.sign_in(&offers, user, password)?;
        }
        Ok(session)
    }

    /// Sends a message, whose lines may end in any way. When this returns, the server has promised to deliver it.
    ///
    /// # Errors
    /// As [`MailError`]; [`MailError::leaves_session`] says whether another one can follow.
    pub fn send(&mut self, from: &MailAddress, to: &MailAddress, message: &[u8]) -> Result<(), MailError> {
        let sent = self.send_parts(from, to, message);
        if let Err(error) = &sent
            && error.leaves_session()
        {
            // Who does not even take this back gets nothing more on this connection.
            let reply = self.run("RSET")?;
            self.expect(MailStep::Sender, reply)?;
        }
        sent
    }

    fn send_parts(&mut self, from: &MailAddress, to: &MailAddress, message: &[u8]) -> Result<(), MailError> {
        for (step, command) in [
            (MailStep::Sender, format!("MAIL FROM:<{from}>")),
            (MailStep::Recipient, format!("RCPT TO:<{to}>")),
            (MailStep::Message, "DATA".to_owned()),
        ] {
            let reply = self.run(&command)?;
            self.expect(step, reply)?;
        }
        let reply = self.exchange(&stuff_dots(message))?;
        self.expect(MailStep::Message, reply)
    }

    /// Says goodbye, for which nobody waits.
    pub fn close(mut self) {
        self.start_exchange();
        let line = self.stream.get_mut();
        // The messages are taken; whether the server hears this changes nothing.
        let _ = line.write_all(b"QUIT\r\n").and_then(|()| line.flush());
    }

    fn start_exchange(&mut self) {
        self.stream.get_mut().start_exchange(&self.cancel, TIME_MAX);
    }

    fn exchange(&mut self, bytes: &[u8]) -> Result<Reply, MailError> {
        self.start_exchange();
        let line = self.stream.get_mut();
        line.write_all(bytes)?;
        line.flush()?;
        read_reply(&mut self.stream)
    }

    fn run(&mut self, command: &str) -> Result<Reply, MailError> {
        self.exchange(format!("{command}\r\n").as_bytes())
    }

    fn expect(&self, step: MailStep, reply: Reply) -> Result<(), MailError> {
        if reply.is_good() {
            return Ok(());
        }
        let secrets: Vec<&str> = self.secrets.iter().map(String::as_str).collect();
        Err(MailError::refused(step, reply.code, &reply.text(), &secrets))
    }

    fn greet(&mut self, name: &str) -> Result<Offers, MailError> {
        let reply = self.run(&format!("EHLO {name}"))?;
        let lines = reply.lines.clone();
        self.expect(MailStep::Greeting, reply)?;
        Ok(Offers(lines))
    }

    fn encrypt(mut self) -> Result<Self, MailError> {
        let reply = self.run("STARTTLS")?;
        self.expect(MailStep::Encryption, reply)?;
        if !self.stream.buffer().is_empty() {
            return Err(MailError::SaidBeforeTls);
        }
        let line = self.stream.into_inner().secure(None)?;
        Ok(Self { stream: BufReader::new(line), ..self })
    }

    fn sign_in(&mut self, offers: &Offers, user: &str, password: &str) -> Result<(), MailError> {
        let [plain, coded_user, coded_password] =
            [format!("\0{user}\0{password}").as_str(), user, password].map(|text| STANDARD.encode(text));
        self.secrets = vec![password.to_owned(), plain.clone(), coded_password.clone()];
        let steps = if offers.signs_in_by("PLAIN") {
            vec![format!("AUTH PLAIN {plain}")]
        } else if offers.signs_in_by("LOGIN") {
            vec!["AUTH LOGIN".to_owned(), coded_user, coded_password]
        } else {
            return Err(MailError::NoSignIn);
        };
        let last = steps.len();
        for (at, step) in steps.into_iter().enumerate() {
            let reply = self.run(&step)?;
            let asks_on = reply.code == 334;
            self.expect(MailStep::SignIn, reply)?;
            if asks_on == (at + 1 == last) {
                return Err(MailError::Garbled);
            }
        }
        Ok(())
    }
}

/// What a server says it can do, a line each.
struct Offers(Vec<String>);

impl Offers {
    fn has(&self, word: &str) -> bool {
        self.0.iter().skip(1).any(|line| line.trim().eq_ignore_ascii_case(word))
    }

    fn signs_in_by(&self, way: &str) -> bool {
        self.0.iter().skip(1).any(|line| {
            // Old servers write AUTH=LOGIN.
            let mut words = line.split([' ', '=']);
            words.next().is_some_and(|word| word.eq_ignore_ascii_case("AUTH"))
                && words.any(|word| word.eq_ignore_ascii_case(way))
        })
    }
}

/// The message with the lines of mail, a dot before each that begins with one, and the line that ends it.
fn stuff_dots(message: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(message.len() + 64);
    let message =
        message.strip_suffix(b"\n").map_or(message, |rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    for line in message.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.first() == Some(&b'.') {
            out.push(b'.');
        }
        // A carriage return alone is the end of a line to some servers.
        out.extend(line.iter().filter(|byte| **byte != b'\r'));
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(b".\r\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_a_message_ends_it() {
        for (message, expected) in [
            ("a\r\nb\r\n", "a\r\nb\r\n.\r\n"),
            ("a\nb", "a\r\nb\r\n.\r\n"),
            (".\r\nMAIL FROM:<eve@x>\r\n", "..\r\nMAIL FROM:<eve@x>\r\n.\r\n"),
            ("a\n.\n..b", "a\r\n..\r\n...b\r\n.\r\n"),
            ("a\r.\rb", "a.b\r\n.\r\n"),
            ("", "\r\n.\r\n"),
        ] {
            assert_eq!(String::from_utf8(stuff_dots(message.as_bytes())).unwrap(), expected, "{message:?}");
        }
    }

    #[test]
    fn offers_are_read_in_any_letters() {
        let offers = |lines: &[&str]| Offers(lines.iter().map(|line| (*line).to_owned()).collect());
        let usual = offers(&["auth plain.example", "starttls", "Auth LOGIN plain"]);
        assert!(usual.has("STARTTLS") && usual.signs_in_by("PLAIN") && usual.signs_in_by("LOGIN"));
        let old = offers(&["STARTTLS", "AUTH=LOGIN"]);
        assert!(old.signs_in_by("LOGIN") && !old.signs_in_by("PLAIN") && !old.has("STARTTLS"));
    }
}
