//! Components that call other servers over HTTP.

pub(in crate::cards) mod actions;
pub(in crate::cards) mod aws;
pub(crate) mod openapi;
pub(crate) mod request;
pub(in crate::cards) mod vertex;
