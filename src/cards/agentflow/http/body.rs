//! What a request sends.

use super::{BODY, BODY_TYPE, pairs};
use crate::domain::error::Result;
use crate::kit::Inputs;
use crate::llm::MultipartForm;
use serde_json::Value;

pub(super) struct RequestBody {
    pub(super) text: String,
    pub(super) content_type: Option<String>,
    /// It is a form whose parts end where its content type says.
    pub(super) has_parts: bool,
}

impl RequestBody {
    /// The body of a request; `None` where the card sends none.
    ///
    /// # Errors
    /// When it is to be JSON and is not.
    pub(super) fn from_inputs(inputs: &Inputs<'_>) -> Result<Option<Self>> {
        let plain = |text: String, content_type: Option<&str>| {
            Some(Self { text, content_type: content_type.map(str::to_owned), has_parts: false })
        };
        let form = || Some(pairs(inputs, BODY)).filter(|pairs| !pairs.is_empty());
        Ok(match inputs.optional_text(BODY_TYPE).as_deref() {
            Some("json") => json_text(inputs)?.and_then(|text| plain(text, Some("application/json"))),
            Some("raw") => inputs.optional_text(BODY).and_then(|text| plain(text, None)),
            Some("xWwwFormUrlencoded") => form().and_then(|pairs| {
                let text = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
                plain(text, Some("application/x-www-form-urlencoded"))
            }),
            Some("formData") => form().map(|pairs| form_data(&pairs)),
            _ => None,
        })
    }
}

/// JSON as it was written, so that no number changes on the way.
fn json_text(inputs: &Inputs<'_>) -> Result<Option<String>> {
    let Some(parsed) = inputs.json(BODY)? else { return Ok(None) };
    Ok(Some(match inputs.any(BODY) {
        Some(Value::String(text)) => text.clone(),
        _ => parsed.to_string(),
    }))
}

/// A form whose fields are parts of their own (RFC 7578).
fn form_data(pairs: &[(String, String)]) -> RequestBody {
    let mut form = MultipartForm::default();
    pairs.iter().for_each(|(name, value)| form.field(name, value));
    form.send_with(|body| RequestBody {
        text: String::from_utf8_lossy(body.bytes).into_owned(),
        content_type: Some(body.kind.to_owned()),
        has_parts: true,
    })
}
