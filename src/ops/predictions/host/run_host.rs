//! The world as a run of the prediction API sees it.

use crate::app::App;
use crate::base::cancel::CancelToken;
use crate::cards::kit::{
    AnswerFiles, Capabilities, CardObserver, Code, CodeDatabases, CodeRunner, Collections, Conversations,
    FlowCall, Flows, Host, HostContext, KeptFile, Knowledge, ModelCall, ModelObserver, NewFile, PageVisitor,
    PipelineReport, Pipelines, ReplyKey, ReplyStore, RunFacts, StoredFile, TokenSink, UpsertObserver,
    VectorIndexes, VectorStore, WorkspaceFiles,
};
use crate::domain::conversations::conversation::{Conversation, Message, MessageFile, Utterance};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::Flow;
use crate::domain::ids::{ChatId, DocumentStoreId, FlowId};
use crate::domain::knowledge::server_folder::{FileVisitor, FolderError, FolderQuery};
use crate::domain::predictions::consumption::ModelCalls;
use crate::domain::predictions::prediction::{Document, HistoryMessage, RunIds, RunOutput, Usage};
use crate::engine::{Credentials, Overrides};
use crate::ops::conversations::files as chat_files;
use crate::ops::flows::files;
use crate::ops::knowledge::collections::WorkspaceCollections;
use crate::ops::knowledge::progress::ProgressReporter;
use crate::ops::knowledge::{stores, vectors};
use crate::ops::pipelines;
use crate::ops::predictions::ask::PredictionRun;
use crate::ops::predictions::flow_cache::SavedVariables;
use crate::ops::predictions::host::flow_code::FlowCode;
use crate::ops::predictions::host::run_notes::RunNotes;
use crate::ops::predictions::host::workspace_host::WorkspaceHost;
use crate::ops::predictions::nested;
use crate::ops::predictions::uploads::kept_files::read_at_most;
use crate::ops::predictions::uploads::past_documents::PastDocuments;
use crate::script::ScriptError;
use crate::sql::SqliteFile;
use crate::state::active_upserts::StoreActivity;
use crate::state::reply_cache::FlowScope;
use crate::store::Order;
use crate::store::queries::messages::{self, MessagePage};
use crate::store::tables::NAME_OF_CONVERSATION;
use crate::vectors::VectorIndex;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::Arc;

/// How many messages of a flow are searched for those of a memory session its owner fixed.
const SHARED_SESSION_MESSAGES_MAX: usize = 2_000;

pub(in crate::ops) struct RunHost<'a> {
    app: &'a App,
    /// The question that runs; `None` for what is none.
    run: Option<&'a PredictionRun>,
    flow: &'a Flow,
    ids: RunIds,
    /// The conversation that the run belongs to; `None` for what everybody is to know.
    conversation: Option<Conversation>,
    cancel: CancelToken,
    variables: SavedVariables,
    /// Variables of the request, for code only (manual 7.4 r2).
    request_variables: &'a HashMap<String, String>,
    question: &'a str,
    /// What a card on no canvas sees too.
    workspace: WorkspaceHost<'a>,
    collections: WorkspaceCollections<'a>,
    /// Who waits for the upsert, when this is one.
    progress: Option<&'a ProgressReporter<'a>>,
    /// Who watches what the cards do.
    cards: Option<&'a dyn CardObserver>,
    notes: RunNotes,
    documents: PastDocuments<'a>,
    /// Where the models of what is no question are counted.
    calls: Option<&'a ModelCalls>,
}

impl<'a> RunHost<'a> {
    /// # Errors
    /// When the saved variables cannot be read.
    pub(in crate::ops::predictions) fn new(
        app: &'a App,
        entry: &'a PredictionRun,
        cancel: CancelToken,
    ) -> Result<Self> {
        let host =
            Self::for_flow(app, &entry.flow, entry.ids, &entry.overrides, &entry.question.text, cancel)?;
        Ok(Self { run: Some(entry), ..host.with_conversation() })
    }

