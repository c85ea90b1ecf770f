//! What goes over the wire: a type for each request and each answer, and the only place that knows their names in JSON. The
//! same rows make up the file of an export, so this room lies below both the operations and the doors.
//!
//! A type here turns into one of `domain` or is made of one; it decides nothing.

pub(crate) mod accounts;
pub(crate) mod checks;
pub(crate) mod choice;
pub(crate) mod conversations;
pub(crate) mod deleted;
pub(crate) mod flows;
pub(crate) mod form;
pub(crate) mod knowledge;
pub(crate) mod new;
pub(crate) mod page;
pub(crate) mod pipelines;
pub(crate) mod predictions;
pub(crate) mod promotion;
pub(crate) mod refusal;
pub(crate) mod remote;
pub mod service;
pub(crate) mod time;
pub(crate) mod triggers;
pub(crate) mod workspace;
