//! One request and its answer in JSON, for providers that are no models: vector databases above all. Waits, refusals and
//! keys are as with models.

use super::endpoint::bytes_within;
use super::weight::EXCHANGE_VALUES_MAX;
use super::{Endpoint, ModelError};
use crate::domain::cancel::Cancel;
use crate::net::Method;
use serde_json::Value;

/// A body that is not JSON, or not only.
#[derive(Debug, Clone, Copy)]
pub struct Body<'b> {
    /// Its media type.
    pub kind: &'b str,
    /// What is in it.
    pub bytes: &'b [u8],
}

impl Endpoint {
    /// Sends `body` and reads the JSON that comes back; an empty answer is `null`.
    ///
    /// # Errors
    /// What the provider refused, or what broke on the way.
    pub fn exchange(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        cancel: &Cancel,
    ) -> Result<Value, ModelError> {
        let bytes = body.map(|body| serde_json::to_vec(body).expect("a JSON value can always be written"));
        let body = bytes.as_deref().map(|bytes| Body { kind: "application/json", bytes });
        self.exchange_as(method, path, body, cancel)
    }

    /// As [`Self::exchange`], of a body of any type.
    ///
    /// # Errors
    /// As [`Self::exchange`].
    pub fn exchange_as(
        &self,
        method: &Method,
        path: &str,
        body: Option<Body<'_>>,
        cancel: &Cancel,
    ) -> Result<Value, ModelError> {
        let mut incoming = self.any(method, path, body, cancel)?;
        let bytes = bytes_within(&mut incoming, EXCHANGE_VALUES_MAX)?;
        incoming.finish();
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|_| ModelError::Garbled("it is not JSON".into()))
    }

    /// What an error means that came inside an answer whose own status was good. Its words are cleaned as those of any
    /// other refusal.
    #[must_use]
    pub fn told(&self, status: u16, error: &Value) -> ModelError {
        self.refusals("").of_status(status, error, None)
    }

    /// As [`Self::exchange`]; `None` where the provider says that there is no such thing.
    ///
    /// # Errors
    /// As [`Self::exchange`].
    pub fn maybe(&self, path: &str, cancel: &Cancel) -> Result<Option<Value>, ModelError> {
        match self.exchange(&Method::GET, path, None, cancel) {
            Err(ModelError::Provider { status: 404, .. } | ModelError::UnknownModel(_)) => Ok(None),
            answer => answer.map(Some),
        }
    }
}