    /// As [`Self::new`], for a run that goes on with what it gathered.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub(in crate::ops::predictions) fn resume(
        app: &'a App,
        entry: &'a PredictionRun,
        cancel: CancelToken,
        notes: RunNotes,
    ) -> Result<Self> {
        Ok(Self { notes, ..Self::new(app, entry, cancel)? })
    }

    /// The flow that runs.
    pub(in crate::ops::predictions) const fn flow(&self) -> &Flow {
        self.flow
    }

    /// What the run gathered so far.
    pub(in crate::ops::predictions) fn into_notes(self) -> RunNotes {
        self.notes
    }

    /// The run belongs to its conversation, and not to everybody.
    pub(in crate::ops) fn with_conversation(self) -> Self {
        Self { conversation: Some(Conversation { flow: self.flow.id, chat: self.ids.chat }), ..self }
    }

    /// As [`Self::new`], for what is no question.
    ///
    /// # Errors
    /// When the saved variables cannot be read.
    pub(in crate::ops) fn for_flow(
        app: &'a App,
        flow: &'a Flow,
        ids: RunIds,
        overrides: &'a Overrides,
        question: &'a str,
        cancel: CancelToken,
    ) -> Result<Self> {
        Ok(Self {
            app,
            run: None,
            flow,
            ids,
            conversation: None,
            workspace: WorkspaceHost::new(app, flow.workspace, cancel.clone()),
            collections: WorkspaceCollections::new(app, flow.workspace, cancel.clone()),
            documents: PastDocuments::new(app, flow, cancel.clone()),
            cancel,
            variables: app.flow_cache.variables(app, &flow.workspace)?,
            request_variables: overrides.variables(),
            question,
            progress: None,
            cards: None,
            notes: RunNotes::default(),
            calls: None,
        })
    }

    /// For an upsert, whose progress goes to `watch`.
    pub(in crate::ops) fn with_progress(self, watch: &'a ProgressReporter<'a>) -> Self {
        Self { progress: Some(watch), ..self }
    }

    /// For what is no question and calls models, which are counted in `calls`.
    pub(in crate::ops) fn with_calls(self, calls: &'a ModelCalls) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// What its cards do goes to `cards`, where somebody watches.
    pub(in crate::ops::predictions) fn with_cards(self, cards: Option<&'a dyn CardObserver>) -> Self {
        Self { cards, ..self }
    }

    /// Where replies of this run's Live are kept.
    fn reply_scope(&self) -> FlowScope {
        FlowScope { workspace: self.flow.workspace, flow: self.flow.id, live: self.flow.digest }
    }

    /// Pages that replies of models lean on, each once.
    pub(in crate::ops::predictions) fn take_cited(&self) -> Vec<Document> {
        self.notes.take_cited()
    }

    /// Notes the session that the memory is read of, where it is not the conversation itself (manual 3.2 r6).
    fn note_session(&self, session: &str) {
        if let Some(entry) = self.run {
            entry.memory_session.get_or_init(|| session.to_owned());
        }
    }

    /// What a server elsewhere knows the conversation by: its name, also where its holder goes on without naming it, or its
    /// id.
    fn own_session(&self) -> Result<String> {
        if let Some(name) = self.run.and_then(|entry| entry.session_name.as_ref()) {
            return Ok(name.as_str().to_owned());
        }
        let (workspace, chat) = (&self.flow.workspace, self.ids.chat);
        let place = Conversation { flow: self.flow.id, chat }.uploads_id();
        if self.app.store.read(|tx| NAME_OF_CONVERSATION.has(tx, workspace, &place))? {
            let newest = self.app.store.conversation(workspace, &self.flow.id, &chat, 1)?;
            if let Some(name) = newest.into_iter().find_map(|message| message.session) {
                return Ok(name);
            }
        }
        Ok(chat.to_string())
    }

    /// Tokens of all model calls so far.
    pub(in crate::ops::predictions) fn usage(&self) -> Option<Usage> {
        self.notes.usage()
    }
}

impl Host for RunHost<'_> {
    fn context(&self) -> HostContext<'_> {
        let session = self.run.and_then(|entry| entry.session_name.as_ref());
        HostContext {
            question: self.question,
            conversation: self.conversation,
            facts: Some(RunFacts { ids: &self.ids, session: session.map(|name| name.as_str()) }),
            variables: Some(&self.variables),
            prices: &self.app.prices,
            cards: self.cards,
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

    fn capabilities(&self) -> Capabilities<'_> {
        let everywhere = Capabilities::default()
            .with_conversations(self)
            .with_knowledge(self)
            .with_vector_indexes(self)
            .with_files(self)
            .with_code(self)
            .with_tools(&self.workspace)
            .with_replies(self)
            .with_sign_ins(&self.workspace)
            .with_observer(self);
        // What is no question starts no program and asks no other flow.
        if self.run.is_none() {
            everywhere
        } else {
            everywhere
                .with_flows(self)
                .with_pipelines(self)
                .with_programs(&self.app.programs)
                .with_answer_files(self)
        }
    }
}

