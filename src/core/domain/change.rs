//! Fields that a request may leave out, clear with `null`, or set. Such a field has `#[serde(default)]`.
//!
//! How it is read stands here and not in `wire/`, because traits of other crates are implemented beside their type.

use serde::{Deserialize, Deserializer};

/// Whether a value stays, goes or is replaced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Change<T> {
    /// What becomes of `old`.
    pub fn apply(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Keep => old,
            Self::Clear => None,
            Self::Set(new) => Some(new),
        }
    }

    /// The same of a value of another form.
    pub fn map<U>(self, form: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Clear => Change::Clear,
            Self::Set(new) => Change::Set(form(new)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

#[cfg(feature = "test-support")]
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
    fn what_is_kept_cleared_and_set() {
        assert_eq!(Change::Keep.apply(Some(1)), Some(1));
        assert_eq!(Change::Clear.apply(Some(1)), None);
        assert_eq!(Change::Set(2).apply(Some(1)), Some(2));
    }

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
