//! The world as cards of a workspace see it that belong to no flow: there is no conversation and no request.

use super::collections::Shelves;
use super::watch::Watch;
use super::{credentials, document_stores, oauth2, store_vectors};
use crate::app::App;
use crate::boards::indexes::IndexKey;
use crate::cards::kit::{Code, Host, Library, StoredFile, VectorStore};
use crate::clock::Clock;
use crate::documents::Documents;
use crate::domain::cancel::Cancel;
use crate::domain::document_folder::{FolderFault, Take, Wanted};
use crate::domain::error::{Error, Result};
use crate::domain::filling::Progress;
use crate::domain::ids::{CredentialId, DocumentStoreId, ToolId, WorkspaceId};
use crate::domain::prediction::SourceDocument;
use crate::domain::tool_record::ToolRecord;
use crate::files::databases;
use crate::files::document_folders;
use crate::llm::Tokens;
use crate::net::Outgoing;
use crate::script::ScriptError;
use crate::sql::Database;
use crate::store::tables::TOOLS;
use crate::vectors::Index;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(super) struct WorkspaceHost<'a> {
    app: &'a App,
    workspace: WorkspaceId,
    cancel: Cancel,
    shelves: Shelves<'a>,
    /// The document store whose files may be read.
    store: Option<DocumentStoreId>,
    /// Who waits, where a store is filled.
    watch: Option<&'a Watch<'a>>,
}

impl<'a> WorkspaceHost<'a> {
    pub(super) fn new(app: &'a App, workspace: WorkspaceId, cancel: Cancel) -> Self {
        let shelves = Shelves::new(app, workspace, cancel.clone());
        Self { app, workspace, cancel, shelves, store: None, watch: None }
    }

    /// With the files of this document store.
    pub(super) fn reading(self, store: Option<DocumentStoreId>) -> Self {
        Self { store, ..self }
    }

    /// Filling a store, of which these are told.
    pub(super) fn watched(self, watch: &'a Watch<'a>) -> Self {
        Self { watch: Some(watch), ..self }
    }
}

impl Host for WorkspaceHost<'_> {
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        let Some(id) = CredentialId::parse(id) else { return Ok(None) };
        let vault = &self.app.secrets.vault;
        self.app.store.read_but_messages(|tx| credentials::open_if(tx, vault, &self.workspace, &id, admit))
    }

    fn credential_name(&self, id: &str) -> Option<String> {
        credentials::name(self.app, &self.workspace, id)
    }

    fn access_token(&self, id: &str, refused: Option<&str>) -> Result<String> {
        oauth2::access_token(self.app, &self.workspace, id, refused, &self.cancel)
    }

    fn folder(&self, wanted: &Wanted<'_>, each: Take<'_>) -> std::result::Result<(), FolderFault> {
        let settings = &self.app.settings;
        document_folders::read(&settings.document_folders, &settings.data_dir, wanted, each)
    }

    fn passages(&self, store: &DocumentStoreId) -> Result<Option<Vec<SourceDocument>>> {
        self.app.store.read_but_messages(|tx| document_stores::passages(tx, &self.workspace, store))
    }

    fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        store_vectors::open(self.app, &self.workspace, store, self)
    }

    /// Code belongs on a canvas, where its owner sees it.
    fn run_code(&self, _code: &Code<'_>) -> Result<Value, ScriptError> {
        Err(ScriptError::Unavailable)
    }

    fn tool(&self, id: &ToolId) -> Result<Option<ToolRecord>> {
        self.app.store.read_but_messages(|tx| TOOLS.get(tx, &self.workspace, id))
    }

    fn stored_file(&self, name: &str) -> Result<Option<StoredFile>> {
        let Some(store) = &self.store else { return Ok(None) };
        document_stores::stored_file(self.app, &self.workspace, store, name)
    }

    fn documents(&self) -> &Documents {
        &self.app.documents
    }

    fn database(&self, name: &str) -> Result<Option<Database>> {
        let found = databases::find(&self.app.settings.data_dir, &self.workspace, name);
        Ok(found.map_err(Error::internal)?.map(Database::at))
    }

    fn outgoing(&self) -> &Outgoing {
        &self.app.outgoing
    }

    fn tokens(&self) -> Tokens {
        self.app.tokens.clone()
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn clock(&self) -> Clock {
        self.app.clock.clone()
    }

    fn index(&self, content: &[u8; 32], make: &mut dyn FnMut() -> Result<Index>) -> Result<Arc<Index>> {
        let (workspace, owner) = (self.workspace, *self.workspace.bytes());
        self.app.boards.indexes.get(IndexKey { workspace, owner, content: *content }, &self.cancel, make)
    }

    fn progressed(&self, at: Progress) {
        if let Some(watch) = self.watch {
            watch.note(at);
        }
    }

    fn library(&self) -> Option<&dyn Library> {
        Some(&self.shelves)
    }
}