impl RunHost<'_> {
    /// What [`Conversations::history`] is made of.
    fn said(&self, session: Option<&str>, newest: usize) -> Result<Vec<Utterance>> {
        let (workspace, flow) = (&self.flow.workspace, &self.flow.id);
        let shared = session.filter(|session| *session != self.ids.chat.to_string());
        Ok(match shared {
            None if self.run.is_some_and(|entry| entry.is_first_message) => Vec::new(),
            None => self.app.store.utterances(workspace, flow, &self.ids.chat, newest)?,
            Some(session) => {
                self.note_session(session);
                let page = MessagePage {
                    order: Order::Descending,
                    skip: 0,
                    limit: newest.min(SHARED_SESSION_MESSAGES_MAX),
                };
                // A message whose session is its own conversation belongs to the person who said it: a text that names
                // that conversation finds nothing of it.
                let fits = |message: &Message| {
                    message.session.as_deref() == Some(session) && message.chat.to_string() != session
                };
                let found =
                    self.app.store.read_messages(|tx| messages::of_flow(tx, workspace, flow, fits, page))?;
                found.into_iter().rev().map(|said| self.heard(said)).collect()
            }
        })
    }

    /// A message of a memory that all who ask share. Files stay in the conversation that they were sent in.
    fn heard(&self, message: Message) -> Utterance {
        let is_own = message.chat == self.ids.chat;
        let mut said = Utterance::from(message);
        said.files.retain(|_| is_own);
        said
    }

    /// What was said in this conversation, as models are told it.
    ///
    /// # Errors
    /// As [`PastDocuments::tell`].
    pub(in crate::ops::predictions) fn tell(
        &self,
        chat: ChatId,
        said: Vec<Utterance>,
    ) -> Result<Vec<HistoryMessage>> {
        self.documents.tell(chat, said)
    }
}

impl Conversations for RunHost<'_> {
    fn history(&self, session: Option<&str>, newest: usize) -> Result<Vec<HistoryMessage>> {
        Ok(self.said(session, newest)?.into_iter().map(HistoryMessage::from).collect())
    }

    fn told_history(&self, session: Option<&str>, newest: usize) -> Result<Vec<HistoryMessage>> {
        self.tell(self.ids.chat, self.said(session, newest)?)
    }

    fn picture(&self, file: &MessageFile, bytes_max: usize) -> Result<Option<Vec<u8>>> {
        read_at_most(self.app, self.flow, self.ids.chat, file, bytes_max)
    }

    fn memory_session(&self, session: Option<&str>) -> Result<String> {
        let own = self.own_session()?;
        let Some(session) = session.filter(|session| *session != own) else {
            if own != self.ids.chat.to_string() {
                // What a server elsewhere knows it by is needed again when it goes on, or is to be forgotten there.
                self.note_session(&own);
            }
            return Ok(own);
        };
        // A conversation belongs to the person who speaks in it, whoever else knows its id.
        if let Some(chat) = ChatId::parse(session).filter(|chat| *chat != self.ids.chat)
            && !self.app.store.conversation(&self.flow.workspace, &self.flow.id, &chat, 1)?.is_empty()
        {
            return Err(Error::RunFailed(
                "The Session Id is that of another person's conversation.".to_owned(),
            ));
        }
        self.note_session(session);
        Ok(session.to_owned())
    }
}

impl Credentials for RunHost<'_> {
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        self.workspace.credential(id, admit)
    }
}

impl WorkspaceFiles for RunHost<'_> {
    fn stored_file(&self, name: &str) -> Result<Option<StoredFile>> {
        files::read(self.app, &self.flow.workspace, &self.flow.id, name)
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

impl AnswerFiles for RunHost<'_> {
    fn keep_file(&self, file: &NewFile<'_>) -> Result<KeptFile> {
        let Some(entry) = self.run else {
            return Err(Error::RunFailed("Only a question has an answer that keeps files.".into()));
        };
        let (stored, kept) = entry.files.store_made(file)?;
        let base = self.app.settings.base_url.as_ref().map(ToString::to_string).unwrap_or_default();
        let link = chat_files::signed_link(self.app, &stored, &base);
        let file_name = kept.file_name.unwrap_or_default();
        Ok(KeptFile { name: kept.name, mime: kept.mime, link, file_name })
    }
}

