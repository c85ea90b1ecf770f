//! The schema that a model's answer must fit: given to the model as JSON Schema, and checked when it answers.

use crate::kit::steps::lenient_json;
use serde_json::{Map, Value, json};

/// Deepest nesting of a schema.
pub(crate) const DEPTH_MAX: usize = 16;

/// What a value must be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ValueSchema {
    Text,
    Number,
    /// A number without a fraction.
    Whole,
    Switch,
    Anything,
    OneOf(Vec<Value>),
    List(Box<ValueSchema>),
    /// An object with exactly these fields.
    Object(Vec<SchemaField>),
    /// An object whose values are all such.
    Named(Box<ValueSchema>),
    Either(Vec<ValueSchema>),
    /// Such a value, or `null`.
    OrNull(Box<ValueSchema>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SchemaField {
    pub(crate) name: String,
    pub(crate) shape: ValueSchema,
    /// What the model reads about it.
    pub(crate) description: String,
    pub(crate) optional: bool,
}

impl ValueSchema {
    /// What a model reads about it.
    pub(crate) fn instructions(&self) -> String {
        format!(
            "Answer with one JSON value that fits this JSON Schema, in a block that begins with ```json and ends with \
             ```, and with nothing else:\n{}",
            self.schema()
        )
    }

    pub(crate) fn schema(&self) -> Value {
        match self {
            Self::Text => json!({"type": "string"}),
            Self::Number => json!({"type": "number"}),
            Self::Whole => json!({"type": "integer"}),
            Self::Switch => json!({"type": "boolean"}),
            Self::Anything => json!({}),
            Self::OneOf(values) => json!({"enum": values}),
            Self::List(of) => json!({"type": "array", "items": of.schema()}),
            Self::Named(of) => json!({"type": "object", "additionalProperties": of.schema()}),
            Self::Either(shapes) => json!({"anyOf": shapes.iter().map(Self::schema).collect::<Vec<_>>()}),
            Self::OrNull(of) => json!({"anyOf": [of.schema(), {"type": "null"}]}),
            Self::Object(fields) => {
                let mut properties = Map::new();
                for field in fields {
                    let mut schema = field.shape.schema();
                    if !field.description.is_empty() {
                        schema["description"] = field.description.as_str().into();
                    }
                    properties.insert(field.name.clone(), schema);
                }
                let needed: Vec<&str> =
                    fields.iter().filter(|field| !field.optional).map(|field| field.name.as_str()).collect();
                json!({"type": "object", "properties": properties, "required": needed,
                    "additionalProperties": false})
            }
        }
    }

    /// A value that fits.
    pub(crate) fn example(&self) -> Value {
        match self {
            Self::Text | Self::Anything => json!("text"),
            Self::Number => json!(1.5),
            Self::Whole => json!(1),
            Self::Switch => json!(true),
            Self::OneOf(values) => values.first().cloned().unwrap_or_default(),
            Self::List(of) => json!([of.example()]),
            Self::Named(of) => json!({"name": of.example()}),
            Self::Either(shapes) => shapes.first().map(Self::example).unwrap_or_default(),
            Self::OrNull(of) => of.example(),
            Self::Object(fields) => {
                fields.iter().map(|field| (field.name.clone(), field.shape.example())).collect()
            }
        }
    }

    /// Reads a model's answer: the JSON in it, in or out of a block.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, String> {
        let mut fault = "it holds no JSON".to_owned();
        for (at, value) in json_in(text).enumerate() {
            match self.fit(&value, "the answer") {
                Ok(fitted) => return Ok(fitted),
                // The error about the longest one helps the model most.
                Err(why) if at == 0 => fault = why,
                Err(_) => {}
            }
        }
        Err(fault)
    }

    /// The value without what the schema does not know.
    pub(crate) fn fit(&self, value: &Value, at: &str) -> Result<Value, String> {
        let unless = |fits: bool, what: &str| {
            if fits { Ok(value.clone()) } else { Err(format!("{at} must be {what}")) }
        };
        match self {
            Self::Text => unless(value.is_string(), "a text"),
            Self::Number => unless(value.is_number(), "a number"),
            Self::Whole => {
                unless(value.as_f64().is_some_and(|number| number.fract() == 0.0), "a whole number")
            }
            Self::Switch => unless(value.is_boolean(), "true or false"),
            Self::Anything => Ok(value.clone()),
            Self::OneOf(values) => {
                unless(values.contains(value), &format!("one of {}", Value::from(values.clone())))
            }
            Self::List(of) => {
                let list = value.as_array().ok_or_else(|| format!("{at} must be a list"))?;
                let entries = list.iter().enumerate().map(|(n, entry)| of.fit(entry, &format!("{at}[{n}]")));
                entries.collect()
            }
            Self::Named(of) => {
                let map = value.as_object().ok_or_else(|| format!("{at} must be an object"))?;
                let entries = map.iter().map(|(name, entry)| Ok((name.clone(), of.fit(entry, name)?)));
                entries.collect::<Result<Map<_, _>, String>>().map(Value::Object)
            }
            Self::Either(shapes) => shapes
                .iter()
                .find_map(|shape| shape.fit(value, at).ok())
                .ok_or_else(|| format!("{at} fits none of its forms")),
            Self::OrNull(_) if value.is_null() => Ok(Value::Null),
            Self::OrNull(of) => of.fit(value, at),
            Self::Object(fields) => {
                let map = value.as_object().ok_or_else(|| format!("{at} must be an object"))?;
                let mut fitted = Map::new();
                for field in fields {
                    match map.get(&field.name) {
                        None | Some(Value::Null) if field.optional => {}
                        None => return Err(format!("{} is missing", field.name)),
                        Some(value) => {
                            fitted.insert(field.name.clone(), field.shape.fit(value, &field.name)?);
                        }
                    }
                }
                Ok(Value::Object(fitted))
            }
        }
    }
}

