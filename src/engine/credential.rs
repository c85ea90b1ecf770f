//! The stored credential of a card: the one place where its secrets are handed out for a run.

use crate::cards::kit::{Card, Host};
use crate::domain::error::{Error, Result};
use crate::domain::workspace::credential_types;
use serde_json::{Map, Value};

/// The stored credentials of a flow's workspace. The engine alone opens them: a card gets the fields of its own.
pub trait Credentials: Send + Sync {
    /// The fields of a credential, opened only when `admit` lets its type pass; `None` when it is gone.
    ///
    /// # Errors
    /// What `admit` returns, and when it cannot be read.
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>>;
}

/// A host from which the engine builds cards, with the credentials that they sign in with.
pub trait EngineHost: Host + Credentials {}

impl<H: Host + Credentials> EngineHost for H {}

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
    credentials: &dyn Credentials,
) -> Result<Option<Map<String, Value>>> {
    let Some(id) = id else { return Ok(None) };
    let wrong = |why: &str| Error::RunFailed(format!("{label}: {why}"));
    let admit = |given: &str| type_mismatch(card, given).map_or(Ok(()), |why| Err(wrong(&why)));
    credentials.credential(id, &admit)?.map(Some).ok_or_else(|| wrong(CREDENTIAL_MISSING))
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
