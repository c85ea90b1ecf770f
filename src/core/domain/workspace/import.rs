//! Files on their way into a workspace (manual 5.11).

use crate::domain::error::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// What is done with a thing of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ImportAction {
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
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ExistingPolicy {
    #[default]
    Skip,
    /// They become what the file says, where that is something else.
    Update,
    /// They are made once more.
    Duplicate,
}

/// What a caller says of things that are here already.
#[derive(Debug, Clone, Default)]
pub struct ImportChoices {
    /// Of each for itself, by its id in the file.
    pub chosen: HashMap<String, ImportAction>,
    pub existing: ExistingPolicy,
}

/// A file to take in, and how.
#[derive(Debug, Clone)]
pub struct FileImport {
    /// Nothing changes; only what would become of the file is told.
    pub is_preview: bool,
    pub choices: ImportChoices,
    /// The name of the file, after which a canvas without a name is called.
    pub file_name: Option<String>,
    pub file: Map<String, Value>,
}

impl FileImport {
    /// The field in which the text of a file stands that is no JSON, such as YAML.
    pub const TEXT: &str = "text";

    /// The fields of a file of this text.
    ///
    /// # Errors
    /// 400 when it is JSON and no object, or begins as JSON and is broken.
    pub fn fields_of(text: &str) -> Result<Map<String, Value>> {
        let wrong =
            || Error::invalid("This is not a file of JSON with an export, a flow, a tool or a canvas.");
        match serde_json::from_str(text) {
            Ok(Value::Object(file)) => Ok(file),
            Ok(_) => Err(wrong()),
            Err(_) if text.trim_start().starts_with(['{', '[']) || text.trim().is_empty() => Err(wrong()),
            Err(_) => Ok(Map::from_iter([(Self::TEXT.to_owned(), text.into())])),
        }
    }

    /// A file with nothing chosen for single things of it. A text that is no JSON goes along as [`FileImport::TEXT`].
    ///
    /// # Errors
    /// 400 when it is JSON and no object, or begins as JSON and is broken.
    pub fn from_text(
        text: &str,
        file_name: Option<String>,
        existing: ExistingPolicy,
        is_preview: bool,
    ) -> Result<Self> {
        let file = Self::fields_of(text)?;
        let choices = ImportChoices { chosen: HashMap::new(), existing };
        Ok(Self { is_preview, choices, file_name, file })
    }
}
