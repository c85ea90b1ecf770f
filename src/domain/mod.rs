//! The nouns of the product and their pure rules.

pub mod accounts;
pub(crate) mod change;
pub mod checks;
pub(crate) mod conflict;
pub mod conversations;
pub(crate) mod damage;
pub mod error;
pub mod flows;
pub mod ids;
pub mod knowledge;
pub mod local_program;
pub(crate) mod paging;
pub(crate) mod pipelines;
pub mod predictions;
pub(crate) mod promotion;
pub mod remote;
pub(crate) mod resource;
pub mod secrets;
pub(crate) mod service;
pub mod triggers;
pub mod workspace;
