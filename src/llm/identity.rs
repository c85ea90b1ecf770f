//! Proof of whose a request is, where no fixed header gives it: signatures, and tokens that last for a while.

use super::ModelError;
use super::refusal::ErrorInterpreter;
use crate::domain::cancel::CancelToken;
use crate::net::Outgoing;
use serde_json::Value;

/// Proves anew with each request whose it is.
pub trait Identity: Send + Sync {
    /// The headers that prove it, beside those the request has.
    ///
    /// # Errors
    /// When the proof cannot be had.
    fn headers(&self, asking: &OutgoingRequest<'_>) -> Result<Vec<(String, String)>, ModelError>;

    /// What must not come back in any message.
    fn secrets(&self) -> Vec<String>;

    /// What a refusal means.
    fn interpret_error(&self, refusal: &ErrorResponse<'_>) -> ErrorMeaning;
}

/// A request that is about to be sent.
#[derive(Clone, Copy)]
pub struct OutgoingRequest<'a> {
    /// `POST`.
    pub method: &'a str,
    /// Where it goes.
    pub url: &'a str,
    /// What goes along.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: &'a [u8],
    /// For proofs that have to be asked for.
    pub outgoing: &'a Outgoing,
    /// Ends the wait for one.
    pub cancel: &'a CancelToken,
}

/// A refusal as it came.
pub struct ErrorResponse<'a> {
    /// Its status.
    pub status: u16,
    /// The header that names the kind of error, where there is one.
    pub kind: Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
    /// The body as JSON; `null` when it is none.
    pub json: &'a Value,
    /// The model that was asked; empty where none was.
    pub model: &'a str,
    /// The wait in seconds that the provider asks for.
    pub asked: Option<u64>,
    /// Cleans the provider's words.
    pub(super) interpreter: &'a ErrorInterpreter,
}

/// What a refusal means to whoever proves requests.
#[derive(Debug)]
pub enum ErrorMeaning {
    /// What it means with every provider.
    Usual,
    /// This.
    Means(ModelError),
    /// The proof was too old: the same request with a fresh one may pass.
    Again,
}
