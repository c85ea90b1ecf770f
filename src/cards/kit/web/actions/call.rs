//! One action as a tool: its request, signed, and what its answer or its refusal says.

use super::{ActionArgument, CallArguments, FollowUpRequest, ServiceAction};
use crate::domain::error::{Error, Result};
use crate::kit::build::component::Toolkit;
use crate::kit::knowledge::untrusted_text;
use crate::kit::{CallError, Grant, Host, Inputs, RunContext, SignIns, Tool};
use crate::llm::ToolSpec;
use crate::net::{CallPurpose, Incoming, Method, NetError, ResponseLimits, server_message};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Most of an answer that a model reads.
const ANSWER_CHARS_MAX: usize = 60_000;
/// Most of a refusal that is looked at.
const REFUSAL_BYTES_MAX: u64 = 64 * 1024;
const LIMITS: ResponseLimits = ResponseLimits {
    first_byte: Duration::from_secs(60),
    stall: Duration::from_secs(30),
    body_bytes: 4 * 1024 * 1024,
};

/// A service that is asked over REST.
pub(crate) struct RestService {
    pub name: &'static str,
    /// The address below which its paths lie, without a slash at the end.
    pub base: String,
    pub authorization: Authorization,
}

/// How requests show whose they are.
pub(crate) enum Authorization {
    /// By the sign-in of the selected credential.
    SignIn,
    /// By this `Authorization`, a secret.
    Header(String),
}

/// The input that holds the actions of the kind that another input chooses.
///
/// # Errors
/// When that chooses none of these.
pub(crate) fn chosen_by(
    inputs: &Inputs<'_>,
    input: &str,
    kinds: &[(&str, &'static str)],
) -> Result<&'static str> {
    let kind = inputs.text(input)?;
    let found = kinds.iter().find(|(known, _)| *known == kind).map(|(_, actions)| *actions);
    found.ok_or_else(|| inputs.input_error(input, "choose one of the list"))
}

/// The chosen actions of a table as tools.
///
/// # Errors
/// When none is chosen, one is not in the table, or there is no credential.
pub(crate) fn toolkit(
    inputs: &Inputs<'_>,
    input: &str,
    table: &'static [ServiceAction],
    service: RestService,
) -> Result<Toolkit> {
    let Some(credential) = inputs.credential_id else {
        return Err(inputs.input_error("credential", "select a credential"));
    };
    let asked = Arc::new(ServiceClient {
        service,
        label: inputs.label.to_owned(),
        credential: credential.to_owned(),
        sign_ins: inputs.want(),
    });
    let find = |name: &String| {
        table.iter().find(|action| action.name == *name).ok_or_else(|| {
            let known = table.iter().map(|action| action.name).collect::<Vec<_>>().join(", ");
            let shown: String = name.escape_debug().take(60).collect();
            inputs.input_error(input, &format!("there is no action '{shown}'; choose among: {known}"))
        })
    };
    let tool =
        |name: &String| Ok(Arc::new(ActionTool::new(find(name)?, inputs, asked.clone())) as Arc<dyn Tool>);
    inputs.choices(input)?.iter().map(tool).collect()
}

/// A service, and in whose name it is asked.
struct ServiceClient {
    service: RestService,
    label: String,
    credential: String,
    sign_ins: Option<Grant<dyn SignIns>>,
}

struct ActionTool {
    action: &'static ServiceAction,
    spec: ToolSpec,
    preset: Map<String, Value>,
    client: Arc<ServiceClient>,
}

impl ActionTool {
    fn new(action: &'static ServiceAction, inputs: &Inputs<'_>, asked: Arc<ServiceClient>) -> Self {
        let settled = |argument: &ActionArgument| {
            let text = inputs.optional_text(argument.input?).filter(|text| !text.trim().is_empty())?;
            Some((argument.name.to_owned(), Value::from(text)))
        };
        let settled: Map<String, Value> = action.arguments.iter().filter_map(settled).collect();
        let open = || action.arguments.iter().filter(|argument| !settled.contains_key(argument.name));
        let properties: Map<String, Value> =
            open().map(|argument| (argument.name.to_owned(), argument.schema())).collect();
        let required: Vec<&str> =
            open().filter(|argument| argument.required).map(|argument| argument.name).collect();
        let spec = ToolSpec {
            name: action.tool_name(),
            description: action.description.to_owned(),
            schema: json!({"type": "object", "properties": properties, "required": required}),
        };
        Self { action, spec, preset: settled, client: asked }
    }
}

impl Tool for ActionTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let mut all = arguments.as_object().cloned().unwrap_or_default();
        all.extend(self.preset.clone());
        let given = CallArguments::parse(self.action, &all)?;
        let (path, query) = (given.path(self.action)?, given.query(self.action));
        let body = given.body(self.action)?;
        let answer = self.client.send(self.action.method, &path, &query, body.as_ref(), turn.host)?;
        let value = serde_json::from_str::<Value>(&answer);
        let next = self.action.then.zip(value.as_ref().ok()).and_then(|(then, value)| then(&given, value));
        if let Some(FollowUpRequest { path, body }) = next {
            self.client.send("POST", &path, &[], Some(&body), turn.host)?;
        }
        let text = match (self.action.read, value) {
            (Some(read), Ok(value)) => read(&value),
            _ => answer,
        };
        if text.trim().is_empty() {
            return Ok(format!("{} did it and answered nothing more.", self.client.service.name));
        }
        let mut shown: String = text.chars().take(ANSWER_CHARS_MAX).collect();
        if shown.len() < text.len() {
            shown.push_str("\n(The answer is longer: ask for less at once.)");
        }
        Ok(untrusted_text::mark_untrusted("response", &self.spec.name, &shown))
    }
}

