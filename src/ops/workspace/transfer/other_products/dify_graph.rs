//! Workflows and chatflows of Dify that are a line: a start, steps that ask a model, perhaps from knowledge, and an answer.

use super::blueprint::{AnswerKey, Blueprint, MemorySpan, ModelStep, Piece, Retrieval, Wording};
use super::dify::{form_field, is_name, model, note_knowledge, wording};
use super::models::{count, list, object, rows, text};
use super::n8n_parts::keys_of_schema;
use super::obstacles::Obstacles;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Edges of a graph that are read.
const EDGES_MAX: usize = 10_000;
/// How deep the text of a note may lie.
const NOTE_DEPTH_MAX: usize = 32;

#[derive(Debug, Clone, Copy)]
struct GraphNode<'f> {
    id: &'f str,
    kind: &'f str,
    title: &'f str,
    data: &'f Map<String, Value>,
}

/// Reads a graph.
pub(super) fn read(
    workflow: &Map<String, Value>,
    mode: &str,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) {
    let graph = object(workflow.get("graph"));
    let mut nodes: Vec<GraphNode<'_>> = Vec::new();
    for value in list(graph.get("nodes")) {
        let data = object(value.get("data"));
        if value.get("type") == Some(&"custom-note".into()) {
            blueprint.sticky_notes.push(note_text(text(data, "text")));
            continue;
        }
        let (Some(id), kind) = (value.get("id").and_then(Value::as_str), text(data, "type")) else {
            return obstacles.add("a node without an id", "the file is damaged", "unnamed");
        };
        let title = if text(data, "title").is_empty() { id } else { text(data, "title") };
        if nodes.iter().any(|known| known.id == id) {
            return obstacles.add(kind, "two nodes have this id", title);
        }
        nodes.push(GraphNode { id, kind, title, data });
    }
    for node in nodes.iter().filter(|node| !comes_in(node.kind)) {
        obstacles.add(node.kind, need_of(node.kind), node.title);
    }
    let Some(line) = line(&nodes, list(graph.get("edges")), obstacles).filter(|_| obstacles.is_empty())
    else {
        return;
    };
    LineReader {
        mode,
        blueprint,
        obstacles,
        steps: HashMap::new(),
        found: HashSet::new(),
        start: "",
        question: None,
    }
    .read(&line);
}

/// The nodes in their order, where they are a line.
fn line<'n, 'f>(
    nodes: &'n [GraphNode<'f>],
    edges: &[Value],
    obstacles: &mut Obstacles,
) -> Option<Vec<GraphNode<'f>>> {
    if edges.len() > EDGES_MAX {
        obstacles.add("too many edges", &format!("a flow may have {EDGES_MAX}"), "all of them");
        return None;
    }
    let mut next: HashMap<&str, Vec<&str>> = HashMap::new();
    for edge in edges {
        let end = |name: &str| edge.get(name).and_then(Value::as_str);
        if let (Some(source), Some(target)) = (end("source"), end("target")) {
            next.entry(source).or_default().push(target);
        }
    }
    let find = |id: &str| nodes.iter().find(|node| node.id == id).copied();
    let starts: Vec<GraphNode<'f>> = nodes.iter().filter(|node| node.kind == "start").copied().collect();
    let [start] = starts.as_slice() else {
        obstacles.add("a workflow without one start", "a flow that comes in has one Start", "start");
        return None;
    };
    let mut line = vec![*start];
    loop {
        let last = line[line.len() - 1];
        match next.get(last.id).map(Vec::as_slice).unwrap_or_default() {
            [] => break,
            [one] => match find(one) {
                Some(node) if line.iter().any(|known| known.id == node.id) => {
                    obstacles.add(
                        node.kind,
                        "it goes round in a circle; here a Loop step does that",
                        node.title,
                    );
                    return None;
                }
                Some(node) => line.push(node),
                None => {
                    obstacles.add(last.kind, "what comes behind it is not in the file", last.title);
                    return None;
                }
            },
            _ => {
                obstacles.add(
                    last.kind,
                    "several nodes come behind it; draw the branches in an agentflow",
                    last.title,
                );
                return None;
            }
        }
    }
    let in_line: HashSet<&str> = line.iter().map(|node| node.id).collect();
    for node in nodes.iter().filter(|node| !in_line.contains(node.id)) {
        obstacles.add(node.kind, "nothing leads to it from the start", node.title);
    }
    Some(line)
}

struct LineReader<'r, 'f> {
    mode: &'r str,
    blueprint: &'r mut Blueprint,
    obstacles: &'r mut Obstacles,
    /// The number of each step, by node.
    steps: HashMap<&'f str, usize>,
    /// Nodes that search knowledge.
    found: HashSet<&'f str>,
    start: &'f str,
    /// The only field of the start, which is what the flow is asked here.
    question: Option<String>,
}

