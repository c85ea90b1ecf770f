//! What cards are written with. A card file needs nothing from outside this room and `llm`.

pub(in crate::cards) mod actions;
mod arguments;
pub(in crate::cards) mod aws;
pub mod card;
pub mod code;
pub(in crate::cards) mod commands;
pub(in crate::cards) mod compatible;
pub mod data;
pub mod databases;
pub(in crate::cards) mod diverse;
pub mod embedding;
pub mod event;
pub mod host;
pub mod input;
pub mod inputs;
pub mod knowledge;
pub mod lexical;
pub mod library;
pub mod loading;
pub mod model;
pub(in crate::cards) mod mysql;
mod numbered;
pub mod openapi;
pub mod part;
pub mod passages;
pub(in crate::cards) mod postgres;
pub mod prompt;
pub(in crate::cards) mod provided;
pub(in crate::cards) mod querying;
pub mod records;
pub(in crate::cards) mod redis;
pub(in crate::cards) mod remote;
pub mod rephrase;
pub(in crate::cards) mod reranked;
pub(crate) mod retrieving;
pub mod router;
pub mod shelf;
pub mod splitting;
pub mod stored;
pub(in crate::cards) mod structure;
pub mod synthesis;
#[cfg(test)]
pub(in crate::cards) mod test_host;
pub mod text_loop;
pub mod tool_loop;
mod traced;
pub mod uploaded;
pub(in crate::cards) mod upstash;
pub(in crate::cards) mod vertex;
pub mod web;
pub(in crate::cards) mod zod;

pub use card::{BranchChoice, Card, Category, Factory, FlowVariable, Output, Risk, VARIABLE_NAME};
pub use code::Code;
pub use databases::{CodeDatabases, ListedCredential};
pub use event::{NullSink, StreamClosed, TokenSink};
pub use host::{FlowCall, Host, ModelCall, StoredFile};
pub use input::{Choice, Input, InputKind, Picker, WireType};
pub use inputs::{InputValue, Inputs, WiredComponent, number_in};
pub use knowledge::{
    ChunkSpan, Loader, ScoredChunk, Splitter, StoreRetriever, UpsertReport, VectorQuery, VectorStore,
};
pub use library::{CollectionEdit, Collections};
pub use model::Model;
pub use part::{
    Cache, Chain, Component, Embeddings, Memory, Moderation, ModerationVerdict, Observation, OutputParser,
    ReplyKey, Retriever, RunContext, Space, Tool,
};
pub use records::{Cleanup, RecordManager, RecordManagerConfig};
pub use text_loop::{NextAction, TextLoop, TextProtocol};
