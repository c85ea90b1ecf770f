//! What an owner was shown, in one text: Promote compares it with what would be shown now.

use super::entry::IncomingEntry;
use super::warning::Warning;
use crate::base::hex::to_hex;
use crate::domain::checks::setup::Unavailable;
use crate::domain::flows::restore::RestoreNotes;
use crate::domain::flows::version_diff::VersionComparison;
use sha2::{Digest as _, Sha256};

/// Everything that is shown of a flow, and what it was made of: the same words can be true of two canvases.
pub struct OfferDetails<'a> {
    pub entry: &'a IncomingEntry,
    pub comparison: &'a VersionComparison,
    pub notes: &'a RestoreNotes,
    pub hidden_secrets: u32,
    pub check_unavailable: Option<&'a Unavailable>,
    pub warnings: &'a [Warning],
    /// Live as a version would hold it; `None` for a new flow.
    pub live: Option<&'a str>,
    /// What would become Live, in the same form.
    pub promoted: &'a str,
    /// The ids of the credentials that it would use.
    pub credentials: &'a [String],
}

impl OfferDetails<'_> {
    /// The digest, of the very values that are shown. All fields are named here, so that none can be left out of it.
    #[must_use]
    pub fn digest(&self) -> String {
        let Self {
            entry,
            comparison,
            notes,
            hidden_secrets,
            check_unavailable,
            warnings,
            live,
            promoted,
            credentials,
        } = self;
        let of_flow = (entry, comparison, notes, hidden_secrets);
        let of_change = (check_unavailable, warnings, live, promoted, credentials);
        to_hex(&Sha256::digest(format!("{of_flow:?}{of_change:?}")))
    }
}
