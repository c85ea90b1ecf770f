//! Workflows of n8n: a chat trigger, and behind it agents and chains in a line.

use super::blueprint::{Blueprint, ModelStep, Piece, Wording};
use super::models::{count, list, object, rows, text};
use super::n8n_parts::{PartReader, resource};
use super::n8n_text::{self, Surroundings};
use super::obstacles::Obstacles;
use super::tools;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Connections of a workflow that are read.
const CONNECTIONS_MAX: usize = 10_000;
/// What n8n tells an agent that nobody told anything.
const AGENT_SYSTEM: &str = "You are a helpful assistant";

/// A node of a workflow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<'f> {
    pub name: &'f str,
    /// The type without the package.
    pub kind: &'f str,
    pub parameters: &'f Map<String, Value>,
    pub fields: &'f Map<String, Value>,
}

/// The nodes of a workflow and what is connected with what.
#[derive(Debug)]
pub(super) struct Workflow<'f> {
    nodes: Vec<Node<'f>>,
    by_name: HashMap<&'f str, usize>,
    /// From where, of which kind, to where, in the order of the file.
    connections: Vec<(&'f str, &'f str, &'f str)>,
    /// Nodes that a step made use of.
    read: RefCell<HashSet<&'f str>>,
}

impl<'f> Workflow<'f> {
    /// Nodes that something is wired from into this one, and that count as read.
    pub(super) fn inputs(&self, target: &str, kind: &str) -> Vec<Node<'f>> {
        let fits = |(_, of, to): &&(&str, &str, &str)| *of == kind && *to == target;
        let mut found: Vec<Node<'f>> = Vec::new();
        for (from, ..) in self.connections.iter().filter(fits) {
            if let Some(node) =
                self.find(from).filter(|node| !found.iter().any(|known| known.name == node.name))
            {
                self.read.borrow_mut().insert(node.name);
                found.push(node);
            }
        }
        found
    }

    /// Nodes that come behind this one.
    fn followers(&self, source: &str) -> Vec<&'f str> {
        let fits = |(from, of, _): &&(&str, &str, &str)| *from == source && *of == "main";
        self.connections.iter().filter(fits).map(|(_, _, to)| *to).collect()
    }

    fn find(&self, name: &str) -> Option<Node<'f>> {
        self.by_name.get(name).map(|at| self.nodes[*at])
    }
}

/// Reads a workflow.
pub(super) fn read(file: &Map<String, Value>, blueprint: &mut Blueprint, obstacles: &mut Obstacles) {
    let Some(workflow) = parse(file, blueprint, obstacles) else { return };
    let triggers = |node: &&Node<'_>| ["chatTrigger", "manualChatTrigger"].contains(&node.kind);
    let found: Vec<Node<'_>> = workflow.nodes.iter().filter(triggers).copied().collect();
    if let [trigger] = found.as_slice() {
        read_trigger(trigger, blueprint);
        workflow.read.borrow_mut().insert(trigger.name);
        walk(&workflow, trigger, blueprint, obstacles);
    } else {
        let need = "a flow that comes in begins with one chat trigger; here others begin with a form, a webhook or the clock, in the Start card of an agentflow";
        for node in &found {
            obstacles.add("several chat triggers", need, node.name);
        }
        if found.is_empty() {
            obstacles.add("no chat trigger", need, text(file, "name"));
        }
    }
    let read = workflow.read.borrow();
    let stopped = !obstacles.is_empty();
    for node in workflow.nodes.iter().filter(|node| !read.contains(node.name)) {
        // What would come in stands in nobody's way, where the reading ended before it.
        match (comes_in(node.kind), stopped) {
            (true, true) => {}
            (true, false) => {
                obstacles.add(node.kind, "it is connected with nothing that comes in", node.name);
            }
            (false, _) => obstacles.add(node.kind, need_of(node.kind), node.name),
        }
    }
}

