//! The example flows of `serve --demo`: ready to ask, no provider key needed (manual 13.10).

pub(in crate::ops) mod drawing;

use self::drawing::Drawing;
use super::control;
use crate::app::App;
use crate::domain::accounts::caller::{Caller, key_permission_names};
use crate::domain::accounts::registration::NewOwner;
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::flow_change::FlowChange;
use crate::domain::ids::FlowId;
use crate::domain::knowledge::store_changes::NewStore;
use crate::ops::accounts::keys;
use crate::ops::accounts::owner::{self, OwnerStatus};
use crate::ops::flows;
use crate::ops::flows::drafts::{self, DraftPrecondition};
use crate::ops::flows::publish;
use crate::ops::knowledge::stores;
use crate::store::tables::FLOWS;
use serde_json::json;

const HELLO: &str = "Hello";
const HELLO_RULES: &str = include_str!("../../../../assets/demo/hello-rules.json");
const HELLO_MANNER: &str = "You are a friendly example.";
/// What somebody changed and did not publish yet.
const HELLO_RULES_DRAFT: &str = include_str!("../../../../assets/demo/hello-rules-draft.json");
const HELLO_MANNER_DRAFT: &str = "You are a friendly example that shows what a draft is.";
const CALCULATOR_RULES: &str = include_str!("../../../../assets/demo/calculator-rules.json");
const HANDBOOK: &str = include_str!("../../../../assets/demo/handbook.md");
const OWNER_EMAIL: &str = "owner@flowkeep.local";

/// What a fresh demo made.
#[derive(Debug)]
pub(crate) struct Demo {
    /// Sign-in e-mail.
    pub owner_email: String,
    /// Sign-in password, shown once; `None` for an owner whose password the settings say.
    pub owner_password: Option<String>,
    /// An API key with every permission a key can hold, shown once.
    pub api_key: String,
    /// Name and id of each example flow.
    pub flows: Vec<(String, FlowId)>,
}

/// Fills a service that nobody owns yet, or whose owner was just made from the settings; `None` when it was in use before,
/// and then nothing is changed.
///
/// # Errors
/// When the database cannot be written.
pub(crate) fn install(app: &App, standing: &OwnerStatus) -> Result<Option<Demo>> {
    let (owner_email, owner_password) = match standing {
        OwnerStatus::HasOwner => return Ok(None),
        OwnerStatus::Created { email } => (email.clone(), None),
        OwnerStatus::Unclaimed { .. } => {
            let password = control::random_password()?;
            let (name, email) = ("Demo Owner".to_owned(), OWNER_EMAIL.to_owned());
            owner::create(app, &NewOwner { name, email, password: password.clone() }, None)?;
            (OWNER_EMAIL.to_owned(), Some(password))
        }
    };
    let caller = owner::operator(app)?.ok_or_else(|| Error::internal("the owner just made is not there"))?;
    let permissions: Vec<String> = key_permission_names().collect();
    let (_, api_key) = keys::create(app, &caller, "Demo key", &permissions)?;
    let handbook = handbook(app, &caller)?;
    let drawn = [
        (HELLO, hello(HELLO_RULES, HELLO_MANNER)),
        ("Calculator agent", calculator()),
        ("Ask the handbook", ask_handbook(&handbook)),
    ];
    let mut flows = Vec::new();
    for (name, canvas) in drawn {
        let change = FlowChange {
            name: Some(name.to_owned()),
            kind: Some(FlowKind::Chatflow.as_str().to_owned()),
            canvas: Some(canvas),
            ..FlowChange::default()
        };
        let flow = flows::create(app, &caller, &change)?.flow.id;
        // With drafts off it is Live already.
        if app.settings.drafts {
            publish::publish(app, &caller, &flow, &DraftPrecondition::Any, false)?;
        }
        flows.push((name.to_owned(), flow));
    }
    if let (true, Some((_, hello_flow))) = (app.settings.drafts, flows.first()) {
        let edited = hello(HELLO_RULES_DRAFT, HELLO_MANNER_DRAFT);
        drafts::save(app, &caller, hello_flow, &edited, &DraftPrecondition::None)?;
    }
    Ok(Some(Demo { owner_email, owner_password, api_key, flows }))
}

/// The first example flow, if it is still there and open to anyone.
///
/// # Errors
/// When the database cannot be read.
pub(crate) fn first_flow(app: &App) -> Result<Option<FlowId>> {
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
    let new = NewStore { name: "Handbook".to_owned(), description: "How Flowkeep works".to_owned() };
    let id = stores::create(app, caller, new)?.id;
    stores::add_text(app, caller, &id, HANDBOOK, "handbook.md", 400)?;
    Ok(id.to_string())
}

fn hello(rules: &str, manner: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatScripted", json!({"rules": rules, "fallback": "You said: {question}"}));
    let memory = drawing.add_card("bufferMemory", json!({}));
    let chain = drawing.add_card("conversationChain", json!({ "systemMessagePrompt": manner }));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&memory, &chain, "memory");
    drawing.add_note("Change the rules, or swap the Scripted Chat Model for a provider's model.");
    drawing.into_text()
}

fn calculator() -> String {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatScripted", json!({"rules": CALCULATOR_RULES}));
    let memory = drawing.add_card("bufferMemory", json!({}));
    let calculator = drawing.add_card("calculator", json!({}));
    let clock = drawing.add_card("currentDateTime", json!({}));
    let agent = drawing.add_card("toolAgent", json!({}));
    drawing.connect(&model, &agent, "model");
    drawing.connect(&memory, &agent, "memory");
    drawing.connect(&calculator, &agent, "tools");
    drawing.connect(&clock, &agent, "tools");
    drawing.into_text()
}

fn ask_handbook(store: &str) -> String {
    let mut drawing = Drawing::default();
    let model = drawing.add_card("chatExtractive", json!({"sentences": "2"}));
    let retriever = drawing.add_card("bm25Retriever", json!({"documentStore": store}));
    let chain = drawing.add_card("retrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.connect(&model, &chain, "model");
    drawing.connect(&retriever, &chain, "vectorStoreRetriever");
    drawing.into_text()
}
