//! Flows of Langflow: components whose outputs are wired into fields of others. What a Chat Output is given is followed back to
//! where it comes from.

use super::blueprint::{Blueprint, MemorySpan, ModelStep, Piece, Retrieval, Wording};
use super::langflow_parts::{PartReader, value_text};
use super::models::{count, list, object, text};
use super::obstacles::Obstacles;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Wires of a flow that are read.
const WIRES_MAX: usize = 10_000;
/// How many components may stand behind one another, how often texts are put together, and how long one may become: a text
/// that stands twice in a text that stands twice in another would grow without end.
const DEPTH_MAX: usize = 40;
const VISITS_MAX: usize = 2_000;
const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// Messages that an agent remembers when nobody says how many.
const AGENT_MEMORY: u64 = 100;

const TOO_MUCH: &str = "its texts stand in one another too deep, too often or at too great a length";

/// A component.
#[derive(Debug, Clone, Copy)]
pub(super) struct Component<'f> {
    pub id: &'f str,
    pub kind: &'f str,
    /// What a person reads above it.
    pub label: &'f str,
    pub fields: &'f Map<String, Value>,
}

impl<'f> Component<'f> {
    /// What stands in a field.
    pub(super) fn value(&self, field: &str) -> Option<&'f Value> {
        self.fields.get(field).and_then(|field| field.get("value"))
    }

    /// The text in a field; what is none is empty.
    pub(super) fn text(&self, field: &str) -> &'f str {
        self.value(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// The first of these fields that has a text.
    pub(super) fn first_text(&self, fields: &[&str]) -> &'f str {
        fields.iter().map(|field| self.text(field)).find(|text| !text.is_empty()).unwrap_or_default()
    }
}

/// The components of a flow and what is wired into their fields.
#[derive(Debug, Default)]
pub(super) struct Board<'f> {
    components: Vec<Component<'f>>,
    by_id: HashMap<&'f str, usize>,
    /// By component, and in it by field.
    wires: HashMap<&'f str, HashMap<String, Vec<&'f str>>>,
}

impl<'f> Board<'f> {
    /// What is wired into a field.
    pub(super) fn sources(&self, target: &str, field: &str) -> Vec<Component<'f>> {
        let ids = self.wires.get(target).and_then(|fields| fields.get(field));
        ids.into_iter().flatten().filter_map(|id| self.by_id.get(id).map(|at| self.components[*at])).collect()
    }

    /// The only thing that is wired into one of these fields.
    pub(super) fn source(&self, target: &str, fields: &[&str]) -> Option<Component<'f>> {
        fields.iter().find_map(|field| self.sources(target, field).first().copied())
    }
}

/// Reads a flow.
pub(super) fn read(flow: &Map<String, Value>, blueprint: &mut Blueprint, obstacles: &mut Obstacles) {
    let Some(board) = parse(flow, blueprint, obstacles) else { return };
    let is_output = |component: &&Component<'_>| component.kind == "ChatOutput";
    let outputs: Vec<Component<'_>> = board.components.iter().filter(is_output).copied().collect();
    let mut reader = Reader {
        board: &board,
        blueprint,
        obstacles,
        read: HashSet::new(),
        open: Vec::new(),
        steps: HashMap::new(),
        retrieval: None,
        visits: 0,
    };
    if let [output] = outputs.as_slice() {
        reader.read.insert(output.id);
        let answer = reader.wording_of_field(output, &["input_value"]);
        reader.finish(answer);
    } else {
        let need = "a flow that comes in has one Chat Output";
        for output in &outputs {
            reader.obstacles.add("several Chat Outputs", need, output.label);
        }
        if outputs.is_empty() {
            reader.obstacles.add("no Chat Output", need, text(flow, "name"));
        }
    }
    let stopped = !reader.obstacles.is_empty();
    for component in board.components.iter().filter(|component| !reader.read.contains(component.id)) {
        let is_display = component.kind == "TextOutput" && !stopped;
        match (is_display, stopped && comes_in(component.kind)) {
            (true, _) => reader
                .blueprint
                .differ(format!("'{}' only shows a text there, and is left out.", component.label)),
            (false, true) => {}
            (false, false) => reader.obstacles.add(component.kind, need_of(component.kind), component.label),
        }
    }
}

