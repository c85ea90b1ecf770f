//! Files on their way into a workspace (manual 5.11).

use crate::domain::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What is done with a thing of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(crate) enum ImportAction {
    /// It is made: nothing of it is here.
    Create,
    /// It is made under an id of its own, beside what is here.
    Duplicate,
    /// What is here under its id becomes what the file says.
    Update,
    Skip,
}

/// What is done with things that are here already, where nothing was chosen for one of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(inline))]
pub(crate) enum ExistingPolicy {
    #[default]
    Skip,
    /// They become what the file says, where that is something else.
    Update,
    /// They are made once more.
    Duplicate,
}

/// What a caller says of things that are here already.
#[derive(Debug, Clone, Default)]
pub(crate) struct ImportChoices {
    /// Of each for itself, by its id in the file.
    pub chosen: HashMap<String, ImportAction>,
    pub existing: ExistingPolicy,
}

/// A file to take in, and how.
#[derive(Debug, Clone)]
pub(crate) struct FileImport {
    /// Nothing changes; only what would become of the file is told.
    pub is_preview: bool,
    pub choices: ImportChoices,
    /// The name of the file, after which a canvas without a name is called.
    pub file_name: Option<String>,
    pub file: Map<String, Value>,
}

impl FileImport {
    /// A file with nothing chosen for single things of it.
    ///
    /// # Errors
    /// 400 when it is no JSON object.
    pub(crate) fn from_text(
        text: &str,
        file_name: Option<String>,
        existing: ExistingPolicy,
        is_preview: bool,
    ) -> Result<Self> {
        let wrong =
            |_| Error::invalid("This is not a file of JSON with an export, a flow, a tool or a canvas.");
        let file = serde_json::from_str(text).map_err(wrong)?;
        let choices = ImportChoices { chosen: HashMap::new(), existing };
        Ok(Self { is_preview, choices, file_name, file })
    }
}
