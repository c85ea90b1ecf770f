//! What a flow's chat may upload (manual 4.1): one pure function of its settings and its plan.

use super::media::{self, MediaKind, MediaType};
use crate::domain::error::{Error, Result};
use crate::domain::flows::chat_page::{UploadOffer, UploadRule};
use crate::domain::flows::settings::FlowSettings;
use crate::engine::{FlowPlan, UploadStore};
use crate::limits::{DOCUMENT_BYTES_MAX, IMAGE_BYTES_MAX};

/// The kinds of upload that are on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UploadPolicy {
    images: bool,
    audio: bool,
    documents: Option<DocumentTypes>,
    /// The store that takes files for the conversation.
    store: Option<UploadStore>,
}

/// Which documents are taken.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DocumentTypes {
    /// Every type that can be read: the owner named none.
    All,
    Only(Vec<String>),
}

impl UploadPolicy {
    /// The offer of a flow with these settings; without a plan nothing that depends on cards is offered.
    #[must_use]
    pub fn from_settings(settings: &FlowSettings, plan: Option<&FlowPlan>) -> Self {
        let documents = settings.chatbot_config.document_types.as_ref().map(|types| match types[..] {
            [] => DocumentTypes::All,
            _ => DocumentTypes::Only(types.iter().map(|mime| mime.to_ascii_lowercase()).collect()),
        });
        Self {
            images: plan.is_some_and(|plan| plan.takes_images()),
            audio: settings.speech_to_text.provider.is_some(),
            documents,
            store: plan.and_then(|plan| plan.upload_store().cloned()),
        }
    }

    /// An offer of files into a vector store alone.
    #[must_use]
    pub fn for_store(uploading: Option<UploadStore>) -> Self {
        Self { store: uploading, ..Self::default() }
    }

    /// The same offer without everything that is no document.
    pub(in crate::ops::predictions) fn documents_only(self) -> Self {
        Self { images: false, audio: false, store: None, ..self }
    }

    /// Refuses a kind of upload that is off.
    ///
    /// # Errors
    /// 403.
    pub(in crate::ops::predictions) fn check_kind(&self, family: MediaKind) -> Result<()> {
        let on = match family {
            MediaKind::Image => self.images,
            MediaKind::Audio => self.audio,
            MediaKind::Document => self.documents.is_some(),
        };
        if on {
            return Ok(());
        }
        Err(Error::Forbidden(format!("{family} uploads are switched off for this flow.")))
    }

    /// The store that takes files for the conversation.
    ///
    /// # Errors
    /// 403 when there is none.
    pub fn require_store(&self) -> Result<&UploadStore> {
        let off =
            || Error::Forbidden("Uploads into a vector store are switched off for this flow.".to_owned());
        self.store.as_ref().ok_or_else(off)
    }

    /// Whether this type of a kind that is on is taken.
    pub(in crate::ops::predictions) fn accepts(&self, row: &MediaType) -> bool {
        match (&self.documents, row.kind) {
            (Some(DocumentTypes::Only(listed)), MediaKind::Document) => {
                // That every text is also plain text must not let in what the owner did not list.
                listed.iter().any(|mime| row.mime == mime || (mime != "text/plain" && row.has_name(mime)))
            }
            _ => true,
        }
    }

    /// What a chat page is told of it.
    #[must_use]
    pub fn offer(&self) -> UploadOffer {
        const MEBIBYTE: usize = 1024 * 1024;
        UploadOffer {
            speech: self.audio,
            images: self.images.then(|| UploadRule {
                file_types: media::types_of(MediaKind::Image).into_iter().map(str::to_owned).collect(),
                mebibytes_max: IMAGE_BYTES_MAX / MEBIBYTE,
            }),
            documents: self.store.as_ref().map(|store| UploadRule {
                file_types: store.endings(),
                mebibytes_max: DOCUMENT_BYTES_MAX / MEBIBYTE,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn settings(full: Value, speech: Value) -> FlowSettings {
        FlowSettings {
            chatbot_config: json!({ "fullFileUpload": full }).as_object().cloned().into(),
            speech_to_text: speech.as_object().cloned().into(),
            ..FlowSettings::default()
        }
    }

    fn offered(full: Value, speech: Value, extension: &str) -> (bool, bool) {
        let offer = UploadPolicy::from_settings(&settings(full, speech), None);
        let row = media::find(None, extension).unwrap();
        (offer.check_kind(row.kind).is_ok(), offer.accepts(row))
    }

    #[test]
    fn documents_are_taken_by_their_switch_and_their_list() {
        let some = json!({"status": true, "allowedUploadFileTypes": "application/pdf, text/plain"});
        for (full, extension, expected) in [
            (json!({"status": false}), "txt", (false, true)),
            (json!({"status": "true"}), "txt", (false, true)),
            (json!(null), "txt", (false, true)),
            (json!({"status": true}), "epub", (true, true)),
            (some.clone(), "pdf", (true, true)),
            (some.clone(), "txt", (true, true)),
            (some.clone(), "md", (true, false)),
            (some, "docx", (true, false)),
            (json!({"status": true, "allowedUploadFileTypes": "text/yaml"}), "yml", (true, true)),
        ] {
            assert_eq!(offered(full.clone(), Value::Null, extension), expected, "{full} {extension}");
        }
    }

    #[test]
    fn audio_is_taken_with_a_provider_that_is_on() {
        for (speech, expected) in [
            (json!({"openAIWhisper": {"status": true}}), true),
            (json!({"openAIWhisper": {"status": false}, "groqWhisper": {"status": true}}), true),
            (json!({"none": {"status": true}}), false),
            (json!({"openAIWhisper": {"status": false}}), false),
            (json!({"openAIWhisper": true}), false),
            (json!(null), false),
        ] {
            assert_eq!(offered(Value::Null, speech.clone(), "webm").0, expected, "{speech}");
        }
    }
}
