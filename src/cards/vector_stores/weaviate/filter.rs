//! What chunks must be, in the words of Weaviate's questions.

use super::WeaviateClass;
use crate::kit::knowledge::conversation_scope::CHAT_KEY;
use crate::kit::stores::remote::{ConversationFilter, VectorSearch};
use crate::llm::ModelError;
use serde_json::{Map, Value, json};

/// Levels of an owner's filter.
const LEVELS_MAX: usize = 16;

/// The owner's filter, that of a search, and whose chunks they are: all of them must hold.
pub(super) fn combined_filter(
    own: Option<&Value>,
    search: &VectorSearch<'_>,
    class: &WeaviateClass,
) -> Result<Option<String>, ModelError> {
    let filters = own.into_iter().chain(search.filter).filter_map(Value::as_object);
    let mut all: Vec<Value> = filters.flat_map(|filter| to_weaviate_filter(filter, class)).collect();
    all.extend(conversation_condition(search.conversation, class));
    if all.len() > 1 {
        all = vec![json!({"operator": "And", "operands": all})];
    }
    let written = all.first().map(|filter| to_graphql(filter, LEVELS_MAX));
    let strange = || ModelError::Settings("the filter is not in the words of Weaviate".into());
    written.map(|text| text.ok_or_else(strange)).transpose()
}

/// Metadata with the values they must have, as Weaviate says it; a filter that says it so already stays.
fn to_weaviate_filter(filter: &Map<String, Value>, class: &WeaviateClass) -> Vec<Value> {
    if filter.contains_key("operator") {
        return vec![Value::Object(filter.clone())];
    }
    let condition = |(key, value): (&String, &Value)| match value {
        Value::Array(any) => {
            let any: Vec<Value> = any.iter().map(|value| equal(key, value, class)).collect();
            json!({"operator": "Or", "operands": any})
        }
        plain => equal(key, plain, class),
    };
    filter.iter().map(condition).collect()
}

fn equal(key: &str, value: &Value, class: &WeaviateClass) -> Value {
    let kind = class.properties.get(key).map_or("", |kind| kind.trim_end_matches("[]"));
    let name = match (kind, value) {
        ("int", _) => "valueInt",
        ("date", _) => "valueDate",
        (_, Value::Bool(_)) => "valueBoolean",
        (_, Value::Number(_)) => "valueNumber",
        _ => "valueText",
    };
    json!({"path": [key], "operator": "Equal", name: value})
}

/// `None` where nothing in the class is of any conversation, or the class cannot be asked: what is found is looked at again.
fn conversation_condition(whose: ConversationFilter<'_>, class: &WeaviateClass) -> Option<Value> {
    if !class.properties.contains_key(CHAT_KEY) || !class.knows_nulls {
        return None;
    }
    let everybodys = json!({"path": [CHAT_KEY], "operator": "IsNull", "valueBoolean": true});
    Some(match whose.0 {
        Some(chat) => {
            let own = json!({"path": [CHAT_KEY], "operator": "Equal", "valueText": chat});
            json!({"operator": "Or", "operands": [everybodys, own]})
        }
        None => everybodys,
    })
}

/// JSON as the language of questions has it: names stand without quotes, and so do operators. `None` for what is none.
fn to_graphql(value: &Value, levels: usize) -> Option<String> {
    let below = levels.checked_sub(1)?;
    match value {
        Value::Object(map) => {
            let entry = |(name, value): (&String, &Value)| {
                let text = match value {
                    Value::String(word) if name == "operator" => {
                        super::is_name(word).then(|| word.clone())?
                    }
                    other => to_graphql(other, below)?,
                };
                super::is_name(name).then(|| format!("{name}: {text}"))
            };
            let entries: Option<Vec<String>> = map.iter().map(entry).collect();
            Some(format!("{{{}}}", entries?.join(", ")))
        }
        Value::Array(list) => {
            let entries: Option<Vec<String>> = list.iter().map(|value| to_graphql(value, below)).collect();
            Some(format!("[{}]", entries?.join(", ")))
        }
        plain => Some(plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn class(properties: &[(&str, &str)]) -> WeaviateClass {
        let properties = properties.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned()));
        WeaviateClass {
            properties: properties.collect::<BTreeMap<_, _>>(),
            distance: "cosine".to_owned(),
            target: None,
            knows_nulls: true,
        }
    }

    fn shown(
        own: &Value,
        more: Option<&Value>,
        chat: Option<&str>,
        class: &WeaviateClass,
    ) -> Result<String, ModelError> {
        let search = VectorSearch {
            text: "",
            vector: &[],
            most: 1,
            filter: more,
            conversation: ConversationFilter(chat),
            with_vectors: false,
        };
        Ok(combined_filter(Some(own), &search, class)?.unwrap_or_default())
    }

    #[test]
    fn all_filters_are_joined_and_written_without_quotes_around_names() {
        let class = class(&[("year", "int"), (CHAT_KEY, "text")]);
        let own = json!({"operator": "Like", "path": ["source"], "valueText": "a \"*\""});
        let more = json!({"year": [1, 2]});
        assert_eq!(
            shown(&own, Some(&more), Some("c"), &class).unwrap(),
            "{operator: And, operands: [{operator: Like, path: [\"source\"], valueText: \"a \\\"*\\\"\"}, \
             {operator: Or, operands: [{path: [\"year\"], operator: Equal, valueInt: 1}, \
             {path: [\"year\"], operator: Equal, valueInt: 2}]}, \
             {operator: Or, operands: [{path: [\"flowise_chatId\"], operator: IsNull, valueBoolean: true}, \
             {path: [\"flowise_chatId\"], operator: Equal, valueText: \"c\"}]}]}"
        );
    }

    #[test]
    fn a_filter_says_nothing_but_a_filter() {
        let class = class(&[]);
        for own in [
            json!({"operator": "Equal}) { x } #", "path": []}),
            json!({"operator": "And", "a b": 1}),
            (0..99)
                .fold(json!({"operator": "And"}), |inner, _| json!({"operator": "And", "operands": [inner]})),
        ] {
            assert!(shown(&own, None, None, &class).is_err(), "{own}");
        }
        assert_eq!(shown(&json!({}), None, None, &class).unwrap(), "");
    }
}
