//! What a caller says about the flow it edited (`If-Match`, manual 5.4 r7), so that two editors do not overwrite each other.

use crate::clock::iso;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LivePrecondition {
    /// Nothing: the save goes through whatever is there.
    Any,
    /// The flow of this `updatedDate`.
    Saved(String),
}

impl LivePrecondition {
    /// Reads an `If-Match` header: a quoted date.
    ///
    /// # Errors
    /// 400 for anything else.
    pub(crate) fn parse(header: Option<&str>) -> Result<Self> {
        let Some(header) = header.map(str::trim) else { return Ok(Self::Any) };
        if header == "*" {
            return Ok(Self::Any);
        }
        match unquote(header) {
            Some(date) if !date.is_empty() => Ok(Self::Saved(date.to_owned())),
            _ => Err(Error::invalid("Invalid If-Match: send the flow's updatedDate in quotes.")),
        }
    }

    /// True when this is what is there.
    #[must_use]
    pub(crate) fn matches(&self, flow: &Flow) -> bool {
        match self {
            Self::Any => true,
            Self::Saved(date) => iso(flow.updated) == *date,
        }
    }
}

/// What stands between the quotes of an entity tag.
#[must_use]
pub(in crate::ops::flows) fn unquote(header: &str) -> Option<&str> {
    header.strip_prefix('"')?.strip_suffix('"')
}
