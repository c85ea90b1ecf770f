//! Assistants: a model with instructions, document stores and tools, told as one thing and not drawn (manual 8.14).

use crate::domain::error::{Error, Result};
use crate::domain::ids::{AssistantId, WorkspaceId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Tools and document stores of one assistant: a model reads what each is good for with every question.
const TOOLS_MAX: usize = 100;

/// Where an assistant runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "test-support", derive(schemars::JsonSchema), schemars(inline))]
pub enum AssistantKind {
    /// Here: it is a flow.
    #[serde(rename = "CUSTOM")]
    Custom,
    // The rest run at their providers, which ended that interface: they are kept and never called.
    #[serde(rename = "OPENAI")]
    OpenAi,
    #[serde(rename = "AZURE")]
    Azure,
}

impl AssistantKind {
    /// Reads a kind that a caller sent.
    ///
    /// # Errors
    /// 400 naming the kinds.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            "CUSTOM" => Ok(Self::Custom),
            "OPENAI" => Ok(Self::OpenAi),
            "AZURE" => Ok(Self::Azure),
            _ => Err(Error::invalid("Invalid type: it must be CUSTOM, OPENAI or AZURE.")),
        }
    }
}

/// An assistant as the API shows it. That of a flow is made of the flow; the rest lie in a table of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Assistant {
    /// Of one that is a flow, the flow's id.
    pub id: AssistantId,
    pub workspace: WorkspaceId,
    pub kind: AssistantKind,
    /// JSON text of an object.
    pub details: String,
    pub marks: AssistantMarks,
    /// When it was made.
    pub created: Timestamp,
    pub updated: Timestamp,
}

/// What clients keep beside the details.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssistantMarks {
    pub credential: Option<String>,
    pub icon: Option<String>,
}

/// What of an assistant a caller sets; what is left out stays.
#[derive(Debug, Clone, Default)]
pub struct AssistantChange {
    pub kind: Option<String>,
    pub details: Option<String>,
    pub credential: Option<String>,
    pub icon: Option<String>,
}

impl AssistantChange {
    /// The marks as they shall be.
    #[must_use]
    pub fn marks(&self, stored: AssistantMarks) -> AssistantMarks {
        AssistantMarks {
            credential: self.credential.clone().or(stored.credential),
            icon: self.icon.clone().or(stored.icon),
        }
    }
}

/// A card of an assistant with its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct AssistantCard {
    pub name: String,
    /// By input name.
    pub inputs: Map<String, Value>,
    /// The id of a stored credential, in a version its name and type; `null` for none.
    pub credential: Value,
}

/// A document store that an assistant searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssistantStore {
    pub id: String,
    pub name: String,
    /// Tells the model when to search it.
    pub description: String,
    pub returns_sources: bool,
}

/// What makes an assistant that is a flow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AssistantDetails {
    pub name: String,
    pub instruction: String,
    /// `None` until somebody chose one: such an assistant answers nobody.
    pub model: Option<AssistantCard>,
    pub stores: Vec<AssistantStore>,
    pub tools: Vec<AssistantCard>,
    /// What else a client keeps there, as it was sent.
    pub others: Map<String, Value>,
}

fn refuse(why: &str) -> Error {
    Error::Invalid(format!("Invalid details: {why}."))
}

/// Reads the details of any assistant as far as all have them.
///
/// # Errors
/// 400 for anything but JSON text of an object.
pub fn parse_object(details: &str) -> Result<Map<String, Value>> {
    match serde_json::from_str(details) {
        Ok(Value::Object(map)) => Ok(map),
        _ => Err(refuse("they must be JSON text of an object")),
    }
}

impl AssistantDetails {
    /// Reads details as clients send them.
    ///
    /// # Errors
    /// 400 naming the field that is wrong.
    pub fn parse(details: &str) -> Result<Self> {
        let mut sent = parse_object(details)?;
        let name = take_text(&mut sent, "name")?;
        if name.trim().is_empty() {
            return Err(refuse("'name' must say something"));
        }
        let instruction = take_text(&mut sent, "instruction")?;
        let model = sent.shift_remove("chatModel").filter(|model| !is_nothing(model));
        let model = model.map(|model| parse_card("chatModel", model)).transpose()?;
        let stores = take_list(&mut sent, "documentStores")?
            .into_iter()
            .map(parse_store)
            .collect::<Result<Vec<_>>>()?;
        let tools = take_list(&mut sent, "tools")?
            .into_iter()
            .filter(|tool| !is_nothing(tool))
            .map(|tool| parse_card("tools", tool))
            .collect::<Result<Vec<_>>>()?;
        if stores.len() + tools.len() > TOOLS_MAX {
            return Err(refuse(&format!("an assistant has at most {TOOLS_MAX} tools and document stores")));
        }
        Ok(Self { name, instruction, model, stores, tools, others: sent })
    }

