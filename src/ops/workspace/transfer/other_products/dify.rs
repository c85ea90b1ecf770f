//! Apps of Dify: chats, agents and text generators, whose settings are `model_config`.

use super::blueprint::{
    Blueprint, FormField, MemorySpan, ModelStep, Piece, PlacedCard, Retrieval, StepTool, Wording,
};
use super::dify_graph;
use super::models::{self, ModelSettings, count, list, number, object, rows, text};
use super::obstacles::Obstacles;
use super::tools;
use serde_json::{Map, Value};

/// Parameters of models that are read.
const PARAMETERS: &[&str] = &["temperature", "max_tokens"];
/// Questions to begin with that a chat shows.
const STARTERS_MAX: usize = 20;

/// Reads an app.
pub(super) fn read(file: &Map<String, Value>, blueprint: &mut Blueprint, obstacles: &mut Obstacles) {
    let app = object(file.get("app"));
    let mode = text(app, "mode");
    match mode {
        "chat" | "agent-chat" | "completion" => {
            read_settings(object(file.get("model_config")), mode, blueprint, obstacles);
        }
        "advanced-chat" | "workflow" => {
            let workflow = object(file.get("workflow"));
            read_features(object(workflow.get("features")), blueprint, obstacles);
            dify_graph::read(workflow, mode, blueprint, obstacles);
        }
        other => obstacles.add(other, "there is no such kind of app here", text(app, "name")),
    }
}

fn read_settings(
    config: &Map<String, Value>,
    mode: &str,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) {
    read_features(config, blueprint, obstacles);
    if !list(config.get("external_data_tools")).is_empty() {
        obstacles.add(
            "an external data tool",
            "draw it as an HTTP step of an agentflow",
            "external_data_tools",
        );
    }
    let fields = form_fields(list(config.get("user_input_form")), obstacles);
    let is_completion = mode == "completion";
    // What is generated from one text is asked for it.
    let question = match fields.as_slice() {
        [only] if is_completion && only.kind == "string" => Some(only.name.clone()),
        _ => None,
    };
    let model = model(object(config.get("model")), blueprint, obstacles);
    let Some(prompt) = prompt(config, question.as_deref(), obstacles) else { return };
    let Some(model) = model else { return };
    let mut step = ModelStep::new("Answer", model);
    step.retrieval = has_datasets(config, blueprint).then_some(Retrieval::DocumentStore);
    if is_completion {
        step.user = prompt;
        blueprint.starts_with_form = question.is_none() && !fields.is_empty();
    } else {
        step.system = prompt;
        step.memory = Some(MemorySpan::All);
        if !fields.is_empty() {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            blueprint.differ(format!(
                "Dify asks for {} before the chat; here they are values under Format Prompt Values of the prompt, which a request may set too.",
                names.join(", ")
            ));
        }
    }
    if question.is_none() {
        blueprint.fields = fields;
    }
    step.tools = agent_tools(object(config.get("agent_mode")), mode, blueprint, obstacles);
    step.rounds_max = count(object(config.get("agent_mode")).get("max_iteration"));
    if step.retrieval.is_some() && !step.tools.is_empty() {
        let search = StepTool::Search {
            name: "knowledge".to_owned(),
            description: "Searches the knowledge of this app. Use it before you answer.".to_owned(),
            retrieval: Retrieval::DocumentStore,
        };
        step.tools.push(search);
        step.retrieval = None;
    } else if step.retrieval.is_some() && !blueprint.fields.is_empty() && !is_completion {
        obstacles.add(
            "fields beside a knowledge base",
            "draw a Retriever step of an agentflow",
            "user_input_form",
        );
    }
    blueprint.steps.push(step);
}

