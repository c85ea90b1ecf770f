//! A check that a running service makes: over its API with a key, or for its operator through the control socket of the data
//! folder.

use super::super::ask::{named_service, service_address, to_hint};
use super::super::client::{ApiClient, ClientError};
use super::super::operator::{ask_service, unexpected_reply};
use super::super::{CliError, Context};
use super::interrupt::Interrupt;
use super::{CheckArgs, CheckTarget};
use crate::domain::checks::check::WantedSide;
use crate::domain::ids::{CheckId, FlowId};
use crate::net::Method;
use crate::ops::service::control::{CheckCommand, OperatorCommand};
use crate::settings::Settings;
use crate::wire::service::operator::CommandReply;
use serde_json::{Value, json};
use std::time::Duration;

/// How often it is asked how far the check came.
const POLL: Duration = Duration::from_millis(400);
/// Tries of one look, where the service is away for a moment.
const TRIES_MAX: usize = 5;
/// Questions that are asked where none are given, unless the service says otherwise.
const QUESTIONS_MAX: u64 = 10;

/// Starts a check of the flow, and waits for its end.
pub(super) fn check(
    args: &CheckArgs,
    context: &Context<'_>,
    settings: &Settings,
    flow: &str,
    wanted: &CheckTarget,
) -> Result<Value, CliError> {
    let named = named_service(&args.url, context)?;
    let key = context.text(&args.key, "SERVICE_API_KEY");
    if named.is_none() && key.is_none() {
        let flow = FlowId::parse(flow).ok_or_else(|| {
            CliError::Usage(
                "this is not a flow's id; to check a flow by its name give a key too, with --key".to_owned(),
            )
        })?;
        return FolderRoutes { settings, flow }.check(wanted);
    }
    let base = named.unwrap_or_else(|| service_address(settings));
    let client = ApiClient::new(&base, key.as_deref(), settings).map_err(CliError::other)?;
    let flow = match FlowId::parse(flow) {
        Some(id) => id,
        None => client.find_flow(flow).map_err(|error| unjudged(&error, &base))?,
    };
    KeyRoutes { client, base, path: format!("/api/v1/flow-drafts/{flow}/check") }.check(wanted)
}

/// The routes of the checks of one flow.
trait CheckRoutes {
    /// What a check would be.
    fn setup(&self) -> Result<Value, CliError>;
    fn start(&self, body: Value) -> Result<Value, CliError>;
    fn read(&self, id: &str) -> Result<Value, CliError>;
    fn stop(&self, id: &str) -> Result<Value, CliError>;

    fn check(&self, wanted: &CheckTarget) -> Result<Value, CliError> {
        let body = self.body(wanted)?;
        let interrupt = Interrupt::listen();
        let check = self.start(body)?;
        let id = check["id"].as_str().unwrap_or_default().to_owned();
        // A check that nobody waits for would spend tokens and be in the way of the next one.
        self.wait(check, &id, &interrupt).inspect_err(|_| {
            let _ = self.stop(&id);
        })
    }

    /// Looks at the check until it ended.
    fn wait(&self, mut check: Value, id: &str, interrupt: &Interrupt) -> Result<Value, CliError> {
        let mut misses = 0;
        while check["status"] == "running" {
            if interrupt.came_within(POLL) {
                return Err(CliError::Unjudged("the check was stopped".to_owned()));
            }
            match self.read(id) {
                Ok(newer) => (check, misses) = (newer, 0),
                Err(error) if misses + 1 >= TRIES_MAX => return Err(error),
                Err(_) => misses += 1,
            }
        }
        Ok(check)
    }

    /// What the service is told.
    fn body(&self, wanted: &CheckTarget) -> Result<Value, CliError> {
        let mut body = json!({
            "questions": self.questions(wanted)?,
            "includeRiskySteps": wanted.include_risky_steps,
            "control": wanted.control,
            "repeat": wanted.repeat,
            "useKept": wanted.use_kept,
        });
        for (name, side) in [("left", &wanted.left), ("right", &wanted.right)] {
            match side {
                None => {}
                Some(WantedSide::Named(side)) => body[name] = side.as_str().into(),
                Some(WantedSide::Canvas(canvas)) => body[name] = json!({ "flowData": canvas }),
            }
        }
        for (name, most) in [("maxTokens", wanted.max_tokens), ("maxSeconds", wanted.max_seconds)] {
            if let Some(most) = most {
                body[name] = most.into();
            }
        }
        Ok(body)
    }

