//! Saved variables: `{{$vars.name}}` in a card's text, `$vars.name` in code (manual 7.5).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{VariableId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest name, in characters.
const NAME_CHARACTERS_MAX: usize = 128;
/// Longest value, in bytes.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// Where a variable's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum VariableKind {
    /// In the record.
    Static,
    /// In the server's environment, under the same name.
    Runtime,
}

/// A saved variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Variable {
    pub id: VariableId,
    pub workspace: WorkspaceId,
    /// The name flows use; unique in its workspace.
    pub name: String,
    /// The value of a static one; empty for a runtime one.
    pub value: String,
    pub kind: VariableKind,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// What of a variable a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct VariableChange {
    pub name: Option<String>,
    /// The value of a static one.
    pub value: Option<String>,
    pub kind: Option<VariableKind>,
}

/// Checks a name: what stands after `$vars.` must read as one word in text and in code.
///
/// # Errors
/// 400 saying what a name looks like.
pub fn check_name(name: &str) -> Result<()> {
    let first = |c: char| c.is_alphabetic() || c == '_';
    let later = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let shaped = name.starts_with(first) && name.chars().all(later);
    if shaped && name.chars().count() <= NAME_CHARACTERS_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "'name' must begin with a letter or '_' and have only letters, digits, '_' and '-', {NAME_CHARACTERS_MAX} at most."
    )))
}

/// Checks a value.
///
/// # Errors
/// 400 when it is too long.
pub fn check_value(value: &str) -> Result<()> {
    if value.len() <= VALUE_BYTES_MAX {
        return Ok(());
    }
    Err(Error::invalid(format!("'value' must have at most {VALUE_BYTES_MAX} bytes.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word() {
        for good in ["a", "_x", "apiUrl", "API_URL-2", "größe"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "1a", "-a", "a b", "a.b", "a}}", "$x", &"x".repeat(129)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
        assert!(check_value(&"x".repeat(VALUE_BYTES_MAX + 1)).is_err());
    }
}