/// What the chat shows, and what it does beside answering.
fn read_features(features: &Map<String, Value>, blueprint: &mut Blueprint, obstacles: &mut Obstacles) {
    let mut starters: Vec<&str> =
        list(features.get("suggested_questions")).iter().filter_map(Value::as_str).collect();
    if starters.len() > STARTERS_MAX {
        starters.truncate(STARTERS_MAX);
        blueprint.differ(format!("Only the first {STARTERS_MAX} of its questions to begin with come in."));
    }
    blueprint.set_chat(text(features, "opening_statement"), &starters);
    if text(features, "opening_statement").contains("{{") {
        blueprint.differ("The welcome names fields in doubled braces, which stay as they are written.");
    }
    let is_on = |name: &str| object(features.get(name)).get("enabled") == Some(&true.into());
    if is_on("sensitive_word_avoidance") {
        obstacles.add(
            "a moderation",
            "connect Simple Prompt Moderation or OpenAI Moderation to the chain",
            "sensitive_word_avoidance",
        );
    }
    let others = [
        ("speech_to_text", "speech to text"),
        ("text_to_speech", "text to speech"),
        ("suggested_questions_after_answer", "questions to go on with"),
        ("annotation_reply", "answers that people wrote"),
        ("file_upload", "files of the chat"),
        ("more_like_this", "more answers like one"),
    ];
    let on: Vec<&str> = others.iter().filter(|(name, _)| is_on(name)).map(|(_, told)| *told).collect();
    if !on.is_empty() {
        blueprint.differ(format!(
            "Switched on there and to be set here in the flow's settings: {}.",
            on.join(", ")
        ));
    }
}

/// The card of a model.
pub(super) fn model(
    model: &Map<String, Value>,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) -> Option<PlacedCard> {
    let (provider, name) = (text(model, "provider"), text(model, "name"));
    if text(model, "mode") == "completion" {
        obstacles.add("a completion model", "choose a chat model", name);
        return None;
    }
    // Newer versions name the plugin before the provider.
    let Some(card) = models::chat_model(provider.rsplit('/').next().unwrap_or_default()) else {
        let what = format!("the model provider '{provider}'");
        obstacles.add(&what, "there is no card for its models here", name);
        return None;
    };
    let parameters = object(model.get("completion_params"));
    let settings = ModelSettings {
        temperature: number(parameters.get("temperature")),
        tokens_max: count(parameters.get("max_tokens")),
        address: String::new(),
    };
    let (placed, _) = card.place(name, &settings);
    let is_default = |value: &Value| match value {
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(rows) => rows.is_empty(),
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    let left_out = parameters.iter().filter(|(name, value)| {
        let is_whole = *name == "top_p" && number(Some(value)) == Some(1.0);
        let says_nothing = is_whole || is_default(value);
        !says_nothing && !PARAMETERS.contains(&name.as_str())
    });
    let left_out: Vec<&str> = left_out.map(|(name, _)| name.as_str()).take(20).collect();
    if !left_out.is_empty() {
        blueprint
            .differ(format!("Settings of the model '{name}' that are left out: {}.", left_out.join(", ")));
    }
    if placed.name != "chatOllama" {
        blueprint.differ(format!("Choose a credential for the model '{name}'."));
    }
    Some(placed)
}

/// What the model is told: a text with fields in doubled braces, or the messages of the expert mode.
fn prompt(config: &Map<String, Value>, question: Option<&str>, obstacles: &mut Obstacles) -> Option<Wording> {
    let fields = |name: &str| match name {
        name if Some(name) == question => Some(Piece::Question),
        "#query#" => Some(Piece::Question),
        "#context#" => Some(Piece::Found),
        "#histories#" => Some(Piece::History),
        name => is_name(name).then(|| Piece::Field(name.to_owned())),
    };
    if text(config, "prompt_type") != "advanced" {
        return Some(wording(text(config, "pre_prompt"), &fields, obstacles));
    }
    let mut told = Wording::default();
    for row in rows(object(config.get("chat_prompt_config")).get("prompt")) {
        if text(row, "role") != "system" {
            obstacles.add(
                "a prompt of several voices",
                "draw it as the messages of an LLM step",
                "chat_prompt_config",
            );
            return None;
        }
        told.append_below(wording(text(row, "text"), &fields, obstacles));
    }
    Some(told)
}

/// A text with names in doubled braces.
pub(super) fn wording(
    template: &str,
    read: &dyn Fn(&str) -> Option<Piece>,
    obstacles: &mut Obstacles,
) -> Wording {
    let mut wording = Wording::default();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once("{{") {
        wording.push_text(before);
        let Some((name, after)) = behind.split_once("}}") else {
            wording.push_text(&rest[before.len()..]);
            return wording;
        };
        match read(name.trim()) {
            Some(piece) => wording.0.push(piece),
            // What is no name is text there too.
            None if !name.trim().starts_with('#') => wording.push_text(&format!("{{{{{name}}}}}")),
            None => {
                obstacles.add(&format!("the value {{{{{name}}}}}"), "nothing stands for it here", "a prompt");
            }
        }
        rest = after;
    }
    wording.push_text(rest);
    wording
}

/// True for what may be the name of a field here as well.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn form_fields(rows: &[Value], obstacles: &mut Obstacles) -> Vec<FormField> {
    let rows = rows.iter().filter_map(|row| row.as_object()?.iter().next());
    rows.filter_map(|(kind, row)| form_field(kind, object(Some(row)), obstacles)).collect()
}

