//! Reading a file: whatever it is, it becomes a list of things that may come in, each judged for itself.

use super::import::parse_body;
use super::other_products::ForeignFlow;
use super::{GROUPS, ItemKind, assistants, flow, other_products, tool_servers};
use crate::canvas::{Canvas, ForeignContent};
use crate::cards::registry::Registry;
use crate::domain::checks::kept::{KEPT_QUESTIONS_MAX, SentQuestion};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::secrets::redact;
use crate::ops::checks::kept;
use crate::ops::flows::settings;
use crate::ops::workspace::templates;
use crate::ops::workspace::tools;
use crate::wire::checks::kept::KeptQuestionEdit;
use crate::wire::workspace::assistants::AssistantEdit;
use crate::wire::workspace::tools::ToolEdit;
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use uuid::Uuid;

/// Things in one file.
const ITEMS_MAX: usize = 5_000;
/// Characters of a name that an answer repeats.
const NAME_SHOWN_CHARS: usize = 120;
/// Characters of a name that is taken from the name of a file.
const FILE_NAME_CHARS: usize = 200;
/// What a flow is called that has no name, in a file that has none.
pub(super) const UNNAMED: &str = "Imported flow";
/// Where a flow of a file has the questions of its checks.
const QUESTIONS: &str = "keptQuestions";
/// What editors of Flowise add to the name of a file.
const FILE_SUFFIXES: [&str; 7] =
    [".json", ".yml", ".yaml", " Chatflow", " Agentflow", " Agents", "-CustomTool"];

/// Where what a file says of a drawing is kept on the way to its note.
const DRAWING_NOTE: &str = "said of it";
/// Characters of it that a note repeats.
const DRAWING_NOTE_CHARS: usize = 300;

/// Settings of a flow that are objects, as JSON text in a file.
pub(super) const SETTINGS: &[&str] = &[
    "chatbotConfig",
    "apiConfig",
    "analytic",
    "speechToText",
    "textToSpeech",
    "followUpPrompts",
    "mcpServerConfig",
];

/// Lists that a file may hold and that do not come in, each with why.
pub(super) const LEFT_OUT: &[(&str, &str)] = &[
    ("ChatMessage", "Conversations stay where they were had: they prove nothing here."),
    ("ChatMessageFeedback", "Ratings stay with their conversations."),
    ("DocumentStoreFileChunk", "Chunks are brought by loaders: run those of the store again."),
];

