//! Fields that a request may leave out, clear with `null`, or set. Such a field has `#[serde(default)]`.

pub(crate) use crate::domain::change::Change;
use serde::{Deserialize, Deserializer};

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

#[cfg(test)]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Change<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("{}Change", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        generator.subschema_for::<Option<T>>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_null_and_a_value_are_told_apart() {
        #[derive(Debug, Deserialize)]
        struct Edit {
            #[serde(default)]
            field: Change<u8>,
        }
        for (text, expected) in
            [("{}", Change::Keep), (r#"{"field": null}"#, Change::Clear), (r#"{"field": 1}"#, Change::Set(1))]
        {
            assert_eq!(serde_json::from_str::<Edit>(text).unwrap().field, expected, "{text}");
        }
        assert!(serde_json::from_str::<Edit>(r#"{"field": "1"}"#).is_err());
    }
}
