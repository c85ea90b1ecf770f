//! All a run may ask of the world. What a host does not offer, a run cannot do.

use crate::base::cancel::CancelToken;
use crate::cards::kit::build::code::Code;
use crate::cards::kit::build::component::ReplyKey;
use crate::cards::kit::knowledge::VectorStore;
use crate::cards::kit::stores::collections::Collections;
use crate::cards::kit::stores::databases::ListedCredential;
use crate::clock::Clock;
use crate::documents::DocumentReader;
use crate::domain::conversations::conversation::Conversation;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{DocumentStoreId, FlowId, ToolId};
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::domain::knowledge::upsert::UpsertProgress;
use crate::domain::predictions::prediction::{Document, HistoryMessage, RunOutput, Usage};
use crate::domain::workspace::tool::WorkspaceTool;
use crate::llm::TokenCache;
use crate::net::Outgoing;
use crate::programs::Programs;
use crate::script::ScriptError;
use crate::sql::SqliteFile;
use crate::vectors::VectorIndex;
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// A file of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The name its owner knows it by.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The world as a run sees it. What a method with a body here is for is there only where the host
/// implements the method.
pub trait Host: Send + Sync {
    /// The stored messages of a memory session, oldest first; at most the newest `newest`.
    /// `session` is `None` for the conversation the question belongs to.
    ///
    /// # Errors
    /// When they cannot be read.
    fn history(&self, _session: Option<&str>, _newest: usize) -> Result<Vec<HistoryMessage>> {
        Ok(Vec::new())
    }

    /// The name under which a memory outside of this service keeps the conversation: `session`, which the flow's owner
    /// fixed, or the one that the question belongs to.
    ///
    /// # Errors
    /// When it names a conversation of somebody else, or none is known.
    fn memory_session(&self, session: Option<&str>) -> Result<String> {
        let unnamed =
            || Error::RunFailed("There is no conversation here that a memory could keep.".to_owned());
        session.map(str::to_owned).or_else(|| self.fact("sessionId")).ok_or_else(unnamed)
    }

    /// The fields of a stored credential of the flow's workspace, opened only when `admit` lets its type pass.
    ///
    /// # Errors
    /// What `admit` returns, and when it cannot be read.
    fn credential(
        &self,
        _id: &str,
        _admit: &dyn Fn(&str) -> Result<()>,
    ) -> Result<Option<Map<String, Value>>> {
        Ok(None)
    }

    /// The credentials of the flow's workspace that are of one of these types; no fields.
    ///
    /// # Errors
    /// When they cannot be read.
    fn credentials(&self, _types: &[&str]) -> Result<Vec<ListedCredential>> {
        Ok(Vec::new())
    }

    /// What people call a stored credential of the flow's workspace.
    fn credential_name(&self, _id: &str) -> Option<String> {
        None
    }

    /// The token with which requests are signed in the name of whoever signed in to a stored credential: not the one that
    /// was `refused`, and renewed where it ends soon.
    ///
    /// # Errors
    /// Why there is none, naming the credential.
    fn access_token(&self, _id: &str, _refused: Option<&str>) -> Result<String> {
        Err(Error::RunFailed("Nobody can sign in to a credential here.".to_owned()))
    }

    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// A fact of the run for `{{$flow.…}}`.
    fn fact(&self, _name: &str) -> Option<String> {
        None
    }

    /// The question; empty for a run without one.
    fn question(&self) -> &str {
        ""
    }

    /// Hands over the files of a folder of the server that its operator lets flows read.
    ///
    /// # Errors
    /// Why they are not read, or not to the last.
    fn folder(
        &self,
        _wanted: &FolderQuery<'_>,
        _each: FileVisitor<'_>,
    ) -> std::result::Result<(), FolderError> {
        Err(FolderError::NotListed)
    }

    /// The conversation that is asked, or whose files are upserted; `None` where everybody's knowledge is meant.
    fn conversation(&self) -> Option<Conversation> {
        None
    }

    /// The chunks of a document store of the flow's workspace; `None` when there is no such store.
    ///
    /// # Errors
    /// When they cannot be read.
    fn document_store_chunks(&self, _store: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
        Ok(None)
    }

