//! What is asked of a provider's token address, and what comes back.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::workspace::oauth2::Application;
use crate::net::{CallPurpose, Method, NetError, ResponseLimits, server_message};
use serde_json::Value;
use std::time::Duration;

/// How long a provider may take. It is waited for to the end, also by a run that is stopped: who leaves early may lose a
/// refresh token that counts once.
const TIMEOUT: Duration = Duration::from_secs(30);
const LIMITS: ResponseLimits = ResponseLimits {
    first_byte: Duration::from_secs(20),
    stall: Duration::from_secs(10),
    body_bytes: 64 * 1024,
};

/// Why there are no tokens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum TokenError {
    /// The code or the refresh token counts no more.
    #[error("the sign-in counts no more")]
    Grant,
    /// The provider does not know the application, or its secret is wrong.
    #[error("the application is not known there, or its secret is wrong")]
    Application,
    /// The provider wants to be asked less often.
    #[error("it wants to be asked less often")]
    Throttled,
    #[error("it answered with status {0}")]
    Status(u16),
    /// An answer that holds no tokens.
    #[error("its answer holds no tokens")]
    Malformed,
    #[error(transparent)]
    Net(NetError),
}

/// Posts a form to the token address. What the provider says of a failure goes to the log, without these secrets.
///
/// # Errors
/// Why there is no answer that holds tokens.
pub(super) fn request_tokens(
    app: &App,
    to: &Application,
    form: &str,
    secrets: &[&str],
) -> Result<Value, TokenError> {
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")];
    let cancel = CancelToken::new(Some(TIMEOUT));
    let (url, body) = (to.token_address(), Some(form.as_bytes()));
    let answer =
        app.outgoing.send(CallPurpose::Reachable, Method::POST, url, &headers, body, &cancel, LIMITS);
    let mut answer = answer.map_err(TokenError::Net)?;
    let status = answer.status();
    let text = answer.read_to_string(LIMITS.body_bytes).map_err(TokenError::Net)?;
    let said: Value = serde_json::from_str(&text).unwrap_or_default();
    // Some providers say what is wrong under a good status.
    let error = said["error"].as_str();
    if (200..300).contains(&status) && error.is_none() {
        return Some(said).filter(|said| said["access_token"].is_string()).ok_or(TokenError::Malformed);
    }
    let words = server_message(&text, secrets);
    tracing::warn!(provider = to.provider().label, status, %words, "a provider gave no tokens");
    Err(match (error, status) {
        (Some("invalid_grant"), _) => TokenError::Grant,
        (Some("invalid_client" | "unauthorized_client"), _) | (_, 401) => TokenError::Application,
        (_, 429) => TokenError::Throttled,
        (_, status) => TokenError::Status(status),
    })
}