/// The nodes and connections of a file; sticky notes go beside them.
fn parse<'f>(
    file: &'f Map<String, Value>,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) -> Option<Workflow<'f>> {
    let mut workflow = Workflow {
        nodes: Vec::new(),
        by_name: HashMap::new(),
        connections: Vec::new(),
        read: RefCell::default(),
    };
    for value in list(file.get("nodes")) {
        let node = value.as_object().and_then(|fields| {
            let (name, kind) = (fields.get("name")?.as_str()?, fields.get("type")?.as_str()?);
            let kind = kind.rsplit('.').next().unwrap_or(kind);
            Some(Node { name, kind, parameters: object(fields.get("parameters")), fields })
        });
        let Some(node) = node else {
            obstacles.add("a node without a name or a type", "the file is damaged", "unnamed");
            return None;
        };
        if node.kind == "stickyNote" {
            blueprint.sticky_notes.push(text(node.parameters, "content").to_owned());
            continue;
        }
        if node.fields.get("disabled") == Some(&true.into()) {
            blueprint.differ(format!("'{}' is switched off there and left out.", node.name));
            continue;
        }
        if workflow.by_name.insert(node.name, workflow.nodes.len()).is_some() {
            obstacles.add(node.kind, "two nodes have this name", node.name);
            return None;
        }
        workflow.nodes.push(node);
    }
    for (from, kinds) in object(file.get("connections")) {
        for (kind, outputs) in object(Some(kinds)) {
            for target in list(Some(outputs)).iter().flat_map(|targets| list(Some(targets))) {
                let to = target.get("node").and_then(Value::as_str);
                workflow.connections.extend(to.map(|to| (from.as_str(), kind.as_str(), to)));
                if workflow.connections.len() > CONNECTIONS_MAX {
                    let need = format!("a flow may have {CONNECTIONS_MAX}");
                    obstacles.add("too many connections", &need, "all of them");
                    return None;
                }
            }
        }
    }
    Some(workflow)
}

fn read_trigger(trigger: &Node<'_>, blueprint: &mut Blueprint) {
    let welcome = n8n_text::fixed(text(trigger.parameters, "initialMessages"));
    blueprint.set_chat(welcome.unwrap_or_default(), &[]);
    let options = object(trigger.parameters.get("options"));
    // Where a chat reads its past from goes without saying here.
    let left_out: Vec<&str> =
        options.keys().map(String::as_str).filter(|name| *name != "loadPreviousSession").take(20).collect();
    if !left_out.is_empty() {
        blueprint.differ(format!("How the chat of n8n looks is left out: {}.", left_out.join(", ")));
    }
}

/// Goes along the line behind the trigger.
fn walk<'f>(
    workflow: &Workflow<'f>,
    trigger: &Node<'f>,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) {
    let mut names: Vec<&str> = Vec::new();
    let (mut at, mut seen) = (*trigger, HashSet::from([trigger.name]));
    loop {
        let followers = workflow.followers(at.name);
        let next = match followers.as_slice() {
            [] => return,
            [one] => workflow.find(one),
            _ => {
                let need = "several nodes come behind it; here a Condition step chooses, in an agentflow";
                return obstacles.add(at.kind, need, at.name);
            }
        };
        let Some(next) = next else {
            return obstacles.add(
                at.kind,
                "what comes behind it is not in the file, or is switched off",
                at.name,
            );
        };
        if !seen.insert(next.name) {
            return obstacles.add(
                next.kind,
                "it goes round in a circle; here a Loop step does that",
                next.name,
            );
        }
        workflow.read.borrow_mut().insert(next.name);
        let surroundings =
            Surroundings { trigger: trigger.name, steps: &names, follows_trigger: names.is_empty() };
        let mut parts = PartReader { workflow, blueprint, obstacles };
        match read_step(&next, &surroundings, &mut parts) {
            Some(step) => {
                blueprint.steps.push(step);
                names.push(next.name);
            }
            None if next.kind == "noOp" => {}
            None => return,
        }
        at = next;
    }
}

fn read_step<'f>(
    node: &Node<'f>,
    surroundings: &Surroundings<'_>,
    parts: &mut PartReader<'_, 'f>,
) -> Option<ModelStep> {
    if !["agent", "chainLlm", "chainRetrievalQa"].contains(&node.kind) {
        if node.kind != "noOp" {
            parts.obstacles.add(node.kind, need_of(node.kind), node.name);
        }
        return None;
    }
    let strategy = text(node.parameters, "agent");
    if ["sqlAgent", "planAndExecuteAgent"].contains(&strategy) {
        parts.obstacles.add(
            strategy,
            "there is no such agent here that a file could be made into",
            node.name,
        );
        return None;
    }
    if strategy == "reActAgent" {
        parts
            .blueprint
            .differ(format!("'{}' thinks in texts there (ReAct); here its model calls tools.", node.name));
    }
    let user = asked(node, surroundings, parts)?;
    let system = system(node, surroundings, parts)?;
    let mut step = ModelStep::new(node.name, parts.model(node)?);
    (step.user, step.system) = (user, system);
    step.memory = parts.memory(node);
    step.tools = parts.tools(node);
    step.answer_keys = parts.answer_keys(node);
    let options = object(node.parameters.get("options"));
    step.rounds_max = count(options.get("maxIterations"));
    if node.kind == "chainRetrievalQa" {
        step.retrieval = Some(parts.retrieval(node)?);
    }
    let known = ["systemMessage", "maxIterations", "systemPromptTemplate"];
    let left_out: Vec<&str> =
        options.keys().map(String::as_str).filter(|name| !known.contains(name)).take(20).collect();
    if !left_out.is_empty() {
        parts.blueprint.differ(format!(
            "Settings of '{}' that are left out: {}.",
            node.name,
            left_out.join(", ")
        ));
    }
    Some(step)
}

