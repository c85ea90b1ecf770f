//! The stored credential of a card: the one place where its secrets are handed out for a run.

use crate::cards::kit::{Card, Host};
use crate::domain::error::{Error, Result};
use crate::domain::workspace::credential_types;
use serde_json::{Map, Value};

/// The error about a credential that does not exist any more.
pub(super) const CREDENTIAL_MISSING: &str = "its credential no longer exists; select another one";

/// The fields of the credential that the card labelled `label` uses.
///
/// # Errors
/// When it is gone, or of a type that the card does not take: its secrets would go where they were never meant to.
pub(super) fn fields(
    card: &Card,
    label: &str,
    id: Option<&str>,
    host: &dyn Host,
) -> Result<Option<Map<String, Value>>> {
    let Some(id) = id else { return Ok(None) };
    let wrong = |why: &str| Error::RunFailed(format!("{label}: {why}"));
    let admit = |given: &str| type_mismatch(card, given).map_or(Ok(()), |why| Err(wrong(&why)));
    host.credential(id, &admit)?.map(Some).ok_or_else(|| wrong(CREDENTIAL_MISSING))
}

/// Why a credential of the type `given` is none for this card. A card without credentials hands none on.
pub(super) fn type_mismatch(card: &Card, given: &str) -> Option<String> {
    let takes = card.credential_types();
    if takes.is_empty() || takes.contains(&given) {
        return None;
    }
    let label = |name: &str| {
        credential_types::find_type(name).map_or_else(|| name.to_owned(), |kind| kind.label.to_owned())
    };
    let takes = takes.iter().map(|name| label(name)).collect::<Vec<_>>().join(" or ");
    Some(format!("its credential is of the type {}; select one of the type {takes}", label(given)))
}
