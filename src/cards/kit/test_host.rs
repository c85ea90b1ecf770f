//! A world for tests of single cards: nothing is stored, nothing is asked, and an index is kept as a service keeps it.

use super::code::Code;
use super::host::Host;
use super::part::{ReplyKey, Turn};
use crate::clock::Clock;
use crate::documents::{self, Documents};
use crate::domain::cancel::Cancel;
use crate::domain::error::Result;
use crate::net::Outgoing;
use crate::script::ScriptError;
use crate::vectors::Index;
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// The world.
pub(in crate::cards) struct TestHost {
    outgoing: Outgoing,
    documents: Documents,
    pub(in crate::cards) cancel: Cancel,
    indexes: Mutex<HashMap<[u8; 32], Arc<Index>>>,
    kept: Mutex<HashMap<ReplyKey, Arc<[u8]>>>,
}

impl Default for TestHost {
    fn default() -> Self {
        Self {
            outgoing: Outgoing::new(Vec::new(), false),
            documents: Documents::new("no program".into(), documents::Limits::default()).unwrap(),
            cancel: Cancel::new(None),
            indexes: Mutex::default(),
            kept: Mutex::default(),
        }
    }
}

impl TestHost {
    /// A question in this world.
    pub(in crate::cards) fn turn<'a>(&'a self, question: &'a str) -> Turn<'a> {
        Turn { question, documents: "", uploads: &[], history: &[], host: self }
    }
}

impl Host for TestHost {
    fn run_code(&self, _code: &Code<'_>) -> Result<Value, ScriptError> {
        Ok(Value::Null)
    }

    fn documents(&self) -> &Documents {
        &self.documents
    }

    fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn clock(&self) -> Clock {
        Clock::default()
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn recall(&self, key: &ReplyKey) -> Option<Arc<[u8]>> {
        self.kept.lock().unwrap().get(key).cloned()
    }

    fn remember(&self, key: &ReplyKey, bytes: Vec<u8>) {
        self.kept.lock().unwrap().insert(*key, bytes.into());
    }

    fn index(&self, content: &[u8; 32], make: &mut dyn FnMut() -> Result<Index>) -> Result<Arc<Index>> {
        if let Some(index) = self.indexes.lock().unwrap().get(content) {
            return Ok(index.clone());
        }
        let index = Arc::new(make()?);
        self.indexes.lock().unwrap().insert(*content, index.clone());
        Ok(index)
    }
}
