//! A flow run with no server (`ask --file`): no database, no conversation, no credential but those that were given.

use crate::base::cancel::CancelToken;
use crate::canvas::{Canvas, current_card_name};
use crate::cards::kit::{
    Capabilities, Code, CodeRunner, ConversationPast, Host, HostContext, LoneQuestion, RunContext, RunMemory,
    StartValues, StreamClosed, TokenSink,
};
use crate::cards::registry;
use crate::clock::Clock;
use crate::documents::{self, DocumentReader};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::HistoryMessage;
use crate::domain::workspace::credential_types;
use crate::engine::agentflow::{self, AgentRun, NoJournal, RunSink};
use crate::engine::{self, Credentials, FlowPlan, Overrides};
use crate::llm::TokenCache;
use crate::net::Outgoing;
use crate::ops::workspace::transfer::FileFlows;
use crate::script::{self, GuardedFetch, ScriptError, ScriptRunner, ScriptScope, ScriptServices};
use crate::settings::Settings;
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

struct OfflineHost<'a> {
    question: &'a str,
    outgoing: Outgoing,
    scripts: ScriptRunner,
    documents: DocumentReader,
    cancel: CancelToken,
    credentials: CredentialsById,
    clock: Clock,
    tokens: TokenCache,
    memory: RunMemory,
}

impl CodeRunner for OfflineHost<'_> {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        let mut flow = code.flow.clone();
        flow.insert("input".to_owned(), self.question.into());
        let scope = ScriptScope {
            inputs: code.inputs.clone(),
            flow,
            fetch: Some(Arc::new(GuardedFetch::new(self.outgoing.clone()))),
            ..ScriptScope::default()
        };
        let served = ScriptServices { calls: code.calls, databases: None };
        self.scripts.run_with(code.source, &scope, served, &self.cancel).result
    }
}

impl Credentials for OfflineHost<'_> {
    fn credential(&self, id: &str, admit: &dyn Fn(&str) -> Result<()>) -> Result<Option<Map<String, Value>>> {
        let Some((kind, fields)) = self.credentials.get(id) else { return Ok(None) };
        admit(kind)?;
        Ok(Some(fields.clone()))
    }
}

impl Host for OfflineHost<'_> {
    fn context(&self) -> HostContext<'_> {
        HostContext {
            question: self.question,
            ..HostContext::new(&self.cancel, &self.outgoing, &self.documents, &self.clock, &self.tokens)
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
            .with_conversations(&LoneQuestion)
            .with_vector_indexes(&self.memory)
            .with_replies(&self.memory)
            .with_code(self)
    }
}

struct TokenForwarder<'a>(&'a mut (dyn FnMut(&str) + Send));

impl RunSink for TokenForwarder<'_> {}

/// One question that nothing was said before.
pub(super) struct NoPast;

impl ConversationPast for NoPast {
    fn messages(&self) -> Result<Vec<HistoryMessage>> {
        Ok(Vec::new())
    }
}

impl TokenSink for TokenForwarder<'_> {
    fn token(&mut self, text: &str) -> Result<(), StreamClosed> {
        (self.0)(text);
        Ok(())
    }
}

/// A flow without a server, and what it may use.
pub(crate) struct OfflineRequest<'a> {
    /// A file: a canvas, a starter, a flow or an export.
    pub file: &'a str,
    /// Which flow of it, by its name; `None` where it holds one.
    pub flow: Option<&'a str>,
    /// What its cards sign in with.
    pub credentials: Vec<GivenCredential>,
}

/// What cards sign in with that name it, or whose type it is. It holds secrets, so it has no `Debug`.
#[derive(Clone)]
pub(crate) struct GivenCredential {
    /// A credential type, or the name of a credential in the file.
    pub name: String,
    pub fields: Map<String, Value>,
}

