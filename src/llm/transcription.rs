//! The OpenAI protocol for speech: a recording goes in as a form, its words come back as JSON.

use super::ModelError;
use super::endpoint::{ApiKey, Endpoint, read_whole};
use crate::domain::cancel::Cancel;
use std::fmt::Write as _;

/// A model behind `/audio/transcriptions`.
#[derive(Debug, Clone)]
pub struct Transcriber {
    /// Where and with which key; the base address ends before `/audio/transcriptions`.
    pub endpoint: Endpoint,
    /// The model's name.
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
    pub fn transcribe(&self, recording: Recording<'_>, cancel: &Cancel) -> Result<String, ModelError> {
        let boundary = format!("flowkeep-{}", uuid::Uuid::new_v4().simple());
        let kind = format!("multipart/form-data; boundary={boundary}");
        let bearer = self.endpoint.key.as_ref().map(|key| format!("Bearer {}", ApiKey::expose(key)));
        let mut headers = vec![("content-type", kind.as_str())];
        headers.extend(bearer.as_deref().map(|bearer| ("authorization", bearer)));
        let body = self.form(&boundary, recording);
        let path = "/audio/transcriptions";
        let mut incoming = self.endpoint.post_bytes(path, &headers, &body, &self.model, cancel)?;
        let answer = read_whole(&mut incoming)?;
        incoming.finish();
        let text = answer["text"].as_str();
        text.map(str::to_owned).ok_or_else(|| ModelError::Garbled("it holds no text".into()))
    }

    fn form(&self, boundary: &str, recording: Recording<'_>) -> Vec<u8> {
        let mut head = String::new();
        let fixed = [("model", self.model.as_str()), ("response_format", "json")];
        let fields = fixed.into_iter().chain(self.fields.iter().map(|(name, value)| (*name, value.as_str())));
        for (name, value) in fields {
            let _ = write!(
                head,
                "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
            );
        }
        let Recording { name, mime, bytes } = recording;
        let _ = write!(
            head,
            "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: {mime}\r\n\r\n"
        );
        let mut body = head.into_bytes();
        body.extend_from_slice(bytes);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        body
    }
}
