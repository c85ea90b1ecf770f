//! What a behaviour check is made of: the same questions to two canvases of a flow, and their answers (manual 18).

pub mod answer;
pub mod case;
pub(crate) mod check;
pub(crate) mod kept;
pub(crate) mod questions;
pub(crate) mod setup;
pub(crate) mod summary;
