//! `SERVICE_BASE_URL`: the address people use, which may have a path where a proxy keeps several services on one name.

use super::parse::{ParseResult, base_address, parse_error};
use std::fmt;

/// Scheme, host, port and path of the service, as people see them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    origin: String,
    path: String,
}

impl BaseUrl {
    /// Scheme, host and port, in lower case, without a slash at the end.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The path before all addresses of the service: `/flows`, or nothing. It needs no escape anywhere.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin, self.path)
    }
}

pub(super) fn parse(text: &str) -> ParseResult<BaseUrl> {
    let scheme_end = text.find("://").map_or(0, |at| at + "://".len());
    let path_start = text[scheme_end..].find('/').map_or(text.len(), |at| scheme_end + at);
    let (origin, path) = text.split_at(path_start);
    let path = path.trim_end_matches('/');
    if !path.split('/').skip(1).all(is_segment) {
        return parse_error(
            "has a path that is not plain",
            "write one of letters, digits, -, _ and . such as https://example.com/flows",
        );
    }
    Ok(BaseUrl { origin: base_address(origin)?, path: path.to_owned() })
}

/// True for what stands in cookies, markup and addresses as it is.
fn is_segment(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    !text.is_empty() && text != "." && text != ".." && text.chars().all(plain)
}
