//! Tools that people write: a name, a schema of arguments, and code (manual 8.10).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ToolId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Longest name, in characters.
const NAME_CHARS_MAX: usize = 128;
/// Longest description, in characters.
const DESCRIPTION_CHARS_MAX: usize = 4_096;
/// Longest color and longest picture, in characters: a picture may be written out as data.
const COLOR_CHARS_MAX: usize = 128;
const ICON_CHARS_MAX: usize = 64 * 1024;
/// Longest code, in bytes: what a code input may have (manual 11.1).
const CODE_BYTES_MAX: usize = 256 * 1024;
/// Most arguments of a tool.
const ARGUMENTS_MAX: usize = 64;

/// A stored tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceTool {
    pub id: ToolId,
    pub workspace: WorkspaceId,
    /// What people and models call it.
    pub name: String,
    /// When a model shall use it.
    pub description: String,
    pub color: String,
    /// Its picture, if it has one of its own.
    pub icon: Option<String>,
    pub arguments: Vec<ToolArgument>,
    /// The body of an async function that sees each argument as `$name`.
    pub code: String,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// What of a tool a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct ToolChange {
    pub name: Option<String>,
    pub description: Option<String>,
    pub color: Option<String>,
    pub icon: Option<String>,
    /// The rows of its schema, or the JSON text of them: judged only once the tool is known to be there.
    pub schema: Option<Value>,
    pub code: Option<String>,
}

/// What a model may give when it calls the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema))]
pub struct ToolArgument {
    /// The page's own number of the row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "test-support", schemars(range(min = 0)))]
    pub id: Option<i64>,
    pub property: String,
    #[serde(rename = "type")]
    pub kind: ToolArgumentKind,
    #[serde(default)]
    pub description: String,
    #[serde(default)]
    pub required: bool,
}

/// The types of arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum ToolArgumentKind {
    String,
    Number,
    Boolean,
    /// A date as ISO 8601 text.
    Date,
}

impl WorkspaceTool {
    /// Checks what people wrote.
    ///
    /// # Errors
    /// 400 naming the field.
    pub fn check(&self) -> Result<()> {
        let wrong = |text: String| Err(Error::Invalid(text));
        let length = self.name.trim().chars().count();
        if !(1..=NAME_CHARS_MAX).contains(&length) {
            return wrong(format!("Invalid name: it must have 1 to {NAME_CHARS_MAX} characters."));
        }
        if self.description.chars().count() > DESCRIPTION_CHARS_MAX {
            return wrong(format!(
                "Invalid description: it must have at most {DESCRIPTION_CHARS_MAX} characters."
            ));
        }
        if self.code.len() > CODE_BYTES_MAX {
            return wrong(format!("Invalid func: it must have at most {CODE_BYTES_MAX} bytes."));
        }
        if self.arguments.len() > ARGUMENTS_MAX {
            return wrong(format!("Invalid schema: it must have at most {ARGUMENTS_MAX} rows."));
        }
        let short =
            [(&self.color, COLOR_CHARS_MAX), (self.icon.as_ref().unwrap_or(&self.color), ICON_CHARS_MAX)];
        if short.iter().any(|(text, most)| text.chars().count() > *most) {
            return wrong("Invalid color or iconSrc: it is too long.".to_owned());
        }
        for (at, argument) in self.arguments.iter().enumerate() {
            if argument.description.chars().count() > DESCRIPTION_CHARS_MAX {
                return wrong("Invalid schema: a description is too long.".to_owned());
            }
            if !is_name(&argument.property) {
                return wrong("Invalid schema: a property must begin with a letter or '_' and have only letters, digits and '_'.".to_owned());
            }
            if self.arguments[..at].iter().any(|other| other.property == argument.property) {
                return wrong(format!("Invalid schema: two rows have the property '{}'.", argument.property));
            }
        }
        Ok(())
    }

    /// The name models call it by: letters, digits, `_` and `-`.
    #[must_use]
    pub fn model_name(&self) -> String {
        model_name(&self.name)
    }
}

impl ToolArgument {
    /// Reads the rows of a schema, or the JSON text of them.
    ///
    /// # Errors
    /// 400 that says what a row is.
    pub fn parse_rows(sent: &Value) -> Result<Vec<Self>> {
        let wrong = || {
            Error::invalid(
                "Invalid schema: send a list of {property, type, description, required}; a type is string, number, boolean or date.",
            )
        };
        match sent {
            Value::String(text) if text.trim().is_empty() => Ok(Vec::new()),
            Value::String(text) => serde_json::from_str(text).map_err(|_| wrong()),
            other => serde_json::from_value(other.clone()).map_err(|_| wrong()),
        }
    }

    #[must_use]
    pub fn json_schema(rows: &[Self]) -> Value {
        let property = |argument: &Self| {
            let kind = match argument.kind {
                ToolArgumentKind::String | ToolArgumentKind::Date => "string",
                ToolArgumentKind::Number => "number",
                ToolArgumentKind::Boolean => "boolean",
            };
            let mut schema = json!({"type": kind, "description": argument.description});
            if argument.kind == ToolArgumentKind::Date {
                schema["format"] = "date-time".into();
            }
            (argument.property.clone(), schema)
        };
        let properties: Map<String, Value> = rows.iter().map(property).collect();
        let required: Vec<&str> = rows
            .iter()
            .filter(|argument| argument.required)
            .map(|argument| argument.property.as_str())
            .collect();
        json!({"type": "object", "properties": properties, "required": required})
    }

    /// The arguments a model gave, as the code sees them; those of no row are left out.
    ///
    /// # Errors
    /// A sentence the model can act on.
    pub fn parse_arguments(rows: &[Self], given: &Value) -> Result<Map<String, Value>, String> {
        let mut read = Map::new();
        for argument in rows {
            let name = &argument.property;
            let value = given.get(name).filter(|value| !value.is_null());
            let Some(value) = value else {
                if argument.required {
                    return Err(format!("The argument '{name}' is missing."));
                }
                continue;
            };
            let fits = match argument.kind {
                ToolArgumentKind::String | ToolArgumentKind::Date => value.is_string(),
                ToolArgumentKind::Number => value.is_number(),
                ToolArgumentKind::Boolean => value.is_boolean(),
            };
            if !fits {
                let kind = serde_json::to_value(argument.kind).unwrap_or_default();
                return Err(format!(
                    "The argument '{name}' must be of type {}.",
                    kind.as_str().unwrap_or_default()
                ));
            }
            read.insert(name.clone(), value.clone());
        }
        Ok(read)
    }
}

/// A name code can read behind a `$`.
fn is_name(name: &str) -> bool {
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(first) && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The name models call a tool by: letters, digits, `_` and `-`.
#[must_use]
pub fn model_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    name.trim().chars().map(letter).take(64).collect()
}
