//! Draws a blueprint: a chatflow where one step answers, and a line of steps otherwise.

use super::blueprint::{
    AnswerKey, Blueprint, FormField, MemorySpan, ModelStep, Piece, PlacedCard, Retrieval, StepTool, Wording,
};
use super::obstacles::Obstacles;
use crate::canvas::template::AgentTemplate;
use crate::domain::flows::flow::FlowKind;
use crate::ops::service::demo::drawing::Drawing;
use serde_json::{Map, Value, json};

/// A flow that was drawn.
#[derive(Debug)]
pub(super) struct DrawnFlow {
    pub kind: FlowKind,
    /// Its canvas as text.
    pub canvas: String,
}

/// Names what no canvas can hold together, though each of it can be drawn.
pub(super) fn check(blueprint: &Blueprint, obstacles: &mut Obstacles) {
    let is_single = |step: &ModelStep| blueprint.steps.len() == 1 && is_chat(blueprint, step);
    if blueprint.reply.as_ref().is_some_and(has_references) {
        obstacles.add("a text in doubled braces", REFERENCE_NEED, "the answer");
    }
    if blueprint.reply.as_ref().is_some_and(|reply| reply.holds(&Piece::Found)) {
        obstacles.add(
            "an answer that quotes what was found",
            "let a step read what was found, and answer with what it says",
            "the answer",
        );
    }
    for step in &blueprint.steps {
        if !is_single(step) && [&step.system, &step.user].iter().any(|words| has_references(words)) {
            obstacles.add("a text in doubled braces", REFERENCE_NEED, &step.label);
        }
        let reads = [&step.system, &step.user].iter().any(|words| words.holds(&Piece::Found));
        if reads && step.retrieval.is_none() {
            obstacles.add("a place for what was found", "nothing is searched for it", &step.label);
        }
        let need = match (&step.retrieval, is_single(step)) {
            (Some(_), true) if !step.tools.is_empty() => "give the search to it as a tool",
            (Some(Retrieval::VectorStore { .. }), false) => {
                "a step searches document stores: make one of what it searches"
            }
            (Some(_), false) if blueprint.starts_with_form => {
                "a search behind a form is drawn by hand: a Retriever step"
            }
            (Some(_), _) if !step.answer_keys.is_empty() => {
                "an answer from a search is a text: ask for the object in a second step"
            }
            _ => continue,
        };
        obstacles.add("a search", need, &step.label);
    }
}

const REFERENCE_NEED: &str = "they are no text here: they stand for a value";

/// True for a text that says something else here than there, because steps take what it holds for a value.
fn has_references(wording: &Wording) -> bool {
    wording.0.iter().any(|piece| matches!(piece, Piece::Text(text) if AgentTemplate::parse(text).is_some()))
}

/// Draws it.
pub(super) fn draw(blueprint: &mut Blueprint) -> DrawnFlow {
    match blueprint.steps.as_slice() {
        [step] if is_chat(blueprint, step) => {
            let step = step.clone();
            let canvas = draw_chatflow(blueprint, &step);
            DrawnFlow { kind: FlowKind::Chatflow, canvas }
        }
        _ => DrawnFlow { kind: FlowKind::Agentflow, canvas: draw_agentflow(blueprint) },
    }
}

/// True for what one chain or agent of a chatflow does.
fn is_chat(blueprint: &Blueprint, step: &ModelStep) -> bool {
    let has_object = !step.answer_keys.is_empty();
    let is_plain = step.tools.is_empty() && step.memory.is_none() && step.retrieval.is_none();
    let has_lists = step.answer_keys.iter().any(|key| key.kind == "stringArray");
    let tells_time = [&step.system, &step.user].iter().any(|words| words.holds(&Piece::Now));
    blueprint.reply.is_none()
        && !blueprint.starts_with_form
        && !tells_time
        && !has_lists
        && (!has_object || is_plain)
}

