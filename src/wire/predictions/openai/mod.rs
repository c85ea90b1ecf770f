//! The bodies of OpenAI's protocol, as far as flows are asked by it (manual 2.14).

pub mod chat;
pub mod content;
pub mod errors;
pub mod models;
pub mod responses;
pub mod sampling;
