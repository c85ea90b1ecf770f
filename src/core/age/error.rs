//! Why an encrypted file was not opened, in words for whoever gave it.

use super::keys::WORK_MAX_LOG;
use std::error::Error;
use std::io;

/// Each text goes on where a sentence about the file began.
#[derive(Debug, thiserror::Error)]
pub enum AgeError {
    #[error(
        "is encrypted in a format that this program does not know ({0}); decrypt it with the program age first"
    )]
    OtherVersion(String),
    #[error("is encrypted for a key and not with a passphrase; decrypt it with the program age first")]
    OtherKey,
    #[error(
        "asks for more work than a passphrase should take (2^{asked}, and at most 2^{WORK_MAX_LOG} is done); decrypt it with the program \
         age first"
    )]
    TooMuchWork { asked: String },
    #[error("is not opened by this passphrase: it is another one, or the beginning of the file is damaged")]
    WrongPassphrase,
    #[error("is cut off or damaged ({0})")]
    Damaged(&'static str),
    #[error("could not be read: {0}")]
    Read(io::Error),
}

impl AgeError {
    /// The one that `error` was made of, however often a library between wrapped it.
    pub fn find_in(error: &io::Error) -> Option<&Self> {
        let inner = error.get_ref()?;
        let mut cause: Option<&(dyn Error + 'static)> = Some(inner);
        while let Some(one) = cause {
            if let Some(found) = one.downcast_ref::<Self>() {
                return Some(found);
            }
            if let Some(wrapped) = one.downcast_ref::<io::Error>() {
                return Self::find_in(wrapped);
            }
            cause = one.source();
        }
        None
    }
}

impl From<AgeError> for io::Error {
    fn from(error: AgeError) -> Self {
        match error {
            AgeError::Read(cause) => cause,
            error => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}
