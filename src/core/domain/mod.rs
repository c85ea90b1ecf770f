//! The nouns of the product and their pure rules.

pub mod accounts;
pub mod change;
pub mod checks;
pub mod conflict;
pub mod conversations;
pub mod damage;
pub mod error;
pub mod flows;
pub mod ids;
pub mod knowledge;
pub mod local_program;
pub mod paging;
pub mod pipelines;
pub mod predictions;
pub mod promotion;
pub mod remote;
pub mod resource;
pub mod secrets;
pub mod service;
pub mod triggers;
pub mod workspace;