impl<'f> LineReader<'_, 'f> {
    fn read(&mut self, line: &[GraphNode<'f>]) {
        for (at, node) in line.iter().enumerate() {
            let is_last = at + 1 == line.len();
            match node.kind {
                "start" => self.read_start(node),
                "knowledge-retrieval" => self.read_retrieval(node),
                "llm" => self.read_model(node),
                "answer" | "end" if !is_last => {
                    self.obstacles.add(node.kind, "an answer that comes in is the last step", node.title);
                }
                "answer" => self.read_answer(node),
                _ => self.read_end(node),
            }
        }
        let used = self.blueprint.steps.iter().any(|step| step.retrieval.is_some());
        if !self.found.is_empty() && !used {
            self.obstacles.add("knowledge-retrieval", "no step reads what it finds", "a search");
        }
    }

    fn read_start(&mut self, node: &GraphNode<'f>) {
        self.start = node.id;
        let rows = rows(node.data.get("variables"));
        let fields: Vec<_> =
            rows.filter_map(|row| form_field(text(row, "type"), row, self.obstacles)).collect();
        if self.mode == "workflow" {
            if let [only] = fields.as_slice()
                && only.kind == "string"
            {
                self.question = Some(only.name.clone());
                self.blueprint
                    .differ(format!("What it is asked here stands for '{}' of the form there.", only.label));
                return;
            }
            self.blueprint.starts_with_form = !fields.is_empty();
        } else if !fields.is_empty() {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            self.blueprint.differ(format!(
                "Dify asks for {} before the chat; here the owner sets their values, and a request may set others.",
                names.join(", ")
            ));
        }
        self.blueprint.fields = fields;
    }

    /// What a value of the graph stands for.
    fn piece(&self, selector: &[&str]) -> Option<Piece> {
        match selector {
            ["sys", "query"] => Some(Piece::Question),
            [node, name] if *node == self.start => {
                if self.question.as_deref() == Some(*name) {
                    return Some(Piece::Question);
                }
                is_name(name).then(|| Piece::Field((*name).to_owned()))
            }
            [node, "text" | "structured_output"] => self.steps.get(*node).map(|at| Piece::Step(*at)),
            [node, "result"] => self.found.contains(*node).then_some(Piece::Found),
            _ => None,
        }
    }

    fn wording(&mut self, template: &str) -> Wording {
        let mut obstacles = std::mem::take(self.obstacles);
        let read = |name: &str| match name.strip_prefix('#').and_then(|name| name.strip_suffix('#')) {
            Some("context") => Some(Piece::Found),
            Some(name) => self.piece(&name.split('.').collect::<Vec<_>>()),
            None => None,
        };
        let told = wording(template, &read, &mut obstacles);
        *self.obstacles = obstacles;
        told
    }

    fn read_retrieval(&mut self, node: &GraphNode<'f>) {
        let selector = selector(node.data.get("query_variable_selector"));
        if self.piece(&selector) != Some(Piece::Question) {
            self.obstacles.add(
                node.kind,
                "it looks for something else than the question; draw a Retriever step",
                node.title,
            );
        }
        self.found.insert(node.id);
        note_knowledge(list(node.data.get("dataset_ids")).len().max(1), self.blueprint);
    }

    fn read_model(&mut self, node: &GraphNode<'f>) {
        let data = node.data;
        let Some(card) = model(object(data.get("model")), self.blueprint, self.obstacles) else { return };
        let mut step = ModelStep::new(node.title, card);
        let Some(rows) = data.get("prompt_template").and_then(Value::as_array) else {
            return self.obstacles.add(
                "a prompt for a completion model",
                "write it as messages of an LLM step",
                node.title,
            );
        };
        let (mut system, mut user) = (Wording::default(), Wording::default());
        for row in rows.iter().filter_map(Value::as_object) {
            if text(row, "edition_type") == "jinja2" {
                return self.obstacles.add(
                    "a prompt in Jinja",
                    "write it with values in doubled braces",
                    node.title,
                );
            }
            let told = self.wording(text(row, "text"));
            match text(row, "role") {
                "system" => system.append_below(told),
                "user" => user.append_below(told),
                _ => {
                    return self.obstacles.add(
                        "a prompt of several voices",
                        "write it as messages of an LLM step",
                        node.title,
                    );
                }
            }
        }
        let context = object(data.get("context"));
        let reads = system.holds(&Piece::Found) || user.holds(&Piece::Found);
        if context.get("enabled") == Some(&true.into()) || reads {
            let selector = selector(context.get("variable_selector"));
            if !self.found.is_empty() && (selector.is_empty() || self.piece(&selector) == Some(Piece::Found))
            {
                step.retrieval = Some(Retrieval::DocumentStore);
            } else {
                return self.obstacles.add(
                    "a context that is no search",
                    "write what it holds as a value into the prompt",
                    node.title,
                );
            }
        }
        let memory = object(data.get("memory"));
        if self.mode == "advanced-chat" && !memory.is_empty() && memory.get("enabled") != Some(&false.into())
        {
            step.memory = Some(memory_span(memory));
            let asked = text(memory, "query_prompt_template");
            let asked = if asked.is_empty() { Wording::one(Piece::Question) } else { self.wording(asked) };
            if !user.holds(&Piece::Question) {
                user.append_below(asked);
            }
        }
        if user.is_blank() {
            // A model that is told a system text alone is given it as the person's.
            std::mem::swap(&mut system, &mut user);
        }
        (step.system, step.user) = (system, user);
        step.answer_keys = self.answer_keys(node);
        if object(data.get("vision")).get("enabled") == Some(&true.into()) {
            self.blueprint.differ(format!(
                "'{}' looks at pictures there: allow image uploads in its model.",
                node.title
            ));
        }
        self.steps.insert(node.id, self.blueprint.steps.len());
        self.blueprint.steps.push(step);
    }

    fn answer_keys(&mut self, node: &GraphNode<'f>) -> Vec<AnswerKey> {
        let is_on = node.data.get("structured_output_enabled") == Some(&true.into());
        let schema = object(node.data.get("structured_output")).get("schema").filter(|_| is_on);
        let Some(schema) = schema else { return Vec::new() };
        keys_of_schema(schema).unwrap_or_else(|| {
            let need = "only texts, numbers, switches and lists of texts are read; draw the others as JSON Structured Output";
            self.obstacles.add("an answer by a schema", need, node.title);
            Vec::new()
        })
    }

    fn read_answer(&mut self, node: &GraphNode<'f>) {
        let answer = self.wording(text(node.data, "answer"));
        self.blueprint.set_reply(answer);
    }

    fn read_end(&mut self, node: &GraphNode<'f>) {
        let outputs = list(node.data.get("outputs"));
        let [only] = outputs else {
            return self.obstacles.add(
                "an end with several outputs",
                "here a flow has one answer",
                node.title,
            );
        };
        let selector = selector(only.get("value_selector"));
        match self.piece(&selector) {
            Some(piece) => self.blueprint.set_reply(Wording::one(piece)),
            None => self.obstacles.add(
                "an output that no step makes",
                "here the answer is what a step says",
                node.title,
            ),
        }
    }
}

