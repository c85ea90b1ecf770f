//! What a flow's chat offers to upload, decided by the flow's own settings (spec 4.1 r2, reference 4.1).

use super::accepted;
use crate::domain::error::{Error, Result};
use crate::domain::flow::FlowSettings;
use crate::domain::prediction::{Upload, UploadContent};
use crate::limits::{IMAGE_BYTES_MAX, UPLOADS_MAX};
use serde_json::{Value, json};

/// What a flow's chat offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Images.
    images: bool,
    /// Documents of these media types, all when none is listed; `None` when documents are switched off.
    documents: Option<Vec<String>>,
}

impl Offer {
    /// The offer of a flow. `images`: one of its cards takes them.
    #[must_use]
    pub fn of(settings: &FlowSettings, images: bool) -> Self {
        let config = settings.chatbot_config.as_ref().and_then(|config| config.get("fullFileUpload"));
        let documents =
            config.filter(|config| config.get("status") == Some(&Value::Bool(true))).map(|config| {
                let listed = config.get("allowedUploadFileTypes").and_then(Value::as_str).unwrap_or_default();
                listed.split(',').map(str::trim).filter(|mime| !mime.is_empty()).map(str::to_owned).collect()
            });
        Self { images, documents }
    }

    /// Admits the uploads of a question, before anything of them is stored or run.
    ///
    /// # Errors
    /// 403 for a kind that is switched off, 400 for a type the flow does not take and for too many.
    pub fn admit(&self, uploads: &[Upload]) -> Result<()> {
        if uploads.len() > UPLOADS_MAX {
            return Err(Error::Invalid(format!("A question can carry at most {UPLOADS_MAX} files.")));
        }
        uploads.iter().try_for_each(|upload| match upload.content {
            UploadContent::Image { .. } | UploadContent::Url(_) if self.images => Ok(()),
            UploadContent::Image { .. } | UploadContent::Url(_) => {
                Err(Error::Forbidden("Image uploads are switched off for this flow.".to_owned()))
            }
            UploadContent::Document(_) => self.admit_document(Some(&upload.mime)),
            // Its type was judged when its text was taken.
            UploadContent::Text(_) => self.admit_document(None),
        })
    }

    fn admit_document(&self, mime: Option<&str>) -> Result<()> {
        let Some(listed) = &self.documents else {
            return Err(Error::Forbidden("File uploads are switched off for this flow.".to_owned()));
        };
        match mime {
            Some(mime) if !accepted::is_listed(listed, mime) => {
                Err(Error::Invalid(format!("File type {mime} is not allowed for this flow.")))
            }
            _ => Ok(()),
        }
    }

    /// As chat pages read it (reference 4.1).
    #[must_use]
    pub fn wire(&self) -> Value {
        let image_types = if self.images {
            json!([{"fileTypes": accepted::image_mimes(), "maxUploadSize": IMAGE_BYTES_MAX / (1024 * 1024)}])
        } else {
            json!([])
        };
        json!({
            "isSpeechToTextEnabled": false,
            "isImageUploadAllowed": self.images,
            "isRAGFileUploadAllowed": false,
            "imgUploadSizeAndTypes": image_types,
            "fileUploadSizeAndTypes": [],
        })
    }

    /// The documents that can be sent, by media type.
    #[must_use]
    pub fn document_types(&self) -> Vec<&'static str> {
        let Some(listed) = &self.documents else { return Vec::new() };
        accepted::document_mimes().into_iter().filter(|mime| accepted::is_listed(listed, mime)).collect()
    }
}
