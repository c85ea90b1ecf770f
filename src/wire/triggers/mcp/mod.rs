//! The bodies of MCP, as far as flows are called by it (manual 2.15).

pub(crate) mod exchange;
pub(crate) mod rpc;
pub(crate) mod servers;
pub(crate) mod tools;
