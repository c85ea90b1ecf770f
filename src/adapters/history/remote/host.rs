//! A git server over smart HTTP: its requests, and what its refusals mean.

use super::error::{RemoteError, Result};
use super::packet::{Packet, PacketReader};
use crate::base::cancel::CancelToken;
use crate::history::message::sanitize_line;
use crate::net::{CallPurpose, Incoming, Method, Outgoing, ResponseLimits, parse_retry_after};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::io::Read;
use std::time::Duration;

/// The most bytes in which a host may say which references it has.
const REFERENCES_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// The most bytes in which a host may say what became of a push.
const REPORT_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Of a refusal's words, so many bytes are looked at.
const REFUSAL_BYTES_MAX: u64 = 4 * 1024;
/// The longest line of a host that is passed on.
const TOLD_CHARS_MAX: usize = 200;
/// What this program calls itself in the protocol.
const AGENT: &str = concat!("agent=flowkeep/", env!("CARGO_PKG_VERSION"));

/// A repository at a host, for as long as one operation takes.
pub(super) struct Host<'a> {
    pub(super) outgoing: &'a Outgoing,
    /// Without `.git`.
    pub(super) url: &'a str,
    pub(super) token: &'a str,
    pub(super) cancel: &'a CancelToken,
}

/// What the git server at the host is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    /// It gives.
    UploadPack,
    /// It takes.
    ReceivePack,
}

impl Service {
    const fn as_str(self) -> &'static str {
        match self {
            Self::UploadPack => "git-upload-pack",
            Self::ReceivePack => "git-receive-pack",
        }
    }
}

pub(super) type Answer = PacketReader<Incoming>;

/// What a host answered to a pack.
pub(super) struct UploadAnswer {
    pub(super) answer: Answer,
    /// The host took all of the pack before it answered.
    pub(super) is_taken: bool,
}

impl Host<'_> {
    /// The agent's line in a request.
    pub(super) const fn agent() -> &'static str {
        AGENT
    }

    /// What the server says first; behind the line that names the service, which version 2 may leave out.
    pub(super) fn discover(&self, service: Service) -> Result<Answer> {
        let url = format!("{}/info/refs?service={}", self.address(), service.as_str());
        let limits = ResponseLimits { body_bytes: REFERENCES_BYTES_MAX, ..Self::limits() };
        let authorization = self.authorization();
        let headers = self.headers(service, &authorization);
        let answer = self.outgoing.send(
            CallPurpose::Provider,
            Method::GET,
            &url,
            &headers,
            None,
            self.cancel,
            limits,
        )?;
        accept(answer, &format!("application/x-{}-advertisement", service.as_str()))
    }

    /// Asks something small.
    pub(super) fn ask(&self, service: Service, request: &[u8], limits: ResponseLimits) -> Result<Answer> {
        let (accepts, url) = self.post_place(service);
        let authorization = self.authorization();
        let mut headers = self.headers(service, &authorization);
        headers.push(("content-type", &accepts));
        let answer = self.outgoing.send(
            CallPurpose::Provider,
            Method::POST,
            &url,
            &headers,
            Some(request),
            self.cancel,
            limits,
        )?;
        accept(answer, &result_type(service))
    }

    /// Asks which references there are.
    pub(super) fn ask_references(&self, request: &[u8]) -> Result<Answer> {
        let limits = ResponseLimits { body_bytes: REFERENCES_BYTES_MAX, ..Self::limits() };
        self.ask(Service::UploadPack, request, limits)
    }

    /// Sends a pack, which is read while it goes out. A host that refuses it may answer before it has taken all of it.
    pub(super) fn upload(&self, body: &mut dyn Read, length: u64) -> Result<UploadAnswer> {
        let service = Service::ReceivePack;
        let (accepts, url) = self.post_place(service);
        let authorization = self.authorization();
        let mut headers = self.headers(service, &authorization);
        headers.push(("content-type", &accepts));
        // A host looks at every object of a pack before it answers.
        let patient = Duration::from_secs(300);
        let limits = ResponseLimits { first_byte: patient, stall: patient, body_bytes: REPORT_BYTES_MAX };
        let answer = self.outgoing.post_stream(
            CallPurpose::Provider,
            &url,
            &headers,
            body,
            length,
            self.cancel,
            limits,
        )?;
        let is_taken = !answer.is_early();
        Ok(UploadAnswer { answer: accept(answer, &result_type(service))?, is_taken })
    }

    /// The usual limits of a request.
    pub(super) fn limits() -> ResponseLimits {
        ResponseLimits { first_byte: Duration::from_secs(30), ..ResponseLimits::default() }
    }

    /// The same failure with clean words.
    pub(super) fn cleaned(&self, fault: RemoteError) -> RemoteError {
        match fault {
            RemoteError::Said(words) => RemoteError::Said(self.clean(&words)),
            fault => fault,
        }
    }

    /// One clean line of what the host said, without the token, which a host may repeat.
    pub(super) fn clean(&self, words: &str) -> String {
        let mut words = words.to_owned();
        for secret in [self.token, &self.encoded_token()] {
            if !secret.is_empty() {
                words = words.replace(secret, "[token]");
            }
        }
        clean_line(&words)
    }

    fn address(&self) -> String {
        let url = self.url.trim_end_matches('/');
        if url.ends_with(".git") { url.to_owned() } else { format!("{url}.git") }
    }

    fn post_place(&self, service: Service) -> (String, String) {
        let content_type = format!("application/x-{}-request", service.as_str());
        (content_type, format!("{}/{}", self.address(), service.as_str()))
    }

    fn authorization(&self) -> String {
        format!("Basic {}", self.encoded_token())
    }

    fn encoded_token(&self) -> String {
        STANDARD.encode(format!("x-access-token:{}", self.token))
    }

    fn headers<'h>(&self, service: Service, authorization: &'h str) -> Vec<(&'h str, &'h str)> {
        let mut headers = vec![("authorization", authorization), ("accept", "*/*")];
        if service == Service::UploadPack {
            headers.push(("git-protocol", "version=2"));
        }
        headers
    }
}

