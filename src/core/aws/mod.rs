//! What clients of AWS have in common, whatever service they ask: signed requests and framed streams. Nothing here talks to
//! anybody.

pub mod event_stream;
mod signature;

pub use signature::{AccessKey, SigningRequest, SigningScope, encode_component, encode_path};
