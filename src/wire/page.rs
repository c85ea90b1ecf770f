//! Lists that turn into pages when `page` and `limit` ask for one (manual 1.6 r1).

use crate::domain::paging::PageRequest;
use serde::Serialize;

/// All rows, or a page of them.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListOrPage<T> {
    List(Vec<T>),
    Page(Page<T>),
}

/// A page, and how many rows there are in all.
#[derive(Debug, Serialize)]
pub struct Page<T> {
    pub data: Vec<T>,
    pub total: usize,
}

impl<T> ListOrPage<T> {
    /// The part of `rows` that was asked for.
    pub fn of(paging: Option<PageRequest>, mut rows: Vec<T>) -> Self {
        let Some(paging) = paging else { return Self::List(rows) };
        let total = rows.len();
        let range = paging.range(total);
        rows.truncate(range.end);
        rows.drain(..range.start);
        Self::Page(Page { data: rows, total })
    }

    /// Rows that are read already: all of them, or those of the page that was asked for, of `total`.
    pub fn of_read(rows: Vec<T>, total: usize, paged: bool) -> Self {
        if paged { Self::Page(Page { data: rows, total }) } else { Self::List(rows) }
    }
}

#[cfg(feature = "test-support")]
mod schema {
    use super::{ListOrPage, Page};
    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
    use std::borrow::Cow;

    impl<T: JsonSchema> JsonSchema for Page<T> {
        fn schema_name() -> Cow<'static, str> {
            format!("{}Page", T::schema_name()).into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let rows = generator.subschema_for::<Vec<T>>();
            json_schema!({
                "type": "object",
                "properties": {"data": rows, "total": {"type": "integer", "minimum": 0}},
                "required": ["data", "total"],
                "description": "A page, and how many rows there are in all.",
            })
        }
    }

    impl<T: JsonSchema> JsonSchema for ListOrPage<T> {
        fn schema_name() -> Cow<'static, str> {
            format!("{}ListOrPage", T::schema_name()).into()
        }

        fn inline_schema() -> bool {
            true
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let (list, page) = (generator.subschema_for::<Vec<T>>(), generator.subschema_for::<Page<T>>());
            json_schema!({"anyOf": [list, page]})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_page_is_asked_for_by_both_numbers() {
        let answer = |page, limit| -> Value {
            let paging = PageRequest::parse(page, limit).unwrap();
            serde_json::to_value(ListOrPage::of(paging, vec![1, 2, 3])).unwrap()
        };
        assert_eq!(answer(None, None), json!([1, 2, 3]));
        assert_eq!(answer(Some("1"), None), json!([1, 2, 3]));
        assert_eq!(answer(Some("2"), Some("2")), json!({"data": [3], "total": 3}));
        assert_eq!(answer(Some("9"), Some("18446744073709551615")), json!({"data": [], "total": 3}));
    }
}