/// A field of a form; one of another kind stands in the way.
pub(super) fn form_field(
    kind: &str,
    row: &Map<String, Value>,
    obstacles: &mut Obstacles,
) -> Option<FormField> {
    let name = text(row, "variable");
    let kind = match kind {
        "text-input" | "paragraph" | "string" => "string",
        "select" => "options",
        "number" => "number",
        "checkbox" => "boolean",
        other => {
            obstacles.add(
                &format!("a field of the kind {other}"),
                "here forms ask for texts, numbers, switches and choices",
                name,
            );
            return None;
        }
    };
    if !is_name(name) {
        obstacles.add("a field without a fitting name", "a name has letters, digits and underscores", name);
        return None;
    }
    let label = match text(row, "label") {
        "" => name,
        label => label,
    };
    let options =
        list(row.get("options")).iter().filter_map(Value::as_str).take(200).map(str::to_owned).collect();
    let usual = text(row, "default").to_owned();
    Some(FormField { name: name.to_owned(), label: label.to_owned(), kind, options, usual })
}

/// True where the app answers from knowledge.
fn has_datasets(config: &Map<String, Value>, blueprint: &mut Blueprint) -> bool {
    let named = list(object(object(config.get("dataset_configs")).get("datasets")).get("datasets"));
    let older = list(object(config.get("agent_mode")).get("tools")).iter();
    let older = older.filter(|tool| tool["dataset"]["enabled"] == true).count();
    let count = named.iter().filter(|row| row["dataset"]["enabled"] != false).count() + older;
    if count > 0 {
        note_knowledge(count, blueprint);
    }
    count > 0
}

/// Says what becomes of the knowledge of an app, which is in no export.
pub(super) fn note_knowledge(count: usize, blueprint: &mut Blueprint) {
    let of = if count == 1 { "a knowledge base".to_owned() } else { format!("{count} knowledge bases") };
    blueprint.differ(format!(
        "It answers from {of} of Dify, which no export holds: make one document store of the same documents and choose it in the flow."
    ));
}

fn agent_tools(
    agent: &Map<String, Value>,
    mode: &str,
    blueprint: &mut Blueprint,
    obstacles: &mut Obstacles,
) -> Vec<StepTool> {
    let mut found = Vec::new();
    if mode != "agent-chat" && agent.get("enabled") != Some(&true.into()) {
        return found;
    }
    if ["react", "cot"].contains(&text(agent, "strategy")) {
        blueprint.differ("It thinks in texts there (ReAct); here its model calls tools.");
    }
    for row in rows(agent.get("tools")) {
        let provider = text(row, "provider_name").rsplit('/').next().unwrap_or_default();
        // Older versions keep knowledge among the tools.
        if row.contains_key("dataset") || row.get("enabled") == Some(&false.into()) {
            continue;
        }
        let label = format!("{} ({provider})", text(row, "tool_name"));
        let is_builtin = ["builtin", ""].contains(&text(row, "provider_type"));
        match tools::tool(provider).filter(|_| is_builtin) {
            Some(tool) => {
                blueprint
                    .differ(format!("Choose a credential for the tool {label}, where its card takes one."));
                found.push(StepTool::Card(tool));
            }
            None => {
                let need = "there is no card for this tool; a Custom Tool, an OpenAPI Toolkit or an MCP server can do its work";
                obstacles.add("a tool", need, &label);
            }
        }
    }
    found
}
