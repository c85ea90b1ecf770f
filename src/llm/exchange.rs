//! One request and its answer in JSON, for providers that are no models: vector databases above all. Waits, refusals and
//! keys are as with models.

use super::endpoint::read_within;
use super::weight::EXCHANGE_VALUES_MAX;
use super::{Endpoint, ModelError};
use crate::domain::cancel::Cancel;
use crate::net::Method;
use serde_json::Value;

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
        let mut incoming = self.any(method, path, bytes.as_deref(), cancel)?;
        if incoming.header("content-length") == Some("0") {
            return Ok(Value::Null);
        }
        let answer = read_within(&mut incoming, EXCHANGE_VALUES_MAX, "it is not JSON")?;
        incoming.finish();
        Ok(answer)
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
