//! Credentials on the way: a file says their names and types, never what is in them.

use crate::app::App;
use crate::domain::credential::Credential;
use crate::domain::error::Result;
use crate::domain::ids::{WorkspaceId, found_in};
use crate::store::tables::CREDENTIALS;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};

/// What of a text's ids are credentials of the workspace: name and type by id.
pub(super) fn named_in(known: &[Credential], text: &str) -> Map<String, Value> {
    let ids: BTreeSet<&str> = found_in(text).map(|(_, id)| id).collect();
    let used = known.iter().filter(|credential| ids.contains(credential.id.to_string().as_str()));
    used.map(|one| (one.id.to_string(), json!({"name": one.name, "credentialName": one.credential_name})))
        .collect()
}

/// The credentials of a workspace.
pub(super) fn of(app: &App, workspace: &WorkspaceId) -> Result<Vec<Credential>> {
    app.store.read(|tx| CREDENTIALS.list(tx, workspace))
}

/// Which credential of this workspace takes the place of one that a file names, and those for which there is none.
#[derive(Default)]
pub(super) struct Stands {
    /// From the id in the file to the id here.
    pub ids: HashMap<String, String>,
    /// By id: how a person knows it.
    pub missing: HashMap<String, String>,
}

/// Finds them: the same id, else the only one with the same name and type.
pub(super) fn stands(known: &[Credential], named: &Map<String, Value>) -> Stands {
    let mut stands = Stands::default();
    for (id, says) in named {
        let text = |field: &str| says[field].as_str().unwrap_or_default();
        if known.iter().any(|one| one.id.to_string() == *id) {
            continue;
        }
        let mut same = known
            .iter()
            .filter(|one| one.name == text("name") && one.credential_name == text("credentialName"));
        match (same.next(), same.next()) {
            (Some(only), None) => drop(stands.ids.insert(id.clone(), only.id.to_string())),
            _ => {
                let shown =
                    |text: &str| text.chars().filter(|c| !c.is_control()).take(100).collect::<String>();
                let known_as = format!("'{}' ({})", shown(text("name")), shown(text("credentialName")));
                stands.missing.insert(id.clone(), known_as);
            }
        }
    }
    stands
}
