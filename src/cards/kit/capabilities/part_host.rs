//! The world as one part of a run sees it: the part can be ended alone, and its tokens are counted by themselves.

use super::flows::{FlowCall, Flows};
use super::host::{Host, HostContext};
use super::observers::{ModelCall, ModelObserver};
use super::{Capabilities, Capability, Grant};
use crate::base::cancel::CancelToken;
use crate::domain::error::Result;
use crate::domain::predictions::prediction::{Document, RunOutput, Usage};
use crate::kit::models::token_sink::TokenSink;
use std::sync::{Mutex, PoisonError};

pub struct PartHost<'a> {
    host: &'a dyn Host,
    cancel: CancelToken,
    usage: Mutex<Option<Usage>>,
}

impl<'a> PartHost<'a> {
    #[must_use]
    pub fn new(host: &'a dyn Host, cancel: CancelToken) -> Self {
        Self { host, cancel, usage: Mutex::default() }
    }

    /// Tokens of all calls of models so far; `None` while no provider reported any.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        *self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, usage: Option<Usage>) {
        let Some(used) = usage else { return };
        self.usage.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default().add(&used);
    }
}

impl Host for PartHost<'_> {
    fn context(&self) -> HostContext<'_> {
        HostContext { cancel: &self.cancel, ..self.host.context() }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let given = self.host.capabilities().with_observer(self);
        if given.has(Capability::Flows) { given.with_flows(self) } else { given }
    }
}

/// The run counts what its parts count. What a part leans on is told with the part and not as the run's own.
impl ModelObserver for PartHost<'_> {
    fn record_model_call(&self, call: &ModelCall) {
        if let Some(observer) = self.host.capabilities().observer() {
            observer.record_model_call(call);
        }
    }

    fn record_usage(&self, model: &str, usage: Option<Usage>) {
        self.add(usage);
        if let Some(observer) = self.host.capabilities().observer() {
            observer.record_usage(model, usage);
        }
    }

    fn record_citations(&self, _pages: Vec<Document>) {}
}

impl Flows for PartHost<'_> {
    fn ask_flow(&self, call: &FlowCall<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let call = FlowCall { cancel: call.cancel.or(Some(&self.cancel)), ..*call };
        // The run counts the tokens of a flow that it asks by itself.
        let answer = Grant::<dyn Flows>::for_service().of(self.host)?.ask_flow(&call, sink)?;
        self.add(answer.usage);
        Ok(answer)
    }
}
