//! Requests of tools: through the guarded client, as to an address that a stranger chose (manual 12.5).

use crate::cards::kit::build::component::RunContext;
use crate::cards::kit::capabilities::host::Host;
use crate::net::ResponseLimits;
use crate::script::{Fetch, FetchError, FetchRequest, FetchResponse, FetchedBytes, GuardedFetch};
use serde_json::Value;
use url::Url;

/// A request in the making.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebRequest(FetchRequest);

impl WebRequest {
    #[must_use]
    pub fn get(url: impl Into<String>) -> Self {
        Self::new("GET", url)
    }

    #[must_use]
    pub fn post(url: impl Into<String>, body: &Value) -> Self {
        Self::new("POST", url).json(body)
    }

    #[must_use]
    pub fn new(method: &str, url: impl Into<String>) -> Self {
        Self(FetchRequest { method: method.to_owned(), url: url.into(), headers: Vec::new(), body: None })
    }

    /// With this query after what the address holds already.
    #[must_use]
    pub fn query<'q>(mut self, pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Self {
        // An address that cannot be read is refused when it is called.
        if let Ok(mut url) = Url::parse(&self.0.url) {
            url.query_pairs_mut().extend_pairs(pairs);
            self.0.url = url.into();
        }
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.0.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.0.body = Some(body.to_string());
        self.header("content-type", "application/json")
    }

    /// With this text as its body.
    #[must_use]
    pub fn body(mut self, text: String) -> Self {
        self.0.body = Some(text);
        self
    }

    /// With the fields of a form as its body.
    #[must_use]
    pub fn form<'q>(mut self, pairs: impl IntoIterator<Item = (&'q str, &'q str)>) -> Self {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        self.0.body = Some(body);
        self.header("content-type", "application/x-www-form-urlencoded")
    }

    /// The text of the answer.
    ///
    /// # Errors
    /// A sentence a model may read: it holds nothing the other side said, and no path, query or header.
    pub fn fetch_text(self, turn: &RunContext<'_>, limits: ResponseLimits) -> Result<String, String> {
        self.send(turn.host, limits).map(|answer| answer.body)
    }

    /// The answer, with its headers and the address it came from.
    ///
    /// # Errors
    /// As [`Self::fetch_text`].
    pub fn send(self, host: &dyn Host, limits: ResponseLimits) -> Result<FetchResponse, String> {
        let guarded = GuardedFetch::with_limits(host.outgoing().clone(), limits);
        let answer =
            guarded.fetch(self.0, host.cancel()).map_err(|why| format!("The request failed: {why}."))?;
        match answer.status {
            200..=299 => Ok(answer),
            status => Err(format!("The request failed: the address answered with status {status}.")),
        }
    }

    /// The answer as it came, whatever its status. A redirect to another place loses `key_header`.
    ///
    /// # Errors
    /// As [`FetchError`].
    pub fn fetch_bytes(
        self,
        host: &dyn Host,
        limits: ResponseLimits,
        key_header: Option<&str>,
    ) -> Result<FetchedBytes, FetchError> {
        let mut guarded = GuardedFetch::with_limits(host.outgoing().clone(), limits);
        if let Some(name) = key_header {
            guarded = guarded.with_key_header(name);
        }
        guarded.fetch_bytes(self.0, host.cancel())
    }

    /// The answer as JSON.
    ///
    /// # Errors
    /// As [`Self::fetch_text`], and when it is no JSON.
    pub fn fetch_json(self, host: &dyn Host, limits: ResponseLimits) -> Result<Value, String> {
        let answer = self.send(host, limits)?;
        serde_json::from_str(&answer.body)
            .map_err(|_| "The request failed: the answer is not JSON.".to_owned())
    }

    /// Method, address, headers and body, for tests of what is sent.
    #[cfg(test)]
    pub(in crate::cards) fn parts(&self) -> (&str, &str, &[(String, String)], Option<&str>) {
        (&self.0.method, &self.0.url, &self.0.headers, self.0.body.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::cancel::CancelToken;
    use crate::net::Outgoing;
    use crate::net::test_servers::{TestAuthority, serve_hello};
    use crate::settings::AllowRule;

    #[test]
    fn tools_are_told_why_a_server_is_not_trusted() {
        let port = serve_hello(TestAuthority::new().issue("localhost"));
        let allow = vec![AllowRule::Host { host: "localhost".into(), port }];
        let request = WebRequest::get(format!("https://localhost:{port}/"));
        let guarded = GuardedFetch::with_limits(Outgoing::new(allow, true), ResponseLimits::default());
        let said = guarded.fetch(request.0, &CancelToken::new(None)).unwrap_err();
        assert!(said.contains("SERVICE_CA_FILE"), "{said}");
    }
}
