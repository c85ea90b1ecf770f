//! Asks a running service over its own API, as any other client does: what `flowkeep ask` is made of.

use crate::base::cancel::CancelToken;
use crate::domain::ids::FlowId;
use crate::limits;
use crate::net::{AuthoritiesError, CallPurpose, Incoming, Method, NetError, Outgoing, ResponseLimits};
use crate::settings::Settings;
use serde_json::{Map, Value};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::time::Duration;

/// Longest line of a stream: one event, which may hold a whole trace.
const EVENT_LINE_MAX_BYTES: u64 = 32 * 1024 * 1024;
/// Longest part of a refusal that is shown.
const MESSAGE_MAX_CHARS: usize = 400;

/// A running service.
pub(crate) struct ApiClient {
    outgoing: Outgoing,
    base: String,
    key: Option<String>,
}

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) struct AskRequest<'a> {
    pub flow: FlowId,
    pub question: &'a str,
    /// The conversation to go on with.
    pub chat: Option<&'a str>,
    /// The proof of that conversation (manual 3.1).
    pub session_token: Option<&'a str>,
    /// The answer is wanted as it is written.
    pub streaming: bool,
}

/// What was answered.
#[derive(Debug, Default)]
pub(crate) struct AskReply {
    /// The whole answer (manual 2.6), or the `metadata` event of a stream.
    pub body: Map<String, Value>,
    /// The text, whole.
    pub text: String,
    /// The proof with which the conversation goes on.
    pub session_token: Option<String>,
}

impl AskReply {
    #[must_use]
    pub(crate) fn chat_id(&self) -> Option<&str> {
        self.body.get("chatId").and_then(Value::as_str)
    }
}

/// Why there is no whole answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClientError {
    /// The service was not reached, or broke off.
    #[error(transparent)]
    Net(#[from] NetError),
    /// It refused, with a status and its own message.
    #[error("the service answered {status}: {message}")]
    Refused {
        status: u16,
        /// Its message, one clean line.
        message: String,
    },
    /// The flow failed after the answer had begun.
    #[error("the flow failed: {0}")]
    Failed(String),
    /// What came is not an answer of this API.
    #[error("what answered is not a flowkeep service")]
    Malformed,
    #[error("no flow has this name")]
    UnknownName,
    #[error("{found} flows have this name")]
    AmbiguousName { found: usize },
    /// The receiver of the answer failed.
    #[error(transparent)]
    Output(io::Error),
}

impl ClientError {
    /// True when no service of this kind listens at the address.
    #[must_use]
    pub(crate) const fn is_unreachable(&self) -> bool {
        matches!(self, Self::Net(NetError::Unreachable(_)) | Self::Malformed)
    }
}

impl ApiClient {
    /// The service at `base`: scheme and host, no slash at the end. `key` is sent with every request.
    /// The operator typed the address, so it may be one of this machine or of its network.
    ///
    /// # Errors
    /// When `SERVICE_CA_FILE` cannot be used.
    pub(crate) fn new(base: &str, key: Option<&str>, settings: &Settings) -> Result<Self, AuthoritiesError> {
        Ok(Self::with_outgoing(Outgoing::for_operator(settings)?, base, key))
    }

    fn with_outgoing(outgoing: Outgoing, base: &str, key: Option<&str>) -> Self {
        Self { outgoing, base: base.to_owned(), key: key.map(ToOwned::to_owned) }
    }

    /// Finds the flow of this name, which takes a key that may view flows.
    ///
    /// # Errors
    /// [`ClientError::UnknownName`] or [`ClientError::AmbiguousName`] unless exactly one flow has the name; else as the service answers.
    pub(crate) fn find_flow(&self, name: &str) -> Result<FlowId, ClientError> {
        let url = format!("{}/api/v1/chatflows", self.base);
        let limits =
            ResponseLimits { body_bytes: limits::BODY_CANVAS_BYTES as u64 * 8, ..ResponseLimits::default() };
        let authorization = self.authorization();
        let incoming = self.outgoing.get(
            CallPurpose::Provider,
            &url,
            &headers(&authorization),
            &CancelToken::new(None),
            limits,
        )?;
        let flows: Vec<Value> = read_json(check_status(incoming)?)?;
        let named = flows.iter().filter(|flow| flow["name"].as_str() == Some(name));
        let ids: Vec<FlowId> = named.filter_map(|flow| FlowId::parse(flow["id"].as_str()?)).collect();
        match ids.as_slice() {
            [id] => Ok(*id),
            [] => Err(ClientError::UnknownName),
            several => Err(ClientError::AmbiguousName { found: several.len() }),
        }
    }

