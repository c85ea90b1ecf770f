//! What no request changes, whatever the owner listed (manual 7.2).

use crate::cards::kit::{Card, Input, InputKind};
use crate::domain::secrets::json_text;
use crate::domain::secrets::names::{fold_name, visible_form};
use crate::domain::workspace::credential_types::{self, FieldKind};
use serde_json::{Map, Value};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The reasons a setting never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProtectedGroup {
    Credential,
    /// Addresses, links, paths, headers.
    Address,
    Port,
    Code,
    File,
    /// Pickers and wires that choose a card, a model, a store, a tool or a flow.
    Picker,
    /// Which conversation is continued, and whose chunks a vector store finds.
    Conversation,
}

/// Ends of names of credentials.
const CREDENTIAL_ENDS: &[&str] = &["secret", "password", "token"];
const CREDENTIALS: &[&str] = &["credential", "credentialid", "flowisecredentialid", "apikey"];
/// Ends of names of addresses.
const ADDRESS_ENDS: &[&str] = &["url", "uri", "host", "endpoint", "basepath", "links", "paths", "headers"];
/// Whole names of addresses; the base options of a model are headers.
const ADDRESSES: &[&str] = &["baseoptions"];
/// Ends of names of code.
const CODE_ENDS: &[&str] = &["javascriptfunction", "jsonschema", "structuredoutput", "updatestate"];
const CODE: &[&str] = &[
    "iffunction",
    "elsefunction",
    "conditionfunction",
    "customfunction",
    "customtoolfunc",
    "customtoolschema",
    "messagehistory",
    "messagehistorycode",
    "updatestatememorycode",
    "updatestatememory",
];
/// Words that protect an input of their name. As keys inside a value, or names of variables, they are ordinary words.
const INPUTS: &[(&str, ProtectedGroup)] = &[
    ("link", ProtectedGroup::Address),
    ("path", ProtectedGroup::Address),
    ("database", ProtectedGroup::Address),
    ("region", ProtectedGroup::Address),
    ("bucketname", ProtectedGroup::Address),
    ("ssl", ProtectedGroup::Address),
    ("additionalconfig", ProtectedGroup::Address),
    ("header", ProtectedGroup::Address),
    ("apidocs", ProtectedGroup::Address),
    ("secure", ProtectedGroup::Address),
    ("weaviateconnectiontype", ProtectedGroup::Address),
    ("weaviatehttpsecure", ProtectedGroup::Address),
    ("code", ProtectedGroup::Code),
    ("func", ProtectedGroup::Code),
    ("schema", ProtectedGroup::Code),
    ("file", ProtectedGroup::File),
    ("files", ProtectedGroup::File),
    ("folder", ProtectedGroup::File),
    ("folderpath", ProtectedGroup::File),
    ("keyname", ProtectedGroup::File),
    ("harness", ProtectedGroup::Picker),
    ("pipeline", ProtectedGroup::Picker),
    ("sessionid", ProtectedGroup::Conversation),
    ("chatid", ProtectedGroup::Conversation),
    ("metadatapayloadkey", ProtectedGroup::Conversation),
    ("contentpayloadkey", ProtectedGroup::Conversation),
    ("pineconetextkey", ProtectedGroup::Conversation),
    ("weaviatetextkey", ProtectedGroup::Conversation),
    ("milvustextfield", ProtectedGroup::Conversation),
    ("fileupload", ProtectedGroup::Conversation),
];
/// Whole names of pickers and lists of picks.
const PICKERS: &[&str] = &[
    "agentmodel",
    "llmmodel",
    "conditionagentmodel",
    "humaninputmodel",
    "embeddingmodel",
    "vectorstore",
    "documentstore",
    "selectedstore",
    "selectedtool",
    "selectedchatflow",
    "selectedagentflow",
    "selectedflow",
    "agentselectedtool",
    "agenttools",
    "toolagentflowselectedtool",
    "executeflowselectedflow",
    "agentknowledgedocumentstores",
    "agentknowledgevsembeddings",
    "selectedharness",
    "harnessmodel",
    "specialistmodel",
    "specialisttools",
    "specialistknowledgedocumentstores",
    "selectedpipeline",
];

/// Password fields of every credential type, folded. The words `key` and `value` name too much else (manual 7.2).
static PASSWORD_FIELDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let fields = credential_types::ALL.iter().flat_map(|kind| kind.fields);
    let secret = fields.filter(|field| field.kind == FieldKind::Password).map(|field| fold_name(field.name));
    secret.filter(|name| !["key", "value"].contains(&name.as_str())).collect()
});

/// The group of a name, of any card and at any depth.
pub(super) fn group_of_name(name: &str) -> Option<ProtectedGroup> {
    let name = &*visible_form(name);
    if is_port(name) {
        return Some(ProtectedGroup::Port);
    }
    let name = fold_name(name);
    let is = |whole: &[&str]| whole.contains(&name.as_str());
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    let groups = [
        (
            is(CREDENTIALS) || ends(CREDENTIAL_ENDS) || PASSWORD_FIELDS.contains(&name),
            ProtectedGroup::Credential,
        ),
        (is(ADDRESSES) || ends(ADDRESS_ENDS), ProtectedGroup::Address),
        (is(CODE) || ends(CODE_ENDS), ProtectedGroup::Code),
        (is(PICKERS), ProtectedGroup::Picker),
    ];
    groups.into_iter().find(|(holds, _)| *holds).map(|(_, group)| group)
}

/// True for the name of a setting that says where something is sent: headers go there, and are no such place.
pub fn is_place(name: &str) -> bool {
    let is_header = || {
        let name = fold_name(name);
        name.ends_with("headers") || ADDRESSES.contains(&name.as_str())
    };
    matches!(group_of_name(name), Some(ProtectedGroup::Address | ProtectedGroup::Port)) && !is_header()
}

