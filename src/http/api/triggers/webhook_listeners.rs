//! Watching the runs that calls of a flow's webhook start (manual 17.5).

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, WebhookListenerId};
use crate::domain::predictions::prediction::ChatType;
use crate::domain::predictions::run_event::RunEvent;
use crate::http::api::predictions::prediction::flow_id;
use crate::http::api::predictions::run_events::{EventTarget, RunTeller};
use crate::http::reply::Reply;
use crate::http::reply::sse::EventSink;
use crate::http::reply::stream_format::{THINKING, TOKEN};
use crate::http::request::Request;
use crate::http::routing::handler::Json;
use crate::ops::predictions::{RunSink, StreamClosed, TokenSink};
use crate::ops::triggers::webhooks::{self, ListenerEvent, ListenerEvents};
use crate::wire::triggers::webhooks::{
    ExecutionEndView, ListenerGoneView, ListenerReadyView, ListenerView, REPLICA,
};
use serde::Serialize;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// How often is looked whether somebody still reads.
const LOOK: Duration = Duration::from_secs(1);

/// `POST /webhook-listener/:id/register`.
///
/// # Errors
/// 404, 403, 409.
pub(crate) fn register(app: &App, caller: Caller, request: &Request) -> Result<Json<ListenerView>> {
    let listener_id = webhooks::register_listener(app, &caller, &flow_id(request)?)?;
    Ok(Json(ListenerView { listener_id }))
}

/// `GET /webhook-listener/:id/stream/:listener`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn stream(app: &App, caller: Caller, request: &Request) -> Result<Reply> {
    let (flow, id) = (flow_id(request)?, listener_id(request)?);
    let events = webhooks::open_listener(app, &caller, &flow, &id)?;
    let (app, cancel) = (app.clone(), request.cancel().clone());
    Ok(Reply::stream(move |sink| {
        // Nobody is left to tell when the reader is gone.
        let _ = pass_on(&app, (&flow, &id), &events, &sink, &cancel);
    }))
}

fn pass_on(
    app: &App,
    (flow, id): (&FlowId, &WebhookListenerId),
    events: &ListenerEvents,
    sink: &EventSink,
    cancel: &CancelToken,
) -> Result<(), StreamClosed> {
    sink.send("listenerReady", &ListenerReadyView { listener_id: *id, replica_id: REPLICA })?;
    while cancel.reason().is_none() {
        webhooks::keep_listener(app, flow, id);
        match events.next(LOOK) {
            Ok(ListenerEvent { name, data, .. }) => match (name, data.as_str()) {
                (TOKEN, Some(text)) => sink.token(text)?,
                (THINKING, Some(text)) => sink.thinking(text)?,
                _ => sink.send(name, &*data)?,
            },
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return sink.close(),
        }
    }
    Err(StreamClosed)
}

/// `DELETE /webhook-listener/:id/listener/:listener`.
///
/// # Errors
/// 404 or 403.
pub(crate) fn remove(app: &App, caller: Caller, request: &Request) -> Result<Json<ListenerGoneView>> {
    webhooks::remove_listener(app, &caller, &flow_id(request)?, &listener_id(request)?)?;
    Ok(Json(ListenerGoneView { ok: true }))
}

fn listener_id(request: &Request) -> Result<WebhookListenerId> {
    let text = request.param("listener");
    WebhookListenerId::parse(text).ok_or_else(|| Error::no_such("Listener", text))
}

/// Those who watch the webhook of a flow.
pub(super) struct Audience<'a> {
    pub(super) app: &'a App,
    pub(super) flow: FlowId,
}

impl EventTarget for Audience<'_> {
    fn tell<T: Serialize + ?Sized>(&self, name: &'static str, data: &T) -> Result<(), StreamClosed> {
        // What cannot be written as JSON is not told.
        if let Ok(data) = serde_json::to_value(data) {
            webhooks::tell_listeners(self.app, &self.flow, &ListenerEvent::new(name, data));
        }
        Ok(())
    }
}

impl Audience<'_> {
    /// Tells that a run is over.
    pub(super) fn end(&self, chat_id: ChatId) {
        let _ = self.tell("executionEnd", &ExecutionEndView { chat_id });
    }
}

/// Shows a run to those who watch, and passes it on. They see as much as in the canvas, because they may change the flow and
/// see it.
pub(super) struct WatchedRun<'a> {
    audience: &'a Audience<'a>,
    told: RunTeller<'a, Audience<'a>>,
    sink: &'a mut dyn RunSink,
}

impl<'a> WatchedRun<'a> {
    pub(super) fn new(audience: &'a Audience<'a>, sink: &'a mut dyn RunSink) -> Self {
        Self { audience, told: RunTeller::new(audience, ChatType::Internal), sink }
    }
}

impl TokenSink for WatchedRun<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.audience.tell(TOKEN, text)?;
        self.sink.token(text)
    }

    fn thinking(&mut self, text: &str) -> Result<(), StreamClosed> {
        self.audience.tell(THINKING, text)?;
        self.sink.thinking(text)
    }
}

impl RunSink for WatchedRun<'_> {
    fn event(&mut self, event: &RunEvent<'_>) -> Result<(), StreamClosed> {
        self.told.tell(event)?;
        self.sink.event(event)
    }
}