    /// Calls a route with JSON, and gives what it answers with.
    ///
    /// # Errors
    /// As [`ClientError`].
    pub(crate) fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Value, ClientError> {
        let url = format!("{}{path}", self.base);
        let authorization = self.authorization();
        let mut headers = headers(&authorization);
        let body = body.map(Value::to_string);
        headers.extend(body.as_ref().map(|_| ("content-type", "application/json")));
        let limits =
            ResponseLimits { body_bytes: limits::BODY_CANVAS_BYTES as u64, ..ResponseLimits::default() };
        let bytes = body.as_ref().map(String::as_bytes);
        let cancel = CancelToken::new(None);
        let incoming =
            self.outgoing.send(CallPurpose::Provider, method, &url, &headers, bytes, &cancel, limits)?;
        read_json(check_status(incoming)?)
    }

    /// Asks whether the service can answer requests.
    ///
    /// # Errors
    /// As [`ClientError`]; also when it does not say so within `most`.
    pub(crate) fn check_ready(&self, most: Duration) -> Result<(), ClientError> {
        let limits = ResponseLimits { first_byte: most, stall: most, ..ResponseLimits::default() };
        let (url, cancel) = (format!("{}/ready", self.base), CancelToken::new(Some(most)));
        check_status(self.outgoing.get(CallPurpose::Provider, &url, &[], &cancel, limits)?).map(drop)
    }

    /// Asks. Each piece of a streamed answer goes to `on_token` as it arrives; a whole answer goes there at once.
    ///
    /// # Errors
    /// As [`ClientError`]; what was answered before has been handed over.
    pub(crate) fn ask(
        &self,
        ask: &AskRequest<'_>,
        on_token: &mut dyn FnMut(&str) -> io::Result<()>,
    ) -> Result<AskReply, ClientError> {
        let url = format!("{}/api/v1/prediction/{}", self.base, ask.flow);
        let mut body = Map::new();
        body.insert("question".to_owned(), ask.question.into());
        body.insert("streaming".to_owned(), ask.streaming.into());
        body.extend(ask.chat.map(|chat| ("chatId".to_owned(), chat.into())));
        body.extend(ask.session_token.map(|token| ("sessionToken".to_owned(), token.into())));
        let authorization = self.authorization();
        let incoming = self.outgoing.post_json(
            CallPurpose::Provider,
            &url,
            &headers(&authorization),
            &Value::Object(body),
            &CancelToken::new(None),
            ResponseLimits::model(),
        )?;
        let incoming = check_status(incoming)?;
        let session_token = incoming.header("x-service-session-token").map(ToOwned::to_owned);
        let streamed =
            incoming.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let mut answer =
            if streamed { read_stream(incoming, on_token)? } else { read_whole(incoming, on_token)? };
        let in_body = answer.body.get("sessionToken").and_then(Value::as_str).map(ToOwned::to_owned);
        answer.session_token = session_token.or(in_body);
        Ok(answer)
    }

    fn authorization(&self) -> Option<String> {
        self.key.as_ref().map(|key| format!("Bearer {key}"))
    }
}

fn headers(authorization: &Option<String>) -> Vec<(&str, &str)> {
    authorization.iter().map(|value| ("authorization", value.as_str())).collect()
}

/// Passes an answer on; turns a refusal into its message.
fn check_status(mut incoming: Incoming) -> Result<Incoming, ClientError> {
    let status = incoming.status();
    if (200..300).contains(&status) {
        return Ok(incoming);
    }
    let text = incoming.read_to_string(limits::OUTGOING_BODY_MAX_BYTES)?;
    let body = serde_json::from_str::<Value>(&text).ok();
    let message = body.as_ref().and_then(|body| body["message"].as_str()).unwrap_or(&text);
    Err(ClientError::Refused { status, message: to_one_line(message) })
}

