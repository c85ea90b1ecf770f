//! The bodies of MCP, as far as flows are called by it (manual 2.15).

pub mod exchange;
pub mod rpc;
pub mod servers;
pub mod tools;
