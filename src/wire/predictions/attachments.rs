//! Documents that are read ahead of the question that will carry them (manual 4.3).

use crate::domain::predictions::attachment::Attachment;
use crate::form::FormFiles;
use serde::{Deserialize, Serialize};

/// A document and its text.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(rename = "Attachment"))]
pub struct AttachmentView {
    name: String,
    mime_type: &'static str,
    size: u64,
    content: String,
}

impl From<Attachment> for AttachmentView {
    fn from(Attachment { name, mime_type, size, content }: Attachment) -> Self {
        Self { name, mime_type, size, content }
    }
}

/// Documents to read.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct AttachmentForm {
    #[serde(rename = "files")]
    #[cfg_attr(feature = "test-support", schemars(required))]
    _files: Option<FormFiles>,
    /// The files themselves instead of their text.
    #[cfg_attr(feature = "test-support", schemars(with = "Option<crate::form::SwitchText>"))]
    pub base64: Option<String>,
}
