//! Records to make.

use serde::Deserialize;

/// A record to make: what an edit `E` of it may say, and some of that must be said. Where it is missing, the operation refuses
/// it in its own words, so only the description tells the two apart.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct New<E>(pub E);

#[cfg(feature = "test-support")]
pub(crate) use self::schema::NewRecord;

#[cfg(feature = "test-support")]
mod schema {
    use super::New;
    use schemars::{JsonSchema, Schema, SchemaGenerator};
    use serde_json::Value;
    use std::borrow::Cow;

    /// How the description tells a record to make from an edit of it.
    pub(crate) trait NewRecord: JsonSchema {
        const NAME: &'static str;
        const ABOUT: &'static str;
        /// The fields that must be there.
        const REQUIRED: &'static [&'static str];
    }

    impl<E: NewRecord> JsonSchema for New<E> {
        fn schema_name() -> Cow<'static, str> {
            E::NAME.into()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            let mut schema = E::json_schema(generator);
            schema.insert("required".into(), E::REQUIRED.into());
            schema.insert("description".into(), E::ABOUT.into());
            for name in E::REQUIRED {
                let kinds = schema.pointer_mut(&format!("/properties/{name}/type"));
                if let Some(Value::Array(kinds)) = kinds {
                    kinds.retain(|kind| kind != "null");
                    let only = kinds.pop().expect("a field has a type");
                    schema.ensure_object()["properties"][*name]["type"] = only;
                }
            }
            schema
        }
    }
}
