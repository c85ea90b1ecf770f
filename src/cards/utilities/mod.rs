//! Utilities.

pub mod sticky_note;
