//! The world as cards of a workspace see it that belong to no flow: there is no conversation and no request.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{
    Capabilities, Collections, DatabaseCredentials, Host, HostContext, Knowledge, ListedCredential,
    PageVisitor, SignIns, StoredFile, UpsertObserver, VectorIndexes, VectorStore, WorkspaceFiles,
    WorkspaceTools,
};
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CredentialId, DocumentStoreId, ToolId, ToolServerId, WorkspaceId};
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::domain::predictions::prediction::Document;
use crate::domain::workspace::tool::WorkspaceTool;
use crate::domain::workspace::tool_server::{ToolServer, ToolServerAccess};
use crate::engine::Credentials;
use crate::files::databases;
use crate::files::document_folders;
use crate::ops::knowledge::collections::WorkspaceCollections;
use crate::ops::knowledge::progress::ProgressReporter;
use crate::ops::knowledge::{stores, vectors};
use crate::ops::workspace::{credentials, oauth2, tool_servers};
use crate::sql::SqliteFile;
use crate::state::vector_indexes::IndexKey;
use crate::store::tables::TOOLS;
use crate::vectors::VectorIndex;
use serde_json::{Map, Value};
use std::sync::Arc;

pub(in crate::ops) struct WorkspaceHost<'a> {
    app: &'a App,
    workspace: WorkspaceId,
    cancel: CancelToken,
    collections: WorkspaceCollections<'a>,
    /// The document store whose files may be read.
    store: Option<DocumentStoreId>,
    /// Who waits for the upsert, when this is one.
    progress: Option<&'a ProgressReporter<'a>>,
}

impl<'a> WorkspaceHost<'a> {
    pub(in crate::ops) fn new(app: &'a App, workspace: WorkspaceId, cancel: CancelToken) -> Self {
        let shelves = WorkspaceCollections::new(app, workspace, cancel.clone());
        Self { app, workspace, cancel, collections: shelves, store: None, progress: None }
    }

    /// With the files of this document store.
    pub(in crate::ops) fn with_store_files(self, store: Option<DocumentStoreId>) -> Self {
        Self { store, ..self }
    }

    /// For an upsert, whose progress goes to `watch`.
    pub(in crate::ops) fn with_progress(self, watch: &'a ProgressReporter<'a>) -> Self {
        Self { progress: Some(watch), ..self }
    }

    /// What is held in memory of documents that are loaded anew each time, for this owner. They are found by their content
    /// and not by what is Live: a change that leaves the documents as they are costs no second embedding.
    pub(super) fn vector_index(
        &self,
        owner: [u8; 16],
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        let key = IndexKey { workspace: self.workspace, owner, content: *content };
        self.app.state.vector_indexes.get_or_build(key, &self.cancel, make)
    }
}

impl Host for WorkspaceHost<'_> {
    fn context(&self) -> HostContext<'_> {
        HostContext {
            progress: self.progress.map(|watch| watch as &dyn UpsertObserver),
            ..HostContext::new(
                &self.cancel,
                &self.app.outgoing,
                &self.app.documents,
                &self.app.clock,
                &self.app.tokens,
            )
        }
    }

    /// Code belongs on a canvas, where its owner sees it.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
            .with_knowledge(self)
            .with_vector_indexes(self)
            .with_files(self)
            .with_tools(self)
            .with_sign_ins(self)
    }
}

impl Credentials for WorkspaceHost<'_> {
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        let Some(id) = CredentialId::parse(id) else { return Ok(None) };
        let vault = &self.app.secrets.vault;
        self.app.store.read(|tx| credentials::open_checked(tx, vault, &self.workspace, &id, admit))
    }
}

impl DatabaseCredentials for WorkspaceHost<'_> {
    fn list(&self, types: &[&str]) -> Result<Vec<ListedCredential>> {
        let found = self.app.store.read(|tx| credentials::list_of_types(tx, &self.workspace, types))?;
        Ok(found
            .into_iter()
            .map(|one| ListedCredential { id: one.id.to_string(), name: one.name, kind: one.credential_name })
            .collect())
    }

    fn open(&self, id: &str) -> Result<Option<Map<String, Value>>> {
        self.credential(id, &|_| Ok(()))
    }
}

impl SignIns for WorkspaceHost<'_> {
    fn credential_name(&self, id: &str) -> Option<String> {
        credentials::find_name(self.app, &self.workspace, id)
    }

    fn access_token(&self, id: &str, refused: Option<&str>) -> Result<String> {
        oauth2::access_token(self.app, &self.workspace, id, refused, &self.cancel)
    }
}

impl WorkspaceFiles for WorkspaceHost<'_> {
    fn stored_file(&self, name: &str) -> Result<Option<StoredFile>> {
        let Some(store) = &self.store else { return Ok(None) };
        stores::stored_file(self.app, &self.workspace, store, name)
    }

    fn folder(
        &self,
        wanted: &FolderQuery<'_>,
        each: FileVisitor<'_>,
    ) -> std::result::Result<(), FolderError> {
        let settings = &self.app.settings;
        document_folders::read(&settings.document_folders, &settings.data_dir, wanted, each)
    }

    fn database(&self, name: &str) -> Result<Option<SqliteFile>> {
        let found = databases::find(&self.app.settings.data_dir, &self.workspace, name);
        Ok(found.map_err(Error::internal)?.map(SqliteFile::new))
    }
}

impl WorkspaceTools for WorkspaceHost<'_> {
    fn tool(&self, id: &ToolId) -> Result<Option<WorkspaceTool>> {
        self.app.store.read(|tx| TOOLS.get(tx, &self.workspace, id))
    }

    fn server(&self, id: &ToolServerId) -> Result<Option<(ToolServer, ToolServerAccess)>> {
        tool_servers::find_access(self.app, &self.workspace, id)
    }
}

impl Knowledge for WorkspaceHost<'_> {
    fn document_store_chunks(&self, store: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
        self.app.store.read(|tx| stores::stored_chunks(tx, &self.workspace, store))
    }

    fn visit_document_store(&self, store: &DocumentStoreId, visit: PageVisitor<'_>) -> Result<bool> {
        stores::visit_chunks(self.app, &self.workspace, store, visit)
    }

    fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        vectors::build_store(self.app, &self.workspace, store, self)
    }

    fn collections(&self) -> &dyn Collections {
        &self.collections
    }
}

impl VectorIndexes for WorkspaceHost<'_> {
    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        self.vector_index(*self.workspace.bytes(), content, make)
    }
}
