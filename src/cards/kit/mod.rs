//! What cards are written with. A card file needs nothing from outside this room and `llm`.

pub(crate) mod build;
pub(crate) mod capabilities;
pub mod knowledge;
pub(crate) mod models;
pub(crate) mod schema;
pub(crate) mod stores;
pub(crate) mod web;

pub use self::build::code::Code;
pub use self::build::component::{
    Cache, Chain, Component, Embeddings, Memory, Moderation, ModerationVerdict, Observation, OutputParser,
    ReplyKey, Retriever, RunContext, Space, Tool,
};
pub use self::build::inputs::{InputValue, Inputs, WiredComponent, number_in};
pub use self::capabilities::host::{FlowCall, Host, ModelCall, StoredFile};
pub use self::models::model::Model;
pub use self::models::text_loop::{NextAction, TextLoop, TextProtocol};
pub use self::models::token_sink::{NullSink, StreamClosed, TokenSink};
pub use self::schema::card::{
    BranchChoice, Card, Category, Factory, FlowVariable, Output, Risk, VARIABLE_NAME,
};
pub use self::schema::input::{Choice, Input, InputKind, Picker, WireType};
pub use self::stores::collections::{CollectionEdit, Collections};
pub use self::stores::databases::{CodeDatabases, ListedCredential};
pub use self::stores::records::{Cleanup, RecordManager, RecordManagerConfig};
pub use knowledge::{
    ChunkSpan, Loader, ScoredChunk, Splitter, StoreRetriever, UpsertReport, VectorQuery, VectorStore,
};
