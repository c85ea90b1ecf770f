//! What a behaviour check is made of: the same questions to two canvases of a flow, and their answers.

pub mod answer;
pub mod case;