/// One line that cannot move the cursor of the terminal it is shown on.
fn to_one_line(text: &str) -> String {
    text.trim().chars().take(MESSAGE_MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn read_json<T: serde::de::DeserializeOwned>(incoming: Incoming) -> Result<T, ClientError> {
    serde_json::from_reader(BufReader::new(incoming)).map_err(|error| match error.is_io() {
        true => ClientError::Net(NetError::from(io::Error::from(error))),
        false => ClientError::Malformed,
    })
}

fn read_whole(
    incoming: Incoming,
    on_token: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<AskReply, ClientError> {
    let body: Map<String, Value> = read_json(incoming)?;
    let text = match (body.get("text"), body.get("json")) {
        (Some(Value::String(text)), _) => text.clone(),
        (_, Some(json)) => json.to_string(),
        _ => return Err(ClientError::Malformed),
    };
    on_token(&text).map_err(ClientError::Output)?;
    Ok(AskReply { body, text, session_token: None })
}

/// Reads events until `end`: lines of `data:` and one JSON text; every other line is framing.
fn read_stream(
    incoming: Incoming,
    on_token: &mut dyn FnMut(&str) -> io::Result<()>,
) -> Result<AskReply, ClientError> {
    let mut answer = AskReply::default();
    let mut reader = BufReader::new(incoming);
    let mut line = Vec::new();
    loop {
        line.clear();
        let count = reader
            .by_ref()
            .take(EVENT_LINE_MAX_BYTES)
            .read_until(b'\n', &mut line)
            .map_err(NetError::from)?;
        if count == 0 {
            return Err(NetError::Broken("the answer broke off".to_owned()).into());
        }
        if line.last() != Some(&b'\n') {
            return Err(ClientError::Malformed);
        }
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let event: Value = serde_json::from_slice(data).map_err(|_| ClientError::Malformed)?;
        let data = &event["data"];
        match event["event"].as_str() {
            Some("token") => {
                let token = data.as_str().ok_or(ClientError::Malformed)?;
                answer.text.push_str(token);
                on_token(token).map_err(ClientError::Output)?;
            }
            Some("metadata") => answer.body = data.as_object().cloned().unwrap_or_default(),
            Some("error") => {
                let message =
                    data.as_str().or_else(|| data["message"].as_str()).unwrap_or("without a reason");
                return Err(ClientError::Failed(to_one_line(message)));
            }
            Some("end") => return Ok(answer),
            // New events may appear; clients pass over those they do not know (manual 1.9 r1).
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use std::net::TcpListener;
    use std::thread::JoinHandle;

    /// Answers one request with `reply` and returns what was asked.
    fn service(reply: String) -> (String, JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            while reader.read_line(&mut head).unwrap() > 2 {
                let line = head.lines().last().unwrap().to_ascii_lowercase();
                length =
                    line.strip_prefix("content-length:").map_or(length, |text| text.trim().parse().unwrap());
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            (&stream).write_all(reply.as_bytes()).unwrap();
            head + &String::from_utf8(body).unwrap()
        });
        (base, server)
    }

    fn reply(status: &str, kind: &str, headers: &str, body: &str) -> String {
        let length = body.len();
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
        )
    }

    fn ask(reply: String, streaming: bool) -> (Result<AskReply, ClientError>, String, String) {
        let (base, server) = service(reply);
        let mut seen = String::new();
        let ask = AskRequest {
            flow: FlowId::random(),
            question: "Why?",
            chat: Some("c"),
            session_token: Some("t"),
            streaming,
        };
        let answer = ApiClient::with_outgoing(Outgoing::new(Vec::new(), true), &base, Some("fk_x")).ask(
            &ask,
            &mut |token| {
                seen.push_str(token);
                seen.push('|');
                Ok(())
            },
        );
        (answer, seen, server.join().unwrap())
    }

    fn event(name: &str, data: &str) -> String {
        format!("message:\ndata:{{\"event\":\"{name}\",\"data\":{data}}}\n\n")
    }

    #[test]
    fn a_stream_is_handed_over_piece_by_piece() {
        let body = [
            event("start", "\"\""),
            ":heartbeat\n".to_owned(),
            event("token", "\"Be\""),
            event("news", "[1]"),
            event("token", "\"cause\\n\""),
            event("metadata", "{\"chatId\":\"c1\"}"),
            event("end", "\"[DONE]\""),
        ];
        let reply = reply("200 OK", "text/event-stream", "x-service-session-token: tok\r\n", &body.concat());
        let (answer, seen, asked) = ask(reply, true);
        let answer = answer.unwrap();
        assert_eq!(
            (seen.as_str(), answer.text.as_str(), answer.chat_id()),
            ("Be|cause\n|", "Because\n", Some("c1"))
        );
        assert_eq!(answer.session_token.as_deref(), Some("tok"));
        assert!(asked.to_ascii_lowercase().contains("authorization: bearer fk_x"), "{asked}");
        assert!(
            asked.ends_with(r#"{"question":"Why?","streaming":true,"chatId":"c","sessionToken":"t"}"#),
            "{asked}"
        );
    }

    #[test]
    fn a_whole_answer_comes_at_once() {
        let body = r#"{"text":"Because","chatId":"c1","sessionToken":"tok"}"#;
        let (answer, seen, _) = ask(reply("200 OK", "application/json", "", body), false);
        let answer = answer.unwrap();
        assert_eq!((seen.as_str(), answer.session_token.as_deref()), ("Because|", Some("tok")));
    }

    #[test]
    fn refusals_failures_and_broken_answers_are_told_apart() {
        let error = |reply, streaming| ask(reply, streaming).0.unwrap_err().to_string();
        let refused = reply(
            "401 Unauthorized",
            "application/json",
            "",
            r#"{"statusCode":401,"message":"Unauthorized"}"#,
        );
        assert_eq!(error(refused, true), "the service answered 401: Unauthorized");
        let limited = reply("429 Too Many Requests", "text/html", "", "slow\u{1b}[2J down\n");
        assert_eq!(error(limited, false), "the service answered 429: slow [2J down");
        let failed =
            event("token", "\"Be\"") + &event("error", "{\"status\":503,\"message\":\"restarting\"}");
        assert_eq!(
            error(reply("200 OK", "text/event-stream", "", &failed), true),
            "the flow failed: restarting"
        );
        let cut = reply("200 OK", "text/event-stream", "", &event("token", "\"Be\""));
        assert_eq!(error(cut, true), "the answer broke off");
        let other = reply("200 OK", "text/html", "", "<html>");
        assert_eq!(error(other, false), "what answered is not a flowkeep service");
    }

    #[test]
    fn a_name_must_fit_one_flow() {
        let id = FlowId::random();
        let list = format!(
            r#"[{{"id":"{id}","name":"Help"}},{{"id":"{}","name":"Two"}},{{"id":"{}","name":"Two"}}]"#,
            FlowId::random(),
            FlowId::random()
        );
        let find = |name| {
            ApiClient::with_outgoing(
                Outgoing::new(Vec::new(), true),
                &service(reply("200 OK", "application/json", "", &list)).0,
                None,
            )
            .find_flow(name)
        };
        assert_eq!(find("Help").unwrap(), id);
        assert!(matches!(find("Two"), Err(ClientError::AmbiguousName { found: 2 })));
        assert!(matches!(find("Three"), Err(ClientError::UnknownName)));
    }

    #[test]
    fn a_service_that_is_not_trusted_is_told_as_such() {
        use crate::net::test_servers::{TestAuthority, serve_hello};
        let base = format!(
            "https://localhost:{}",
            serve_hello(TestAuthority::generate().issue_expired("localhost"))
        );
        let found =
            ApiClient::with_outgoing(Outgoing::new(Vec::new(), true), &base, None).find_flow("Help desk");
        let said = found.unwrap_err().to_string();
        assert!(said.contains("no trusted TLS connection to localhost"), "{said}");
    }
}
