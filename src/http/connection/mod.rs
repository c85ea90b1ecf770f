//! Connections: accepting them, their times, and the requests in flight.

pub(crate) mod acceptor;
pub(crate) mod address;
pub(crate) mod framing;
pub(crate) mod in_flight;
pub mod server;
pub(crate) mod socket;
pub(crate) mod thread_pool;
pub mod timeouts;
