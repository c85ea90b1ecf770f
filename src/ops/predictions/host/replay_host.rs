//! The world as a replayed question sees it: everything that a question may read, and nothing that stays.
//!
//! What would leave something behind is not here to be asked for: no files of answers, no conversation but an empty one, no
//! counts, collections that take nothing, and a memory of vectors that ends with the check. So a card cannot do by mistake what
//! a replay must not do.

use super::flow_code::FlowCode;
use super::run_notes::RunNotes;
use super::workspace_host::WorkspaceHost;
use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{
    Capabilities, Code, CodeDatabases, CodeRunner, CollectionEdit, Collections, Conversations, FlowCall,
    Flows, Host, HostContext, Knowledge, ModelCall, ModelObserver, PageVisitor, RunFacts, RunMemory,
    StoredFile, TokenSink, VectorIndexes, VectorStore, WorkspaceFiles,
};
use crate::domain::conversations::conversation::Conversation;
use crate::domain::conversations::uploads::{ChunkUsage, StoragePermit};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{CollectionId, DocumentStoreId, NamespaceId};
use crate::domain::knowledge::collection::Collection;
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::domain::predictions::prediction::{Document, HistoryMessage, RunIds, RunOutput, Usage};
use crate::engine::{Credentials, Overrides};
use crate::ops::flows::files;
use crate::ops::knowledge::collections::WorkspaceCollections;
use crate::ops::knowledge::{stores, vectors};
use crate::ops::predictions::flow_cache::SavedVariables;
use crate::ops::predictions::nested::CallPath;
use crate::ops::predictions::replay::{self, ReplayMemory};
use crate::script::ScriptError;
use crate::sql::SqliteFile;
use crate::state::vector_indexes::IndexKey;
use crate::vectors::{RowId, SearchHit, VectorIndex};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::sync::Arc;

/// What is asked of which flow, and what it may use.
pub(in crate::ops::predictions) struct ReplayedQuestion<'a> {
    pub flow: &'a Flow,
    pub ids: RunIds,
    pub question: &'a str,
    pub overrides: &'a Overrides,
    /// What the questions of one check have in common.
    pub memory: &'a ReplayMemory,
    /// Lets cards start programs and ask other flows, and is the way on to these. None of a canvas without such cards needs it.
    pub effects: Option<&'a CallPath>,
}

pub(in crate::ops::predictions) struct ReplayHost<'a> {
    app: &'a App,
    asked: ReplayedQuestion<'a>,
    cancel: CancelToken,
    variables: SavedVariables,
    workspace: WorkspaceHost<'a>,
    collections: ReadOnlyCollections<'a>,
    /// Replies of models that the flow keeps: those of this run alone.
    replies: RunMemory,
    notes: RunNotes,
}

impl<'a> ReplayHost<'a> {
    /// # Errors
    /// When the saved variables cannot be read.
    pub(in crate::ops::predictions) fn new(
        app: &'a App,
        asked: ReplayedQuestion<'a>,
        cancel: CancelToken,
    ) -> Result<Self> {
        let workspace = asked.flow.workspace;
        let collections = WorkspaceCollections::new(app, workspace, cancel.clone());
        Ok(Self {
            app,
            asked,
            variables: app.flow_cache.variables(app, &workspace)?,
            workspace: WorkspaceHost::new(app, workspace, cancel.clone()),
            collections: ReadOnlyCollections(collections),
            replies: RunMemory::default(),
            notes: RunNotes::default(),
            cancel,
        })
    }

    /// Nothing of a replay is counted beside its own tokens.
    fn add_usage(&self, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.notes.add_usage(&usage);
        }
    }

    /// Tokens of all model calls so far.
    pub(in crate::ops::predictions) fn usage(&self) -> Option<Usage> {
        self.notes.usage()
    }

    /// Pages that replies of models lean on, each once.
    pub(in crate::ops::predictions) fn take_cited(&self) -> Vec<Document> {
        self.notes.take_cited()
    }
}

impl Host for ReplayHost<'_> {
    fn context(&self) -> HostContext<'_> {
        HostContext {
            question: self.asked.question,
            facts: Some(RunFacts { ids: &self.asked.ids, session: None }),
            variables: Some(&self.variables),
            prices: &self.app.prices,
            ..HostContext::new(
                &self.cancel,
                &self.app.outgoing,
                &self.app.documents,
                &self.app.clock,
                &self.app.tokens,
            )
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let reading = Capabilities::default()
            .with_conversations(self)
            .with_knowledge(self)
            .with_vector_indexes(self)
            .with_files(self)
            .with_code(self)
            .with_tools(&self.workspace)
            .with_replies(&self.replies)
            .with_sign_ins(&self.workspace)
            .with_observer(self);
        match self.asked.effects {
            Some(_) => reading.with_flows(self).with_programs(&self.app.programs),
            None => reading,
        }
    }
}

