//! The bodies of OpenAI's protocol, as far as flows are asked by it (manual 2.14).

pub(crate) mod chat;
pub(crate) mod content;
pub(crate) mod errors;
pub(crate) mod models;
pub(crate) mod responses;
pub(crate) mod sampling;
