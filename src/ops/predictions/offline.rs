//! A flow run with no server (`ask --file`): no database, no conversation, no credential but those that were given.

use super::host::run_notes::RunNotes;
use super::replay::{ReplayedRun, ReplayedSteps};
use crate::base::cancel::CancelToken;
use crate::canvas::{Canvas, current_card_name};
use crate::cards::kit::{
    Capabilities, Code, CodeRunner, ConversationPast, Host, HostContext, LoneQuestion, ModelCall,
    ModelObserver, NullSink, RunContext, RunMemory, StartValues, StreamClosed, TokenSink,
};
use crate::cards::registry;
use crate::clock::Clock;
use crate::documents::{self, DocumentReader};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::predictions::prediction::{Document, HistoryMessage, RunOutput, Usage};
use crate::domain::workspace::credential_types;
use crate::engine::agentflow::{self, AgentRun, NoJournal, RunJournal, RunSink};
use crate::engine::harness::{self, TeamRun};
use crate::engine::legacy::{self, MemberRun};
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

/// What flows of files run on: this machine, and nothing that lasts.
pub(crate) struct OfflineServices {
    outgoing: Outgoing,
    scripts: ScriptRunner,
    documents: DocumentReader,
    clock: Clock,
    branches_max: usize,
}

struct OfflineHost<'a> {
    services: &'a OfflineServices,
    question: &'a str,
    cancel: CancelToken,
    credentials: &'a CredentialsById,
    tokens: TokenCache,
    memory: RunMemory,
    notes: RunNotes,
}

impl CodeRunner for OfflineHost<'_> {
    fn run_code(&self, code: &Code<'_>) -> Result<Value, ScriptError> {
        let mut flow = code.flow.clone();
        flow.insert("input".to_owned(), self.question.into());
        let scope = ScriptScope {
            inputs: code.inputs.clone(),
            flow,
            fetch: Some(Arc::new(GuardedFetch::new(self.services.outgoing.clone()))),
            ..ScriptScope::default()
        };
        let served = ScriptServices { calls: code.calls, databases: None };
        self.services.scripts.run_with(code.source, &scope, served, &self.cancel).result
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
        let OfflineServices { outgoing, documents, clock, .. } = self.services;
        HostContext {
            question: self.question,
            ..HostContext::new(&self.cancel, outgoing, documents, clock, &self.tokens)
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
            .with_conversations(&LoneQuestion)
            .with_vector_indexes(&self.memory)
            .with_replies(&self.memory)
            .with_code(self)
            .with_observer(self)
    }
}

impl ModelObserver for OfflineHost<'_> {
    /// Nobody watches a service where there is none.
    fn record_model_call(&self, _call: &ModelCall) {}

    fn record_usage(&self, _model: &str, usage: Option<Usage>) {
        if let Some(usage) = usage {
            self.notes.add_usage(&usage);
        }
    }

    fn record_citations(&self, pages: Vec<Document>) {
        self.notes.add_cited(pages);
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

/// A flow of a file, with what its cards sign in with.
pub(crate) struct OfflineFlow {
    pub kind: FlowKind,
    pub canvas: Canvas,
    credentials: CredentialsById,
    /// Which of the given credentials its cards use.
    used: BTreeSet<usize>,
    /// Types that its cards take.
    taken: BTreeSet<&'static str>,
}

impl OfflineFlow {
    /// # Errors
    /// When the file holds no such flow, or a credential has a field that its type does not have.
    pub(crate) fn read(asked: &OfflineRequest<'_>) -> Result<Self> {
        let file = FileFlows::read(asked.file)?;
        let flow = file.pick(asked.flow)?;
        let given = assign_credentials(&flow.canvas, &file.credentials, &asked.credentials)?;
        let canvas = Canvas::parse(&given.canvas).map_err(|fault| Error::Invalid(fault.to_string()))?;
        let GivenCredentials { known, used, taken, .. } = given;
        Ok(Self { kind: flow.kind, canvas, credentials: known, used, taken })
    }

    /// # Errors
    /// Why it cannot run.
    pub(crate) fn compile(&self) -> Result<FlowPlan> {
        FlowPlan::compile(self.kind, &self.canvas)
    }
}

/// Refuses credentials that fit no card of any of these flows.
///
/// # Errors
/// 400 that names one, and what the cards take.
pub(crate) fn refuse_unused(flows: &[&OfflineFlow], given: &[GivenCredential]) -> Result<()> {
    let is_used = |at: usize| flows.iter().any(|flow| flow.used.contains(&at));
    let Some((_, unused)) = given.iter().enumerate().find(|(at, _)| !is_used(*at)) else { return Ok(()) };
    let taken: BTreeSet<&str> = flows.iter().flat_map(|flow| flow.taken.iter().copied()).collect();
    let takes = taken.into_iter().collect::<Vec<_>>().join(", ");
    let takes = if takes.is_empty() { "none".to_owned() } else { takes };
    let name = unused.name.escape_debug();
    Err(Error::Invalid(format!("No card of the flow signs in with '{name}'; its cards take: {takes}.")))
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
    let flow = OfflineFlow::read(asked)?;
    refuse_unused(&[&flow], &asked.credentials)?;
    let plan = flow.compile()?;
    let services = OfflineServices::new(settings, program)?;
    let cancel = CancelToken::new(None);
    let host = services.host(&flow, question, &cancel);
    let (output, waits) = host.answer(&plan, &NoJournal, &mut TokenForwarder(on_token))?;
    if waits {
        return Err(Error::RunFailed(
            "The flow waits for a person, and there is none without a server.".into(),
        ));
    }
    Ok(output.text)
}

impl OfflineServices {
    /// # Errors
    /// When this program cannot start workers, or a setting of the network cannot be used.
    pub(crate) fn new(settings: &Settings, program: PathBuf) -> Result<Self> {
        let limits = script::ScriptLimits::from_settings(settings.code_seconds, settings.code_memory_mb);
        Ok(Self {
            documents: DocumentReader::new(program.clone(), documents::DocumentLimits::default())
                .map_err(Error::internal)?,
            scripts: ScriptRunner::new(program, limits).map_err(Error::internal)?,
            outgoing: Outgoing::from_settings(settings)
                .map_err(|error| Error::RunFailed(error.to_string()))?,
            clock: Clock::default(),
            branches_max: usize::try_from(settings.branches_max).unwrap_or(1),
        })
    }

    pub(crate) const fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Asks a flow, in a conversation in which nothing was said, and gives what it did on the way too.
    pub(in crate::ops) fn replay(
        &self,
        flow: &OfflineFlow,
        plan: &FlowPlan,
        question: &str,
        cancel: &CancelToken,
    ) -> ReplayedRun {
        let own = cancel.child();
        let host = self.host(flow, question, &own.token);
        let journal = ReplayedSteps::default();
        let result = host.answer(plan, &journal, &mut NullSink).map(|(mut output, _)| {
            output.source_documents.extend(host.notes.take_cited());
            output
        });
        ReplayedRun { result, usage: host.notes.usage(), steps: journal.into_steps() }
    }

    fn host<'a>(&'a self, flow: &'a OfflineFlow, question: &'a str, cancel: &CancelToken) -> OfflineHost<'a> {
        OfflineHost {
            services: self,
            question,
            cancel: cancel.clone(),
            credentials: &flow.credentials,
            tokens: TokenCache::default(),
            memory: RunMemory::default(),
            notes: RunNotes::default(),
        }
    }
}