/// The components of a file; notes go beside them.
fn parse<'f>(
    flow: &'f Map<String, Value>,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) -> Option<Board<'f>> {
    let data = object(flow.get("data"));
    let mut board = Board::default();
    for value in list(data.get("nodes")) {
        let inner = object(value.get("data"));
        let node = object(inner.get("node"));
        if value.get("type") == Some(&"noteNode".into()) || inner.get("type") == Some(&"note".into()) {
            blueprint.sticky_notes.push(text(node, "description").to_owned());
            continue;
        }
        let Some(id) = value.get("id").and_then(Value::as_str) else {
            obstacles.add("a component without an id", "the file is damaged", "unnamed");
            return None;
        };
        // A part of a canvas that its editor no longer shows.
        let Some(kind) = inner.get("type").and_then(Value::as_str) else {
            if !node.is_empty() {
                obstacles.add("a component without a type", "the file is damaged", id);
            }
            continue;
        };
        let label = match text(node, "display_name") {
            "" => kind,
            label => label,
        };
        if board.by_id.insert(id, board.components.len()).is_some() {
            obstacles.add(kind, "two components have this id", id);
            return None;
        }
        board.components.push(Component { id, kind, label, fields: object(node.get("template")) });
    }
    let edges = list(data.get("edges"));
    if edges.len() > WIRES_MAX {
        obstacles.add("too many wires", &format!("a flow may have {WIRES_MAX}"), "all of them");
        return None;
    }
    for edge in edges {
        let end = |name: &str| edge.get(name).and_then(Value::as_str);
        if let (Some(source), Some(target), Some(field)) = (end("source"), end("target"), field_of(edge)) {
            let sources = board.wires.entry(target).or_default().entry(field).or_default();
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
    }
    Some(board)
}

/// The field that a wire leads into. Its handle is an object, or the text of one in which œ stands for quotes.
fn field_of(edge: &Value) -> Option<String> {
    let named = |handle: &Value| Some(handle.get("fieldName")?.as_str()?.to_owned());
    edge.get("data").and_then(|data| named(data.get("targetHandle")?)).or_else(|| {
        let handle = edge.get("targetHandle")?.as_str()?.replace('œ', "\"");
        named(&serde_json::from_str(&handle).ok()?)
    })
}

struct Reader<'r, 'f> {
    board: &'r Board<'f>,
    blueprint: &'r mut Blueprint,
    obstacles: &'r mut Obstacles,
    /// Components that were made use of.
    read: HashSet<&'f str>,
    /// Components whose text is being read: one that is met again goes round in a circle.
    open: Vec<&'f str>,
    /// Models and agents that became steps.
    steps: HashMap<&'f str, usize>,
    /// What was searched for the step that is being read.
    retrieval: Option<Retrieval>,
    /// How many texts were read.
    visits: usize,
}

impl<'f> Reader<'_, 'f> {
    /// The answer: what the last step says, or a text around it.
    fn finish(&mut self, answer: Option<Wording>) {
        let Some(answer) = answer else { return };
        self.blueprint.set_reply(answer);
        let asks =
            |step: &ModelStep| step.user.holds(&Piece::Question) || step.system.holds(&Piece::Question);
        if !self.blueprint.steps.is_empty() && !self.blueprint.steps.iter().any(asks) {
            self.blueprint.differ("It says the same to its model whatever it is asked, as it does there.");
        }
    }

    /// What a field is given: by a wire, else by what stands in it.
    fn wording_of_field(&mut self, component: &Component<'f>, fields: &[&str]) -> Option<Wording> {
        let mut wired = Vec::new();
        for field in fields {
            wired.extend(self.board.sources(component.id, field));
        }
        match wired.as_slice() {
            [] => Some(Wording::text(component.first_text(fields))),
            [one] => self.wording(one),
            _ => {
                self.obstacles.add(component.kind, "several wires lead into one field", component.label);
                None
            }
        }
    }

    /// The text that a component gives.
    fn wording(&mut self, component: &Component<'f>) -> Option<Wording> {
        if self.open.contains(&component.id) {
            self.obstacles.add(
                component.kind,
                "it goes round in a circle; here a Loop step does that",
                component.label,
            );
            return None;
        }
        if let Some(at) = self.steps.get(component.id) {
            return Some(Wording::one(Piece::Step(*at)));
        }
        self.visits += 1;
        if self.visits > VISITS_MAX || self.open.len() >= DEPTH_MAX {
            self.obstacles.add(component.kind, TOO_MUCH, component.label);
            return None;
        }
        self.read.insert(component.id);
        self.open.push(component.id);
        let wording = self.wording_of(component);
        self.open.pop();
        wording
    }

    fn wording_of(&mut self, component: &Component<'f>) -> Option<Wording> {
        match component.kind {
            "ChatInput" => Some(Wording::one(Piece::Question)),
            "TextInput" | "TextInputComponent" | "TextOutput" => {
                self.wording_of_field(component, &["input_value"])
            }
            "Prompt" | "Prompt Template" | "PromptComponent" => self.prompt(component),
            "Memory" | "MemoryComponent" => {
                if let Some(count) = count(component.value("n_messages")) {
                    self.blueprint.differ(format!(
                        "'{}' gives the last {count} messages there; here the whole conversation stands in the text.",
                        component.label
                    ));
                }
                Some(Wording::one(Piece::History))
            }
            "CurrentDate" => Some(Wording::one(Piece::Now)),
            "parser" | "ParserComponent" | "ParseData" | "ParseDataFrame" => self.found(component),
            _ => self.step(component).map(|at| Wording::one(Piece::Step(at))),
        }
    }

    /// The texts of chunks that a store finds for the question.
    fn found(&mut self, component: &Component<'f>) -> Option<Wording> {
        let store =
            self.board.source(component.id, &["input_data", "data", "df"]).filter(PartReader::is_store);
        let Some(store) = store else {
            self.obstacles.add(component.kind, need_of(component.kind), component.label);
            return None;
        };
        self.read.insert(store.id);
        let asked = self.wording_of_field(&store, &["search_query", "search_input"])?;
        if !asked.is_question() || self.retrieval.is_some() {
            self.obstacles.add(
                store.kind,
                "it looks for something else than the question; draw a Retriever step",
                store.label,
            );
            return None;
        }
        if !["", "{text}"].contains(&component.first_text(&["pattern", "template"]).trim()) {
            self.blueprint.differ(format!("How '{}' writes each chunk is left out.", component.label));
        }
        let mut parts = PartReader {
            board: self.board,
            blueprint: self.blueprint,
            obstacles: self.obstacles,
            read: &mut self.read,
        };
        self.retrieval = Some(parts.retrieval(&store)?);
        Some(Wording::one(Piece::Found))
    }

    /// A template: single braces hold variables, doubled ones are braces.
    fn prompt(&mut self, component: &Component<'f>) -> Option<Wording> {
        let mut wording = Wording::default();
        let template = component.text("template").replace("{{", "\u{1}").replace("}}", "\u{2}");
        let plain = |text: &str| text.replace('\u{1}', "{").replace('\u{2}', "}");
        let mut rest = template.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            wording.push_text(&plain(before));
            let Some((name, after)) = behind.split_once('}') else {
                wording.push_text(&plain(&rest[before.len()..]));
                return Some(wording);
            };
            self.visits += 1;
            let inner = self.wording_of_field(component, &[name])?;
            wording.append(inner);
            if self.visits > VISITS_MAX || wording.length() > TEXT_BYTES_MAX {
                self.obstacles.add(component.kind, TOO_MUCH, component.label);
                return None;
            }
            rest = after;
        }
        wording.push_text(&plain(rest));
        Some(wording)
    }

    /// A model or an agent, with all that is wired into it.
    fn step(&mut self, component: &Component<'f>) -> Option<usize> {
        let is_agent = component.kind == "Agent";
        let mut parts = PartReader {
            board: self.board,
            blueprint: self.blueprint,
            obstacles: self.obstacles,
            read: &mut self.read,
        };
        if !is_agent && !PartReader::is_model(component) {
            self.obstacles.add(component.kind, need_of(component.kind), component.label);
            return None;
        }
        let model = parts.model(component)?;
        let tools = if is_agent { parts.tools(component) } else { Vec::new() };
        let user = self.wording_of_field(component, &["input_value"])?;
        let system = self.wording_of_field(component, &["system_message", "system_prompt"])?;
        let mut step = ModelStep::new(component.label, model);
        (step.user, step.system, step.tools) = (user, system, tools);
        if step.user.is_blank() && !step.system.is_blank() {
            // Models that are told a system text alone are given it as the person's.
            std::mem::swap(&mut step.user, &mut step.system);
        }
        if is_agent {
            let messages: u64 = value_text(component.value("n_messages")).parse().unwrap_or(AGENT_MEMORY);
            // An exchange is a question and its answer.
            let exchanges = messages.div_ceil(2).min(1_000);
            step.memory = (exchanges > 0).then_some(MemorySpan::Exchanges(exchanges));
            step.rounds_max = count(component.value("max_iterations")).map(|rounds| rounds.min(100));
        }
        if [&step.system, &step.user].iter().any(|words| words.holds(&Piece::Found)) {
            step.retrieval = self.retrieval.take();
        }
        if let (Some(Retrieval::VectorStore { .. }), true) = (&step.retrieval, is_agent) {
            self.obstacles.add(component.kind, "give the search to it as a tool", component.label);
        }
        for answers in ["output_schema", "schema"] {
            let rows = component.value(answers).and_then(Value::as_array);
            if rows.is_some_and(|rows| !rows.is_empty()) {
                self.obstacles.add(
                    "an answer by a schema",
                    "draw it as JSON Structured Output of a step",
                    component.label,
                );
            }
        }
        let at = self.blueprint.steps.len();
        self.blueprint.steps.push(step);
        self.steps.insert(component.id, at);
        Some(at)
    }
}

