//! A visitor of a chat who left their name (manual 3.8).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{ChatId, FlowId, LeadId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Longest name, e-mail or phone number.
const FIELD_CHARS_MAX: usize = 320;

/// What a visitor left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lead {
    pub id: LeadId,
    /// The conversation it was left in.
    pub chat: ChatId,
    /// Name, as typed.
    pub name: Option<String>,
    /// E-mail, as typed.
    pub email: Option<String>,
    /// Phone number, as typed.
    pub phone: Option<String>,
    /// When it was left.
    pub created: Timestamp,
}

/// A lead among those of all flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowLead {
    pub flow: FlowId,
    pub flow_name: String,
    pub lead: Lead,
}

impl Lead {
    /// What the visitor is called: by name, else by what is known of them.
    #[must_use]
    pub fn into_shown_name(self) -> Option<String> {
        self.name.or(self.email).or(self.phone)
    }
}

/// What a visitor says of themselves.
#[derive(Debug, Clone, Default)]
pub struct LeadContact {
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
}

/// A field that is not too long and holds no control characters; an empty one is none.
///
/// # Errors
/// 400 naming the field.
pub fn check_field(name: &str, text: Option<&str>) -> Result<Option<String>> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    if text.chars().count() > FIELD_CHARS_MAX || text.chars().any(char::is_control) {
        return Err(Error::Invalid(format!(
            "'{name}' may have {FIELD_CHARS_MAX} characters and no line breaks."
        )));
    }
    Ok(Some(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_short_and_plain() {
        assert_eq!(check_field("name", Some(" Ada ")).unwrap().as_deref(), Some("Ada"));
        assert_eq!(check_field("name", Some("  ")).unwrap(), None);
        assert_eq!(check_field("name", None).unwrap(), None);
        assert!(check_field("name", Some("a\nb")).is_err());
        assert!(check_field("name", Some(&"a".repeat(FIELD_CHARS_MAX + 1))).is_err());
    }
}
