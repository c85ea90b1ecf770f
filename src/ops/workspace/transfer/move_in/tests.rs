//! Moves of real data folders, which lie beside the templates: three generations of Flowise, each with what went into it.

use super::*;
use crate::domain::flows::history::HistoryReport;
use crate::domain::ids::{CredentialId, DocumentStoreId, KeyId, LoaderId, ToolServerId};
use crate::ops::accounts::keys;
use crate::ops::conversations::feedback::{self, FeedbackFilter};
use crate::ops::conversations::{leads, messages};
use crate::ops::flows::{self, versions};
use crate::ops::triggers::webhooks;
use crate::ops::workspace::{assistants, credentials, tool_servers, tools, variables};
use crate::store::Order;
use crate::store::queries::chunks;
use crate::store::tables::{API_KEYS, DOCUMENT_STORES, FLOWS, TEMPLATES, VECTOR_CONFIGS};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 3] = ["v3", "v2-upgraded", "v2"];

/// A real folder and what went into it; nothing where a checkout has none.
fn real_folder(name: &str) -> Option<(PathBuf, Value)> {
    let Some(templates) = std::env::var_os("FLOWKEEP_TEMPLATES") else {
        eprintln!("FLOWKEEP_TEMPLATES is not set: the folders of Flowise beside it are skipped");
        return None;
    };
    let folder = Path::new(&templates).parent()?.join("flowise-database").join(name);
    let expected = fs::read_to_string(folder.join("expected.json")).unwrap();
    Some((folder, serde_json::from_str(&expected).unwrap()))
}

fn moved(app: &App, caller: &Caller, folder: &Path, is_preview: bool) -> Value {
    let choice = FolderChoice { path: folder.to_path_buf(), ..FolderChoice::default() };
    let done = move_in(app, caller, &choice, is_preview, &CancelToken::new(None)).unwrap();
    serde_json::to_value(done).unwrap()
}