/// True for components that come in where they lead to the Chat Output.
fn comes_in(kind: &str) -> bool {
    [
        "ChatInput",
        "ChatOutput",
        "TextInput",
        "TextOutput",
        "Prompt",
        "Prompt Template",
        "Memory",
        "MemoryComponent",
        "Agent",
    ]
    .contains(&kind)
        || PartReader::knows(kind)
}

/// What a component would take that does not come in.
fn need_of(kind: &str) -> &'static str {
    match kind {
        "File" | "FileComponent" | "Directory" | "DirectoryComponent" => {
            "make a document store of what it reads, or let the chat take files"
        }
        "URL" | "URLComponent" => "make a document store of the pages, or give them to an agent as a tool",
        "SplitText" | "RecursiveCharacterTextSplitter" => {
            "make a document store: it splits what it is filled with"
        }
        "AstraDB"
        | "AstraDBSearch"
        | "FAISS"
        | "Chroma"
        | "Pinecone"
        | "QdrantVectorStoreComponent"
        | "SupabaseVectorStore"
        | "pgvector"
        | "KnowledgeRetrieval"
        | "KnowledgeIngestion" => "make a document store, and draw a retrieval chain over it",
        "StructuredOutput" | "StructuredOutputComponent" => {
            "draw it as JSON Structured Output of an LLM step"
        }
        "parser" | "ParserComponent" | "ParseData" | "CustomComponent" | "TypeConverterComponent" => {
            "draw it as a Custom Function step of an agentflow, in JavaScript"
        }
        "ConditionalRouter" | "SmartRouter" => {
            "draw it as a Condition or Condition Agent step of an agentflow"
        }
        "LoopComponent" | "BatchRunComponent" => "draw it as an Iteration step of an agentflow",
        "APIRequest" => "draw it as an HTTP step of an agentflow",
        "Webhook" => "here the Start card of an agentflow takes webhooks",
        "RunFlow" | "SubFlow" | "FlowTool" => "draw it as an Execute Flow step of an agentflow",
        "MCPTools" => "its server is kept beside the flow in Langflow; connect a Custom MCP",
        _ => "there is no card for it, or it leads to nothing that comes in",
    }
}