/// A conversation in which nothing was said, and which nobody goes on with: what a memory elsewhere keeps under a name that
/// the flow's owner fixed is of no use here either.
impl Conversations for ReplayHost<'_> {
    fn history(&self, _session: Option<&str>, _newest: usize) -> Result<Vec<HistoryMessage>> {
        Ok(Vec::new())
    }

    fn memory_session(&self, _session: Option<&str>) -> Result<String> {
        Ok(self.asked.ids.chat.to_string())
    }
}

impl Credentials for ReplayHost<'_> {
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        self.workspace.credential(id, admit)
    }
}

impl WorkspaceFiles for ReplayHost<'_> {
    fn stored_file(&self, name: &str) -> Result<Option<StoredFile>> {
        files::read(self.app, &self.asked.flow.workspace, &self.asked.flow.id, name)
    }

    fn folder(
        &self,
        wanted: &FolderQuery<'_>,
        each: FileVisitor<'_>,
    ) -> std::result::Result<(), FolderError> {
        self.workspace.folder(wanted, each)
    }

    fn database(&self, name: &str) -> Result<Option<SqliteFile>> {
        self.workspace.database(name)
    }
}

impl CodeRunner for ReplayHost<'_> {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        let run = FlowCode {
            app: self.app,
            flow: self.asked.flow,
            ids: &self.asked.ids,
            question: self.asked.question,
            variables: &self.variables,
            request_variables: self.asked.overrides.variables(),
            cancel: &self.cancel,
        };
        run.run(code, &CodeDatabases::new(self, &self.workspace, code.card)).result
    }
}

impl Flows for ReplayHost<'_> {
    fn ask_flow(&self, call: &FlowCall<'_>, _: &mut dyn TokenSink) -> Result<RunOutput> {
        let Some(path) = self.asked.effects else {
            return Err(Error::RunFailed("A replayed question asks no other flow.".into()));
        };
        let asked = replay::ask_flow(
            self.app,
            self.asked.memory,
            (self.asked.flow, path),
            call,
            call.cancel.unwrap_or(&self.cancel),
        )?;
        self.add_usage(asked.usage);
        Ok(asked)
    }
}

impl Knowledge for ReplayHost<'_> {
    fn document_store_chunks(&self, store: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
        self.app.store.read(|tx| stores::stored_chunks(tx, &self.asked.flow.workspace, store))
    }

    fn visit_document_store(&self, store: &DocumentStoreId, visit: PageVisitor<'_>) -> Result<bool> {
        stores::visit_chunks(self.app, &self.asked.flow.workspace, store, visit)
    }

    fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        vectors::build_store(self.app, &self.asked.flow.workspace, store, self)
    }

    fn collections(&self) -> &dyn Collections {
        &self.collections
    }
}

impl VectorIndexes for ReplayHost<'_> {
    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        let Flow { workspace, id, .. } = self.asked.flow;
        let key = IndexKey { workspace: *workspace, owner: *id.bytes(), content: *content };
        self.asked.memory.index(self.app, key, &self.cancel, make)
    }
}

/// What is used is told to whoever replays, and counts nowhere else.
impl ModelObserver for ReplayHost<'_> {
    fn record_model_call(&self, _call: &ModelCall) {}

    fn record_usage(&self, _model: &str, usage: Option<Usage>) {
        self.add_usage(usage);
    }

    fn record_citations(&self, pages: Vec<Document>) {
        self.notes.add_cited(pages);
    }
}

struct ReadOnlyCollections<'a>(WorkspaceCollections<'a>);

fn refuse_change<T>() -> Result<T> {
    Err(Error::RunFailed("A replayed question stores nothing.".to_owned()))
}

impl Collections for ReadOnlyCollections<'_> {
    fn collection(&self, id: &CollectionId) -> Result<Option<Collection>> {
        self.0.collection(id)
    }

    fn row_ids(&self, id: &CollectionId) -> Result<HashSet<RowId>> {
        self.0.row_ids(id)
    }

    fn nearest(
        &self,
        id: &CollectionId,
        query: &[f32],
        most: usize,
        fits: Option<&dyn Fn(&str) -> bool>,
    ) -> Result<Vec<SearchHit>> {
        self.0.nearest(id, query, most, fits)
    }

    fn reserve(&self, _conversation: &Conversation, _elsewhere: ChunkUsage) -> Result<StoragePermit> {
        refuse_change()
    }

    fn require_valid(&self, _leave: &StoragePermit) -> Result<()> {
        refuse_change()
    }

    fn spool(&self) -> io::Result<File> {
        Err(io::Error::other("a replayed question stores nothing"))
    }

    fn check_disk(&self) -> Result<()> {
        refuse_change()
    }

    fn change(&self, _id: &CollectionId, _edit: &CollectionEdit<'_>) -> Result<Collection> {
        refuse_change()
    }

    fn records(&self, namespace: &NamespaceId) -> Result<HashMap<RowId, String>> {
        self.0.records(namespace)
    }

    fn change_records(
        &self,
        _namespace: &NamespaceId,
        _put: &[(RowId, String)],
        _remove: &[RowId],
    ) -> Result<()> {
        refuse_change()
    }
}
