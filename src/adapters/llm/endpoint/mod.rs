//! Where a provider is and how it is called: the part that is alike for every protocol.

pub(crate) mod json_client;
pub(super) mod json_size;
pub(super) mod multipart;
pub(crate) mod provider_error;
pub(super) mod retry;

use self::json_client::RequestBody;
use self::json_size::{REPLY_VALUES_MAX, VECTORS_VALUES_MAX, is_within};
use self::provider_error::{ErrorInterpreter, secrets_of_address, secrets_of_header};
use super::ModelError;
use super::identity::{ErrorMeaning, ErrorResponse, Identity, OutgoingRequest};
use crate::base::cancel::CancelToken;
use crate::net::{CallPurpose, Incoming, Method, NetError, Outgoing, ResponseLimits};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

/// The most a refusal is read of.
const ERROR_BYTES_MAX: u64 = 64 * 1024;
/// How long the body of a refusal is waited for; its status says enough.
const ERROR_STALL: Duration = Duration::from_secs(5);
/// The most a reply that comes in one piece may have.
const WHOLE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// A provider's key. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderKey(String);

impl ProviderKey {
    /// A key as the credential holds it; white space around it is a slip of the hand.
    #[must_use]
    pub fn new(value: &str) -> Self {
        Self(value.trim().to_owned())
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ProviderKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// A provider's address, with what goes along with every request to it.
#[derive(Clone)]
pub struct Endpoint {
    pub outgoing: Outgoing,
    /// The base address, with or without a final slash.
    pub base: String,
    /// The key, where the provider wants one.
    pub key: Option<ProviderKey>,
    /// Further headers the owner set. They win over our own.
    pub headers: Vec<(String, String)>,
    /// Pairs for the query, such as an API version.
    pub query: Vec<(String, String)>,
    /// How long an answer may take to begin and may pause.
    pub limits: ResponseLimits,
    /// Who chose the address.
    pub purpose: CallPurpose,
    /// Proves anew with each request whose it is, where the key alone does not.
    pub identity: Option<Arc<dyn Identity>>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Owners put keys into headers and addresses too.
        f.debug_struct("Endpoint").field("key", &self.key).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint without extras.
    #[must_use]
    pub fn new(outgoing: Outgoing, base: &str, key: Option<ProviderKey>) -> Self {
        Self {
            outgoing,
            base: base.to_owned(),
            key,
            headers: Vec::new(),
            query: Vec::new(),
            limits: ResponseLimits::model(),
            purpose: CallPurpose::Provider,
            identity: None,
        }
    }

    /// As [`Self::new`], of a provider that wants proof with each request.
    #[must_use]
    pub fn with_identity(outgoing: Outgoing, base: &str, identity: impl Identity + 'static) -> Self {
        Self { identity: Some(Arc::new(identity)), ..Self::new(outgoing, base, None) }
    }

    /// The same at an address that a caller can have a say in, as in what a document store is to load (manual 12.5 r3).
    #[must_use]
    pub fn chosen_by_caller(self) -> Self {
        Self { purpose: CallPurpose::Reachable, ..self }
    }

    /// The value of the header `authorization`, where there is a key.
    pub(super) fn bearer(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("Bearer {}", key.expose()))
    }

    /// What the refusals of this provider are read with.
    pub(super) fn error_interpreter(&self, model: &str) -> ErrorInterpreter {
        let key = self.key.iter().map(ProviderKey::expose);
        let headers = self.headers.iter().flat_map(|(_, value)| secrets_of_header(value));
        let query = self.query.iter().map(|(_, value)| value.as_str());
        // The name of a model may be part of an address; it is told in any case.
        let path = secrets_of_address(&self.base).filter(|part| !model.contains(part));
        let proofs = self.identity.iter().flat_map(|identity| identity.secrets());
        ErrorInterpreter::new(model, key.chain(headers).chain(query).chain(path).collect())
            .with_secrets(proofs)
    }

    /// Posts to `path`, trying again a few times (manual 2.10). The answer has a good status.
    pub(super) fn post(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &impl Serialize,
        model: &str,
        cancel: &CancelToken,
    ) -> Result<Incoming, ModelError> {
        let body = serde_json::to_vec(body).expect("a JSON value can always be written");
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        self.send(&Method::POST, path, &all, Some(&body), model, cancel)
    }

    /// As [`Self::post`], of a body whose type is among `headers`.
    pub(super) fn post_bytes(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
        model: &str,
        cancel: &CancelToken,
    ) -> Result<Incoming, ModelError> {
        self.send(&Method::POST, path, headers, Some(body), model, cancel)
    }

    /// Gets `path`, as [`Self::post`] posts.
    pub(super) fn get(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        model: &str,
        cancel: &CancelToken,
    ) -> Result<Incoming, ModelError> {
        self.send(&Method::GET, path, headers, None, model, cancel)
    }

    /// Sends with any method, as [`Self::post`] posts; what is needed of headers is among the endpoint's own.
    pub(super) fn request(
        &self,
        method: &Method,
        path: &str,
        body: Option<RequestBody<'_>>,
        cancel: &CancelToken,
    ) -> Result<Incoming, ModelError> {
        let headers: Vec<(&str, &str)> = body.iter().map(|body| ("content-type", body.kind)).collect();
        let bytes = body.map(|body| body.bytes);
        self.send(method, path, &headers, bytes, "", cancel)
    }

    fn send(
        &self,
        method: &Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
        model: &str,
        cancel: &CancelToken,
    ) -> Result<Incoming, ModelError> {
        let url = self.url(path);
        let mut all = headers.to_vec();
        all.extend(self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let send = || {
            let proofs = self.identity_headers(method, &url, &all, body, cancel)?;
            let mut sent = all.clone();
            sent.extend(proofs.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            self.outgoing
                .send(self.purpose, method.clone(), &url, &sent, body, cancel, self.limits)
                .map_err(ModelError::from)
        };
        retry::with_retries(cancel, || {
            let mut response = send()?;
            let mut renewed = false;
            loop {
                if (200..300).contains(&response.status()) {
                    return Ok(response);
                }
                match self.interpret_refusal(&mut response, model) {
                    None if !renewed => {
                        renewed = true;
                        response = send()?;
                    }
                    None => return Err(ModelError::KeyRefused.into()),
                    Some(failure) => return Err(failure),
                }
            }
        })
    }

    fn identity_headers(
        &self,
        method: &Method,
        url: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
        cancel: &CancelToken,
    ) -> Result<Vec<(String, String)>, ModelError> {
        let Some(identity) = &self.identity else { return Ok(Vec::new()) };
        let (method, body, outgoing) = (method.as_str(), body.unwrap_or_default(), &self.outgoing);
        identity.headers(&OutgoingRequest { method, url, headers, body, outgoing, cancel })
    }

    /// Why a request was refused; `None` when it may pass with a fresh proof.
    fn interpret_refusal(&self, response: &mut Incoming, model: &str) -> Option<retry::AttemptError> {
        response.set_stall(ERROR_STALL);
        let mut bytes = Vec::new();
        // What arrived of it is enough, whatever broke.
        let _ = response.by_ref().take(ERROR_BYTES_MAX).read_to_end(&mut bytes);
        let json = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        let asked = retry::retry_after(|name| response.header(name), &json);
        let refusals = self.error_interpreter(model);
        let status = response.status();
        let judgement = self.identity.as_ref().map_or(ErrorMeaning::Usual, |identity| {
            let (kind, body) = (response.header("x-amzn-errortype"), bytes.as_slice());
            identity.interpret_error(&ErrorResponse {
                status,
                kind,
                body,
                json: &json,
                model,
                asked,
                interpreter: &refusals,
            })
        });
        let error = match judgement {
            ErrorMeaning::Usual => refusals.interpret_status(status, &json, asked),
            ErrorMeaning::Means(error) => error,
            ErrorMeaning::Again => return None,
        };
        Some(retry::AttemptError { error, retry_after_seconds: asked })
    }

    fn url(&self, path: &str) -> String {
        let mut url = format!("{}{path}", self.base.trim().trim_end_matches('/'));
        for (name, value) in &self.query {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.extend(form_urlencoded::byte_serialize(name.as_bytes()));
            url.push('=');
            url.extend(form_urlencoded::byte_serialize(value.as_bytes()));
        }
        url
    }
}

/// True when the answer is one JSON document rather than a stream.
pub(super) fn is_json_document(incoming: &Incoming) -> bool {
    incoming.header("content-type").is_some_and(|kind| kind.trim_start().starts_with("application/json"))
}

/// Reads a reply that comes in one piece.
pub(super) fn read_whole(source: &mut impl Read) -> Result<Value, ModelError> {
    read_within(source, REPLY_VALUES_MAX, "it is not JSON")
}

/// Reads an answer that comes in one piece into its form. `what` says what is wrong with any other.
pub(super) fn read_as<T: DeserializeOwned>(source: &mut impl Read, what: &str) -> Result<T, ModelError> {
    read_within(source, VECTORS_VALUES_MAX, what)
}

/// As [`read_as`], of an answer that holds at most about so many values.
pub(super) fn read_within<T: DeserializeOwned>(
    source: &mut impl Read,
    values_max: usize,
    what: &str,
) -> Result<T, ModelError> {
    let bytes = bytes_within(source, values_max)?;
    serde_json::from_slice(&bytes).map_err(|_| ModelError::Garbled(what.to_owned()))
}

/// All bytes of an answer that holds at most about so many values.
pub(super) fn bytes_within(source: &mut impl Read, values_max: usize) -> Result<Vec<u8>, ModelError> {
    let mut bytes = Vec::new();
    source.by_ref().take(WHOLE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(NetError::from)?;
    if bytes.len() as u64 > WHOLE_BYTES_MAX || !is_within(&bytes, values_max) {
        return Err(NetError::TooLarge.into());
    }
    Ok(bytes)
}

impl From<NetError> for ModelError {
    fn from(error: NetError) -> Self {
        match error {
            NetError::RefusedByPolicy => Self::RefusedByPolicy,
            NetError::BadAddress(why) => Self::Settings(format!(
                "the provider's address or a header of the card cannot be used: {why}"
            )),
            NetError::Unreachable(host) => Self::Unreachable(host),
            NetError::Untrusted { fault, .. } => Self::Untrusted(fault),
            NetError::Proxy(why) => Self::Proxy(why),
            NetError::TimedOut => Self::TimedOut,
            NetError::Cancelled => Self::Cancelled,
            NetError::TooLarge => Self::Garbled("it is too large".into()),
            NetError::Broken(what) => Self::Garbled(what),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_key_nor_headers_are_printed() {
        let mut endpoint = Endpoint::new(
            Outgoing::new(Vec::new(), true),
            "http://h/secret",
            Some(ProviderKey::new(" secret ")),
        );
        endpoint.headers.push(("authorization".into(), "secret".into()));
        assert!(!format!("{endpoint:?}").contains("secret"));
        assert_eq!(endpoint.key.as_ref().map(ProviderKey::expose), Some("secret"));
    }

    #[test]
    fn addresses_are_joined_with_their_query() {
        let mut endpoint = Endpoint::new(Outgoing::new(Vec::new(), true), "http://h/v1/ ", None);
        assert_eq!(endpoint.url("/chat"), "http://h/v1/chat");
        endpoint.query = vec![("api-version".into(), "2024 x".into()), ("b".into(), "&".into())];
        assert_eq!(endpoint.url("/chat"), "http://h/v1/chat?api-version=2024+x&b=%26");
        assert_eq!(endpoint.url("/chat?alt=sse"), "http://h/v1/chat?alt=sse&api-version=2024+x&b=%26");
    }
}
