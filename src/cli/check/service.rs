//! A check that a running service makes.

use super::super::ask::{configured_address, parse_service_url, running_service_address, to_hint};
use super::super::client::{ApiClient, ClientError};
use super::super::{CliError, Context};
use super::{CheckArgs, Wanted};
use crate::domain::ids::FlowId;
use crate::net::Method;
use crate::settings::Settings;
use serde_json::{Value, json};
use std::thread;
use std::time::Duration;

/// How often it is asked how far the check came.
const POLL: Duration = Duration::from_millis(400);
/// Tries of one look, where the service is away for a moment.
const TRIES_MAX: usize = 5;

/// The routes of the checks of one flow.
struct Routes {
    client: ApiClient,
    base: String,
    path: String,
}

/// Starts a check of the flow, and waits for its end.
pub(super) fn check(
    args: &CheckArgs,
    context: &Context<'_>,
    settings: &Settings,
    flow: &str,
    wanted: &Wanted,
) -> Result<Value, CliError> {
    let named = context.text(&args.url, "SERVICE_URL").map(|url| parse_service_url(&url)).transpose()?;
    let base =
        named.or_else(|| running_service_address(settings)).unwrap_or_else(|| configured_address(settings));
    let key = context.text(&args.key, "SERVICE_API_KEY");
    let client = ApiClient::new(&base, key.as_deref(), settings).map_err(CliError::other)?;
    let refused = |error| unjudged(&error, &base);
    let flow = match FlowId::parse(flow) {
        Some(id) => id,
        None => client.find_flow(flow).map_err(refused)?,
    };
    let routes = Routes { client, base: base.clone(), path: format!("/api/v1/flow-drafts/{flow}/check") };
    let started = routes.call(Method::POST, "", Some(&routes.body(wanted)?))?;
    routes.wait(started)
}

impl Routes {
    fn call(&self, method: Method, rest: &str, body: Option<&Value>) -> Result<Value, CliError> {
        let path = format!("{}{rest}", self.path);
        self.client.call(method, &path, body).map_err(|error| unjudged(&error, &self.base))
    }

    /// What the service is told.
    fn body(&self, wanted: &Wanted) -> Result<Value, CliError> {
        let mut body = json!({
            "questions": self.questions(wanted)?,
            "includeRiskySteps": wanted.include_risky_steps,
            "control": wanted.control,
            "repeat": wanted.repeat,
            "useKept": wanted.use_kept,
        });
        for (name, most) in [("maxTokens", wanted.max_tokens), ("maxSeconds", wanted.max_seconds)] {
            if let Some(most) = most {
                body[name] = most.into();
            }
        }
        Ok(body)
    }

    /// The questions of the file, else what people asked lately.
    fn questions(&self, wanted: &Wanted) -> Result<Vec<Value>, CliError> {
        match &wanted.questions {
            Some(questions) => questions
                .iter()
                .map(|question| {
                    // What cannot be used is told before anything is asked.
                    question.expectations()?;
                    Ok(match question.expect.is_empty() {
                        true => question.text.clone().into(),
                        false => json!({"text": question.text, "expect": question.expect}),
                    })
                })
                .collect(),
            None if wanted.use_kept => Ok(Vec::new()),
            None => {
                let setup = self.call(Method::GET, "", None)?;
                let most =
                    usize::try_from(setup["limits"]["maxQuestions"].as_u64().unwrap_or(10)).unwrap_or(10);
                let offered = setup["questions"].as_array().into_iter().flatten().take(most);
                let texts: Vec<Value> = offered.map(|question| question["text"].clone()).collect();
                if texts.is_empty() && setup["unavailable"].is_null() {
                    return Err(CliError::Unjudged(
                        "nobody asked this flow anything yet; give questions with --questions".to_owned(),
                    ));
                }
                Ok(texts)
            }
        }
    }

    fn wait(&self, mut check: Value) -> Result<Value, CliError> {
        let id = check["id"].as_str().unwrap_or_default().to_owned();
        let mut misses = 0;
        while check["status"] == "running" {
            thread::sleep(POLL);
            match self.call(Method::GET, &format!("/{id}"), None) {
                Ok(newer) => (check, misses) = (newer, 0),
                Err(error) if misses + 1 >= TRIES_MAX => return Err(error),
                Err(_) => misses += 1,
            }
        }
        Ok(check)
    }
}

/// What a service refuses was not judged.
fn unjudged(error: &ClientError, base: &str) -> CliError {
    CliError::Unjudged(format!("{error}{}", to_hint(error, base)))
}
