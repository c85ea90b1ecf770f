//! Pages of a management list: `page` and `limit` turn an array into `{data, total}` (manual 1.6 r1).

use super::error::{Error, Result};
use std::ops::Range;

/// A page, counted from 1. Exists only when a request asked for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    page: usize,
    limit: usize,
}

impl PageRequest {
    /// Reads the two query values; `None` unless both are above 0.
    ///
    /// # Errors
    /// 400 when one is not a whole number from 0 up.
    pub fn parse(page: Option<&str>, limit: Option<&str>) -> Result<Option<Self>> {
        let number = |name: &str, text: Option<&str>| match text {
            None | Some("") => Ok(0),
            Some(text) => text
                .parse()
                .map_err(|_| Error::invalid(format!("'{name}' must be a whole number from 0 up."))),
        };
        Ok(Self::new(number("page", page)?, number("limit", limit)?))
    }

    /// `None` unless both are above 0.
    #[must_use]
    pub fn new(page: usize, limit: usize) -> Option<Self> {
        (page > 0 && limit > 0).then_some(Self { page, limit })
    }

    /// The rows of the page, of a list of `total` rows.
    #[must_use]
    pub fn range(self, total: usize) -> Range<usize> {
        let start = (self.page - 1).saturating_mul(self.limit).min(total);
        start..start.saturating_add(self.limit).min(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_whole_numbers() {
        for bad in ["-1", "x", "1.5"] {
            assert!(PageRequest::parse(Some(bad), Some("1")).is_err(), "{bad}");
        }
        assert_eq!(PageRequest::parse(Some("2"), Some("2")).unwrap().unwrap().range(3), 2..3);
    }
}
