//! What a workspace holds beside flows, on the wire.

pub mod variables;
