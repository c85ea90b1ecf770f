//! Why a message did not go out.

use crate::mail::MailError;
use crate::ops::service::backup::passphrase_file::PassphraseFileError;

/// Why a message did not go out. Its `Display` is for the log.
#[derive(Debug, thiserror::Error)]
pub(super) enum SendFault {
    /// The settings name no server any more.
    #[error("no mail server is set")]
    Off,
    /// What was sealed does not open with the key of this server.
    #[error("what was to be sent cannot be read")]
    Unreadable,
    /// The file with the password gives none. Where it is, is for those on the machine.
    #[error("the file of the mail password {}", password_fault(.0))]
    Password(PassphraseFileError),
    #[error(transparent)]
    Server(#[from] MailError),
}

fn password_fault(fault: &PassphraseFileError) -> String {
    match fault {
        PassphraseFileError::Content(_) => "does not hold one line of text".to_owned(),
        other => other.to_string(),
    }
}

impl SendFault {
    /// True when the same message will not be taken later either.
    pub(super) const fn is_final(&self) -> bool {
        match self {
            Self::Server(error) => error.is_final(),
            Self::Unreadable => true,
            Self::Off | Self::Password(_) => false,
        }
    }

    /// True when another message can follow on the same connection.
    pub(super) const fn leaves_session(&self) -> bool {
        match self {
            Self::Server(error) => error.leaves_session(),
            Self::Unreadable => true,
            Self::Off | Self::Password(_) => false,
        }
    }

    /// What the log is told beside it.
    pub(super) fn log_detail(&self) -> Option<String> {
        match self {
            Self::Server(MailError::Net(fault)) => fault.log_detail(),
            _ => None,
        }
    }

    /// For the owner, with what the server said.
    pub(super) fn sentence(&self, server: &str) -> String {
        match self {
            Self::Server(error) => error.sentence(server),
            Self::Off | Self::Unreadable | Self::Password(_) => {
                let text = self.to_string();
                let mut letters = text.chars();
                let first = letters.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(letters).chain(['.']).collect()
            }
        }
    }
}
