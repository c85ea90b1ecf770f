//! Proof of whose a request is, where no fixed header gives it: signatures, and tokens that last for a while.

pub(super) mod aws;
pub(crate) mod service_account;
pub(crate) mod token_cache;

use super::ModelError;
use super::endpoint::provider_error::ErrorInterpreter;
use crate::base::cancel::CancelToken;
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

    fn interpret_error(&self, refusal: &ErrorResponse<'_>) -> ErrorMeaning;
}

/// A request that is about to be sent.
#[derive(Clone, Copy)]
pub struct OutgoingRequest<'a> {
    /// `POST`.
    pub method: &'a str,
    pub url: &'a str,
    pub headers: &'a [(&'a str, &'a str)],
    pub body: &'a [u8],
    /// For proofs that have to be asked for.
    pub outgoing: &'a Outgoing,
    pub cancel: &'a CancelToken,
}

/// A refusal as it came.
pub struct ErrorResponse<'a> {
    pub status: u16,
    /// The header that names the kind of error, where there is one.
    pub kind: Option<&'a str>,
    pub body: &'a [u8],
    /// The body as JSON; `null` when it is none.
    pub json: &'a Value,
    /// The model that was asked; empty where none was.
    pub model: &'a str,
    /// The wait in seconds that the provider asks for.
    pub asked: Option<u64>,
    pub(super) interpreter: &'a ErrorInterpreter,
}

/// What a refusal means to whoever proves requests.
#[derive(Debug)]
pub enum ErrorMeaning {
    /// What it means with every provider.
    Usual,
    Means(ModelError),
    /// The proof was too old: the same request with a fresh one may pass.
    Again,
}
