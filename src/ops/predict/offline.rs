//! A canvas run with no server (`ask --file`): no database, no conversation, no stored credential.

use crate::canvas::Canvas;
use crate::cards::kit::{Gone, Host, ReplyKey, Sink, Turn};
use crate::domain::cancel::Cancel;
use crate::domain::error::{Error, Result};
use crate::domain::ids::DocumentStoreId;
use crate::domain::prediction::{PastMessage, SourceDocument, Usage};
use crate::engine::{self, Overrides, Plan};
use crate::net::Outgoing;
use crate::settings::Settings;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;

struct OfflineHost {
    outgoing: Outgoing,
    cancel: Cancel,
}

impl Host for OfflineHost {
    fn history(&self, _session: Option<&str>, _newest: usize) -> Result<Vec<PastMessage>> {
        Ok(Vec::new())
    }

    fn credential(&self, _id: &str) -> Result<Option<Map<String, Value>>> {
        Ok(None)
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    fn fact(&self, _name: &str) -> Option<String> {
        None
    }

    fn passages(&self, _store: &DocumentStoreId) -> Result<Option<Vec<SourceDocument>>> {
        Ok(None)
    }

    fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn recall(&self, _key: &ReplyKey) -> Option<Arc<[u8]>> {
        None
    }

    fn remember(&self, _key: &ReplyKey, _bytes: Vec<u8>) {}

    fn used(&self, _card: &str, _usage: Option<Usage>) {}
}

struct Forward<'a>(&'a mut dyn FnMut(&str));

impl Sink for Forward<'_> {
    fn token(&mut self, text: &str) -> Result<(), Gone> {
        (self.0)(text);
        Ok(())
    }
}

/// Answers `question` with the canvas in `canvas_text`; fragments go to `on_token`.
///
/// # Errors
/// When the text is no canvas, or the flow fails.
pub fn offline(
    canvas_text: &str,
    question: &str,
    settings: &Settings,
    on_token: &mut dyn FnMut(&str),
) -> Result<String> {
    let canvas = Canvas::parse(canvas_text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let plan = Plan::compile(&canvas)?;
    let host = OfflineHost {
        outgoing: Outgoing::new(settings.http_allow.clone(), !settings.listens_beyond_loopback()),
        cancel: Cancel::new(None),
    };
    let turn = Turn { question, uploads: &[], history: &[], host: &host };
    Ok(engine::run(&plan, &Overrides::default(), &turn, &mut Forward(on_token))?.text)
}
