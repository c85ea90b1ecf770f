//! What cards are written with. A card file needs nothing from outside this room and `llm`.

pub mod build;
pub mod capabilities;
pub mod knowledge;
pub mod members;
pub mod models;
pub mod schema;
pub mod steps;
pub mod stores;
pub(crate) mod web;

pub use self::build::call_error::CallError;
pub use self::build::code::Code;
pub use self::build::component::{
    Cache, Chain, ChainProgress, Component, Embeddings, Memory, Moderation, ModerationVerdict, Observation,
    OutputParser, ReplyKey, Retriever, RunContext, Space, Tool,
};
pub use self::build::inputs::{InputValue, InputValues, Inputs, PickedCard, WiredComponent, number_in};
pub use self::capabilities::card_work::{CardWork, WatchedNode};
pub use self::capabilities::code::CodeRunner;
pub use self::capabilities::conversations::{Conversations, LoneQuestion};
pub use self::capabilities::files::{AnswerFiles, KeptFile, NewFile, StoredFile, WorkspaceFiles};
pub use self::capabilities::flows::{AskedFlow, FlowCall, Flows};
pub use self::capabilities::host::{Host, HostContext, RunFacts};
pub use self::capabilities::knowledge::{Knowledge, VectorIndexes};
pub use self::capabilities::observers::{CardObserver, ModelCall, ModelObserver, UpsertObserver};
pub use self::capabilities::part_host::PartHost;
pub use self::capabilities::pipelines::{PipelineReport, Pipelines};
pub use self::capabilities::replies::ReplyStore;
pub use self::capabilities::run_memory::RunMemory;
pub use self::capabilities::sign_ins::SignIns;
pub use self::capabilities::workspace_tools::WorkspaceTools;
pub use self::capabilities::{Capabilities, Capability, Grant, Need, require_needs};
pub use self::models::model::{Model, OpenCall};
pub(crate) use self::models::text_loop::{NextAction, TextLoop, TextProtocol};
pub use self::models::token_sink::{NullSink, StreamClosed, TokenSink};
pub use self::schema::card::{
    BranchChoice, Card, Category, Factory, FlowVariable, Output, Risk, StepFn, VARIABLE_NAME,
};
pub use self::schema::input::{Choice, Input, InputKind, Picker};
pub(crate) use self::schema::input_list::input_lists;
pub use self::schema::json_shape::JsonShape;
pub use self::schema::wire_type::WireType;
pub use self::steps::context::{ConversationPast, StartValues, StepContext, StepResume};
pub use self::steps::on_error::{OnError, Retries};
pub use self::steps::outcome::{
    CONTENT, ItemRuns, LoopBack, NextSteps, Pause, StepOutcome, called_tool, time_metadata,
};
pub use self::stores::collections::{CollectionEdit, Collections, NewRows};
pub use self::stores::databases::{CodeDatabases, DatabaseCredentials, ListedCredential};
pub use self::stores::records::{Cleanup, RecordManager, RecordManagerConfig};
pub use self::stores::row_spool::{RowSpool, SpoolError, SpooledRows};
pub use crate::domain::predictions::human_input::Decision;
pub use knowledge::pieces::{DocumentPages, DocumentPiece, PageVisitor};
pub use knowledge::transform::{DedupeScope, DocumentDigest, SeenDocuments, Transform, TransformContext};
pub use knowledge::{
    ChunkSpan, Loader, ScoredChunk, Splitter, StoreRetriever, UpsertReport, VectorQuery, VectorStore,
};
