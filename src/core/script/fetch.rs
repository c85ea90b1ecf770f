//! Requests of code: what it wants sent, and what comes back. The service sends them, never the worker.

use crate::base::cancel::CancelToken;
use serde::{Deserialize, Serialize};

/// A request as the code wrote it. Nothing of it has been judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchRequest {
    /// The method, in capitals.
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<String>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchResponse {
    pub status: u16,
    /// Names, in small letters, and values of headers.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// The address that answered, after redirects.
    pub url: String,
}

/// Sends requests for code. It must judge the address (manual 12.5) and keep within times and sizes of its own.
pub trait Fetch: Send + Sync {
    /// Sends one request; several may be under way at the same time. `cancel` is set when the run is over.
    ///
    /// # Errors
    /// A sentence the code may see: it must not hold what the service knows and the code does not.
    fn fetch(&self, request: FetchRequest, cancel: &CancelToken) -> Result<FetchResponse, String>;
}
