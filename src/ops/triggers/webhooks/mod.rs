//! Calls of flows' webhooks: who may call, what was answered before, what the flow is asked, and answers that are sent later.

mod admission;
mod answers;
mod callbacks;
mod listeners;
mod secrets;

pub use self::admission::{accept_once, authenticate};
pub use self::answers::{FirstAnswer, RunningCall, find_answer};
pub use self::callbacks::{CallbackPromise, PromisedRun, promise_callback, recover, take_step};
pub use self::listeners::{
    ListenerEvent, ListenerEvents, is_watched, keep_listener, open_listener, register_listener,
    remove_listener, tell_listeners,
};
pub(in crate::ops) use self::secrets::adopt_secret;
#[cfg(test)]
pub(in crate::ops) use self::secrets::load_secret;
pub use self::secrets::{delete_secret, generate_secret};
pub use crate::engine::agentflow::CallbackTarget;
pub(crate) use crate::engine::agentflow::WebhookAnswers;

use crate::app::App;
use crate::canvas::Canvas;
use crate::domain::error::{Error, Result};
use crate::domain::flows::draft::CanvasSide;
use crate::domain::flows::flow::{Flow, FlowKind};
use crate::domain::ids::FlowId;
use crate::domain::predictions::consumption::Asker;
use crate::domain::predictions::human_input::HumanInput;
use crate::domain::predictions::prediction::{ChatType, ConversationProof, Question};
use crate::domain::triggers::webhook_call::WebhookCall;
use crate::engine::FlowPlan;
use crate::engine::agentflow::{CallContext, StartKind, WebhookStart};
use crate::engine::pipeline::webhook_of;
use crate::ops::predictions::{self, PredictionRequest};
use crate::store::WriteTx;
use crate::store::queries::webhooks as rows;
use crate::store::tables::{CANVASES, WEBHOOK_CALLBACKS, WEBHOOK_SECRETS};
use std::sync::Arc;

/// A flow whose Live a call of its webhook starts.
pub struct OpenWebhook {
    pub flow: Arc<Flow>,
    start: WebhookStart,
}

/// The webhook of a flow's Live.
///
/// # Errors
/// 404 when nothing is published, 400 when Live starts with something else; as [`predictions::plan`].
pub fn find(app: &App, flow: Arc<Flow>) -> Result<OpenWebhook> {
    predictions::require_cards(&flow)?;
    if flow.kind == FlowKind::Etl {
        return find_of_pipeline(app, flow);
    }
    let plan = predictions::plan(app, &flow)?;
    let starts_with = match &*plan {
        FlowPlan::Chat(_) | FlowPlan::Members(_) | FlowPlan::Team(_) => "a question",
        FlowPlan::Agent(plan) => match (&plan.start.webhook, plan.start.kind) {
            (Some(start), _) => {
                let start = WebhookStart::clone(start);
                return Ok(OpenWebhook { flow, start });
            }
            (None, StartKind::Form) => "a form",
            (None, StartKind::Schedule) => "its schedule",
            (None, StartKind::Question | StartKind::Webhook) => "a question",
        },
    };
    Err(Error::Invalid(format!("Chatflow {} has no webhook: it starts with {starts_with}.", flow.id)))
}

fn find_of_pipeline(app: &App, flow: Arc<Flow>) -> Result<OpenWebhook> {
    let text = app.store.read(|tx| CANVASES.get(tx, &flow.workspace, &flow.id))?.unwrap_or_default();
    let canvas = Canvas::parse(&text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let Some(start) = webhook_of(&canvas) else {
        return Err(Error::Invalid(format!(
            "Chatflow {} has no webhook: its Pipeline Start says nothing of one.",
            flow.id
        )));
    };
    Ok(OpenWebhook { flow, start })
}

/// What a call says of its conversation.
#[derive(Debug, Default)]
pub struct CallConversation {
    pub chat_id: Option<String>,
    pub proofs: Vec<ConversationProof>,
    /// The answer to a run that waits.
    pub human_input: Option<HumanInput>,
}

impl OpenWebhook {
    #[must_use]
    pub const fn start(&self) -> &WebhookStart {
        &self.start
    }

    /// What a call asks the flow.
    ///
    /// # Errors
    /// When the saved variables cannot be read.
    pub fn request(
        &self,
        app: &App,
        call: WebhookCall,
        conversation: CallConversation,
    ) -> Result<PredictionRequest> {
        let CallConversation { chat_id, proofs, human_input } = conversation;
        let variables = app.flow_cache.variables(app, &self.flow.workspace)?;
        let payload = call.into_payload(self.start.auth.as_ref().map(|auth| &*auth.header));
        // Who answers a run that waits is read by that run alone, and the conversation shows the decision.
        let text = match human_input {
            Some(_) => String::new(),
            None => self.start.question(&CallContext { call: &payload, variables: &variables }),
        };
        let question =
            Question { text, chat_id, proofs, human_input, webhook: Some(payload), ..Question::default() };
        Ok(PredictionRequest {
            flow: self.flow.clone(),
            question,
            chat_type: ChatType::Webhook,
            side: CanvasSide::Live,
            asker: Asker::ANYBODY,
        })
    }

    /// Where the answer is sent later.
    ///
    /// # Errors
    /// 400 for what is no address; when its secret was hidden by the history.
    pub fn callback(&self, app: &App) -> Result<Option<CallbackTarget>> {
        let variables = app.flow_cache.variables(app, &self.flow.workspace)?;
        let target = self.start.callback(&variables)?;
        if target.as_ref().is_some_and(|target| !app.outgoing.is_address(&target.url)) {
            return Err(Error::invalid(
                "Start: Callback URL: this is no address that can be called: it must start with http:// or https://.",
            ));
        }
        Ok(target)
    }
}

/// Removes what belongs to the webhook of a flow that goes away.
///
/// # Errors
/// When the database cannot be written.
pub fn remove_flow(tx: &WriteTx, flow: &Flow) -> Result<()> {
    WEBHOOK_SECRETS.remove(tx, &flow.workspace, &flow.id)?;
    WEBHOOK_CALLBACKS.retain(tx, |callback| callback.flow != flow.id)?;
    rows::remove_flow(tx, &flow.id)
}

/// Forgets signatures and answers whose time is over. Where there is nothing to forget nothing is written.
///
/// # Errors
/// When the database cannot be read or written.
pub fn sweep(app: &App) -> Result<()> {
    let now = app.clock.now();
    let signatures = app.store.read(|tx| rows::old_signatures(tx, now))?;
    if !signatures.is_empty() {
        app.store.write(|tx| rows::remove_signatures(tx, &signatures))?;
    }
    let flows: Vec<FlowId> = app.store.read(|tx| rows::flows_with_old_answers(tx, now))?;
    flows.iter().try_for_each(|flow| app.store.write(|tx| rows::remove_old_answers(tx, flow, now)))
}