/// One thing of a file.
#[derive(Debug)]
pub(super) struct ImportItem {
    pub kind: ItemKind,
    /// Its id in the file, when it has one.
    pub id: Option<Uuid>,
    pub name: String,
    pub fields: Map<String, Value>,
    /// Why it cannot come in at all.
    pub fault: Option<String>,
    /// What a person should know of it: what the file says of it, and what of it does not come in.
    pub notes: Vec<String>,
    /// Questions for the checks of the flow; `None` where the file says nothing of them.
    pub questions: Option<Vec<SentQuestion>>,
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct ImportFile {
    pub items: Vec<ImportItem>,
    /// Lists that stay outside: name, how many, and why.
    pub left_out: Vec<(&'static str, usize, &'static str)>,
    /// Credentials by id, as the file names them.
    pub credentials: Map<String, Value>,
    /// API keys by id: their names and hashes.
    pub keys: Map<String, Value>,
    /// Records of runs.
    pub runs: Vec<Value>,
}

/// Reads a file: one of lists, a flow record, a bare canvas, or a tool. What has no name is called as the file is.
/// A file of another product becomes the flows that are drawn of it.
pub(super) fn parse(file: Map<String, Value>, file_name: Option<&str>) -> Result<ImportFile> {
    let file = other_products::unwrap_text(file)?;
    if let Some(flows) = other_products::read(&file) {
        check_count(flows.len())?;
        let items: Vec<ImportItem> = flows.map(|flow| item_of(flow, file_name)).collect();
        return Ok(ImportFile { items, ..ImportFile::default() });
    }
    let mut file = wrap_single(file, file_name);
    assistants::draw_flows(&mut file);
    let mut items = Vec::new();
    for (group, kind) in GROUPS {
        match file.remove(group) {
            None | Some(Value::Null) => {}
            Some(Value::Array(list)) => items.extend(list.into_iter().map(|value| parse_item(kind, value))),
            Some(_) => return Err(Error::Invalid(format!("'{group}' must be a list."))),
        }
    }
    check_count(items.len())?;
    let mut seen = HashSet::new();
    for item in &mut items {
        if item.id.is_some_and(|id| !seen.insert(id)) {
            item.fault = Some("Its id is in the file twice.".to_owned());
        }
    }
    let count = |name: &str| file.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    let left_out = LEFT_OUT.iter().map(|(name, why)| (*name, count(name), *why));
    let left_out: Vec<_> = left_out.filter(|(_, count, _)| *count > 0).collect();
    let runs = match file.remove("Execution") {
        Some(Value::Array(runs)) => runs,
        _ => Vec::new(),
    };
    if items.is_empty() && left_out.is_empty() && runs.is_empty() {
        return Err(Error::invalid(
            "There is nothing in this file to import. Send an export, a flow, a tool, or a canvas with 'nodes' and 'edges'.",
        ));
    }
    let mut ours = file.remove("flowkeep").unwrap_or_default();
    let mut named = |what: &str| match ours.get_mut(what).map(Value::take) {
        Some(Value::Object(named)) => named,
        _ => Map::new(),
    };
    Ok(ImportFile { items, left_out, credentials: named("credentials"), keys: named("keys"), runs })
}

fn check_count(count: usize) -> Result<()> {
    if count > ITEMS_MAX {
        return Err(Error::Invalid(format!("A file may hold {ITEMS_MAX} things: split it.")));
    }
    Ok(())
}

/// A flow of another product as what comes in, or as what is refused with its report.
fn item_of(flow: ForeignFlow, file_name: Option<&str>) -> ImportItem {
    let named = Some(flow.name).filter(|name| !name.is_empty());
    let name = named.or_else(|| file_name.and_then(name_from_file)).unwrap_or_else(|| UNNAMED.to_owned());
    let (canvas, fault) = match flow.canvas {
        Ok(canvas) => (Some(canvas), None),
        Err(report) => (None, Some(report)),
    };
    let mut row = json!({"name": name, "type": flow.kind, "flowData": canvas, assistants::FAULT: fault});
    if !flow.chat.is_empty() {
        row["chatbotConfig"] = Value::from(flow.chat).to_string().into();
    }
    let mut item = parse_item(ItemKind::Flow(flow.kind), row);
    item.notes.extend(
        flow.notes.iter().map(|note| redact(note).text.chars().map(without_control).collect::<String>()),
    );
    item
}

/// A canvas, a flow record or a tool as a file of one thing.
fn wrap_single(mut file: Map<String, Value>, file_name: Option<&str>) -> Map<String, Value> {
    // A starter holds its canvas beside what it says of it.
    if let Some(canvas) = file.get("canvas").filter(|canvas| canvas["nodes"].is_array()).map(Value::to_string)
    {
        file = Map::from_iter(file.remove("name").map(|name| ("name".to_owned(), name)));
        file.insert("flowData".to_owned(), canvas.into());
    }
    let has_text =
        |name: &str| file.get(name).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let is_canvas = file.get("nodes").is_some_and(Value::is_array) && file.contains_key("edges");
    let is_flow = file.contains_key("flowData");
    let is_tool = has_text("func") || (has_text("name") && file.contains_key("schema"));
    let is_list = GROUPS.iter().any(|(group, _)| file.contains_key(*group));
    if is_list || !(is_canvas || is_flow || is_tool) {
        return file;
    }
    if !has_text("name") {
        let titled = || {
            let record = file.get("chatflow").and_then(|record| record.get("name"));
            let title = record.or_else(|| file.get("title")).filter(|_| is_canvas)?.as_str()?;
            name_from_file(title)
        };
        let named =
            titled().or_else(|| file_name.and_then(name_from_file)).unwrap_or_else(|| UNNAMED.to_owned());
        file.insert("name".to_owned(), named.into());
    }
    if !is_canvas && !is_flow {
        return Map::from_iter([(ItemKind::Tool.group().to_owned(), json!([file]))]);
    }
    let said = file.get("type").and_then(Value::as_str).and_then(FlowKind::parse);
    let one = if is_canvas {
        let mut one = take_record_fields(&mut file);
        if said.is_some() {
            file.shift_remove("type");
        }
        let canvas = Value::Object(file);
        one.insert("type".to_owned(), json!(said.unwrap_or_else(|| kind_of(&canvas))));
        one.insert("flowData".to_owned(), canvas.to_string().into());
        Value::Object(one)
    } else {
        Value::Object(file)
    };
    let kind = ItemKind::Flow(said.unwrap_or(FlowKind::Chatflow));
    Map::from_iter([(kind.group().to_owned(), json!([one]))])
}

/// Takes what a file says beside a drawing of the flow that it is: its name, its settings and what it is about. The record
/// of a flow may stand there too; what stands for itself goes before it.
fn take_record_fields(file: &mut Map<String, Value>) -> Map<String, Value> {
    let mut one = Map::new();
    let mut record = match file.shift_remove("chatflow") {
        Some(Value::Object(record)) => record,
        _ => Map::new(),
    };
    one.extend(file.shift_remove("name").map(|name| ("name".to_owned(), name)));
    file.shift_remove("title");
    for name in SETTINGS {
        // A setting that nothing can read is left beside the drawing, and said to be left out.
        let reads = |value: &Value| !value.is_null() && settings::parse(name, Some(value)).is_ok();
        let found = if file.get(*name).is_some_and(reads) {
            file.shift_remove(*name)
        } else {
            record.shift_remove(*name).filter(reads)
        };
        one.extend(found.map(|value| ((*name).to_owned(), value)));
    }
    // Without them a flow that only the holders of a key could ask would come in open to everybody.
    for name in ["apikeyid", "keyBound"] {
        let found = file.shift_remove(name).or_else(|| record.shift_remove(name));
        one.extend(found.map(|value| (name.to_owned(), value)));
    }
    let said = file.shift_remove("description").or_else(|| record.shift_remove("description"));
    one.extend(
        said.filter(|said| said.as_str().is_some_and(|text| !text.trim().is_empty()))
            .map(|said| (DRAWING_NOTE.to_owned(), said)),
    );
    one
}

/// What a file without a folder and without an ending is called; `None` when nothing is left.
fn name_from_file(file_name: &str) -> Option<String> {
    let mut name = file_name.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    for suffix in FILE_SUFFIXES {
        let at = name.len().saturating_sub(suffix.len());
        if name.get(at..).is_some_and(|end| end.eq_ignore_ascii_case(suffix)) {
            name = name[..at].trim_end();
        }
    }
    let name: String = name.chars().filter(|c| !c.is_control()).take(FILE_NAME_CHARS).collect();
    (!name.trim().is_empty()).then_some(name)
}

/// The kind of flow a bare canvas is, by its cards.
fn kind_of(canvas: &Value) -> FlowKind {
    let nodes = || canvas["nodes"].as_array().into_iter().flatten();
    let has = |category: &str| nodes().any(|node| node["data"]["category"] == category);
    let is_step = |node: &Value| {
        node["type"] == "agentFlow"
            || node["data"]["name"].as_str().is_some_and(|name| name.ends_with("Agentflow"))
    };
    if has("Agent Flows") || nodes().any(is_step) {
        FlowKind::Agentflow
    } else if has("Multi Agents") || has("Sequential Agents") {
        FlowKind::Multiagent
    } else if nodes().any(|node| node["data"]["name"] == "harnessTeam") {
        FlowKind::Harness
    } else {
        FlowKind::Chatflow
    }
}

/// A name as an answer repeats it.
pub(super) fn display_name(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(NAME_SHOWN_CHARS).collect()
}

fn parse_item(kind: ItemKind, value: Value) -> ImportItem {
    let Value::Object(mut fields) = value else {
        let fault = Some("It is not an object.".to_owned());
        return ImportItem {
            kind,
            id: None,
            name: String::new(),
            fields: Map::new(),
            fault,
            notes: Vec::new(),
            questions: None,
        };
    };
    let name = match kind.assistant() {
        Some(_) => assistants::hosted_name(&fields),
        None => fields.get("name").and_then(Value::as_str).map(str::to_owned),
    };
    let name = name.as_deref().map(display_name).unwrap_or_default();
    let mut fault = fields.remove(assistants::FAULT).and_then(|why| why.as_str().map(str::to_owned));
    let id = match fields.get("id").and_then(Value::as_str) {
        None => None,
        Some(text) => Uuid::try_parse(text).ok().filter(|_| text.len() == 36),
    };
    // Some exports hold the canvas itself where others hold its text.
    if let Some(canvas) = fields.get("flowData").filter(|canvas| canvas.is_object()) {
        let text = canvas.to_string();
        fields.insert("flowData".to_owned(), text.into());
    }
    let kind = match (kind, fields.get("type").and_then(Value::as_str)) {
        (ItemKind::Flow(_), Some(text)) => match FlowKind::parse(text) {
            Some(own) => ItemKind::Flow(own),
            None => {
                fault = Some("There is no such kind of flow.".to_owned());
                kind
            }
        },
        _ => kind,
    };
    if matches!(kind, ItemKind::Flow(_)) && !fields.get("flowData").is_some_and(Value::is_string) {
        fault.get_or_insert_with(|| "It has no canvas.".to_owned());
    }
    let mut notes = match kind {
        ItemKind::Flow(_) | ItemKind::Template => take_notes(&mut fields),
        _ => Vec::new(),
    };
    let questions = match kind {
        ItemKind::Flow(_) => take_questions(&mut fields, &mut notes),
        _ => None,
    };
    let mut item = ImportItem { kind, id, name, fields, fault, notes, questions };
    if item.fault.is_none() {
        item.fault = refusal(&item);
    }
    item
}

/// What is said of a drawing, which then holds what a canvas does and nothing besides.
fn take_notes(fields: &mut Map<String, Value>) -> Vec<String> {
    let said = fields.shift_remove(DRAWING_NOTE).as_ref().and_then(Value::as_str).map(|said| {
        let said: String = redact(said).text.chars().map(without_control).take(DRAWING_NOTE_CHARS).collect();
        format!("The file says of it: {said}")
    });
    let mut notes: Vec<String> = said.into_iter().collect();
    let draft = fields.get_mut("draft").and_then(Value::as_object_mut);
    if let Some(left_out) = draft.and_then(|draft| draft.get_mut("flowData")).and_then(strip_foreign) {
        notes.extend(left_out.sentences());
    }
    if let Some(left_out) = fields.get_mut("flowData").and_then(strip_foreign) {
        notes.extend(
            left_out.sentences().into_iter().filter(|told| !notes.contains(told)).collect::<Vec<_>>(),
        );
    }
    notes
}

/// The questions that a flow of the file keeps for its checks, but for those that nobody could keep.
fn take_questions(fields: &mut Map<String, Value>, notes: &mut Vec<String>) -> Option<Vec<SentQuestion>> {
    let Some(Value::Array(rows)) = fields.shift_remove(QUESTIONS) else { return None };
    let count = rows.len();
    let mut known = HashSet::new();
    let read = |(at, row): (usize, Value)| {
        let sent = SentQuestion::from(serde_json::from_value::<KeptQuestionEdit>(row).ok()?);
        let is_new = sent.id.is_none_or(|id| known.insert(id));
        (is_new && kept::judge_row(&sent, at).is_ok()).then_some(sent)
    };
    let questions: Vec<SentQuestion> =
        rows.into_iter().enumerate().filter_map(read).take(KEPT_QUESTIONS_MAX).collect();
    let left = count - questions.len();
    if left > 0 {
        notes.push(format!(
            "{left} of the questions for its checks stay outside: a check could not ask them, or they are too many."
        ));
    }
    Some(questions)
}

/// Leaves of a canvas what is part of one. What is no canvas is judged elsewhere.
fn strip_foreign(canvas: &mut Value) -> Option<ForeignContent> {
    let sent = canvas.as_str()?;
    // What is written anew shows no more which numbers were sent.
    Canvas::check_numbers(sent).ok()?;
    let parsed = Canvas::parse(sent).and_then(|canvas| canvas.without_foreign(&Registry));
    let (drawn, left_out) = parsed.ok().filter(|(_, left_out)| !left_out.is_empty())?;
    *canvas = serde_json::to_string(drawn.raw()).ok()?.into();
    Some(left_out)
}

fn without_control(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// What would refuse a thing when it is stored, as far as the thing itself says it.
fn refusal(item: &ImportItem) -> Option<String> {
    let judged = match item.kind {
        ItemKind::Flow(_) => flow::check(item),
        ItemKind::Tool => {
            parse_body::<ToolEdit>(&item.fields).and_then(|tool| tools::preview(&tool.into())).map(drop)
        }
        ItemKind::ToolServer => tool_servers::check(&item.fields),
        ItemKind::Template => templates::content_of(&item.fields).map(drop),
        ItemKind::OpenAiAssistant | ItemKind::AzureAssistant => {
            parse_body::<AssistantEdit>(&item.fields).map(drop)
        }
        ItemKind::Variable | ItemKind::DocumentStore => Ok(()),
    };
    judged.err().map(|fault| fault.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_value(value: Value) -> Result<ImportFile> {
        parse(value.as_object().unwrap().clone(), None)
    }

    #[test]
    fn what_has_no_name_is_called_as_its_file_is() {
        let canvas = json!({"nodes": [], "edges": []});
        for (file_name, name) in [
            (Some("Support Chatflow.json"), "Support"),
            (Some("C:\\flows\\Two words Agents.JSON"), "Two words"),
            (Some("/tmp/a.b.json"), "a.b"),
            (Some(".json"), "Imported flow"),
            (Some("ü\u{1b}.json"), "ü"),
            (None, "Imported flow"),
        ] {
            let incoming = parse(canvas.as_object().unwrap().clone(), file_name).unwrap();
            assert_eq!(incoming.items[0].name, name, "{file_name:?}");
        }
        let named = json!({"name": "Own", "type": "AGENTFLOW", "nodes": [], "edges": []});
        let incoming = parse(named.as_object().unwrap().clone(), Some("Other.json")).unwrap();
        assert_eq!(
            (incoming.items[0].name.as_str(), incoming.items[0].kind),
            ("Own", ItemKind::Flow(FlowKind::Agentflow))
        );
        assert!(!incoming.items[0].fields["flowData"].as_str().unwrap().contains("AGENTFLOW"));
    }

    #[test]
    fn a_tool_alone_is_a_file_too() {
        let tool = json!({"name": "adder", "description": "adds", "color": "#fff", "schema": "[]", "func": "return 1"});
        let incoming = read_value(tool.clone()).unwrap();
        assert_eq!((incoming.items[0].kind, &incoming.items[0].fault), (ItemKind::Tool, &None));
        let mut broken = tool;
        broken["schema"] = "[{\"property\": \"1\", \"type\": \"string\"}]".into();
        assert!(read_value(broken).unwrap().items[0].fault.as_ref().unwrap().contains("schema"));
    }

    #[test]
    fn a_bare_canvas_is_a_flow_of_the_kind_of_its_cards() {
        let node = |category: &str| json!({"nodes": [{"data": {"category": category}}], "edges": []});
        let step = json!({"nodes": [{"data": {"name": "startAgentflow"}}], "edges": []});
        assert_eq!(read_value(step).unwrap().items[0].kind, ItemKind::Flow(FlowKind::Agentflow));
        let team = json!({"nodes": [{"data": {"name": "harnessTeam"}}], "edges": []});
        assert_eq!(read_value(team).unwrap().items[0].kind, ItemKind::Flow(FlowKind::Harness));
        for (category, kind) in [
            ("Chains", FlowKind::Chatflow),
            ("Agent Flows", FlowKind::Agentflow),
            ("Sequential Agents", FlowKind::Multiagent),
        ] {
            let incoming = read_value(node(category)).unwrap();
            assert_eq!(incoming.items[0].kind, ItemKind::Flow(kind));
            assert_eq!((incoming.items[0].name.as_str(), &incoming.items[0].fault), ("Imported flow", &None));
        }
    }

    #[test]
    fn bad_things_are_found_and_good_ones_stay() {
        let id = "6a204bb0-3c4f-4c0e-9d9c-0f6f5c3a1d2e";
        let incoming = read_value(json!({
            "ChatFlow": [3, {"name": "a", "flowData": {"nodes": [], "edges": []}}, {"name": "b"}, {"type": "X", "flowData": ""}],
            "Tool": [{"id": id, "name": "t"}, {"id": id, "name": "u"}],
            "ChatMessage": [{}, {}],
        }))
        .unwrap();
        let faults: Vec<bool> = incoming.items.iter().map(|item| item.fault.is_some()).collect();
        assert_eq!(faults, [true, false, true, true, false, true]);
        assert_eq!((incoming.left_out[0].0, incoming.left_out[0].1), ("ChatMessage", 2));
        assert!(read_value(json!({"ChatFlow": {}})).is_err());
        assert!(read_value(json!({"hello": 1})).is_err());
    }
}