fn draw_chatflow(blueprint: &mut Blueprint, step: &ModelStep) -> String {
    let mut drawing = Drawing::default();
    let model = add(&mut drawing, &step.model);
    let ending = if let Some(retrieval) = &step.retrieval {
        draw_retrieval_chain(&mut drawing, blueprint, step, retrieval)
    } else if !step.tools.is_empty() {
        draw_agent(&mut drawing, blueprint, step)
    } else if step.memory.is_some() {
        let chain = drawing.add_card("conversationChain", json!({}));
        prompt_into(&mut drawing, blueprint, step, &chain, "systemMessagePrompt");
        chain
    } else {
        draw_chain(&mut drawing, blueprint, step)
    };
    drawing.set(&ending, "label", step.label.clone().into());
    drawing.connect(&model, &ending, "model");
    if let Some(span) = step.memory {
        let memory = match span {
            MemorySpan::All => drawing.add_card("bufferMemory", json!({})),
            MemorySpan::Exchanges(count) => {
                drawing.add_card("bufferWindowMemory", json!({"k": count.to_string()}))
            }
        };
        drawing.connect(&memory, &ending, "memory");
    }
    for note in &blueprint.sticky_notes {
        drawing.add_note(note);
    }
    drawing.into_text()
}

fn add(drawing: &mut Drawing, card: &PlacedCard) -> String {
    drawing.add_card(card.name, card.inputs.clone().into())
}

fn draw_retrieval_chain(
    drawing: &mut Drawing,
    blueprint: &mut Blueprint,
    step: &ModelStep,
    retrieval: &Retrieval,
) -> String {
    let chain = drawing.add_card("conversationalRetrievalQAChain", json!({}));
    let store = draw_store(drawing, retrieval);
    drawing.connect(&store, &chain, "vectorStoreRetriever");
    let mut wording = step.system.clone();
    if !step.user.is_question() {
        wording.append_below(step.user.clone());
    }
    if !wording.is_blank() {
        let mut values = Map::new();
        let text = braces(&wording, "context", &mut values, &blueprint.fields);
        // This chain gives values to these two variables and to no others.
        if !values.is_empty() {
            blueprint.differ(
                "Its instructions hold values that the chain here does not fill in: replace what stands in braces in its \
                 Response Prompt.",
            );
        }
        let inputs = json!(text);
        drawing.set_input(&chain, "responsePrompt", inputs);
    }
    blueprint.differ(
        "When something was said before, the model first words the question anew, and chunks are looked for with that.",
    );
    if step.memory.is_none() {
        blueprint.differ("It remembers the conversation, which it does not do there.");
    }
    chain
}

fn draw_store(drawing: &mut Drawing, retrieval: &Retrieval) -> String {
    match retrieval {
        Retrieval::DocumentStore => drawing.add_card("documentStoreVS", json!({})),
        Retrieval::VectorStore { store, embeddings } => {
            let store = add(drawing, store);
            let embeddings = add(drawing, embeddings);
            drawing.connect(&embeddings, &store, "embeddings");
            store
        }
    }
}

fn draw_agent(drawing: &mut Drawing, blueprint: &Blueprint, step: &ModelStep) -> String {
    let agent = drawing.add_card("toolAgent", json!({}));
    if let Some(rounds) = step.rounds_max {
        drawing.set_input(&agent, "maxIterations", rounds.to_string().into());
    }
    prompt_into(drawing, blueprint, step, &agent, "systemMessage");
    for tool in &step.tools {
        let tool = match tool {
            StepTool::Card(card) => add(drawing, card),
            StepTool::Search { name, description, retrieval } => {
                let tool =
                    drawing.add_card("retrieverTool", json!({"name": name, "description": description}));
                let store = draw_store(drawing, retrieval);
                drawing.connect(&store, &tool, "retriever");
                tool
            }
        };
        drawing.connect(&tool, &agent, "tools");
    }
    agent
}

/// Writes what a chain with a conversation is told: into its own input where that can hold it, else through a prompt card.
fn prompt_into(drawing: &mut Drawing, blueprint: &Blueprint, step: &ModelStep, ending: &str, input: &str) {
    if let ([Piece::Text(text)], true) = (step.system.0.as_slice(), step.user.is_question()) {
        return drawing.set_input(ending, input, doubled(text).into());
    }
    let prompt = draw_prompt(drawing, blueprint, step);
    drawing.connect(&prompt, ending, "chatPromptTemplate");
}