    /// Runs code of the flow's owner and waits for its result. It sees the saved variables, with the values of the
    /// request over them (manual 7.4 r2).
    ///
    /// # Errors
    /// Why there is no result.
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError>;

    /// A tool that people of the flow's workspace wrote.
    ///
    /// # Errors
    /// When it cannot be read.
    fn tool(&self, _id: &ToolId) -> Result<Option<WorkspaceTool>> {
        Ok(None)
    }

    /// A database of the flow's workspace, by the name of its file; `None` when there is none. Nothing is opened yet.
    ///
    /// # Errors
    /// When it cannot be looked for.
    fn database(&self, _name: &str) -> Result<Option<SqliteFile>> {
        Ok(None)
    }

    /// A file that the flow keeps, by the name its canvas has for it; `None` when it is gone.
    ///
    /// # Errors
    /// When it cannot be read.
    fn stored_file(&self, _name: &str) -> Result<Option<StoredFile>> {
        Ok(None)
    }

    fn documents(&self) -> &DocumentReader;

    /// Asks another flow of the flow's workspace and waits for its answer.
    ///
    /// # Errors
    /// Why there is none: no such flow in this workspace, a circle of flows that wait for one another, or what it
    /// failed with.
    fn ask_flow(&self, ask: &FlowCall<'_>) -> Result<RunOutput> {
        Err(Error::no_flow(ask.flow))
    }

    /// The client for calls to model providers.
    fn outgoing(&self) -> &Outgoing;

    /// The programs of this machine that a run may start; none where nothing may be started, such as for a list that people
    /// choose from (manual 12.6).
    fn programs(&self) -> Option<&Programs> {
        None
    }

    /// Access tokens that were fetched before; a host that keeps nothing has them fetched in each run.
    fn tokens(&self) -> TokenCache {
        TokenCache::default()
    }

    /// Set when the run must end.
    fn cancel(&self) -> &CancelToken;

    /// The time, for what is signed or expires while a run goes on.
    fn clock(&self) -> Clock;

    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// What was remembered under this key for the flow as it is now.
    fn recall(&self, _key: &ReplyKey) -> Option<Arc<[u8]>> {
        None
    }

    /// Remembers bytes for later runs of the flow as it is now, for as long as there is room.
    fn remember(&self, _key: &ReplyKey, _bytes: Vec<u8>) {}

    /// Vectors made from what `content` is the hash of: those an earlier question of the flow left behind, or what
    /// `make` gives, which others who ask at the same time wait for. A host that keeps nothing makes them each time.
    ///
    /// # Errors
    /// What `make` returns.
    fn index(
        &self,
        _content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        make().map(Arc::new)
    }

    /// Where chunks stay between runs; `None` for a run that can keep nothing.
    fn collections(&self) -> Option<&dyn Collections> {
        None
    }

    /// Notes pages that a model's reply leans on: they go out with the answer.
    fn record_citations(&self, _pages: Vec<Document>) {}

    /// The vectors of a document store of the workspace; `None` when there is no such store, or it has none.
    ///
    /// # Errors
    /// When they cannot be opened.
    fn store_vectors(&self, _store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        Ok(None)
    }

    /// Notes how far an upsert into a vector store is, for whoever waits for it.
    fn report_progress(&self, _at: UpsertProgress) {}

    /// Notes what became of one call of a model, for whoever watches the service.
    fn record_model_call(&self, _call: &ModelCall) {}

    /// Notes the tokens of one model call by the card labelled `card`; `None` when the provider reported none.
    fn record_usage(&self, _card: &str, _usage: Option<Usage>) {}
}

#[derive(Debug, Clone, Copy)]
pub struct ModelCall {
    /// The name of the model's card.
    pub card: &'static str,
    pub took: Duration,
    /// The tokens used, where it was answered and the provider reported them; or the kind of failure.
    pub result: std::result::Result<Option<Usage>, &'static str>,
}

/// A call of one flow by another.
#[derive(Debug, Clone, Copy)]
pub struct FlowCall<'a> {
    pub flow: &'a FlowId,
    pub question: &'a str,
    /// What it is to run with, as far as its owner allows.
    pub overrides: &'a Map<String, Value>,
    /// It remembers nothing of what it was asked before in this conversation.
    pub afresh: bool,
    /// The value of an API key, for a flow that is bound to one.
    pub key: Option<&'a str>,
}
