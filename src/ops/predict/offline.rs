//! A canvas run with no server (`ask --file`): no database, no conversation, no stored credential.

use crate::canvas::Canvas;
use crate::cards::kit::{Code, Gone, Host, Sink, Turn};
use crate::documents::{self, Documents};
use crate::domain::cancel::Cancel;
use crate::domain::error::{Error, Result};
use crate::engine::{self, Overrides, Plan};
use crate::net::Outgoing;
use crate::script::{self, Guarded, Scope, ScriptError, Scripts};
use crate::settings::Settings;
use jiff::Timestamp;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

struct OfflineHost {
    outgoing: Outgoing,
    scripts: Scripts,
    documents: Documents,
    cancel: Cancel,
}

impl Host for OfflineHost {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        let scope = Scope {
            inputs: code.inputs.clone(),
            flow: code.flow.clone(),
            fetch: Some(Arc::new(Guarded::new(self.outgoing.clone()))),
            ..Scope::default()
        };
        self.scripts.run(code.source, &scope, &self.cancel).result
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

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
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
    program: PathBuf,
    on_token: &mut dyn FnMut(&str),
) -> Result<String> {
    let canvas = Canvas::parse(canvas_text).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let plan = Plan::compile(&canvas)?;
    let limits = script::Limits::of_settings(settings.code_seconds, settings.code_memory_mb);
    let host = OfflineHost {
        documents: Documents::new(program.clone(), documents::Limits::default()).map_err(Error::internal)?,
        scripts: Scripts::new(program, limits).map_err(Error::internal)?,
        outgoing: Outgoing::new(settings.http_allow.clone(), !settings.listens_beyond_loopback()),
        cancel: Cancel::new(None),
    };
    let turn = Turn { question, documents: "", uploads: &[], history: &[], host: &host };
    Ok(engine::run(&plan, &Overrides::default(), &turn, &mut Forward(on_token))?.text)
}