/// The parts of a name such as `[node, field]`.
fn selector(value: Option<&Value>) -> Vec<&str> {
    list(value).iter().filter_map(Value::as_str).collect()
}

/// The text of a note, which its editor keeps as a tree.
fn note_text(text: &str) -> String {
    let Ok(tree) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut lines = String::new();
    gather(&tree["root"], &mut lines, 0);
    lines.trim().to_owned()
}

fn gather(node: &Value, lines: &mut String, depth: usize) {
    if let Some(text) = node["text"].as_str() {
        lines.push_str(text);
    }
    if depth < NOTE_DEPTH_MAX {
        list(node.get("children")).iter().for_each(|child| gather(child, lines, depth + 1));
    }
    if ["paragraph", "heading", "listitem"].iter().any(|kind| node["type"] == *kind) {
        lines.push('\n');
    }
}

fn comes_in(kind: &str) -> bool {
    ["start", "knowledge-retrieval", "llm", "answer", "end"].contains(&kind)
}

/// What a node would take that does not come in.
fn need_of(kind: &str) -> &'static str {
    match kind {
        "if-else" => "draw it as a Condition step of an agentflow",
        "question-classifier" => "draw it as a Condition Agent step of an agentflow",
        "code" | "template-transform" | "variable-aggregator" | "variable-assigner" | "list-operator" => {
            "draw it as a Custom Function step of an agentflow, in JavaScript"
        }
        "assigner" => "here steps change the state of an agentflow (Update Flow State)",
        "http-request" => "draw it as an HTTP step of an agentflow",
        "iteration" | "iteration-start" => "draw it as an Iteration step of an agentflow",
        "loop" | "loop-start" | "loop-end" => "draw it as a Loop step of an agentflow",
        "tool" => "draw it as a Tool step of an agentflow",
        "agent" => "draw it as an Agent step of an agentflow",
        "parameter-extractor" => "draw it as an LLM step with JSON Structured Output",
        "document-extractor" => "here a chat gives documents to its flow as text (Full File Upload)",
        "human-input" => "draw it as a Human Input step of an agentflow",
        _ => "there is no step for it here",
    }
}

/// How much of a conversation a model step of Dify is told.
fn memory_span(memory: &Map<String, Value>) -> MemorySpan {
    let window = object(memory.get("window"));
    let size = count(window.get("size")).filter(|_| window.get("enabled") == Some(&true.into()));
    size.map_or(MemorySpan::All, |size| MemorySpan::Exchanges(size.min(1_000)))
}
