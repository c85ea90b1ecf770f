//! What the service says about itself on the wire.

pub mod status;
