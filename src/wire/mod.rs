//! What goes over the wire: a type for each request and each answer, and the only place that knows their names in JSON. The
//! same rows make up the file of an export, so this room lies below both the operations and the doors.
//!
//! A type here turns into one of `domain` or is made of one; it decides nothing.

pub mod accounts;
pub mod change;
pub mod choice;
pub mod conversations;
pub mod deleted;
pub mod flows;
pub mod form;
pub mod knowledge;
pub mod new;
pub mod page;
pub mod predictions;
pub mod refusal;
pub mod service;
pub mod time;
pub mod triggers;
pub mod workspace;