/// The rows of a list of what went in.
fn rows<'v>(expected: &'v Value, list: &str) -> &'v [Value] {
    expected[list].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(row: &'v Value, field: &str) -> &'v str {
    row[field].as_str().unwrap_or_else(|| panic!("{field}: {row}"))
}

/// What became of the things of a kind: name and outcome of each, or the number and outcome of a list.
fn outcomes(report: &Value, kind: &str) -> Vec<(String, String)> {
    let items = report["items"].as_array().unwrap().iter().filter(|item| item["kind"] == kind);
    let name = |item: &Value| match &item["count"] {
        Value::Null => item["name"].as_str().unwrap().to_owned(),
        count => count.to_string(),
    };
    items.map(|item| (name(item), item["action"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn what_a_real_folder_holds_comes_in_and_a_preview_says_so_before() {
    for name in FOLDERS {
        let Some((folder, expected)) = real_folder(name) else { return };
        let (_home, app, caller) = App::with_owner();
        let preview = moved(&app, &caller, &folder, true);
        assert!(app.store.read(|tx| FLOWS.list(tx, &caller.workspace)).unwrap().is_empty(), "{name}");
        let report = moved(&app, &caller, &folder, false);
        for told in ["created", "skipped", "refused", "coverage"] {
            assert_eq!(preview[told], report[told], "{name}: {told}");
        }
        assert_eq!(report["refused"], 0, "{name}: {report:#}");
        flows_are_here(&app, &caller, &expected);
        secrets_are_here(&app, &caller, &expected);
        records_are_here(&app, &caller, &expected);
        stores_are_here(&app, &caller, &expected);
        conversations_are_here(&app, &caller, &expected);
        let people = outcomes(&report, "User");
        assert_eq!(people.len(), rows(&expected, "users").len());
        assert!(people.iter().all(|(_, action)| action == "skip"), "{people:?}");
    }
}

fn flows_are_here(app: &App, caller: &Caller, expected: &Value) {
    let here = app.store.read(|tx| FLOWS.list(tx, &caller.workspace)).unwrap();
    let drawn = rows(expected, "flows");
    assert_eq!(here.len(), drawn.len(), "{:?}", here.iter().map(|flow| &flow.name).collect::<Vec<_>>());
    for row in drawn {
        let id = FlowId::parse(text(row, "id")).unwrap();
        let flow = here.iter().find(|flow| flow.id == id).unwrap_or_else(|| panic!("{row}"));
        assert_eq!((flow.name.as_str(), flow.kind.as_str()), (text(row, "name"), text(row, "type")));
    }
    let report: HistoryReport = versions::verify(&app.history, &CancelToken::new(None)).unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
}

fn secrets_are_here(app: &App, caller: &Caller, expected: &Value) {
    let listed = rows(expected, "credentials");
    assert_eq!(credentials::list(app, caller, &[]).unwrap().len(), listed.len());
    for row in listed {
        let id = CredentialId::parse(text(row, "id")).unwrap();
        let opened =
            app.store.read(|tx| credentials::open(tx, &app.secrets.vault, &caller.workspace, &id)).unwrap();
        assert_eq!(opened.map(Value::from).as_ref(), Some(&row["values"]), "{}", row["name"]);
    }
    for row in rows(expected, "apiKeys") {
        let holder = keys::authenticate(app, text(row, "key"), None).unwrap().expect("the key works");
        for permission in rows(row, "permissions") {
            let name = permission.as_str().unwrap();
            assert!(holder.permissions.has(name), "{name}");
        }
        let filed = row["permissions"].is_null();
        assert_eq!(holder.permissions.has("credentials:delete"), filed, "{row}");
    }
    for row in rows(expected, "otherSealedCells") {
        if row["column"] == "webhookSecret" {
            let id = FlowId::parse(text(row, "id")).unwrap();
            let flow = app.store.read(|tx| FLOWS.get(tx, &caller.workspace, &id)).unwrap().unwrap();
            let secret = webhooks::load_secret(app, &flow).unwrap();
            assert_eq!(secret.as_deref(), row["plain"]["secret"].as_str());
        } else {
            let id = ToolServerId::parse(text(row, "id")).unwrap();
            let (_, access) = tool_servers::find_access(app, &caller.workspace, &id).unwrap().unwrap();
            assert_eq!(json!(access.headers), row["plain"]["headers"]);
        }
    }
}

fn records_are_here(app: &App, caller: &Caller, expected: &Value) {
    let kept = variables::list(app, caller).unwrap();
    assert_eq!(kept.len(), rows(expected, "variables").len());
    for row in rows(expected, "variables") {
        let found = kept.iter().find(|variable| variable.id.to_string() == text(row, "id")).unwrap();
        assert_eq!((found.name.as_str(), found.value.as_str()), (text(row, "name"), text(row, "value")));
    }
    assert_eq!(tools::list(app, caller).unwrap().len(), rows(expected, "tools").len());
    assert_eq!(assistants::list(app, caller, None).unwrap().len(), rows(expected, "assistants").len());
    let templates = app.store.read(|tx| TEMPLATES.list(tx, &caller.workspace)).unwrap();
    assert_eq!(templates.len(), rows(expected, "customTemplates").len());
    assert_eq!(tool_servers::list(app, caller).unwrap().len(), rows(expected, "customMcpServers").len());
    for row in rows(expected, "flows") {
        let Some(bound) = row["apikeyid"].as_str().filter(|id| !id.is_empty()) else { continue };
        let id = FlowId::parse(text(row, "id")).unwrap();
        let flow = app.store.read(|tx| FLOWS.get(tx, &caller.workspace, &id)).unwrap().unwrap();
        let key = KeyId::from_bytes(*Uuid::try_parse(bound).unwrap().as_bytes());
        assert_eq!(flow.settings.api_key, Some(key), "{row}");
        assert!(app.store.read(|tx| API_KEYS.has(tx, &caller.workspace, &key)).unwrap());
    }
}

fn stores_are_here(app: &App, caller: &Caller, expected: &Value) {
    for row in rows(expected, "documentStores") {
        let id = DocumentStoreId::parse(text(row, "id")).unwrap();
        let store = app.store.read(|tx| DOCUMENT_STORES.get(tx, &caller.workspace, &id)).unwrap().unwrap();
        assert_eq!((store.loaders.len(), store.chunks), (2, 12));
        assert!(store.loaders.iter().all(|loader| loader.synced));
        let file = store.loaders.iter().find(|loader| loader.plan.loader.card == "textFile").unwrap();
        let stored = file.plan.loader.config["txtFile"].as_str().unwrap();
        let name = stored.strip_prefix("FILE-STORAGE::").unwrap();
        let read =
            crate::ops::knowledge::stores::stored_file(app, &caller.workspace, &id, name).unwrap().unwrap();
        assert_eq!(read.name, "opening-hours.txt");
        let first: LoaderId = store.loaders[0].id;
        let page = app.store.read(|tx| chunks::page(tx, &id, &[first], 0, 100)).unwrap();
        let begins: Vec<bool> =
            page.iter().take(2).map(|(_, chunk)| chunk.text.starts_with("Paragraph")).collect();
        assert_eq!((page.len(), begins), (8, vec![true, true]));
        assert!(page[0].1.text.starts_with("Paragraph 1:"), "{}", page[0].1.text);
        assert!(app.store.read(|tx| VECTOR_CONFIGS.has(tx, &caller.workspace, &id)).unwrap());
    }
}

fn conversations_are_here(app: &App, caller: &Caller, expected: &Value) {
    let mut said = 0;
    for row in rows(expected, "flows") {
        let id = FlowId::parse(text(row, "id")).unwrap();
        let here = messages::count_up_to(app, &caller.workspace, &id, 1_000).unwrap();
        let there = expected["messages"]["perFlow"][text(row, "name")].as_u64().unwrap_or(0);
        assert_eq!(here as u64, there, "{row}");
        said += here as u64;
    }
    assert_eq!(Some(said), expected["messages"]["total"].as_u64());
    for talk in rows(expected, "conversations") {
        let (Some(flow), Some(chat)) = (talk["flowId"].as_str(), talk["chatId"].as_str()) else { continue };
        let flow = FlowId::parse(flow).unwrap();
        let Some(chat) = crate::domain::ids::ChatId::parse(chat) else { continue };
        let found = app.store.utterances(&caller.workspace, &flow, &chat, 1_000).unwrap();
        for turn in rows(talk, "turns").iter().filter(|turn| turn["answer"].is_string()) {
            let is_said = found.iter().any(|message| message.content == text(turn, "answer"));
            assert!(is_said, "{turn}");
        }
    }
    let contacts: usize = rows(expected, "flows")
        .iter()
        .map(|row| leads::list(app, caller, &FlowId::parse(text(row, "id")).unwrap()).unwrap().len())
        .sum();
    assert_eq!(contacts, rows(expected, "leads").len());
    let rated: usize = rows(expected, "flows")
        .iter()
        .map(|row| {
            let id = FlowId::parse(text(row, "id")).unwrap();
            let all = FeedbackFilter { chat: None, order: Order::Ascending, start: None, end: None };
            feedback::list(app, caller, &id, all).unwrap().len()
        })
        .sum();
    assert_eq!(rated, rows(expected, "feedback").len());
}

#[test]
fn a_second_move_makes_nothing_twice_and_finishes_what_one_before_left() {
    for name in FOLDERS {
        let Some((folder, expected)) = real_folder(name) else { return };
        let (_home, app, caller) = App::with_owner();
        let first = moved(&app, &caller, &folder, false);
        let again = moved(&app, &caller, &folder, false);
        assert_eq!((&again["created"], &again["refused"]), (&json!(0), &json!(0)), "{name}: {again:#}");
        for list in ["ChatMessage", "ChatMessageFeedback", "Lead", "Execution"] {
            let made = outcomes(&again, list).into_iter().find(|(_, action)| action == "create");
            assert_eq!(made, None, "{name}: {list}");
        }
        // Some of it goes, as if the first move had been killed before.
        let lost = rows(&expected, "credentials")[0]["id"].as_str().unwrap();
        credentials::delete(&app, &caller, CredentialId::parse(lost).unwrap(), true).unwrap();
        let flow = rows(&expected, "flows").iter().find(|row| row["type"] == "CHATFLOW").unwrap();
        flows::delete(&app, &caller, &FlowId::parse(text(flow, "id")).unwrap()).unwrap();
        let finished = moved(&app, &caller, &folder, false);
        assert_eq!((&finished["created"], &finished["refused"]), (&json!(2), &json!(0)), "{name}");
        let said =
            messages::count_up_to(&app, &caller.workspace, &FlowId::parse(text(flow, "id")).unwrap(), 1_000);
        assert_eq!(said.unwrap() as u64, expected["messages"]["perFlow"][text(flow, "name")], "{name}");
        assert!(first["created"].as_u64() > finished["created"].as_u64());
    }
}

#[test]
fn no_secret_of_a_real_folder_reaches_the_history_or_lies_readable_in_a_file() {
    for name in FOLDERS {
        let Some((folder, expected)) = real_folder(name) else { return };
        let (home, app, caller) = App::with_owner();
        moved(&app, &caller, &folder, false);
        drop(app);
        let mut secrets: Vec<String> = Vec::new();
        for row in rows(&expected, "credentials") {
            let values = row["values"].as_object().unwrap().values().filter_map(Value::as_str);
            secrets.extend(values.filter(|value| value.starts_with("made-up")).map(str::to_owned));
        }
        secrets.extend(rows(&expected, "apiKeys").iter().map(|row| text(row, "key").to_owned()));
        assert!(secrets.len() >= 7, "{name}");
        for file in files_below(home.path()) {
            let bytes = fs::read(&file).unwrap();
            for secret in &secrets {
                let is_there = bytes.windows(secret.len()).any(|part| part == secret.as_bytes());
                assert!(!is_there, "{name}: {}", file.display());
            }
        }
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}
