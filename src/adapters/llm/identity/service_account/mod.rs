//! Service accounts of Google: a key signs a wish for a token, and the token opens Google's services for an hour.

#[cfg(test)]
mod tests;

use super::token_cache::{TokenCache, TokenKey};
use super::{ErrorMeaning, ErrorResponse, Identity, OutgoingRequest};
use crate::base::cancel::CancelToken;
use crate::clock::Clock;
use crate::llm::ModelError;
use crate::llm::endpoint::provider_error::ErrorInterpreter;
use crate::llm::endpoint::retry;
use crate::net::{CallPurpose, Method, Outgoing, ResponseLimits};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jiff::{SignedDuration, Timestamp};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::time::Duration;
use url::Url;

/// What tokens are wanted for: all that the account may do.
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
/// How long a token is wanted for; no longer time is given.
const TOKEN_SECONDS: i64 = 3_600;
/// Where tokens are had, unless the key says where.
const TOKEN_URI: &str = "https://oauth2.googleapis.com/token";
/// The most of an answer that holds a token.
const ANSWER_BYTES_MAX: u64 = 64 * 1024;
/// How long a token is waited for.
const TOKEN_WAIT: Duration = Duration::from_secs(30);

/// A service account, by its key.
pub struct ServiceAccount {
    email: String,
    key_id: Option<String>,
    /// Its project, which flows may do without naming.
    pub project: Option<String>,
    token_uri: String,
    signer: RsaKeyPair,
    token_key: TokenKey,
    /// The lines of the key, none of which may be shown.
    secrets: Vec<String>,
}

impl fmt::Debug for ServiceAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServiceAccount(hidden)")
    }
}

/// A key as Google hands it out.
#[derive(Deserialize)]
struct KeyFile {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    client_email: String,
    #[serde(default)]
    private_key: String,
    private_key_id: Option<String>,
    project_id: Option<String>,
    token_uri: Option<String>,
}

impl ServiceAccount {
    /// Reads a key as Google hands it out, in JSON.
    ///
    /// # Errors
    /// What is wrong with it, in words for whoever stored it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let not_a_key = "this is no JSON key of a service account";
        let file: KeyFile = serde_json::from_str(text.trim()).map_err(|_| not_a_key.to_owned())?;
        if file.kind != "service_account" {
            return Err(format!("{not_a_key}: its type has to be service_account"));
        }
        if file.client_email.is_empty() || file.private_key.is_empty() {
            return Err(format!("{not_a_key}: its client_email or its private_key is missing"));
        }
        let signer = signer(&file.private_key)
            .ok_or("the private_key of this JSON key cannot be read: copy the whole file".to_owned())?;
        let token_uri = file.token_uri.filter(|uri| !uri.is_empty()).unwrap_or_else(|| TOKEN_URI.to_owned());
        let lines = file.private_key.lines().filter(|line| !line.starts_with("-----"));
        let mut hash = Sha256::new();
        for part in [&file.client_email, &file.private_key, &token_uri] {
            hash.update(part.len().to_be_bytes());
            hash.update(part);
        }
        Ok(Self {
            email: file.client_email,
            key_id: file.private_key_id,
            project: file.project_id.filter(|project| !project.is_empty()),
            token_uri,
            signer,
            token_key: hash.finalize().into(),
            secrets: std::iter::once(file.private_key.as_str()).chain(lines).map(str::to_owned).collect(),
        })
    }

    /// The signed wish for a token.
    fn assertion(&self, now: Timestamp) -> Result<String, ModelError> {
        let mut header = json!({"alg": "RS256", "typ": "JWT"});
        if let Some(id) = &self.key_id {
            header["kid"] = id.as_str().into();
        }
        let now = now.as_second();
        // Google knows itself by one address, wherever it is asked; nobody else is to be sent a wish that Google would
        // grant.
        let aud = if is_google_host(&self.token_uri) { TOKEN_URI } else { &self.token_uri };
        let claims =
            json!({"iss": self.email, "scope": SCOPE, "aud": aud, "iat": now, "exp": now + TOKEN_SECONDS});
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(&claims));
        let mut signature = vec![0; self.signer.public().modulus_len()];
        self.signer
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature)
            .map_err(|_| ModelError::Settings("the private key of the credential cannot sign".into()))?;
        Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// Buys a token: its text and the seconds that it is good for.
    fn request_token(
        &self,
        outgoing: &Outgoing,
        now: Timestamp,
        cancel: &CancelToken,
    ) -> Result<(String, i64), ModelError> {
        if !is_google_host(&self.token_uri) && !outgoing.is_named(&self.token_uri) {
            return Err(ModelError::Settings(
                "the token_uri of the credential's JSON key is not Google's: store the key as Google handed it out".into(),
            ));
        }
        let assertion = self.assertion(now)?;
        let body = form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")
            .append_pair("assertion", &assertion)
            .finish();
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        let limits =
            ResponseLimits { first_byte: TOKEN_WAIT, stall: TOKEN_WAIT, body_bytes: ANSWER_BYTES_MAX };
        let (purpose, uri) = (CallPurpose::Provider, self.token_uri.as_str());
        let mut answer =
            outgoing.send(purpose, Method::POST, uri, &headers, Some(body.as_bytes()), cancel, limits)?;
        let asked = retry::retry_after(|name| answer.header(name), &Value::Null);
        let status = answer.status();
        let text = answer.read_to_string(ANSWER_BYTES_MAX)?;
        answer.finish();
        let told: Value = serde_json::from_str(&text).unwrap_or_default();
        if !(200..300).contains(&status) {
            let hidden = self.secrets.iter().cloned().chain([assertion]);
            let refusals = ErrorInterpreter::new("", Vec::new()).with_secrets(hidden);
            return Err(token_error(status, &told, asked, &refusals));
        }
        let token = told["access_token"].as_str().filter(|token| is_token(token));
        let token = token.ok_or_else(|| ModelError::Garbled("it holds no access token".into()))?;
        let seconds = told["expires_in"].as_i64().unwrap_or(TOKEN_SECONDS).clamp(0, TOKEN_SECONDS);
        Ok((token.to_owned(), seconds))
    }
}

