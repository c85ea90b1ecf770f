//! A host for tests of cards and steps: nothing is stored, code returns nothing, and a run remembers as one without a server does.
#![allow(clippy::unwrap_used, reason = "a test without its host has failed")]

use super::Capabilities;
use super::code::CodeRunner;
use super::conversations::LoneQuestion;
use super::flows::{FlowCall, Flows};
use super::host::{Host, HostContext};
use super::knowledge::Knowledge;
use super::run_memory::RunMemory;
use crate::base::cancel::CancelToken;
use crate::clock::Clock;
use crate::documents::{self, DocumentReader};
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::predictions::model_prices::ModelPrices;
use crate::domain::predictions::prediction::{Document, RunOutput};
use crate::kit::build::code::Code;
use crate::kit::build::component::RunContext;
use crate::kit::knowledge::VectorStore;
use crate::kit::knowledge::pieces::PageVisitor;
use crate::kit::models::token_sink::TokenSink;
use crate::kit::stores::collections::Collections;
use crate::llm::TokenCache;
use crate::net::Outgoing;
use crate::script::ScriptError;
#[cfg(test)]
use crate::settings::AllowRule;
use serde_json::Value;
use std::sync::Arc;

/// The host.
pub struct TestHost {
    outgoing: Outgoing,
    documents: DocumentReader,
    pub(crate) cancel: CancelToken,
    clock: Clock,
    tokens: TokenCache,
    memory: RunMemory,
    prices: ModelPrices,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            outgoing: Outgoing::new(Vec::new(), false),
            documents: DocumentReader::new("no program".into(), documents::DocumentLimits::default())
                .unwrap(),
            cancel: CancelToken::new(None),
            clock: Clock::default(),
            tokens: TokenCache::default(),
            memory: RunMemory::default(),
            prices: ModelPrices::default(),
        }
    }
}

#[cfg(test)]
impl TestHost {
    /// A host whose cards may call this port of this machine.
    pub(crate) fn calling(port: u16) -> Self {
        Self::calling_any(&[port])
    }

    pub(crate) fn calling_any(ports: &[u16]) -> Self {
        let rule = |port: &u16| AllowRule::Host { host: "127.0.0.1".to_owned(), port: *port };
        Self { outgoing: Outgoing::new(ports.iter().map(rule).collect(), true), ..Self::default() }
    }

    pub(crate) fn with_prices(prices: &str) -> Self {
        Self { prices: ModelPrices::parse(prices).unwrap(), ..Self::default() }
    }
}

impl TestHost {
    /// A run with this question on this host.
    pub fn turn<'a>(&'a self, question: &'a str) -> RunContext<'a> {
        RunContext { question, documents: "", uploads: &[], history: &[], host: self }
    }
}

impl CodeRunner for TestHost {
    fn run_code(&self, _code: &Code<'_>) -> Result<Value, ScriptError> {
        Ok(Value::Null)
    }
}

impl Flows for TestHost {
    fn ask_flow(&self, call: &FlowCall<'_>, _: &mut dyn TokenSink) -> Result<RunOutput> {
        Err(Error::NotFound(format!("no flow {:?}", call.flow)))
    }
}

impl Knowledge for TestHost {
    fn document_store_chunks(&self, _store: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
        Ok(None)
    }

    fn visit_document_store(&self, _: &DocumentStoreId, _: PageVisitor<'_>) -> Result<bool> {
        Ok(false)
    }

    fn store_vectors(&self, _store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        Ok(None)
    }

    fn collections(&self) -> &dyn Collections {
        unreachable!("a test of a single card stores no chunks")
    }
}

impl Host for TestHost {
    fn context(&self) -> HostContext<'_> {
        let Self { cancel, outgoing, documents, clock, tokens, .. } = self;
        HostContext { prices: &self.prices, ..HostContext::new(cancel, outgoing, documents, clock, tokens) }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
            .with_conversations(&LoneQuestion)
            .with_vector_indexes(&self.memory)
            .with_replies(&self.memory)
            .with_code(self)
            .with_knowledge(self)
            .with_flows(self)
    }
}
