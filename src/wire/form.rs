//! Forms (`multipart/form-data`): fields of text, and files beside them.

use crate::domain::error::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Reads the fields of a form, each of which is text.
///
/// # Errors
/// [`Error::Internal`] for a `T` that takes something else than text.
pub fn read_fields<T: DeserializeOwned>(fields: Vec<(String, String)>) -> Result<T> {
    let fields: Map<String, Value> = fields.into_iter().map(|(name, text)| (name, text.into())).collect();
    serde_json::from_value(Value::Object(fields)).map_err(Error::internal)
}

/// The files of a form. They are read as they arrive and travel beside its fields, so this only says that there may be some.
#[derive(Debug, Default, Deserialize)]
pub struct FormFiles {}

#[cfg(feature = "test-support")]
impl schemars::JsonSchema for FormFiles {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FormFiles".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "array", "items": {"type": "string", "format": "binary"}})
    }
}

/// A switch as a form sends it.
#[cfg(feature = "test-support")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, rename_all = "lowercase")]
#[allow(dead_code)]
pub(crate) enum SwitchText {
    True,
    False,
}
