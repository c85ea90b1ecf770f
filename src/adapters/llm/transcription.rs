//! The OpenAI protocol for speech: a recording goes in as a form, its words come back as JSON.

use super::ModelError;
use super::endpoint::{Endpoint, read_whole};
use super::{MultipartForm, RequestBody};
use crate::base::cancel::CancelToken;

/// A model behind `/audio/transcriptions`.
#[derive(Debug, Clone)]
pub struct Transcriber {
    /// Where and with which key; the base address ends before `/audio/transcriptions`.
    pub endpoint: Endpoint,
    pub model: String,
    /// Further fields of the form: language, prompt, temperature.
    pub fields: Vec<(&'static str, String)>,
}

/// What is sent to be written down.
#[derive(Debug, Clone, Copy)]
pub struct Recording<'a> {
    /// A name of our own making, whose ending tells the provider what it is.
    pub name: &'a str,
    /// Its media type, from our table.
    pub mime: &'a str,
    /// What is in it.
    pub bytes: &'a [u8],
}

impl Transcriber {
    /// The words of a recording.
    ///
    /// # Errors
    /// What the provider refused, or what broke on the way.
    pub fn transcribe(&self, recording: Recording<'_>, cancel: &CancelToken) -> Result<String, ModelError> {
        let bearer = self.endpoint.bearer();
        let path = "/audio/transcriptions";
        let mut incoming = self.form(recording).send_with(|RequestBody { kind, bytes }| {
            let mut headers = vec![("content-type", kind)];
            headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
            self.endpoint.post_bytes(path, &headers, bytes, &self.model, cancel)
        })?;
        let answer = read_whole(&mut incoming)?;
        incoming.finish();
        let text = answer["text"].as_str();
        text.map(str::to_owned).ok_or_else(|| ModelError::Garbled("it holds no text".into()))
    }

    fn form(&self, recording: Recording<'_>) -> MultipartForm {
        let mut form = MultipartForm::default();
        form.field("model", &self.model);
        form.field("response_format", "json");
        self.fields.iter().for_each(|(name, value)| form.field(name, value));
        form.file("file", recording.name, recording.mime, recording.bytes);
        form
    }
}
