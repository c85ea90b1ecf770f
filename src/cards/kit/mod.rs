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

pub use card::{Card, Category, Kept, Make, Output, Risk, Taken, VARIABLE_NAME};
pub use code::Code;
pub use databases::{CodeDatabases, ListedCredential};
pub use event::{Gone, Quiet, Sink};
pub use host::{FlowAsk, Host, ModelCall, StoredFile};
pub use input::{Choice, Connects, Input, InputKind, Picked};
pub use inputs::{Bound, Inputs, Wired, number_in};
pub use knowledge::{Cut, Loader, Nearest, Query, Scored, Splitter, Upserted, VectorStore};
pub use library::{Edit, Library};
pub use model::Model;
pub use part::{
    Cache, Chain, Embeddings, Memory, Moderation, Observation, OutputParser, Part, ReplyKey, Retriever,
    Space, Tool, Turn, Verdict,
};
pub use records::{Cleanup, Keeping, RecordManager};
pub use text_loop::{Protocol, Step, TextLoop};