/// What a step is asked.
fn asked(
    node: &Node<'_>,
    surroundings: &Surroundings<'_>,
    parts: &mut PartReader<'_, '_>,
) -> Option<Wording> {
    let named = ["text", "prompt", "query"].iter().find_map(|name| resource_text(node.parameters.get(*name)));
    let kind = text(node.parameters, "promptType");
    match named {
        Some(text) if kind != "auto" => words(node, text, surroundings, parts),
        _ if surroundings.follows_trigger => Some(Wording::one(Piece::Question)),
        _ => {
            parts.obstacles.add(
                node.kind,
                "it takes the question of a chat, and stands behind another step",
                node.name,
            );
            None
        }
    }
}

/// A text, also one that an expression makes.
fn resource_text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// What a step is told before.
fn system(
    node: &Node<'_>,
    surroundings: &Surroundings<'_>,
    parts: &mut PartReader<'_, '_>,
) -> Option<Wording> {
    let options = object(node.parameters.get("options"));
    if let Some(text) =
        ["systemMessage", "systemPromptTemplate"].iter().find_map(|name| resource_text(options.get(*name)))
    {
        // What was found has a place of its own in the chain here.
        let is_search = node.kind == "chainRetrievalQa";
        let text = if is_search { text.replace("{context}", "") } else { text.to_owned() };
        return words(node, &text, surroundings, parts);
    }
    let mut wording = Wording::default();
    let messages = node.parameters.get("messages").map(|messages| &messages["messageValues"]);
    for row in rows(messages) {
        let kind = text(row, "type");
        if !["", "SystemMessagePromptTemplate"].contains(&kind)
            || resource(row.get("message")).is_none() && text(row, "message").is_empty()
        {
            parts.obstacles.add(node.kind, "only system messages come in beside the question", node.name);
            return None;
        }
        wording.append_below(words(node, text(row, "message"), surroundings, parts)?);
    }
    if node.kind == "agent" && wording.is_blank() {
        return Some(Wording::text(AGENT_SYSTEM));
    }
    Some(wording)
}

fn words(
    node: &Node<'_>,
    text: &str,
    surroundings: &Surroundings<'_>,
    parts: &mut PartReader<'_, '_>,
) -> Option<Wording> {
    match n8n_text::read(text, surroundings) {
        Ok(wording) => Some(wording),
        Err(expression) => {
            let what = format!("the expression {expression}");
            parts.obstacles.add(&what, "nothing stands for it here", node.name);
            None
        }
    }
}

/// True for kinds of nodes that come in where they stand in a line behind a chat trigger.
fn comes_in(kind: &str) -> bool {
    let parts = ["lmChat", "memory", "embeddings", "outputParser", "retriever"];
    ["agent", "chainLlm", "chainRetrievalQa", "noOp", "mcpClientTool", "toolThink", "toolVectorStore"]
        .contains(&kind)
        || parts.iter().any(|part| kind.starts_with(part))
        || tools::tool(kind).is_some()
}

/// What a node would take that does not come in.
fn need_of(kind: &str) -> &'static str {
    match kind {
        "if" | "switch" | "filter" => "draw it as a Condition step of an agentflow",
        "code" | "function" | "functionItem" | "set" | "aggregate" => {
            "draw it as a Custom Function step of an agentflow, in JavaScript"
        }
        "httpRequest" => "draw it as an HTTP step of an agentflow",
        "webhook" | "respondToWebhook" => "here the Start card of an agentflow takes webhooks",
        "scheduleTrigger" | "cron" => "here the Start card of an agentflow keeps a schedule",
        "formTrigger" | "form" => "here the Start card of an agentflow shows a form",
        "splitInBatches" | "splitOut" => "draw it as an Iteration step of an agentflow",
        "executeWorkflow" | "executeWorkflowTrigger" => "draw it as an Execute Flow step of an agentflow",
        "textClassifier" | "sentimentAnalysis" => "draw it as a Condition Agent step of an agentflow",
        "informationExtractor" => "draw it as an LLM step with JSON Structured Output",
        "openAi" | "googleGemini" | "anthropic" => {
            "draw it as an LLM step, or with a chat model's card and a chain"
        }
        "documentDefaultDataLoader" | "textSplitterRecursiveCharacterTextSplitter" => {
            "make a document store of what it loads"
        }
        kind if kind.starts_with("vectorStore") => "make a document store of what it is filled with",
        kind if kind.ends_with("Trigger") => {
            "here a flow begins with a question, a form, a webhook or the clock"
        }
        _ => "there is no card for it, or nothing is connected with it that comes in",
    }
}
