//! Deleting a workspace while others write into it.

use super::*;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{CollectionEdit, Collections as _, NewRows};
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::ids::{CollectionId, NamespaceId};
use crate::domain::knowledge::store_changes::NewStore;
use crate::domain::workspace::credential::CredentialChange;
use crate::domain::workspace::credential_types::find_type;
use crate::domain::workspace::tool::ToolChange;
use crate::domain::workspace::variable::VariableChange;
use crate::ops::accounts::keys;
use crate::ops::flows;
use crate::ops::knowledge::collections::WorkspaceCollections;
use crate::ops::knowledge::stores;
use crate::ops::workspace::{credentials, tools, variables};
use crate::vectors::VectorRow;
use serde_json::json;
use std::collections::HashSet;
use std::sync::Barrier;

fn new_workspace(app: &App, name: String) -> Workspace {
    let (id, created) = (WorkspaceId::random(), app.clock.now());
    let organization = app.store.read(membership::organization).unwrap().id;
    let made =
        Workspace { id, organization, name, description: String::new(), created, updated: None, quota: None };
    app.store.write(|tx| WORKSPACES.put(tx, &id, &made)).unwrap();
    made
}

type Write = fn(&App, &Caller) -> Result<()>;

/// One of each kind that can be put into a workspace.
const WRITES: [Write; 8] = [
    |app, caller| {
        variables::create(
            app,
            caller,
            &VariableChange { name: Some("v".to_owned()), ..VariableChange::default() },
        )
        .map(drop)
    },
    |app, caller| {
        tools::create(app, caller, &ToolChange { name: Some("t".to_owned()), ..ToolChange::default() })
            .map(drop)
    },
    |app, caller| {
        let change = CredentialChange {
            name: Some(DisplayName::parse("name", "c").unwrap()),
            credential_name: Some("openAIApi".to_owned()),
            fields: json!({"openAIApiKey": "k"}).as_object().cloned(),
        };
        credentials::create(app, caller, find_type, &change).map(drop)
    },
    |app, caller| {
        stores::create(app, caller, NewStore { name: "d".to_owned(), ..NewStore::default() }).map(drop)
    },
    |app, caller| flows::create(app, caller, &FlowChange::chatflow("f")).map(drop),
    |app, caller| keys::create(app, caller, "k", &["chatflows:view".to_owned()]).map(drop),
    |app, caller| {
        let rows = [VectorRow { id: [1; 16], vector: vec![1.0; 4], text: "text".to_owned() }];
        let none = HashSet::new();
        let edit = CollectionEdit {
            name: "c",
            space: [1; 32],
            clear: false,
            add: NewRows::Held(&rows),
            absent_at: None,
            conversation: None,
            remove: &none,
        };
        shelves(app, caller).change(&CollectionId::random(), &edit).map(drop)
    },
    |app, caller| {
        let put = [([1; 16], "source".to_owned())];
        shelves(app, caller).change_records(&NAMESPACE, &put, &[])
    },
];
const NAMESPACE: NamespaceId = NamespaceId::from_bytes([7; 16]);

fn shelves<'a>(app: &'a App, caller: &Caller) -> WorkspaceCollections<'a> {
    WorkspaceCollections::new(app, caller.workspace, CancelToken::new(None))
}

#[test]
fn a_write_into_a_workspace_that_is_being_deleted_leaves_nothing_behind() {
    let (_folder, app, operator) = App::with_owner();
    let (mut gone, mut stayed) = (0, 0);
    for round in 0..WRITES.len() * 6 {
        let workspace = new_workspace(&app, format!("Team {round}"));
        let caller = Caller { workspace: workspace.id, ..operator.clone() };
        let write = WRITES[round % WRITES.len()];
        let start = Barrier::new(2);
        let (written, deleted) = std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                start.wait();
                write(&app, &caller)
            });
            start.wait();
            let deleted = delete(&app, &operator, workspace.id);
            (writer.join().unwrap(), deleted)
        });
        let left = |tx: &crate::store::ReadTx| {
            let rows = API_KEYS.count(tx, &workspace.id)?
                + collections::heads(tx, &workspace.id)?.len()
                + chunk_records::all(tx, &workspace.id, &NAMESPACE)?.len();
            Ok((remaining_contents(tx, &workspace.id)?, rows))
        };
        if deleted.is_ok() {
            gone += 1;
            assert_eq!(app.store.read(left).unwrap(), (Vec::new(), 0), "write {}", round % WRITES.len());
        } else {
            stayed += 1;
            assert!(written.is_ok(), "what stands in the way was written: {written:?}");
        }
    }
    assert!(gone > 0, "{gone} went away, {stayed} stayed");
}

#[test]
fn nothing_can_be_put_into_a_workspace_that_is_gone() {
    let (_folder, app, operator) = App::with_owner();
    let workspace = new_workspace(&app, "Team".to_owned());
    delete(&app, &operator, workspace.id).unwrap();
    let caller = Caller { workspace: workspace.id, ..operator };
    for (number, write) in WRITES.iter().enumerate() {
        assert!(matches!(write(&app, &caller), Err(Error::NotFound(_))), "write {number}");
    }
}