    /// The questions of the file, else what people asked lately.
    fn questions(&self, wanted: &CheckTarget) -> Result<Vec<Value>, CliError> {
        if let Some(questions) = &wanted.questions {
            let sent =
                questions.iter().map(|question| json!({"text": question.text, "expect": question.expect}));
            return Ok(sent.collect());
        }
        if wanted.use_kept {
            return Ok(Vec::new());
        }
        let setup = self.setup()?;
        let most = setup["limits"]["maxQuestions"].as_u64().unwrap_or(QUESTIONS_MAX);
        let offered = setup["questions"].as_array().into_iter().flatten();
        let texts: Vec<Value> =
            offered.take(usize::try_from(most).unwrap_or(1)).map(|one| one["text"].clone()).collect();
        match (texts.is_empty(), setup["unavailable"]["message"].as_str()) {
            (true, None) => Err(CliError::Unjudged(
                "nobody asked this flow anything yet; give questions with --questions".to_owned(),
            )),
            (true, Some(why)) => Err(CliError::Unjudged(why.to_owned())),
            (false, _) => Ok(texts),
        }
    }
}

/// Over the API, with a key.
struct KeyRoutes {
    client: ApiClient,
    base: String,
    path: String,
}

impl KeyRoutes {
    fn call(&self, method: Method, rest: &str, body: Option<&Value>) -> Result<Value, CliError> {
        let path = format!("{}{rest}", self.path);
        self.client.call(method, &path, body).map_err(|error| unjudged(&error, &self.base))
    }
}

impl CheckRoutes for KeyRoutes {
    fn setup(&self) -> Result<Value, CliError> {
        self.call(Method::GET, "", None)
    }

    fn start(&self, body: Value) -> Result<Value, CliError> {
        self.call(Method::POST, "", Some(&body))
    }

    fn read(&self, id: &str) -> Result<Value, CliError> {
        self.call(Method::GET, &format!("/{id}"), None)
    }

    fn stop(&self, id: &str) -> Result<Value, CliError> {
        self.call(Method::DELETE, &format!("/{id}"), None)
    }
}

/// What a service refuses was not judged.
fn unjudged(error: &ClientError, base: &str) -> CliError {
    CliError::Unjudged(format!("{error}{}", to_hint(error, base)))
}

/// Through the control socket of the data folder, as its operator.
struct FolderRoutes<'a> {
    settings: &'a Settings,
    flow: FlowId,
}

impl FolderRoutes<'_> {
    fn run(&self, wanted: CheckCommand) -> Result<Value, CliError> {
        let command = OperatorCommand::Check { flow: self.flow, wanted };
        let reply = ask_service(self.settings, &command).map_err(|error| match error {
            CliError::Failed(text) => CliError::Unjudged(text),
            other => other,
        })?;
        match reply {
            Some(CommandReply::Check { answer }) => Ok(answer),
            Some(_) => Err(unexpected_reply()),
            None => Err(CliError::Unjudged(
                "no service uses this data folder; start it with `flowkeep serve`, or name one with --url and --key"
                    .to_owned(),
            )),
        }
    }
}

impl CheckRoutes for FolderRoutes<'_> {
    fn setup(&self) -> Result<Value, CliError> {
        self.run(CheckCommand::Setup)
    }

    fn start(&self, body: Value) -> Result<Value, CliError> {
        let request = serde_json::from_value(body).map_err(CliError::other)?;
        self.run(CheckCommand::Start(request))
    }

    fn read(&self, id: &str) -> Result<Value, CliError> {
        let check = CheckId::parse(id).ok_or_else(unexpected_reply)?;
        self.run(CheckCommand::Read(check))
    }

    fn stop(&self, id: &str) -> Result<Value, CliError> {
        let check = CheckId::parse(id).ok_or_else(unexpected_reply)?;
        self.run(CheckCommand::Stop(check))
    }
}
