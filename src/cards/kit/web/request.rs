//! Requests of tools: through the guarded client, as to an address that a stranger chose (manual 12.5).

use crate::kit::build::call_error::CallError;
use crate::kit::build::component::RunContext;
use crate::kit::capabilities::host::Host;
use crate::net::{CallPurpose, ResponseLimits};
use crate::script::{FetchError, FetchRequest, FetchResponse, FetchedBytes, GuardedFetch};
use serde_json::Value;
use url::Url;

/// A request in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WebRequest(FetchRequest);

impl WebRequest {
    #[must_use]
    pub(crate) fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    #[must_use]
    pub(crate) fn post(url: impl Into<String>, body: &Value) -> Self {
        Self::new("POST", url).json(body)
    }

    #[must_use]
    pub(crate) fn new(method: &str, url: impl Into<String>) -> Self {
        Self(FetchRequest { method: method.to_owned(), url: url.into(), headers: Vec::new(), body: None })
    }

    /// With this query after what the address holds already.
    #[must_use]
    pub(crate) fn query<'q>(mut self, pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Self {
        // An address that cannot be read is refused when it is called.
        if let Ok(mut url) = Url::parse(&self.0.url) {
            url.query_pairs_mut().extend_pairs(pairs);
            self.0.url = url.into();
        }
        self
    }

    #[must_use]
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.0.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.0.body = Some(body.to_string());
        self.header("content-type", "application/json")
    }

    /// With this text as its body.
    #[must_use]
    pub(crate) fn body(mut self, text: String) -> Self {
        self.0.body = Some(text);
        self
    }

    /// With the fields of a form as its body.
    #[must_use]
    pub(crate) fn form<'q>(mut self, pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Self {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        self.0.body = Some(body);
        self.header("content-type", "application/x-www-form-urlencoded")
    }

    /// The text of the answer.
    ///
    /// # Errors
    /// A sentence a model may read: it holds nothing the other side said, and no path, query or header.
    pub(crate) fn fetch_text(
        self,
        turn: &RunContext<'_>,
        limits: ResponseLimits,
    ) -> Result<String, CallError> {
        self.send(turn.host, limits).map(|answer| answer.body)
    }

    /// The answer, with its headers and the address it came from.
    ///
    /// # Errors
    /// As [`Self::fetch_text`].
    pub(crate) fn send(self, host: &dyn Host, limits: ResponseLimits) -> Result<FetchResponse, CallError> {
        let answer = self.fetch(host, limits)?;
        match answer.status {
            200..=299 => Ok(answer.into()),
            _ => Err(refusal(&answer)),
        }
    }

    /// As [`Self::send`]; `None` where the other side says that there is no such thing.
    ///
    /// # Errors
    /// As [`Self::fetch_text`].
    pub(crate) fn send_optional(
        self,
        host: &dyn Host,
        limits: ResponseLimits,
    ) -> Result<Option<FetchResponse>, CallError> {
        let answer = self.fetch(host, limits)?;
        match answer.status {
            200..=299 => Ok(Some(answer.into())),
            404 => Ok(None),
            _ => Err(refusal(&answer)),
        }
    }

    fn fetch(self, host: &dyn Host, limits: ResponseLimits) -> Result<FetchedBytes, CallError> {
        match self.fetch_bytes(host, limits, CallPurpose::Reachable, None) {
            Ok(answer) => Ok(answer),
            Err(_) if host.cancel().reason().is_some() => Err(CallError::Cancelled),
            Err(error) => Err(fetch_error(&error, format!("The request failed: {error}."))),
        }
    }

    /// The answer as it came, whatever its status, of an address that stands in an input of a card. A redirect to another
    /// place loses `key_header`.
    ///
    /// # Errors
    /// As [`FetchError`].
    pub(crate) fn fetch_bytes(
        self,
        host: &dyn Host,
        limits: ResponseLimits,
        purpose: CallPurpose,
        key_header: Option<&str>,
    ) -> Result<FetchedBytes, FetchError> {
        let mut guarded = GuardedFetch::with_limits(host.outgoing().clone(), limits).with_purpose(purpose);
        if let Some(name) = key_header {
            guarded = guarded.with_key_header(name);
        }
        guarded.fetch_bytes(self.0, host.cancel())
    }

    /// The answer as JSON.
    ///
    /// # Errors
    /// As [`Self::fetch_text`], and when it is no JSON.
    pub(crate) fn fetch_json(self, host: &dyn Host, limits: ResponseLimits) -> Result<Value, CallError> {
        let answer = self.send(host, limits)?;
        serde_json::from_str(&answer.body).map_err(|_| "The request failed: the answer is not JSON.".into())
    }

    /// Method, address, headers and body, for tests of what is sent.
    #[cfg(test)]
    pub(crate) fn parts(&self) -> (&str, &str, &[(String, String)], Option<&str>) {
        (&self.0.method, &self.0.url, &self.0.headers, self.0.body.as_deref())
    }
}

/// What an answer with a status of a failure means.
fn refusal(answer: &FetchedBytes) -> CallError {
    let message = format!("The request failed: the address answered with status {}.", answer.status);
    CallError::from_status(answer.status, message, answer.header("retry-after"))
}

/// Why a request has no answer, in these words.
#[must_use]
pub(crate) fn fetch_error(error: &FetchError, message: String) -> CallError {
    match error {
        FetchError::Net(error) => CallError::from_net(error, message),
        _ => CallError::Lasting(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelToken;
    use crate::net::Outgoing;
    use crate::net::test_servers::{TestAuthority, read_head, serve_hello, serve_plain};
    use crate::script::Fetch;
    use crate::settings::AllowRule;
    use std::io::Write as _;
    use std::sync::mpsc;

    /// A server that answers with this head, and what it is sent.
    fn answering(head: String) -> (u16, mpsc::Receiver<String>) {
        let (heard, hears) = mpsc::channel();
        let port = serve_plain(move |mut stream| {
            let _ = heard.send(read_head(&mut stream));
            let _ = stream.write_all(format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\n\r\n").as_bytes());
        });
        (port, hears)
    }

    #[test]
    fn a_key_does_not_follow_a_redirect_to_another_place() {
        let (other, hears_other) = answering("200 OK".to_owned());
        let (first, hears_first) = answering(format!("302 Found\r\nlocation: http://127.0.0.1:{other}/b"));
        let rule = |port| AllowRule::Host { host: "127.0.0.1".into(), port };
        let outgoing = Outgoing::new(vec![rule(first), rule(other)], true);
        let guarded = GuardedFetch::new(outgoing).with_key_header("X-Own");
        let request = WebRequest::get(format!("http://127.0.0.1:{first}/a")).header("X-Own", "v");
        guarded.fetch_bytes(request.0, &CancelToken::new(None)).unwrap();
        assert!(hears_first.recv().unwrap().contains("x-own: v"));
        assert!(!hears_other.recv().unwrap().contains("x-own"));
    }

    #[test]
    fn tools_are_told_why_a_server_is_not_trusted() {
        let port = serve_hello(TestAuthority::generate().issue("localhost"));
        let allow = vec![AllowRule::Host { host: "localhost".into(), port }];
        let request = WebRequest::get(format!("https://localhost:{port}/"));
        let guarded = GuardedFetch::with_limits(Outgoing::new(allow, true), ResponseLimits::default());
        let said = guarded.fetch(request.0, &CancelToken::new(None)).unwrap_err();
        assert!(said.contains("SERVICE_CA_FILE"), "{said}");
    }
}
