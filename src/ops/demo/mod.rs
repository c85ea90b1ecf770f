//! The example flows of `serve --demo`: ready to ask, no provider key needed (manual 13.10).

pub(in crate::ops) mod drawing;

use super::control;
use super::document_stores::{self, StoreEdit};
use super::drafts::{self, Expected};
use super::flows::{self, FlowEdit};
use super::keys::{self, KeyBody};
use super::owner::{self, NewOwner, Standing};
use super::publish;
use crate::app::App;
use crate::domain::caller::{Caller, for_keys};
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::store::tables::FLOWS;
use drawing::Drawing;
use serde_json::json;

const HELLO: &str = "Hello";
const HELLO_RULES: &str = include_str!("../../../assets/demo/hello-rules.json");
const HELLO_MANNER: &str = "You are a friendly example.";
/// What somebody changed and did not publish yet.
const HELLO_RULES_DRAFT: &str = include_str!("../../../assets/demo/hello-rules-draft.json");
const HELLO_MANNER_DRAFT: &str = "You are a friendly example that shows what a draft is.";
const CALCULATOR_RULES: &str = include_str!("../../../assets/demo/calculator-rules.json");
const HANDBOOK: &str = include_str!("../../../assets/demo/handbook.md");
const OWNER_EMAIL: &str = "owner@flowkeep.local";

/// What a fresh demo made.
#[derive(Debug)]
pub struct Demo {
    /// Sign-in e-mail.
    pub owner_email: String,
    /// Sign-in password, shown once; `None` for an owner whose password the settings say.
    pub owner_password: Option<String>,
    /// An API key with every permission a key can hold, shown once.
    pub api_key: String,
    /// Name and id of each example flow.
    pub flows: Vec<(String, FlowId)>,
}

/// Fills a house that nobody owns yet, or whose owner was just made from the settings; `None` when it was in use before,
/// and then nothing is changed.
///
/// # Errors
/// When the database cannot be written.
pub fn install(app: &App, standing: &Standing) -> Result<Option<Demo>> {
    let (owner_email, owner_password) = match standing {
        Standing::HasOwner => return Ok(None),
        Standing::Made { email } => (email.clone(), None),
        Standing::Waits { .. } => {
            let password = control::random_password()?;
            let (name, email) = ("Demo Owner".to_owned(), OWNER_EMAIL.to_owned());
            owner::create(app, &NewOwner { name, email, credential: password.clone() }, None)?;
            (OWNER_EMAIL.to_owned(), Some(password))
        }
    };
    let caller = owner::operator(app)?.ok_or_else(|| Error::internal("the owner just made is not there"))?;
    let permissions = for_keys().collect();
    let key = keys::create(app, &caller, &KeyBody { key_name: "Demo key".to_owned(), permissions })?;
    let api_key = key["apiKey"].as_str().unwrap_or_default().to_owned();
    let handbook = handbook(app, &caller)?;
    let drawn = [
        (HELLO, hello(HELLO_RULES, HELLO_MANNER)),
        ("Calculator agent", calculator()),
        ("Ask the handbook", ask_handbook(&handbook)),
    ];
    let mut flows = Vec::new();
    for (name, canvas) in drawn {
        let edit: FlowEdit =
            serde_json::from_value(json!({"name": name, "type": "CHATFLOW", "flowData": canvas}))
                .map_err(Error::internal)?;
        let flow = flows::create(app, &caller, &edit)?.flow.id;
        // With drafts off it is Live already.
        if app.settings.drafts {
            publish::publish(app, &caller, &flow, false)?;
        }
        flows.push((name.to_owned(), flow));
    }
    if let (true, Some((_, hello_flow))) = (app.settings.drafts, flows.first()) {
        let edited = hello(HELLO_RULES_DRAFT, HELLO_MANNER_DRAFT);
        drafts::save(app, &caller, hello_flow, edited, &Expected::None)?;
    }
    Ok(Some(Demo { owner_email, owner_password, api_key, flows }))
}

/// The first example flow, if it is still there and open to anyone.
///
/// # Errors
/// When the database cannot be read.
pub fn first_flow(app: &App) -> Result<Option<FlowId>> {
    let Some(operator) = owner::operator(app)? else { return Ok(None) };
    app.store.read(|tx| {
        let flows = FLOWS.list(tx, &operator.workspace)?;
        let mut open = flows
            .iter()
            .filter(|flow| flow.name == HELLO && flow.card_count > 0 && flow.settings.api_key.is_none());
        Ok(open.next().map(|flow| flow.id))
    })
}

fn handbook(app: &App, caller: &Caller) -> Result<String> {
    let edit: StoreEdit =
        serde_json::from_value(json!({"name": "Handbook", "description": "How Flowkeep works"}))
            .map_err(Error::internal)?;
    let store = document_stores::create(app, caller, edit)?;
    let id = store["id"].as_str().unwrap_or_default().to_owned();
    if let Some(id) = crate::domain::ids::DocumentStoreId::parse(&id) {
        document_stores::add_text(app, caller, &id, HANDBOOK, "handbook.md", 400)?;
    }
    Ok(id)
}

fn hello(rules: &str, manner: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({"rules": rules, "fallback": "You said: {question}"}));
    let memory = drawing.card("bufferMemory", json!({}));
    let chain = drawing.card("conversationChain", json!({ "systemMessagePrompt": manner }));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&memory, &chain, "memory");
    drawing.note("Change the rules, or swap the Scripted Chat Model for a provider's model.");
    drawing.text()
}

fn calculator() -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatScripted", json!({"rules": CALCULATOR_RULES}));
    let memory = drawing.card("bufferMemory", json!({}));
    let calculator = drawing.card("calculator", json!({}));
    let clock = drawing.card("currentDateTime", json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    drawing.wire(&memory, &agent, "memory");
    drawing.wire(&calculator, &agent, "tools");
    drawing.wire(&clock, &agent, "tools");
    drawing.text()
}

fn ask_handbook(store: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.card("chatExtractive", json!({"sentences": "2"}));
    let retriever = drawing.card("bm25Retriever", json!({"documentStore": store}));
    let chain = drawing.card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&retriever, &chain, "vectorStoreRetriever");
    drawing.text()
}