impl OfflineHost<'_> {
    /// The answer, and whether the flow waits for a person instead of going on.
    fn answer(
        &self,
        plan: &FlowPlan,
        journal: &dyn RunJournal,
        sink: &mut dyn RunSink,
    ) -> Result<(RunOutput, bool)> {
        let turn =
            RunContext { question: self.question, documents: "", uploads: &[], history: &[], host: self };
        let overrides = Overrides::default();
        match plan {
            FlowPlan::Chat(plan) => {
                let begun = engine::run(plan, &overrides, &turn, self, sink)?;
                Ok((begun.complete(turn.host, sink)?.outcome, false))
            }
            FlowPlan::Members(plan) => {
                let branches = self.services.branches_max;
                let run = MemberRun::of_lone_question(plan, &overrides, &turn, self, branches);
                let output = legacy::run(&run, sink)?.outcome;
                let waits = output.turns.as_ref().is_some_and(|turns| turns.action.is_some());
                Ok((output, waits))
            }
            FlowPlan::Team(plan) => {
                let team = TeamRun {
                    plan,
                    overrides: &overrides,
                    turn: &turn,
                    credentials: self,
                    conversation: &NoPast,
                };
                Ok((harness::run(&team, sink)?, false))
            }
            FlowPlan::Agent(plan) => {
                let run = AgentRun {
                    depth: 0,
                    pictures: Vec::new(),
                    plan,
                    overrides: &overrides,
                    turn: &turn,
                    start: &StartValues::default(),
                    credentials: self,
                    conversation: &NoPast,
                    state: plan.start_state(Map::new(), &overrides),
                    began: self.services.clock.now(),
                    branches_max: self.services.branches_max,
                    journal,
                };
                let outcome = agentflow::run(&run, sink)?;
                Ok((outcome.output, !outcome.pauses.is_empty()))
            }
        }
    }
}

/// Credentials by the id that a card names: their type and fields.
type CredentialsById = HashMap<String, (String, Map<String, Value>)>;

/// A canvas whose cards name what was given for them.
#[derive(Default)]
struct GivenCredentials {
    canvas: String,
    known: CredentialsById,
    used: BTreeSet<usize>,
    taken: BTreeSet<&'static str>,
}

/// Gives each card that takes a credential the one that was given for it: by the name the file has for it, or by its type.
fn assign_credentials(
    text: &str,
    named: &Map<String, Value>,
    given: &[GivenCredential],
) -> Result<GivenCredentials> {
    let mut assigned = GivenCredentials { canvas: text.to_owned(), ..GivenCredentials::default() };
    if given.is_empty() {
        return Ok(assigned);
    }
    let mut canvas: Value =
        serde_json::from_str(text).map_err(|_| Error::invalid("The flow's canvas is not JSON."))?;
    for node in canvas["nodes"].as_array_mut().into_iter().flatten() {
        let Some(data) = node.get_mut("data").and_then(Value::as_object_mut) else { continue };
        let card = data.get("name").and_then(Value::as_str).map(current_card_name).and_then(registry::find);
        let Some(card) = card.filter(|card| !card.credential_types().is_empty()) else { continue };
        assigned.taken.extend(card.credential_types());
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
        assigned.known.insert(id.clone(), (kind, one.fields.clone()));
        data.insert("credential".to_owned(), id.into());
        assigned.used.insert(at);
    }
    assigned.canvas = canvas.to_string();
    Ok(assigned)
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
        let assigned = assign_credentials(&text, named.as_object().unwrap(), given)?;
        let canvas = Canvas::parse(&assigned.canvas).unwrap();
        let GivenCredentials { canvas: text, known, used, taken } = assigned;
        let kind = FlowKind::Chatflow;
        let flow = OfflineFlow { kind, canvas, credentials: known, used, taken };
        refuse_unused(&[&flow], given)?;
        Ok((serde_json::from_str(&text).unwrap(), flow.credentials))
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