impl CodeRunner for RunHost<'_> {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        let run = FlowCode {
            app: self.app,
            flow: self.flow,
            ids: &self.ids,
            question: self.question,
            variables: &self.variables,
            request_variables: self.request_variables,
            cancel: &self.cancel,
        };
        let ran = run.run(code, &CodeDatabases::new(self, &self.workspace, code.card));
        // What code says may be what a person asked: a log gets no word of it.
        let lines = ran.console.lines.len();
        if lines > 0 {
            tracing::debug!(flow = %self.flow.id, lines, "code wrote to its console");
        }
        ran.result
    }
}

impl Flows for RunHost<'_> {
    fn ask_flow(&self, call: &FlowCall<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        let Some(entry) = self.run else {
            return Err(Error::RunFailed("Only a question can ask another flow.".into()));
        };
        let outcome = nested::ask_flow(self.app, entry, call, call.cancel.unwrap_or(&self.cancel), sink)?;
        // The asked flow counts its models itself.
        if let Some(usage) = outcome.usage {
            self.notes.add_usage(&usage);
        }
        Ok(outcome)
    }
}

impl Pipelines for RunHost<'_> {
    fn run_pipeline(&self, flow: &FlowId, params: &Map<String, Value>) -> Result<PipelineReport> {
        pipelines::run_for_flow(self.app, &self.flow.workspace, flow, params, &self.cancel)
    }
}

impl ReplyStore for RunHost<'_> {
    fn recall(&self, key: &ReplyKey) -> Option<Arc<[u8]>> {
        self.app.state.reply_cache.find(&self.reply_scope(), key)
    }

    fn remember(&self, key: &ReplyKey, bytes: Vec<u8>) {
        self.app.state.reply_cache.insert(&self.reply_scope(), key, bytes);
    }
}

impl Knowledge for RunHost<'_> {
    fn document_store_chunks(&self, store: &DocumentStoreId) -> Result<Option<Vec<Document>>> {
        self.app.store.read(|tx| stores::stored_chunks(tx, &self.flow.workspace, store))
    }

    fn visit_document_store(&self, store: &DocumentStoreId, visit: PageVisitor<'_>) -> Result<bool> {
        stores::visit_chunks(self.app, &self.flow.workspace, store, visit)
    }

    fn store_vectors(&self, store: &DocumentStoreId) -> Result<Option<Arc<dyn VectorStore>>> {
        let opened = vectors::build_store(self.app, &self.flow.workspace, store, self)?;
        if let Some(watch) = self.progress.filter(|_| opened.is_some()) {
            watch.track_store(*store, StoreActivity::Upserting);
        }
        Ok(opened)
    }

    fn collections(&self) -> &dyn Collections {
        &self.collections
    }
}

impl VectorIndexes for RunHost<'_> {
    fn index(
        &self,
        content: &[u8; 32],
        make: &mut dyn FnMut() -> Result<VectorIndex>,
    ) -> Result<Arc<VectorIndex>> {
        self.workspace.vector_index(*self.flow.id.bytes(), content, make)
    }
}

impl ModelObserver for RunHost<'_> {
    fn record_model_call(&self, call: &ModelCall) {
        let metrics = &self.app.state.metrics;
        match call.result {
            Ok(usage) => metrics.record_model_call(call.card, usage, call.took),
            Err(kind) => metrics.record_model_failure(call.card, kind),
        }
    }

    fn record_usage(&self, model: &str, usage: Option<Usage>) {
        if let Some(calls) = self.run.map(|run| run.open.calls()).or(self.calls) {
            calls.add(model, usage.as_ref());
        }
        let Some(usage) = usage else { return };
        tracing::debug!(flow = %self.flow.id, input = usage.input_tokens, output = usage.output_tokens, "a model was called");
        self.notes.add_usage(&usage);
    }

    fn record_citations(&self, pages: Vec<Document>) {
        self.notes.add_cited(pages);
    }
}
