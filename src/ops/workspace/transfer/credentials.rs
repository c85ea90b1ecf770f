//! Credentials on the way: a file says their names and types, never what is in them.

use crate::app::App;
use crate::domain::accounts::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::{CredentialId, WorkspaceId, find_ids};
use crate::domain::workspace::credential::Credential;
use crate::store::tables::CREDENTIALS;
use crate::wire::workspace::export::CredentialNote;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What of a text's ids are credentials of the workspace: name and type by id.
pub(super) fn find_names_in(known: &[Credential], text: &str) -> BTreeMap<CredentialId, CredentialNote> {
    let ids: BTreeSet<&str> = find_ids(text).map(|(_, id)| id).collect();
    let used = known.iter().filter(|credential| ids.contains(credential.id.to_string().as_str()));
    let note = |one: &Credential| CredentialNote {
        name: one.name.clone(),
        credential_name: one.credential_name.clone(),
    };
    used.map(|one| (one.id, note(one))).collect()
}

pub(super) fn load(app: &App, workspace: &WorkspaceId) -> Result<Vec<Credential>> {
    app.store.read(|tx| CREDENTIALS.list(tx, workspace))
}

/// Which credential of this workspace takes the place of one that a file names, and those for which there is none.
#[derive(Default)]
pub(super) struct CredentialMatches {
    /// From the id in the file to the id here.
    pub ids: HashMap<String, String>,
    /// By id in the file: the name of the one here that is used for it. Only for those who may see credentials.
    used: HashMap<String, String>,
    /// By id: how a person knows it, and why there is none.
    missing: HashMap<String, String>,
}

impl CredentialMatches {
    /// What a person should know of the credentials of a thing that comes in.
    pub(super) fn notes_on(&self, text: &str) -> BTreeSet<String> {
        if self.used.is_empty() && self.missing.is_empty() {
            return BTreeSet::new();
        }
        let told = |id: &str| {
            let used = self.used.get(id).map(|name| format!("It uses your credential '{name}'."));
            used.or_else(|| self.missing.get(id).cloned())
        };
        find_ids(text).filter_map(|(_, id)| told(id)).collect()
    }
}

fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(100).collect()
}

/// Finds them: the same id, else the only one with the same name and type. A name is no proof that its owner means the
/// caller to use it, so that it opens nothing for callers who may not see credentials.
pub(super) fn match_credentials(
    caller: &Caller,
    known: &[Credential],
    named: &Map<String, Value>,
) -> CredentialMatches {
    let may_see = caller.permissions.has("credentials:view");
    let mut stands = CredentialMatches::default();
    if may_see {
        stands.used = known.iter().map(|one| (one.id.to_string(), printable(&one.name))).collect();
    }
    for (id, says) in named {
        let text = |field: &str| says[field].as_str().unwrap_or_default();
        if known.iter().any(|one| one.id.to_string() == *id) {
            continue;
        }
        let known_as = format!("'{}' ({})", printable(text("name")), printable(text("credentialName")));
        if !may_see {
            let why = "callers who may not see credentials choose none";
            let told = format!("The credential {known_as} does not come along, as {why}.");
            stands.missing.insert(id.clone(), told);
            continue;
        }
        let mut same = known
            .iter()
            .filter(|one| one.name == text("name") && one.credential_name == text("credentialName"));
        if let (Some(only), None) = (same.next(), same.next()) {
            stands.ids.insert(id.clone(), only.id.to_string());
            stands.used.insert(id.clone(), printable(&only.name));
        } else {
            let told = format!("The credential {known_as} is not here: choose one in its cards.");
            stands.missing.insert(id.clone(), told);
        }
    }
    stands
}