    /// The details as clients read them.
    #[must_use]
    pub fn to_json(&self) -> Map<String, Value> {
        let card = |card: &AssistantCard| json!({"name": card.name, "inputs": card.inputs, "credential": card.credential});
        let store = |store: &AssistantStore| {
            json!({
                "id": store.id, "name": store.name, "description": store.description,
                "returnSourceDocuments": store.returns_sources,
            })
        };
        let mut told = Map::new();
        told.insert("name".to_owned(), self.name.clone().into());
        told.extend(self.model.as_ref().map(|model| ("chatModel".to_owned(), card(model))));
        told.insert("instruction".to_owned(), self.instruction.clone().into());
        told.insert("documentStores".to_owned(), self.stores.iter().map(store).collect());
        told.insert("tools".to_owned(), self.tools.iter().map(card).collect());
        told.extend(self.others.clone());
        told
    }

    /// As [`Self::to_json`], as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        Value::Object(self.to_json()).to_string()
    }
}

/// Clients send an empty object, or nothing, where nobody chose a card.
fn is_nothing(sent: &Value) -> bool {
    match sent {
        Value::Null => true,
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn take_text(sent: &mut Map<String, Value>, name: &str) -> Result<String> {
    match sent.shift_remove(name) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(refuse(&format!("'{name}' must be text"))),
    }
}

fn take_list(sent: &mut Map<String, Value>, name: &str) -> Result<Vec<Value>> {
    match sent.shift_remove(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(list)) => Ok(list),
        Some(_) => Err(refuse(&format!("'{name}' must be a list"))),
    }
}

fn parse_card(place: &str, sent: Value) -> Result<AssistantCard> {
    let Value::Object(mut sent) = sent else {
        return Err(refuse(&format!("'{place}' must name a card: {{name, inputs, credential}}")));
    };
    let name = take_text(&mut sent, "name")?;
    if name.is_empty() {
        return Err(refuse(&format!("a card in '{place}' has no name")));
    }
    let inputs = match sent.shift_remove("inputs") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(inputs)) => inputs,
        Some(_) => return Err(refuse(&format!("'inputs' of {name} must be an object"))),
    };
    let credential = take_text(&mut sent, "credential")?;
    let credential = if credential.is_empty() { Value::Null } else { credential.into() };
    Ok(AssistantCard { name, inputs, credential })
}

fn parse_store(sent: Value) -> Result<AssistantStore> {
    let Value::Object(mut sent) = sent else {
        return Err(refuse("each of 'documentStores' must be an object {id, name, description}"));
    };
    let id = take_text(&mut sent, "id")?;
    if id.is_empty() {
        return Err(refuse("each of 'documentStores' must have the 'id' of a store"));
    }
    let name = take_text(&mut sent, "name")?;
    let description = take_text(&mut sent, "description")?;
    let returns_sources = sent.get("returnSourceDocuments").and_then(Value::as_bool).unwrap_or(false);
    let name = if name.trim().is_empty() { "Document store".to_owned() } else { name };
    Ok(AssistantStore { id, name, description, returns_sources })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_that_were_read_are_told_as_they_were() {
        let sent = json!({
            "name": "Desk", "chatModel": {"name": "chatOpenAI", "inputs": {"temperature": "0.2"}, "credential": "c"},
            "instruction": "Be brief.",
            "documentStores": [{"id": "s", "name": "Handbook", "description": "Rules", "returnSourceDocuments": true}],
            "tools": [{"name": "calculator", "inputs": {}, "credential": null}],
            "kept": [1],
        });
        let details = AssistantDetails::parse(&sent.to_string()).unwrap();
        assert_eq!(Value::Object(details.to_json()), sent);
    }

    #[test]
    fn an_assistant_may_begin_with_a_name_alone() {
        for sent in [
            r#"{"name":"a"}"#,
            r#"{"name":"a","chatModel":{},"tools":null,"documentStores":[],"instruction":null}"#,
        ] {
            let details = AssistantDetails::parse(sent).unwrap();
            assert_eq!(details, AssistantDetails { name: "a".to_owned(), ..AssistantDetails::default() });
        }
    }

    #[test]
    fn bad_details_are_refused_with_the_field_at_fault() {
        for (sent, told) in [
            ("", "JSON text"),
            ("[]", "JSON text"),
            ("{}", "'name'"),
            (r#"{"name":" "}"#, "'name'"),
            (r#"{"name":1}"#, "'name'"),
            (r#"{"name":"a","instruction":{}}"#, "'instruction'"),
            (r#"{"name":"a","chatModel":"chatOpenAI"}"#, "'chatModel'"),
            (r#"{"name":"a","chatModel":{"inputs":{}}}"#, "'chatModel'"),
            (r#"{"name":"a","tools":{}}"#, "'tools'"),
            (r#"{"name":"a","tools":[{"name":"t","inputs":[]}]}"#, "'inputs' of t"),
            (r#"{"name":"a","documentStores":[{"name":"x"}]}"#, "'id'"),
        ] {
            let fault = AssistantDetails::parse(sent).unwrap_err();
            assert!(matches!(&fault, Error::Invalid(why) if why.contains(told)), "{sent}: {fault}");
        }
        let many = json!({"name": "a", "tools": vec![json!({"name": "calculator"}); TOOLS_MAX + 1]});
        assert!(AssistantDetails::parse(&many.to_string()).is_err());
    }
}
