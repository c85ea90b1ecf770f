//! Code of a flow's cards: what it sees of the run that it belongs to.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{Code, CodeDatabases};
use crate::domain::flows::flow::Flow;
use crate::domain::predictions::prediction::RunIds;
use crate::ops::predictions::flow_cache::SavedVariables;
use crate::script::{GuardedFetch, ScriptResult, ScriptScope, ScriptServices, Tenant};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// The run whose cards have code.
pub(super) struct FlowCode<'a> {
    pub(super) app: &'a App,
    pub(super) flow: &'a Flow,
    pub(super) ids: &'a RunIds,
    pub(super) question: &'a str,
    pub(super) variables: &'a SavedVariables,
    /// Variables of the request, which go before the saved ones (manual 7.4 r2).
    pub(super) request_variables: &'a HashMap<String, String>,
    pub(super) cancel: &'a CancelToken,
}

impl FlowCode<'_> {
    pub(super) fn run(&self, code: &Code<'_>, databases: &CodeDatabases<'_>) -> ScriptResult {
        let served = ScriptServices { calls: code.calls, databases: Some(databases) };
        self.app.scripts.run_with(code.source, &self.scope(code), served, self.cancel)
    }

    fn scope(&self, code: &Code<'_>) -> ScriptScope {
        let text = |(name, value): (&String, &String)| (name.clone(), Value::from(value.as_str()));
        let mut flow = code.flow.clone();
        for (name, value) in [
            ("chatflowId", self.flow.id.to_string()),
            ("chatId", self.ids.chat.to_string()),
            ("sessionId", self.ids.chat.to_string()),
            ("apiMessageId", self.ids.answer.to_string()),
            ("input", self.question.to_owned()),
        ] {
            flow.insert(name.to_owned(), value.into());
        }
        ScriptScope {
            tenant: Tenant(*self.flow.workspace.bytes()),
            inputs: code.inputs.clone(),
            vars: self.variables.iter().chain(self.request_variables).map(text).collect(),
            flow,
            fetch: Some(Arc::new(GuardedFetch::new(self.app.outgoing.clone()))),
        }
    }
}
