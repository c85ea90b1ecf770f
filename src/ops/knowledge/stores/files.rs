//! Files of document stores. They lie where those of flows lie, in a folder named by the store's own id.

use crate::app::App;
use crate::canvas::files::{self, InlineFile};
use crate::cards::kit::StoredFile;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, FlowId, WorkspaceId};
use crate::domain::knowledge::document_store::{DocumentLoader, LoaderConfig};
use crate::files::flow_files::FlowFileName;
use crate::ops::flows::files as flow_files;
use crate::ops::workspace::quota;
use serde_json::Value;

/// Ids are random, so that of a store is no flow's.
fn folder(store: &DocumentStoreId) -> FlowId {
    FlowId::from_bytes(*store.bytes())
}

/// A file of a store, by the name a loader has for it.
pub(crate) fn read(
    app: &App,
    workspace: &WorkspaceId,
    store: &DocumentStoreId,
    name: &str,
) -> Result<Option<StoredFile>> {
    flow_files::read(app, workspace, &folder(store), name)
}

/// Stores the files that stand in a loader's settings, which then name them; the names of those that were stored.
pub(super) fn store_inline_files(
    app: &App,
    workspace: &WorkspaceId,
    store: &DocumentStoreId,
    plan: &mut LoaderConfig,
) -> Result<Vec<FlowFileName>> {
    let mut fresh = Vec::new();
    let mut put = |file: InlineFile| {
        flow_files::check_size(&file)?;
        let name = FlowFileName::new_live(&file.name, &file.bytes);
        let _room = quota::admit_file(app, workspace, file.bytes.len() as u64)?;
        app.files.put(workspace, &folder(store), &name, &file.bytes).map_err(Error::internal)?;
        fresh.push(name.clone());
        Ok(name.as_str().to_owned())
    };
    let mut kept = Ok(());
    for value in plan.loader.config.values_mut() {
        let Value::String(text) = value else { continue };
        match files::store_inline_value(text, &mut put) {
            Ok(Some(stored)) => *text = stored,
            Ok(None) => {}
            Err(error) => {
                kept = Err(error);
                break;
            }
        }
    }
    match kept {
        Ok(()) => Ok(fresh),
        Err(error) => {
            remove(app, workspace, store, &fresh);
            Err(error)
        }
    }
}

/// Removes the files that a loader named, as far as no other loader of the store names them.
pub(super) fn delete_unreferenced(
    app: &App,
    workspace: &WorkspaceId,
    store: &DocumentStoreId,
    gone: &[DocumentLoader],
    left: &[DocumentLoader],
) {
    let left: Vec<FlowFileName> = left.iter().flat_map(|loader| file_names(&loader.plan)).collect();
    let unused: Vec<FlowFileName> =
        gone.iter().flat_map(|loader| file_names(&loader.plan)).filter(|name| !left.contains(name)).collect();
    remove(app, workspace, store, &unused);
}

fn file_names(plan: &LoaderConfig) -> Vec<FlowFileName> {
    let texts = plan.loader.config.values().filter_map(Value::as_str);
    let held = texts.filter_map(files::parse_file_input).flatten();
    let stored = held.filter_map(|file| match file {
        files::FileInput::Stored(name) => FlowFileName::parse(&name),
        files::FileInput::Inline(_) => None,
    });
    stored.collect()
}

/// Removes files of a loader that was not stored; where nobody knows whether it was, they stay.
pub(super) fn roll_back(
    app: &App,
    workspace: &WorkspaceId,
    store: &DocumentStoreId,
    names: &[FlowFileName],
    why: &Error,
) {
    flow_files::roll_back(app, workspace, &folder(store), names, why);
}

/// Removes these files of a store.
pub(super) fn remove(app: &App, workspace: &WorkspaceId, store: &DocumentStoreId, names: &[FlowFileName]) {
    flow_files::remove(app, workspace, &folder(store), names);
}

/// Removes all files of a store that was deleted.
pub(super) fn remove_all(app: &App, workspace: &WorkspaceId, store: &DocumentStoreId) {
    app.files.remove_flow(workspace, &folder(store));
}