impl ServiceClient {
    fn sign_ins<'h>(&self, host: &'h dyn Host) -> Result<&'h dyn SignIns> {
        let nobody = || Error::RunFailed("Nobody can sign in to a credential here.".into());
        self.sign_ins.ok_or_else(nobody)?.of(host)
    }

    /// Sends a request in the name of the credential; the text of its answer.
    fn send(
        &self,
        method: &str,
        path: &str,
        query: &[(&str, String)],
        body: Option<&Value>,
        host: &dyn Host,
    ) -> Result<String, CallError> {
        let told = |why: CallError| why.reworded(|text| format!("{}: {text}", self.label));
        let mut url = Url::parse(&format!("{}{path}", self.service.base))
            .map_err(|_| told("the address of the service cannot be read.".into()))?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let method =
            Method::from_bytes(method.as_bytes()).map_err(|_| told("the method is unknown.".into()))?;
        // Servers want the length of what is posted to them, also where it is nothing.
        let is_empty = body.is_none() && matches!(method, Method::POST | Method::PUT | Method::PATCH);
        let body = body.map(Value::to_string).or_else(|| is_empty.then(|| "{}".to_owned()));
        let mut refused: Option<String> = None;
        loop {
            let (proof, token) = match &self.service.authorization {
                Authorization::Header(header) => (header.clone(), None),
                Authorization::SignIn => {
                    let sign_ins = self.sign_ins(host).map_err(|why| told(why.into()))?;
                    let token = sign_ins.access_token(&self.credential, refused.as_deref());
                    let token = token.map_err(|why| told(why.into()))?;
                    (format!("Bearer {token}"), Some(token))
                }
            };
            let mut headers = vec![("authorization", proof.as_str()), ("accept", "application/json")];
            headers.extend(body.as_ref().map(|_| ("content-type", "application/json")));
            let sent = body.as_deref().map(str::as_bytes);
            let (outgoing, cancel) = (host.outgoing(), host.cancel());
            // As to an address that a stranger chose: such a request never goes out twice by itself.
            let sent = outgoing.send(
                CallPurpose::Reachable,
                method.clone(),
                url.as_str(),
                &headers,
                sent,
                cancel,
                LIMITS,
            );
            let failed = |why: NetError| {
                let message = format!("{} could not be asked: {why}.", self.service.name);
                told(CallError::from_net(&why, message))
            };
            let mut answer = sent.map_err(failed)?;
            match answer.status() {
                200..=299 => return answer.read_to_string(LIMITS.body_bytes).map_err(failed),
                // A token can end between two looks at the clock, or be taken back: another one is tried once.
                401 if token.is_some() && refused.is_none() => refused = token,
                status => return Err(told(self.refusal(status, &mut answer, &proof, host))),
            }
        }
    }

    /// What a refusal means. The service's own words go to the log.
    fn refusal(&self, status: u16, answer: &mut Incoming, proof: &str, host: &dyn Host) -> CallError {
        let text = answer.read_to_string(REFUSAL_BYTES_MAX).unwrap_or_default();
        let secret = proof.split_once(' ').map_or(proof, |(_, secret)| secret);
        let words = server_message(&text, &[secret]);
        tracing::warn!(
            target: "flowkeep::cards::kit::web::actions::call",
            service = self.service.name, status, %words,
            "a service refused an action"
        );
        let says = |reasons: &[&str]| reasons.iter().any(|reason| text.contains(reason));
        let name = self.sign_ins(host).ok().and_then(|sign_ins| sign_ins.credential_name(&self.credential));
        let name = name.unwrap_or_default();
        let service = self.service.name;
        let wait = || {
            let wait =
                answer.header("retry-after").filter(|wait| wait.len() < 6 && wait.parse::<u32>().is_ok());
            let when = wait.map_or_else(|| "later".to_owned(), |seconds| format!("in {seconds} seconds"));
            format!("{service} was asked too often with the credential '{name}'. Try again {when}.")
        };
        let is_throttled =
            says(&["rateLimitExceeded", "userRateLimitExceeded", "RATE_LIMIT_EXCEEDED"]) && status == 403;
        let message = match status {
            401 => match self.service.authorization {
                Authorization::SignIn => format!(
                    "{service} does not accept the sign-in of the credential '{name}'. Open the credential and sign in again."
                ),
                Authorization::Header(_) => {
                    format!("{service} does not accept the credential '{name}'. Check its values.")
                }
            },
            403 if is_throttled => wait(),
            403 if says(&["accessNotConfigured", "SERVICE_DISABLED"]) => format!(
                "{service} is not switched on for the application of the credential '{name}'. Enable its API in the project \
                 of the application."
            ),
            403 => match self.service.authorization {
                Authorization::SignIn => format!(
                    "{service} does not allow this with the credential '{name}'. Its scope may lack a right: add it and sign \
                     in again. Or the account itself may not do this."
                ),
                Authorization::Header(_) => {
                    format!(
                        "{service} does not allow this with the credential '{name}': its account may not do this."
                    )
                }
            },
            404 | 410 => {
                format!("{service} knows nothing of this id or name, as far as the credential '{name}' sees.")
            }
            429 => wait(),
            400 | 409 | 412 | 422 => {
                format!("{service} did not take what it was given (status {status}). Check the arguments.")
            }
            status => format!("{service} failed with status {status}. Try again later."),
        };
        // A service that answers 403 to who asks too often means 429.
        CallError::from_status(if is_throttled { 429 } else { status }, message, answer.header("retry-after"))
    }
}