/// Answers `question` with a flow of the file; fragments go to `on_token`.
///
/// # Errors
/// When the file holds no such flow, a credential fits no card of it, or the flow fails.
pub(crate) fn run_offline(
    asked: &OfflineRequest<'_>,
    question: &str,
    settings: &Settings,
    program: PathBuf,
    on_token: &mut (dyn FnMut(&str) + Send),
) -> Result<String> {
    let file = FileFlows::read(asked.file)?;
    let flow = file.pick(asked.flow)?;
    let (canvas, credentials) = assign_credentials(&flow.canvas, &file.credentials, &asked.credentials)?;
    let canvas = Canvas::parse(&canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
    let plan = FlowPlan::compile(flow.kind, &canvas)?;
    let limits = script::ScriptLimits::from_settings(settings.code_seconds, settings.code_memory_mb);
    let host = OfflineHost {
        question,
        documents: DocumentReader::new(program.clone(), documents::DocumentLimits::default())
            .map_err(Error::internal)?,
        scripts: ScriptRunner::new(program, limits).map_err(Error::internal)?,
        outgoing: Outgoing::from_settings(settings).map_err(|error| Error::RunFailed(error.to_string()))?,
        cancel: CancelToken::new(None),
        credentials,
        clock: Clock::default(),
        tokens: TokenCache::default(),
        memory: RunMemory::default(),
    };
    let turn = RunContext { question, documents: "", uploads: &[], history: &[], host: &host };
    let mut sink = TokenForwarder(on_token);
    let overrides = Overrides::default();
    match &plan {
        FlowPlan::Chat(plan) => {
            let begun = engine::run(plan, &overrides, &turn, &host, &mut sink)?;
            Ok(begun.complete(turn.host, &mut sink)?.outcome.text)
        }
        FlowPlan::Agent(plan) => {
            let run = AgentRun {
                plan,
                overrides: &overrides,
                turn: &turn,
                start: &StartValues::default(),
                credentials: &host,
                conversation: &NoPast,
                state: plan.start_state(Map::new(), &overrides),
                began: host.clock.now(),
                branches_max: usize::try_from(settings.branches_max).unwrap_or(1),
                journal: &NoJournal,
            };
            let outcome = agentflow::run(&run, &mut sink)?;
            if !outcome.pauses.is_empty() {
                return Err(Error::RunFailed(
                    "The flow waits for a person, and there is none without a server.".into(),
                ));
            }
            Ok(outcome.output.text)
        }
    }
}

/// Credentials by the id that a card names: their type and fields.
type CredentialsById = HashMap<String, (String, Map<String, Value>)>;

/// Gives each card that takes a credential the one that was given for it: by the name the file has for it, or by its type.
fn assign_credentials(
    text: &str,
    named: &Map<String, Value>,
    given: &[GivenCredential],
) -> Result<(String, CredentialsById)> {
    let mut known = CredentialsById::new();
    if given.is_empty() {
        return Ok((text.to_owned(), known));
    }
    let mut canvas: Value =
        serde_json::from_str(text).map_err(|_| Error::invalid("The flow's canvas is not JSON."))?;
    let (mut used, mut taken): (BTreeSet<usize>, BTreeSet<&str>) = Default::default();
    for node in canvas["nodes"].as_array_mut().into_iter().flatten() {
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        let card = data.get("name").and_then(Value::as_str).map(current_card_name).and_then(registry::find);
        let Some(card) = card.filter(|card| !card.credential_types().is_empty()) else { continue };
        taken.extend(card.credential_types());
        let chosen = data.get("credential").filter(|id| id.is_string());
        let chosen = chosen.or_else(|| data.get("inputs")?.get("FLOWISE_CREDENTIAL_ID"));
        let says = chosen.and_then(Value::as_str).and_then(|id| named.get(id));
        let says = |field: &str| says.and_then(|says| says.get(field)).and_then(Value::as_str);
        let of_name = given.iter().position(|one| says("name") == Some(one.name.as_str()));
        let of_type = || given.iter().position(|one| card.credential_types().contains(&one.name.as_str()));
        let Some(at) = of_name.or_else(of_type) else { continue };
        let one = &given[at];
        let own_type = card.credential_types().iter().find(|kind| **kind == one.name).copied();
        let kind =
            own_type.or_else(|| says("credentialName")).unwrap_or(card.credential_types()[0]).to_owned();
        check_fields(&kind, &one.fields)?;
        let id = format!("given-{at}-{kind}");
        known.insert(id.clone(), (kind, one.fields.clone()));
        data.insert("credential".to_owned(), id.into());
        used.insert(at);
    }
    if let Some((_, unused)) = given.iter().enumerate().find(|(at, _)| !used.contains(at)) {
        let takes = taken.into_iter().collect::<Vec<_>>().join(", ");
        let takes = if takes.is_empty() { "none".to_owned() } else { takes };
        let name = unused.name.escape_debug();
        return Err(Error::Invalid(format!(
            "No card of the flow signs in with '{name}'; its cards take: {takes}."
        )));
    }
    Ok((canvas.to_string(), known))
}

/// A field that a type does not have is a slip of the pen.
fn check_fields(kind: &str, fields: &Map<String, Value>) -> Result<()> {
    let Some(known) = credential_types::find_type(kind) else { return Ok(()) };
    let Some(unknown) = fields.keys().find(|field| !known.fields.iter().any(|has| has.name == **field))
    else {
        return Ok(());
    };
    let names: Vec<&str> = known.fields.iter().map(|field| field.name).collect();
    Err(Error::Invalid(format!(
        "A credential of the type {kind} has no field '{}'; it has: {}.",
        unknown.escape_debug(),
        names.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn given(name: &str, field: &str) -> GivenCredential {
        GivenCredential { name: name.to_owned(), fields: Map::from_iter([(field.to_owned(), "sk".into())]) }
    }

    fn signed(given: &[GivenCredential]) -> Result<(Value, CredentialsById)> {
        let model = json!({"id": "m", "data": {"id": "m", "name": "chatOpenAI", "credential": "1"}});
        let text = json!({"nodes": [model], "edges": []}).to_string();
        let named = json!({"1": {"name": "Main", "credentialName": "openAIApi"}});
        let (text, known) = assign_credentials(&text, named.as_object().unwrap(), given)?;
        Ok((serde_json::from_str(&text).unwrap(), known))
    }

    #[test]
    fn a_credential_is_given_by_its_type_or_by_the_name_in_the_file() {
        for name in ["openAIApi", "Main"] {
            let (canvas, known) = signed(&[given(name, "openAIApiKey")]).unwrap();
            let id = canvas["nodes"][0]["data"]["credential"].as_str().unwrap();
            assert_eq!((known[id].0.as_str(), &known[id].1["openAIApiKey"]), ("openAIApi", &json!("sk")));
        }
    }

    #[test]
    fn what_fits_nothing_is_named() {
        let told = |name: &str, field: &str| signed(&[given(name, field)]).err().unwrap().to_string();
        assert!(told("anthropicApi", "anthropicApiKey").contains("its cards take: openAIApi"));
        assert!(told("openAIApi", "key").contains("it has: openAIApiKey"));
        assert!(!told("openAIApi", "key").contains("sk"));
    }
}