/// Ports are compared as written: a `transport` is none.
fn is_port(name: &str) -> bool {
    let camel = name.strip_suffix("Port").and_then(|before| before.chars().next_back());
    name == "port"
        || name.ends_with("_port")
        || camel.is_some_and(|before| before.is_ascii_lowercase() || before.is_ascii_digit())
}

/// The group of a card's input: by its kind, by its name, and as a field of the card's credentials.
pub(super) fn group_of_input(card: &Card, input: &Input) -> Option<ProtectedGroup> {
    let by_kind = match input.kind {
        InputKind::Secret | InputKind::Credential(_) => Some(ProtectedGroup::Credential),
        InputKind::Address | InputKind::Headers => Some(ProtectedGroup::Address),
        InputKind::Code => Some(ProtectedGroup::Code),
        InputKind::File(_) => Some(ProtectedGroup::File),
        InputKind::Pick(_)
        | InputKind::Choices(_)
        | InputKind::Wire(_)
        | InputKind::Wires(_)
        | InputKind::CardPick(_) => Some(ProtectedGroup::Picker),
        InputKind::StateUpdates => Some(ProtectedGroup::Code),
        InputKind::Text { .. }
        | InputKind::Number { .. }
        | InputKind::Switch
        | InputKind::Choice(_)
        | InputKind::ModelName(_)
        | InputKind::Rows(_)
        | InputKind::Variants(_)
        | InputKind::Json => None,
    };
    let folded = fold_name(input.name);
    let by_word = || INPUTS.iter().find(|(word, _)| *word == folded).map(|(_, group)| *group);
    by_kind.or_else(|| group_on_card(card, input.name)).or_else(by_word)
}

/// True for what is its owner's alone, whoever else may give values: by the input, and by what its value holds.
pub(in crate::engine) fn is_protected(card: &Card, input: &Input, value: &Value) -> bool {
    group_of_input(card, input).is_some() || holds_protected(card, input, value)
}

fn group_on_card(card: &Card, name: &str) -> Option<ProtectedGroup> {
    group_of_name(name).or_else(|| is_declared(card, name).then_some(ProtectedGroup::Credential))
}

/// True for a field of a credential that the card takes: an input of the same name would go before it.
fn is_declared(card: &Card, name: &str) -> bool {
    let name = fold_name(name);
    let mut kinds = card.credential_types().iter().filter_map(|kind| credential_types::find_type(kind));
    kinds.any(|kind| kind.fields.iter().any(|field| fold_name(field.name) == name))
}

/// Levels of objects and lists in a value, JSON texts inside strings included.
const LEVELS_MAX: usize = 8;

/// True when something in a value for this input never changes, or lies too deep to be judged.
pub(super) fn holds_protected(card: &Card, input: &Input, value: &Value) -> bool {
    match value {
        // JSON as text is JSON where an object is read from it, and else a text like any other; inside of objects and
        // lists it always may be read.
        Value::String(_) if !matches!(input.kind, InputKind::Json) => false,
        Value::Array(rows) => {
            let columns = input.row_fields();
            rows.iter().any(|row| row_holds(card, columns, row, LEVELS_MAX - 1))
        }
        _ => holds(card, value, LEVELS_MAX),
    }
}

/// The columns of rows that are entries of an object: each row names one, and gives its value.
const ENTRY_COLUMNS: [&str; 2] = ["key", "value"];

/// True when rows of these columns are entries of an object.
pub(super) fn are_entries(columns: &[Input]) -> bool {
    ENTRY_COLUMNS.into_iter().all(|name| columns.iter().any(|column| column.name == name))
}

/// True for a column that drops the rows it is sent in, whatever it holds.
pub(super) fn is_protected_column(card: &Card, columns: &[Input], name: &str) -> bool {
    let is_of_entry = are_entries(columns) && ENTRY_COLUMNS.contains(&name);
    !is_of_entry && group_on_card(card, name).is_some()
}

/// As [`holds`], for a row of an input that declares these columns. Where the columns of an entry are called like fields of
/// the card's credential, they are columns all the same: no field is read from a row. What such a row names is judged
/// instead, as the key of the object that the rows stand for.
fn row_holds(card: &Card, columns: &[Input], row: &Value, levels: usize) -> bool {
    let Value::Object(row) = row else { return holds(card, row, levels) };
    if !are_entries(columns) {
        return levels == 0 || object_holds(card, row, levels - 1);
    }
    let takes_their_names = ENTRY_COLUMNS.into_iter().any(|name| is_declared(card, name));
    let is_protected = |(name, value): (&String, &Value)| match name.as_str() {
        "key" | "value" => {
            let named = value.as_str().filter(|_| takes_their_names && name == "key");
            named.is_some_and(|named| group_on_card(card, named).is_some()) || holds(card, value, levels - 1)
        }
        name => group_on_card(card, name).is_some() || holds(card, value, levels - 1),
    };
    levels == 0 || row.iter().any(is_protected)
}

fn holds(card: &Card, value: &Value, levels: usize) -> bool {
    match value {
        Value::Object(map) => levels == 0 || object_holds(card, map, levels - 1),
        Value::Array(items) => levels == 0 || items.iter().any(|item| holds(card, item, levels - 1)),
        Value::String(text) => {
            let read = json_text::parse(text);
            read.is_some_and(|read| read.repeats_keys || holds(card, &read.value, levels))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn object_holds(card: &Card, map: &Map<String, Value>, levels: usize) -> bool {
    map.iter().any(|(name, value)| group_on_card(card, name).is_some() || holds(card, value, levels))
}
