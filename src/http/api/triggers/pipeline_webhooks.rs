//! Calls of the webhook of a pipeline: each starts a run (manual 10.13).

use super::webhook_answers::json_text;
use super::webhooks::{read_call, refuse};
use crate::app::App;
use crate::domain::error::{Error, Result};
use crate::domain::predictions::answer::PredictionAnswer;
use crate::domain::predictions::prediction::ChatType;
use crate::http::api::predictions::pipeline_answer::visible;
use crate::http::api::predictions::prediction::with_version;
use crate::http::reply::Reply;
use crate::http::request::Request;
use crate::ops::pipelines::{self, AskedPipeline};
use crate::ops::triggers::webhooks::{OpenWebhook, RunningCall, WebhookAnswers};
use crate::wire::predictions::answer::AnswerView;
use crate::wire::triggers::webhooks::{AcceptedStatus, AcceptedView};

/// Starts a run for a call that was admitted, and says what it came to, or at once that it goes on.
///
/// # Errors
/// What the call lacks; 409 while a run is under way; 400, 503.
pub(super) fn answer(
    app: &App,
    webhook: &OpenWebhook,
    request: &Request,
    running: Option<RunningCall>,
) -> Result<Reply> {
    let asked = match start(app, webhook, request) {
        Ok(asked) => asked,
        Err(fault) => return refuse(app, &webhook.flow.id, request, running, fault),
    };
    let (status, text) = match webhook.start().answers {
        WebhookAnswers::Later => (202, json_text(&accepted(asked.answer_now(app)?))?),
        WebhookAnswers::Whole | WebhookAnswers::Stream => {
            let answer = match asked.answer(app, request.cancel()) {
                // Who is gone may call once more under the same key, and the run goes on.
                Err(Error::Cancelled) => asked.answer_now(app)?,
                waited => waited?,
            };
            (200, json_text(&AnswerView::from(visible(answer, ChatType::Webhook)))?)
        }
    };
    if let Some(running) = running {
        running.keep(app, status, &text)?;
    }
    Ok(with_version(Reply::json_body(status, text), asked.version))
}

fn accepted(answer: PredictionAnswer) -> AcceptedView {
    let PredictionAnswer { ids, session_token, .. } = answer;
    AcceptedView { chat_id: ids.chat, status: AcceptedStatus::Processing, session_token }
}

fn start(app: &App, webhook: &OpenWebhook, request: &Request) -> Result<AskedPipeline> {
    let (call, fields) = read_call(webhook, request)?;
    if fields.human_input.is_some() {
        return Err(Error::invalid("A pipeline waits for no answer: send no 'humanInput'."));
    }
    pipelines::ask_by_webhook(app, &webhook.flow, webhook.start().rules.values(&call))
}
