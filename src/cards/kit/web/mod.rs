//! Components that call other servers over HTTP.

pub(in crate::cards) mod actions;
pub(in crate::cards) mod aws;
pub mod openapi;
pub mod request;
pub(in crate::cards) mod vertex;
