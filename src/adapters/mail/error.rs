//! Why a mail server did not take a message.

use crate::net::{NetError, server_message};

/// What the server was asked when it refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailStep {
    /// To begin.
    Greeting,
    Encryption,
    SignIn,
    /// To take a message of the sender.
    Sender,
    Recipient,
    /// To take the message itself.
    Message,
}

/// Why a mail server did not take a message. Its `Display` is for the log: it holds no word of the server, which may name people.
/// [`Self::sentence`] is for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailError {
    /// No connection, or it ended.
    #[error("{}", .0.public_message("SMTP", "SERVICE_MAIL_SERVER and SERVICE_MAIL_TLS"))]
    Net(NetError),
    /// What came back is not what a mail server says, or more than it may say.
    #[error("what answers there does not speak SMTP; check SERVICE_MAIL_SERVER and SERVICE_MAIL_TLS")]
    Garbled,
    /// It sent something between its consent to encrypt and the encryption: nobody knows who said that.
    #[error("something was said before the connection was encrypted; somebody may be in between")]
    SaidBeforeTls,
    #[error(
        "it offers no encryption (STARTTLS); set SERVICE_MAIL_TLS to tls, to off where nobody listens in, or use another port"
    )]
    NoStartTls,
    #[error(
        "it lets nobody sign in by PLAIN or LOGIN here; take SERVICE_MAIL_USER away, or use another port"
    )]
    NoSignIn,
    #[error("it refused {} with {code}", what(*step))]
    Refused {
        step: MailStep,
        code: u16,
        /// Its words, for the owner alone.
        words: String,
    },
}

const fn what(step: MailStep) -> &'static str {
    match step {
        MailStep::Greeting => "the connection",
        MailStep::Encryption => "to encrypt the connection",
        MailStep::SignIn => "the user or the password",
        MailStep::Sender => "the sender",
        MailStep::Recipient => "the receiver",
        MailStep::Message => "the message",
    }
}

impl MailError {
    /// What the server said, without these secrets.
    #[must_use]
    pub(super) fn refused(step: MailStep, code: u16, said: &str, secrets: &[&str]) -> Self {
        Self::Refused { step, code, words: server_message(said, secrets) }
    }

    /// True when the same message will not be taken later either. What the server holds against whoever signs in is none of the
    /// message's: the operator can set it right.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        match self {
            Self::Refused {
                step: MailStep::Sender | MailStep::Recipient | MailStep::Message, code, ..
            } => *code >= 500 && !matches!(*code, 530 | 534 | 535 | 538),
            _ => false,
        }
    }

    /// True when the connection can go on with another message.
    #[must_use]
    pub const fn leaves_session(&self) -> bool {
        matches!(
            self,
            Self::Refused { step: MailStep::Sender | MailStep::Recipient | MailStep::Message, code, .. } if *code != 421
        )
    }

    /// For the owner, with what the server said.
    #[must_use]
    pub fn sentence(&self, server: &str) -> String {
        match self {
            Self::Refused { words, .. } if !words.is_empty() => {
                format!("The mail server {server}: {self}: {}.", words.trim_end_matches('.'))
            }
            _ => format!("The mail server {server}: {self}."),
        }
    }
}

impl From<NetError> for MailError {
    fn from(error: NetError) -> Self {
        Self::Net(error)
    }
}

impl From<std::io::Error> for MailError {
    fn from(error: std::io::Error) -> Self {
        Self::Net(error.into())
    }
}