fn draw_chain(drawing: &mut Drawing, blueprint: &Blueprint, step: &ModelStep) -> String {
    let chain = drawing.add_card("llmChain", json!({}));
    let prompt = draw_prompt(drawing, blueprint, step);
    drawing.connect(&prompt, &chain, "prompt");
    if !step.answer_keys.is_empty() {
        let row =
            |key: &AnswerKey| json!({"property": key.name, "type": key.kind, "description": key.description});
        let rows: Vec<Value> = step.answer_keys.iter().map(row).collect();
        let rows = json!({"jsonStructure": Value::from(rows).to_string(), "autofixParser": true});
        let parser = drawing.add_card("structuredOutputParser", rows);
        drawing.connect(&parser, &chain, "outputParser");
    }
    chain
}

fn draw_prompt(drawing: &mut Drawing, blueprint: &Blueprint, step: &ModelStep) -> String {
    let mut values = Map::new();
    let system = braces(&step.system, "found", &mut values, &blueprint.fields);
    let human = braces(&step.user, "found", &mut values, &blueprint.fields);
    let values = if values.is_empty() { String::new() } else { Value::from(values).to_string() };
    drawing.add_card(
        "chatPromptTemplate",
        json!({"systemMessagePrompt": system, "humanMessagePrompt": human, "promptValues": values}),
    )
}

/// A text whose variables stand in single braces, with the values of those that the question is not put into.
fn braces(wording: &Wording, found: &str, values: &mut Map<String, Value>, fields: &[FormField]) -> String {
    let mut text = String::new();
    for piece in &wording.0 {
        match piece {
            Piece::Text(plain) => text.push_str(&doubled(plain)),
            Piece::Question => text.push_str("{question}"),
            Piece::History => {
                values.insert("history".to_owned(), "{{chat_history}}".into());
                text.push_str("{history}");
            }
            Piece::Found => text.push_str(&format!("{{{found}}}")),
            Piece::Field(name) => {
                let field = fields.iter().find(|field| field.name == *name);
                let usual = field.map(|field| match field.usual.as_str() {
                    "" => format!("[{}]", field.label),
                    usual => usual.to_owned(),
                });
                values.insert(name.clone(), usual.unwrap_or_else(|| format!("[{name}]")).into());
                text.push_str(&format!("{{{name}}}"));
            }
            // A chatflow has one step and no clock: what has more is drawn in steps.
            Piece::Now | Piece::Step(_) => {}
        }
    }
    text
}

