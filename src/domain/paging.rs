//! Pages of a management list: `page` and `limit` turn an array into `{data, total}` (manual 1.6 r1).

use super::error::{Error, Result};
use serde::Serialize;
use serde_json::{Value, json};

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
        let (page, limit) = (number("page", page)?, number("limit", limit)?);
        Ok((page > 0 && limit > 0).then_some(Self { page, limit }))
    }

    /// The list as it is answered: all of it, or `{data, total}` with the page asked for.
    pub fn apply<T: Serialize>(paging: Option<Self>, rows: &[T]) -> Value {
        let Some(Self { page, limit }) = paging else { return json!(rows) };
        let start = (page - 1).saturating_mul(limit).min(rows.len());
        let end = start.saturating_add(limit).min(rows.len());
        json!({ "data": rows[start..end], "total": rows.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_both_numbers() {
        let answer = |page, limit| PageRequest::apply(PageRequest::parse(page, limit).unwrap(), &[1, 2, 3]);
        assert_eq!(answer(None, None), json!([1, 2, 3]));
        assert_eq!(answer(Some("1"), None), json!([1, 2, 3]));
        assert_eq!(answer(Some("2"), Some("2")), json!({"data": [3], "total": 3}));
        assert_eq!(answer(Some("9"), Some("18446744073709551615")), json!({"data": [], "total": 3}));
        for bad in ["-1", "x", "1.5"] {
            assert!(PageRequest::parse(Some(bad), Some("1")).is_err(), "{bad}");
        }
    }
}
