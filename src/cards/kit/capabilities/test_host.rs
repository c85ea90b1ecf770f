//! A host for tests of single cards: nothing is stored, nothing is asked, and an index is kept as a service keeps it.

use super::host::Host;
use crate::base::cancel::CancelToken;
use crate::cards::kit::build::code::Code;
use crate::cards::kit::build::component::{ReplyKey, RunContext};
use crate::clock::Clock;
use crate::documents::{self, DocumentReader};
use crate::domain::error::Result;
use crate::net::Outgoing;
use crate::script::ScriptError;
use crate::vectors::VectorIndex;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The host.
pub(in crate::cards) struct TestHost {
    outgoing: Outgoing,
    documents: DocumentReader,
    pub(in crate::cards) cancel: CancelToken,
    indexes: Mutex<HashMap<[u8; 32], Arc<VectorIndex>>>,
    remembered: Mutex<HashMap<ReplyKey, Arc<[u8]>>>,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            outgoing: Outgoing::new(Vec::new(), false),
            documents: DocumentReader::new("no program".into(), documents::DocumentLimits::default())
                .unwrap(),
            cancel: CancelToken::new(None),
            indexes: Mutex::default(),
            remembered: Mutex::default(),
        }
    }
}

impl TestHost {
    /// A run with this question on this host.
    pub(in crate::cards) fn turn<'a>(&'a self, question: &'a str) -> RunContext<'a> {
        RunContext { question, documents: "", uploads: &[], history: &[], host: self }
    }
}

impl Host for TestHost {
    fn run_code(&self, _code: &Code<'_>) -> Result<Value, ScriptError> {
        Ok(Value::Null)
    }

    fn documents(&self) -> &DocumentReader {
        &self.documents
    }

    fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    fn cancel(&self) -> &CancelToken {
        &self.cancel
    }

    fn clock(&self) -> Clock {
        Clock::default()
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn recall(&self, key: &ReplyKey) -> Option<Arc<[u8]>> {
        self.remembered.lock().unwrap().get(key).cloned()
    }

    fn remember(&self, key: &ReplyKey, bytes: Vec<u8>) {
        self.remembered.lock().unwrap().insert(*key, bytes.into());
    }

    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        if let Some(index) = self.indexes.lock().unwrap().get(content) {
            return Ok(index.clone());
        }
        let index = Arc::new(make()?);
        self.indexes.lock().unwrap().insert(*content, index.clone());
        Ok(index)
    }
}