/// The JSON in a model's text: the text itself, a block of it, what stands between its first and last brace, or bracket. What
/// is strictly JSON comes before what models write for it.
fn json_in(text: &str) -> impl Iterator<Item = Value> {
    let between = |open: char, close: char| text.get(text.find(open)?..=text.rfind(close)?);
    let candidates = [Some(text), lenient_json::fenced(text), between('{', '}'), between('[', ']')];
    let strict = candidates.into_iter().flatten().filter_map(|part| serde_json::from_str(part.trim()).ok());
    let lenient = candidates.into_iter().flatten().filter_map(|part| lenient_json::parse(part).ok());
    strict.chain(lenient)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn film() -> ValueSchema {
        let field = |name: &str, shape, optional| SchemaField {
            name: name.to_owned(),
            shape,
            description: format!("Its {name}"),
            optional,
        };
        ValueSchema::Object(vec![
            field("title", ValueSchema::Text, false),
            field("year", ValueSchema::Whole, false),
            field(
                "genres",
                ValueSchema::List(Box::new(ValueSchema::OneOf(vec!["drama".into(), "comedy".into()]))),
                true,
            ),
        ])
    }

    #[test]
    fn an_answer_is_read_in_a_block_or_out_of_one() {
        let expected = json!({"title": "M", "year": 1931});
        for text in [
            r#"{"title": "M", "year": 1931}"#,
            "Here:\n```json\n{\"title\": \"M\", \"year\": 1931, \"more\": 1}\n```\nBye {you}",
            r#"It is {"title": "M", "year": 1931, "genres": null}."#,
        ] {
            assert_eq!(film().parse(text), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn an_answer_is_read_as_models_write_json() {
        let expected = json!({"title": "M", "year": 1931});
        for text in [
            r#"{"title": "M", "year": 1931,}"#,
            "```json\n{'title': 'M', year: 1931} // Fritz Lang\n```",
            "It is {title: \"M\", \"year\": 1931,}.",
        ] {
            assert_eq!(film().parse(text), Ok(expected.clone()), "{text}");
        }
    }

    #[test]
    fn a_list_is_read_wherever_it_stands() {
        let films = ValueSchema::List(Box::new(film()));
        for text in [
            r#"[{"title": "M", "year": 1931}]"#,
            "```json\n[{\"title\": \"M\", \"year\": 1931}]\n```",
            r#"There is one: [{"title": "M", "year": 1931}] (see {above})."#,
            r#"One: [{"title": "M", "year": 1931}]"#,
        ] {
            assert_eq!(films.parse(text), Ok(json!([{"title": "M", "year": 1931}])), "{text}");
        }
        assert_eq!(films.parse(r#"{"title": "M"}"#), Err("the answer must be a list".to_owned()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        for (text, why) in [
            ("no", "it holds no JSON"),
            (r#"{"year": 1}"#, "title is missing"),
            (r#"{"title": "M", "year": 1.5}"#, "year must be a whole number"),
            (
                r#"{"title": "M", "year": 1, "genres": ["x"]}"#,
                "genres[0] must be one of [\"drama\",\"comedy\"]",
            ),
            ("[1]", "the answer must be an object"),
        ] {
            assert_eq!(film().parse(text), Err(why.to_owned()), "{text}");
        }
        let either = ValueSchema::Either(vec![
            ValueSchema::Number,
            ValueSchema::OrNull(Box::new(ValueSchema::Switch)),
        ]);
        assert_eq!(either.parse("null"), Ok(Value::Null));
        assert!(either.parse("\"x\"").is_err());
        assert_eq!(
            ValueSchema::Named(Box::new(ValueSchema::Number)).parse(r#"{"a": 1}"#),
            Ok(json!({"a": 1}))
        );
    }

    #[test]
    fn a_model_is_told_the_schema() {
        let told = film().instructions();
        assert!(told.contains(r#""title":{"type":"string","description":"Its title"}"#), "{told}");
        assert!(told.contains(r#""required":["title","year"]"#), "{told}");
    }
}
