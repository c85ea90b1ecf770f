//! Whatever Flowise lets its owner leave blank is no error here: over all cards, with every input that may be blank left so.

use super::kit::capabilities::test_host::TestHost;
use super::kit::{Card, Component, Input, InputKind, InputValue, Inputs, WireType, WiredComponent};
use super::registry::{CARDS, find};
use crate::domain::error::Result;
use crate::domain::workspace::credential_types;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// How an error says that something is missing.
const MISSING: &[&str] = &["fill this in", "is required", "connect a card here", "needs a connection"];

/// Cards of which one of several inputs has to be filled in, whichever it is.
const ONE_OF_SEVERAL: &[&str] = &["openAPIToolkit", "openApiChain", "customTool", "searchApi"];

/// The card that stands in for what can be wired.
fn stand_in(wanted: WireType) -> Option<&'static str> {
    Some(match wanted {
        WireType::Cache => "inMemoryCache",
        WireType::ChatModel | WireType::LanguageModel => "chatScripted",
        WireType::Memory | WireType::ChatMemory => "bufferMemory",
        WireType::Prompt => "promptTemplate",
        WireType::ChatPrompt => "chatPromptTemplate",
        WireType::OutputParser => "csvOutputParser",
        WireType::Moderation => "inputModerationSimple",
        WireType::Tool => "calculator",
        WireType::Retriever | WireType::VectorStore | WireType::VectorStoreRetriever => "memoryVectorStore",
        WireType::TextSplitter => "characterTextSplitter",
        WireType::PromptRetriever => "promptRetriever",
        WireType::Document => "plainText",
        WireType::Embeddings => "hashingEmbeddings",
        WireType::RecordManager => "SQLiteRecordManager",
        WireType::Chain => "llmChain",
        WireType::Engine => "queryEngine",
        WireType::EngineModel => "chatScripted",
        WireType::EngineEmbeddings => "hashingEmbeddings",
        WireType::EngineTool => "queryEngineToolLlamaIndex",
        WireType::IndexRetriever => "simpleStoreLlamaIndex",
        WireType::Synthesizer => "refineLlamaIndex",
        // What is wired there is a value, or comes from cards that need a service.
        _ => return None,
    })
}

/// What an input must have: the shortest thing a person could enter.
fn entered(input: &Input) -> Value {
    match input.kind {
        InputKind::Address => "https://example.com/a".into(),
        InputKind::Number { min, .. } => min.into(),
        InputKind::Choice(choices) => choices[0].name.into(),
        InputKind::Choices(choices) => json!([choices[0].name]),
        InputKind::Json | InputKind::Headers => json!({}),
        InputKind::Pick(_) => "7c9e6679-7425-40de-944b-e07fc1f90ae7".into(),
        InputKind::File(_) => "FILE-STORAGE::a.txt".into(),
        _ => "a".into(),
    }
}

fn bound(input: &Input, host: &TestHost) -> Result<Option<InputValue>> {
    let may_be_blank = input.optional || input.default.is_some() || input.start.is_some();
    Ok(Some(match input.kind {
        InputKind::Credential(_) => return Ok(None),
        InputKind::Wire(_) | InputKind::Wires(_) if may_be_blank => InputValue::Components(Vec::new()),
        InputKind::Wire(wanted) | InputKind::Wires(wanted) => {
            let part = match stand_in(wanted).and_then(find) {
                Some(card) => part(card, host)?,
                None => Component::Value("a".into()),
            };
            let wired = WiredComponent { label: "Stand-in".to_owned(), picked: None, component: part };
            InputValue::Components(vec![wired])
        }
        _ if may_be_blank => InputValue::Value("".into()),
        _ => InputValue::Value(entered(input)),
    }))
}

/// The card with nothing in it but what it must have.
fn part(card: &'static Card, host: &TestHost) -> Result<Component> {
    let mut values = HashMap::new();
    for input in card.inputs {
        if let Some(bound) = bound(input, host)? {
            values.insert(input.name, bound);
        }
    }
    let kind = card.credential_types().first().and_then(|name| credential_types::find_type(name));
    let credential = kind.map(|kind| {
        let fields = kind.fields.iter().map(|field| (field.name.to_owned(), Value::from("a")));
        fields.collect::<Map<_, _>>()
    });
    card.make.build(&Inputs {
        card,
        fields: card.inputs,
        row: None,
        label: card.label,
        node: None,
        host,
        values,
        credential,
        credential_id: Some("a"),
    })
}

#[test]
fn a_card_whose_optional_inputs_are_blank_misses_nothing() {
    let host = TestHost::default();
    let mut faults = Vec::new();
    for card in CARDS.iter().filter(|card| !ONE_OF_SEVERAL.contains(&card.name)) {
        if let Err(error) = part(card, &host) {
            let told = error.to_string();
            if MISSING.iter().any(|missing| told.contains(missing)) {
                faults.push(format!("{}: {told}", card.name));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn what_a_person_writes_for_a_model_to_read_may_be_blank() {
    for card in CARDS {
        for input in card.inputs.iter().filter(|input| input.name.to_lowercase().ends_with("description")) {
            let may_be_blank = input.optional || input.default.is_some();
            assert!(may_be_blank, "{}: {}", card.name, input.name);
        }
    }
}
