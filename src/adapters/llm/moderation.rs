//! OpenAI's moderation: whether a text is one that its rules do not allow.

use super::{Endpoint, ModelError, endpoint};
use crate::base::cancel::CancelToken;
use serde::Deserialize;
use serde_json::json;

/// The model that is asked for.
const MODEL: &str = "omni-moderation-latest";

/// The judge behind `/moderations`.
#[derive(Debug, Clone)]
pub struct Moderator {
    /// Where and with which key; the base address ends before `/moderations`.
    pub endpoint: Endpoint,
}

impl Moderator {
    /// True when the text is not allowed.
    ///
    /// # Errors
    /// What the provider refused or answered wrongly.
    pub fn flags(&self, text: &str, cancel: &CancelToken) -> Result<bool, ModelError> {
        let bearer = self.endpoint.bearer();
        let headers: Vec<(&str, &str)> =
            bearer.iter().map(|value| ("authorization", value.as_str())).collect();
        let body = json!({"model": MODEL, "input": text});
        let mut incoming = self.endpoint.post("/moderations", &headers, &body, MODEL, cancel)?;
        let answer: ModerationResponse = endpoint::read_as(&mut incoming, "it is no verdict")?;
        incoming.finish();
        if answer.results.is_empty() {
            return Err(ModelError::Garbled("it holds no verdict".into()));
        }
        Ok(answer.results.iter().any(|result| result.flagged))
    }
}

#[derive(Deserialize)]
struct ModerationResponse {
    results: Vec<ModerationVerdict>,
}

#[derive(Deserialize)]
struct ModerationVerdict {
    flagged: bool,
}
