//! The API of spec 2 to 8 through the real HTTP service over a real database, with a stand-in model provider.
#![allow(missing_docs, clippy::unwrap_used)]

mod access;
mod accounts;
mod admission;
mod agents;
mod answers;
mod bad_input;
mod caches;
mod canvases;
mod cards;
mod chat_files;
mod code;
mod conversations;
mod credentials;
mod failures;
mod files;
mod flows;

mod forms;
mod kept;
mod keys;
mod leaving;
mod memories;
mod messages;
mod model_cards;
mod origins;
mod overrides;
mod properties;
mod providers;
mod service;
mod stores;
mod streams;
mod support;
mod tools;
mod uploads;
mod variables;
