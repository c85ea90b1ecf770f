//! Signed links to files: each opens one file of one conversation of one flow, for a while, without a key (manual 4.5).
//!
//! A link has one form. Whatever differs from it, if only in the order of its parameters or in how a letter is
//! written, is another text, and no text but the signed one is a link.

use super::file::{ChatFile, ChatFileName};
use crate::base::hex::to_hex;
use crate::base::hmac::hmac_sha256;
use crate::domain::ids::{ChatId, FlowId};
use jiff::Timestamp;
use subtle::ConstantTimeEq as _;

/// How long a signed link opens its file (manual 14.9).
const FILE_LINK_SECONDS: i64 = 15 * 60;

/// Opens what is signed, so that no other use of the secret and no later form can be taken for it.
const FORMAT: &str = "flowkeep-file-link-1";
const METHOD: &str = "GET";
/// The address of all files.
pub(crate) const PATH: &str = "/api/v1/get-upload-file";
/// The query parameters that make a request a signed one.
pub const SIGNED_PARAMS: [&str; 2] = ["expires", "signature"];

/// Makes and judges links.
#[derive(Clone)]
pub struct FileLinks {
    secret: [u8; 32],
}

impl FileLinks {
    /// Links under this server secret.
    #[must_use]
    pub const fn new(secret: [u8; 32]) -> Self {
        Self { secret }
    }

    /// The path and query of a link that opens `file` from now on.
    #[must_use]
    pub fn sign(&self, file: &ChatFile, now: Timestamp) -> String {
        let signed = canonical_text(file, now.as_second() + FILE_LINK_SECONDS);
        format!("{PATH}?{signed}&signature={}", self.signature(&signed))
    }

    /// The file that this query, as it was sent, opens now; `None` when it is not exactly a link that was made here
    /// and is still good.
    #[must_use]
    pub fn verify(&self, query: &str, now: Timestamp) -> Option<ChatFile> {
        let pairs = query.split('&').map(|pair| pair.split_once('=')).collect::<Option<Vec<_>>>()?;
        let [
            ("chatflowId", flow),
            ("chatId", chat),
            ("fileName", name),
            ("download", "true"),
            ("expires", expires),
            ("signature", signature),
        ] = pairs[..]
        else {
            return None;
        };
        let file = ChatFile {
            flow: FlowId::parse(flow)?,
            chat: ChatId::parse(chat)?,
            name: ChatFileName::parse(name)?,
        };
        let expires: i64 = expires.parse().ok()?;
        // Ids and numbers can be written in several ways, of which one was signed.
        let signed = canonical_text(&file, expires);
        let same_text = query.strip_prefix(signed.as_str())?.strip_prefix("&signature=")? == signature;
        let same_signature: bool = signature.as_bytes().ct_eq(self.signature(&signed).as_bytes()).into();
        let left = expires.checked_sub(now.as_second())?;
        (same_text && same_signature && (1..=FILE_LINK_SECONDS).contains(&left)).then_some(file)
    }

    fn signature(&self, signed: &str) -> String {
        let signed = format!("{FORMAT}\n{METHOD}\n{PATH}\n{signed}");
        to_hex(&hmac_sha256(&self.secret, &[signed.as_bytes()]))
    }
}

/// What is signed. No value holds a character that a query would have to escape.
fn canonical_text(file: &ChatFile, expires: i64) -> String {
    let ChatFile { flow, chat, name } = file;
    format!("chatflowId={flow}&chatId={chat}&fileName={name}&download=true&expires={expires}")
}

#[cfg(test)]
#[path = "file_link_tests.rs"]
mod tests;
