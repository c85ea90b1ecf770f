//! Where the counts of the service can be read (`SERVICE_METRICS`).

use super::parse::{ParseResult, parse_error};
use std::net::SocketAddr;

/// Who may read the counts, and where.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MetricsAccess {
    #[default]
    Off,
    /// At `/metrics`, for a person or a key with the permission `logs:view`.
    Key,
    /// At `/metrics` of this address, for everyone who can reach it. Nothing else is served there.
    Address(SocketAddr),
}

pub(super) fn parse(text: &str) -> ParseResult<MetricsAccess> {
    match text {
        "off" => Ok(MetricsAccess::Off),
        "key" => Ok(MetricsAccess::Key),
        address => address.parse().map_or_else(
            |_| {
                parse_error(
                    "is no place for metrics",
                    "write off, key, or an address and port such as 127.0.0.1:9464",
                )
            },
            |address| Ok(MetricsAccess::Address(address)),
        ),
    }
}
