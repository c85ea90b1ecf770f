//! One request and its answer, for providers that are no models: vector databases above all. Waits, refusals and
//! keys are as with models.

use super::bytes_within;
use super::json_size::EXCHANGE_VALUES_MAX;
use crate::base::cancel::CancelToken;
use crate::llm::{Endpoint, ModelError};
use crate::net::{Method, NetError};
use serde_json::Value;
use std::io::Read as _;

/// A body that is not JSON, or not only.
#[derive(Debug, Clone, Copy)]
pub struct RequestBody<'b> {
    pub kind: &'b str,
    /// What is in it.
    pub bytes: &'b [u8],
}

impl Endpoint {
    /// Sends `body` and reads the JSON that comes back; an empty answer is `null`.
    ///
    /// # Errors
    /// What the provider refused, or what broke on the way.
    pub fn send_json(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        cancel: &CancelToken,
    ) -> Result<Value, ModelError> {
        let bytes = body.map(json_bytes);
        self.send_body(method, path, bytes.as_deref().map(json_body), cancel)
    }

    /// As [`Self::send_json`], of a body of any type.
    ///
    /// # Errors
    /// As [`Self::send_json`].
    pub fn send_body(
        &self,
        method: &Method,
        path: &str,
        body: Option<RequestBody<'_>>,
        cancel: &CancelToken,
    ) -> Result<Value, ModelError> {
        let bytes = self.exchange(method, path, body, cancel)?;
        if bytes.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&bytes).map_err(|_| ModelError::Garbled("it is not JSON".into()))
    }

    /// As [`Self::send_json`], where nobody needs to know more than that it was done: some servers say so in plain words.
    ///
    /// # Errors
    /// What the provider refused, or what broke on the way.
    pub fn send_only(
        &self,
        method: &Method,
        path: &str,
        body: Option<&Value>,
        cancel: &CancelToken,
    ) -> Result<(), ModelError> {
        let bytes = body.map(json_bytes);
        self.exchange(method, path, bytes.as_deref().map(json_body), cancel).map(drop)
    }

    fn exchange(
        &self,
        method: &Method,
        path: &str,
        body: Option<RequestBody<'_>>,
        cancel: &CancelToken,
    ) -> Result<Vec<u8>, ModelError> {
        let mut incoming = self.request(method, path, body, cancel)?;
        let bytes = bytes_within(&mut incoming, EXCHANGE_VALUES_MAX)?;
        incoming.finish();
        Ok(bytes)
    }

    /// What an error means that came inside an answer whose own status was good. Its words are cleaned as those of any
    /// other refusal.
    #[must_use]
    pub fn error_from_body(&self, status: u16, error: &Value) -> ModelError {
        self.error_interpreter("").interpret_status(status, error, None)
    }

    /// Gets the bytes at `path`; `None` where there are more than `most`.
    ///
    /// # Errors
    /// As [`Self::send_json`].
    pub fn fetch(
        &self,
        path: &str,
        most: usize,
        cancel: &CancelToken,
    ) -> Result<Option<Vec<u8>>, ModelError> {
        let mut incoming = self.get(path, &[], "", cancel)?;
        let mut bytes = Vec::new();
        incoming.by_ref().take(most as u64 + 1).read_to_end(&mut bytes).map_err(NetError::from)?;
        if bytes.len() > most {
            return Ok(None);
        }
        incoming.finish();
        Ok(Some(bytes))
    }

    /// As [`Self::send_json`]; `None` where the provider says that there is no such thing.
    ///
    /// # Errors
    /// As [`Self::send_json`].
    pub fn get_optional(&self, path: &str, cancel: &CancelToken) -> Result<Option<Value>, ModelError> {
        match self.send_json(&Method::GET, path, None, cancel) {
            Err(ModelError::Provider { status: 404, .. } | ModelError::UnknownModel(_)) => Ok(None),
            answer => answer.map(Some),
        }
    }
}

fn json_bytes(body: &Value) -> Vec<u8> {
    serde_json::to_vec(body).expect("a JSON value can always be written")
}

const fn json_body(bytes: &[u8]) -> RequestBody<'_> {
    RequestBody { kind: "application/json", bytes }
}
