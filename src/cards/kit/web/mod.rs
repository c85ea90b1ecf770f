//! Components that call other servers over HTTP.

pub(crate) mod actions;
pub(crate) mod aws;
pub(crate) mod openapi;
pub(crate) mod request;
pub(crate) mod vertex;