/// Braces that are no variables.
fn doubled(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn draw_agentflow(blueprint: &mut Blueprint) -> String {
    let mut drawing = Drawing::default();
    let mut last = drawing.add_step("startAgentflow", "Start", start_inputs(blueprint));
    let mut ids: Vec<String> = Vec::new();
    let steps = blueprint.steps.clone();
    for step in &steps {
        let mut found = String::new();
        if step.retrieval.is_some() {
            // Which document store it is, its owner says.
            let inputs = json!({
                "retrieverKnowledgeDocumentStores": [{"documentStore": ""}], "retrieverQuery": "{{ question }}",
                "outputFormat": "text",
            });
            found = drawing.add_step("retrieverAgentflow", "Retriever", inputs);
            drawing.follow(&last, &found);
            last.clone_from(&found);
        }
        let places = Places { ids: &ids, found: &found, is_form: blueprint.starts_with_form };
        let is_agent = !step.tools.is_empty();
        let card = if is_agent { "agentAgentflow" } else { "llmAgentflow" };
        let inputs = step_inputs(step, if is_agent { "agent" } else { "llm" }, &places);
        let id = drawing.add_step(card, &step.label, inputs);
        drawing.follow(&last, &id);
        ids.push(id.clone());
        last = id;
    }
    if steps.iter().any(|step| step.memory.is_some() && !step.user.is_question()) {
        blueprint.differ("A step that remembers the conversation also reads the question as it was asked.");
    }
    if let Some(reply) = &blueprint.reply {
        let places = Places { ids: &ids, found: "", is_form: blueprint.starts_with_form };
        let reply = drawing.add_step(
            "directReplyAgentflow",
            "Answer",
            json!({"directReplyMessage": references(reply, &places)}),
        );
        drawing.follow(&last, &reply);
    }
    for note in &blueprint.sticky_notes {
        drawing.add_step_note(note);
    }
    drawing.into_text()
}

fn start_inputs(blueprint: &Blueprint) -> Value {
    if blueprint.starts_with_form {
        let row = |field: &FormField| {
            let options: Vec<Value> = field.options.iter().map(|option| json!({"option": option})).collect();
            json!({"type": field.kind, "label": field.label, "name": field.name, "addOptions": options})
        };
        let rows: Vec<Value> = blueprint.fields.iter().map(row).collect();
        return json!({"startInputType": "formInput", "formTitle": "What it needs to know", "formInputTypes": rows});
    }
    let row = |field: &FormField| json!({"key": field.name, "value": field.usual});
    let rows: Vec<Value> = blueprint.fields.iter().map(row).collect();
    json!({"startInputType": "chatInput", "startState": rows})
}

/// The inputs of a step that asks a model; their names begin with `word`.
fn step_inputs(step: &ModelStep, word: &str, places: &Places<'_>) -> Value {
    let mut inputs = Map::new();
    let mut set = |name: &str, value: Value| inputs.insert(format!("{word}{name}"), value);
    set("Model", step.model.name.into());
    set("ModelConfig", step.model.inputs.clone().into());
    let mut messages = Vec::new();
    if !step.system.is_blank() {
        messages.push(json!({"role": "system", "content": references(&step.system, places)}));
    }
    let user = references(&step.user, places);
    match step.memory {
        None => {
            set("EnableMemory", false.into());
            messages.push(json!({"role": "user", "content": user}));
        }
        Some(span) => {
            set("EnableMemory", true.into());
            if let MemorySpan::Exchanges(count) = span {
                set("MemoryType", "windowSize".into());
                set("MemoryWindowSize", (count * 2).to_string().into());
            }
            if !step.user.is_question() {
                set("UserMessage", user.into());
            }
        }
    }
    set("Messages", messages.into());
    if !step.answer_keys.is_empty() {
        let row =
            |key: &AnswerKey| json!({"key": key.name, "type": key.kind, "description": key.description});
        set("StructuredOutput", step.answer_keys.iter().map(row).collect());
    }
    let (mut tools, mut stores, mut searches) = (Vec::new(), Vec::new(), Vec::new());
    for tool in &step.tools {
        match tool {
            StepTool::Card(card) => {
                tools.push(json!({"agentSelectedTool": card.name, "agentSelectedToolConfig": card.inputs}));
            }
            StepTool::Search { description, retrieval: Retrieval::DocumentStore, .. } => {
                stores.push(json!({"documentStore": "", "docStoreDescription": description}));
            }
            StepTool::Search {
                name,
                description,
                retrieval: Retrieval::VectorStore { store, embeddings },
            } => {
                searches.push(json!({
                    "vectorStore": store.name, "vectorStoreConfig": store.inputs,
                    "embeddingModel": embeddings.name, "embeddingModelConfig": embeddings.inputs,
                    "knowledgeName": name, "knowledgeDescription": description,
                }));
            }
        }
    }
    let rows = [("Tools", tools), ("KnowledgeDocumentStores", stores), ("KnowledgeVSEmbeddings", searches)];
    for (name, rows) in rows.into_iter().filter(|(_, rows)| !rows.is_empty()) {
        set(name, rows.into());
    }
    if let Some(rounds) = step.rounds_max.filter(|_| !step.tools.is_empty()) {
        set("MaxIterations", rounds.clamp(1, 100).to_string().into());
    }
    inputs.into()
}

/// Where the pieces of a text stand on the canvas.
struct Places<'p> {
    /// The steps that were drawn.
    ids: &'p [String],
    /// The retriever before this step.
    found: &'p str,
    is_form: bool,
}

/// A text with references.
fn references(wording: &Wording, places: &Places<'_>) -> String {
    let mut text = String::new();
    for piece in &wording.0 {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Question => text.push_str("{{ question }}"),
            Piece::History => text.push_str("{{ chat_history }}"),
            Piece::Now => text.push_str("{{ current_date_time }}"),
            Piece::Found => text.push_str(&format!("{{{{ {} }}}}", places.found)),
            Piece::Step(at) => {
                let id = places.ids.get(*at).map(String::as_str).unwrap_or_default();
                text.push_str(&format!("{{{{ {id} }}}}"));
            }
            Piece::Field(name) if places.is_form => text.push_str(&format!("{{{{ $form.{name} }}}}")),
            Piece::Field(name) => text.push_str(&format!("{{{{ $flow.state.{name} }}}}")),
        }
    }
    text
}