/// One line of what another program said.
pub(super) fn clean_line(words: &str) -> String {
    let line = sanitize_line(words, TOLD_CHARS_MAX);
    if line.is_empty() { "no reason was given".to_owned() } else { line }
}

fn result_type(service: Service) -> String {
    format!("application/x-{}-result", service.as_str())
}

fn accept(mut answer: Incoming, content_type: &str) -> Result<Answer> {
    if answer.status() != 200 {
        return Err(refusal(&mut answer));
    }
    let own = answer.header("content-type").unwrap_or_default();
    let own = own.split(';').next().unwrap_or_default().trim();
    if own.eq_ignore_ascii_case(content_type) {
        Ok(PacketReader::new(answer))
    } else {
        Err(RemoteError::NotGit)
    }
}

/// What a status means that is no success.
fn refusal(answer: &mut Incoming) -> RemoteError {
    let wait = answer.header("retry-after").and_then(parse_retry_after);
    let is_used_up = answer.header("x-ratelimit-remaining").is_some_and(|left| left.trim() == "0");
    match answer.status() {
        401 => RemoteError::TokenRefused,
        403 if wait.is_some() || is_used_up => RemoteError::Throttled { seconds: wait },
        403 => {
            let words = answer.read_to_string(REFUSAL_BYTES_MAX).unwrap_or_default().to_ascii_lowercase();
            let is_read_only = ["archived", "read-only", "read only"].iter().any(|word| words.contains(word));
            if is_read_only { RemoteError::ReadOnly } else { RemoteError::TokenRefused }
        }
        404 | 410 => RemoteError::NoRepository,
        300..=399 => RemoteError::Redirected,
        429 => RemoteError::Throttled { seconds: wait },
        status => RemoteError::Status(status),
    }
}

/// Reads the line that names the service, where there is one, and hands on what comes first behind it.
pub(super) fn first_line(answer: &mut Answer) -> Result<Option<String>> {
    let text = line_of(answer)?;
    if !text.as_deref().is_some_and(|text| text.starts_with("# service=")) {
        return Ok(text);
    }
    match answer.next()? {
        Packet::Flush => line_of(answer),
        _ => Err(RemoteError::Broken),
    }
}

fn line_of(answer: &mut Answer) -> Result<Option<String>> {
    let packet = answer.next()?;
    match packet {
        Packet::Flush => Ok(None),
        packet => packet.text().map(str::to_owned).map(Some).ok_or(RemoteError::Broken),
    }
}
