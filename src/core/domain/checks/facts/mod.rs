//! What answers say, apart from how they say it: each fact is read from a text and compared as what it is.

pub(crate) mod dates;
pub(crate) mod language;
pub(crate) mod lists;
pub(crate) mod numbers;
pub(crate) mod refusals;
pub mod structure;