/// A token becomes a header: it is what headers can hold.
fn is_token(text: &str) -> bool {
    !text.is_empty() && text.len() <= 16 * 1024 && text.bytes().all(|b| b.is_ascii_graphic())
}

/// Why no token is sold.
fn token_error(status: u16, told: &Value, asked: Option<u64>, refusals: &ErrorInterpreter) -> ModelError {
    let about = told["error_description"].as_str().unwrap_or_default();
    match told["error"].as_str() {
        Some("invalid_grant") if about.contains("timeframe") => ModelError::Settings(
            "Google refused the date of the request: the clock of this server is off by minutes; have it set"
                .into(),
        ),
        Some("invalid_grant" | "invalid_client" | "unauthorized_client" | "access_denied") => {
            ModelError::KeyRefused
        }
        _ if status == 429 => retry::throttled_error(asked),
        error => {
            let said = if about.is_empty() { error.unwrap_or_default() } else { about };
            ModelError::Provider { status, message: refusals.clean(said) }
        }
    }
}

/// True for an address of Google's own, reached over TLS.
fn is_google_host(address: &str) -> bool {
    let url = Url::parse(address).ok().filter(|url| url.scheme() == "https");
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    host == "googleapis.com" || host.ends_with(".googleapis.com")
}

/// The key in a PEM block of either form that there is for RSA.
fn signer(pem: &str) -> Option<RsaKeyPair> {
    let inside: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
    let plain: String = inside.split_whitespace().collect();
    let bytes = STANDARD.decode(plain).ok()?;
    if pem.contains("BEGIN RSA PRIVATE KEY") {
        RsaKeyPair::from_der(&bytes).ok()
    } else {
        RsaKeyPair::from_pkcs8(&bytes).ok()
    }
}

/// Requests of a service account, each with a token that is good.
pub struct GoogleIdentity {
    pub account: ServiceAccount,
    /// Tokens that were bought before.
    pub tokens: TokenCache,
    pub clock: Clock,
}

impl Identity for GoogleIdentity {
    fn headers(&self, asking: &OutgoingRequest<'_>) -> Result<Vec<(String, String)>, ModelError> {
        let (account, now) = (&self.account, self.clock.now());
        let token = match self.tokens.find(&account.token_key, now) {
            Some(token) => token,
            None => {
                let (token, seconds) = account.request_token(asking.outgoing, now, asking.cancel)?;
                let until = now + SignedDuration::from_secs(seconds);
                self.tokens.insert(account.token_key, token.clone(), until, now);
                token
            }
        };
        Ok(vec![("authorization".to_owned(), format!("Bearer {token}"))])
    }

    fn secrets(&self) -> Vec<String> {
        let token = self.tokens.find_any(&self.account.token_key);
        self.account.secrets.iter().cloned().chain(token).collect()
    }

    fn interpret_error(&self, refusal: &ErrorResponse<'_>) -> ErrorMeaning {
        if refusal.status != 401 {
            return ErrorMeaning::Usual;
        }
        if let Some(token) = self.tokens.find_any(&self.account.token_key) {
            self.tokens.remove(&self.account.token_key, &token);
        }
        ErrorMeaning::Again
    }
}
