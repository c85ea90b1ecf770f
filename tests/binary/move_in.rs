//! `import --from-flowise`: a data folder of Flowise, made here in the form that version 3 leaves behind.

use crate::canvases::template;
use crate::program::{OWNER, Program, command, error_output, standard_output};
use crate::provider::Provider;
use crate::{Home, one_line};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

/// `{"openAIApiKey":"sk-made-up"}` under the passphrase `made-up`, as Flowise encrypts it.
const SEALED: &str = "U2FsdGVkX19+rV4Xf7/Nt74cXfREmn4M4+UJzp2wDXWpqz9cr7F8ZGSK1gRAYpg2";
const CREDENTIAL: &str = "11111111-1111-4111-8111-111111111111";
const FLOW: &str = "22222222-2222-4222-8222-222222222222";
const KEY: &str = "33333333-3333-4333-8333-333333333333";
const KEY_VALUE: &str = "Y68fAMSi73mtJg392veXFkp9-rH-RJkUtvwULPIiPmI";
const CHAT: &str = "44444444-4444-4444-8444-444444444444";
const ANSWER: &str = "55555555-5555-4555-8555-555555555555";

const TABLES: &str = "
    CREATE TABLE migrations (id INTEGER PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
    CREATE TABLE chat_flow (id varchar PRIMARY KEY, name varchar, flowData TEXT, deployed boolean, isPublic boolean, apikeyid varchar,
        type VARCHAR(20), createdDate datetime, updatedDate datetime);
    CREATE TABLE credential (id varchar PRIMARY KEY, name varchar, credentialName varchar, encryptedData TEXT, createdDate datetime);
    CREATE TABLE variable (id varchar PRIMARY KEY, name TEXT, value TEXT, type varchar, createdDate datetime);
    CREATE TABLE apikey (id varchar PRIMARY KEY, apiKey varchar, apiSecret varchar, keyName varchar, permissions TEXT, updatedDate datetime);
    CREATE TABLE chat_message (id varchar PRIMARY KEY, role varchar, chatflowid varchar, content TEXT, chatType VARCHAR, chatId VARCHAR,
        sessionId VARCHAR, createdDate datetime);
    CREATE TABLE chat_message_feedback (id varchar PRIMARY KEY, chatflowid varchar, chatId varchar, messageId varchar, rating varchar,
        content TEXT, createdDate datetime);
    CREATE TABLE lead (id varchar PRIMARY KEY, chatflowid varchar, chatId varchar, name TEXT, email TEXT, phone TEXT, createdDate datetime);
    CREATE TABLE user (id varchar PRIMARY KEY, email varchar, createdDate datetime);";

/// A data folder of Flowise.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// One with the tables, the key and nothing else.
    fn new(home: &Home) -> Self {
        Self::at(home.path().join("flowise"))
    }

    /// As [`Self::new`], in this place.
    pub fn at(path: PathBuf) -> Self {
        fs::create_dir(&path).unwrap();
        fs::write(path.join("encryption.key"), "made-up").unwrap();
        let folder = Self { path };
        folder.run(TABLES);
        folder
    }

    fn run(&self, statements: &str) {
        Connection::open(self.database()).unwrap().execute_batch(statements).unwrap();
    }

    fn database(&self) -> PathBuf {
        self.path.join("database.sqlite")
    }

    fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }

    fn insert(&self, table: &str, row: &Value) {
        let row = row.as_object().unwrap();
        let names: Vec<&str> = row.keys().map(String::as_str).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let statement = format!(
            "INSERT INTO {table} ({}, createdDate) VALUES ({marks}, '2026-01-02 03:04:05')",
            names.join(", ")
        );
        let statement =
            if table == "apikey" { statement.replace("createdDate", "updatedDate") } else { statement };
        let values = row.values().map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        let connection = Connection::open(self.database()).unwrap();
        connection.execute(&statement, rusqlite::params_from_iter(values)).unwrap();
    }

    /// A flow over a model at this address, its credential and its key, and a conversation that was had with it.
    pub fn fill(&self, base: &str) {
        let canvas = template(base, "gpt-4o-mini", CREDENTIAL);
        self.insert(
            "credential",
            &json!({"id": CREDENTIAL, "name": "OpenAI", "credentialName": "openAIApi", "encryptedData": SEALED}),
        );
        self.insert("apikey", &json!({"id": KEY, "keyName": "shop", "apiKey": KEY_VALUE, "permissions": "[\"chatflows:view\",\"odd:do\"]"}));
        self.insert(
            "chat_flow",
            &json!({"id": FLOW, "name": "Support", "flowData": canvas.to_string(), "type": "CHATFLOW", "apikeyid": KEY, "deployed": 1}),
        );
        self.insert("variable", &json!({"id": "66666666-6666-4666-8666-666666666666", "name": "shop", "value": "Grüße", "type": "static"}));
        let said = |id: &str, role: &str, content: &str| {
            json!({"id": id, "role": role, "chatflowid": FLOW, "content": content, "chatType": "EXTERNAL", "chatId": CHAT,
                   "sessionId": CHAT})
        };
        self.insert(
            "chat_message",
            &said("77777777-7777-4777-8777-777777777777", "userMessage", "Where is it?"),
        );
        self.insert("chat_message", &said(ANSWER, "apiMessage", "On its way."));
        self.insert(
            "chat_message_feedback",
            &json!({"id": "88888888-8888-4888-8888-888888888888", "chatflowid": FLOW, "chatId": CHAT, "messageId": ANSWER,
                    "rating": "THUMBS_UP", "content": "nice"}),
        );
        self.insert(
            "lead",
            &json!({"id": "99999999-9999-4999-8999-999999999999", "chatflowid": FLOW, "chatId": CHAT, "name": "Ada", "email": "ada@example.org"}),
        );
        self.insert(
            "user",
            &json!({"id": "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", "email": "bob@example.org"}),
        );
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.database()).unwrap()
    }
}

fn import(home: &Home, folder: &Folder, more: &[&str]) -> Output {
    let mut arguments = vec!["import", "--from-flowise", folder.path()];
    arguments.extend_from_slice(more);
    home.run(&arguments)
}

fn report(output: &Output) -> Value {
    serde_json::from_str(&standard_output(output)).unwrap_or_else(|_| panic!("{}", error_output(output)))
}

fn stopped_home() -> Home {
    let home = Home::new();
    assert!(home.serve().stop().success());
    home
}

/// A running service on data that came in, whose flows may ask this machine.
fn serve(home: &Home) -> Program {
    Program::serve_with(&home.data, &[], &[("HTTP_SECURITY_CHECK", "false")])
}

#[test]
fn a_folder_is_previewed_and_comes_in_and_its_flow_answers_with_its_credential_and_its_key() {
    let (home, provider) = (stopped_home(), Provider::start());
    let folder = Folder::new(&home);
    folder.fill(&provider.base_url());
    let before = folder.bytes();
    let preview = import(&home, &folder, &["--preview"]);
    let shown = standard_output(&preview);
    assert_eq!(preview.status.code(), Some(0), "{}", error_output(&preview));
    assert!(shown.starts_with("Run as they are: 1\n  CHATFLOW   Support\n"), "{shown}");
    assert!(shown.contains("4 would come in, 1 stay as they are or outside, 0 cannot come in."), "{shown}");
    let planned = report(&import(&home, &folder, &["--preview", "--json"]));
    let done = report(&import(&home, &folder, &["--json"]));
    for told in ["created", "skipped", "refused", "coverage"] {
        assert_eq!(planned[told], done[told]);
    }
    assert_eq!(done["coverage"]["runs"][0]["id"], FLOW);
    home.good(&["publish", "--all"]);
    let service = serve(&home);
    let ask = |key: &str| {
        let bearer = format!("Bearer {key}");
        let path = format!("/api/v1/prediction/{FLOW}");
        service.call("POST", &path, &[("authorization", &bearer)], &json!({"question": "Hi"})).status()
    };
    assert_eq!((ask(KEY_VALUE), ask("fk_none")), (200, 401), "{}", service.log());
    assert_eq!(provider.last_request().header("authorization"), Some("Bearer sk-made-up"));
    let key = home.key("all");
    let bearer = format!("Bearer {key}");
    let read = |path: &str| service.get(path, &[("authorization", &bearer)]).json();
    let said = read(&format!("/api/v1/chatmessage/{FLOW}?chatId={CHAT}&feedback=true"));
    assert_eq!(
        (&said[1]["content"], &said[1]["feedback"]["content"]),
        (&json!("On its way."), &json!("nice"))
    );
    assert_eq!(said[1]["createdDate"], "2026-01-02T03:04:05.000Z");
    assert_eq!(read(&format!("/api/v1/leads/{FLOW}"))[0]["name"], "Ada");
    assert_eq!(read("/api/v1/variables")[0]["value"], "Grüße");
    assert_eq!(folder.bytes(), before);
    assert_eq!(fs::read_dir(&folder.path).unwrap().count(), 2);
}

#[test]
fn a_running_service_takes_a_folder_in_once_and_a_second_time_changes_nothing() {
    let home = Home::new();
    let service = home.serve();
    let folder = Folder::new(&home);
    folder.fill("http://127.0.0.1:1/v1");
    assert_eq!(report(&import(&home, &folder, &["--json"]))["created"], 4);
    let again = report(&import(&home, &folder, &["--json"]));
    assert_eq!((&again["created"], &again["refused"]), (&json!(0), &json!(0)), "{again:#}");
    let lists = ["ChatMessage", "ChatMessageFeedback", "Lead"];
    for item in again["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| lists.contains(&item["kind"].as_str().unwrap()))
    {
        assert_eq!(item["action"], "skip", "{item}");
    }
    assert_eq!(crate::status_with(&service, KEY_VALUE), 200);
}

#[test]
fn a_folder_for_whose_flows_the_workspace_has_no_room_stays_outside() {
    let home = Home::new();
    let service = home.serve();
    let cookie = service.sign_in(OWNER.0, OWNER.1).unwrap();
    let bound = |quota: &Value| {
        let body = json!({ "quota": quota });
        let answer = service.call("PUT", "/api/v1/workspace", &[("cookie", &cookie)], &body);
        assert_eq!(answer.status(), 200, "{}", answer.text());
    };
    let folder = Folder::new(&home);
    folder.fill("http://127.0.0.1:1/v1");
    bound(&json!({"flows": 0}));
    let line = one_line(&import(&home, &folder, &[]), 1);
    assert!(line.contains("The quota 'flows' of this workspace is 0 flows"), "{line}");
    let bearer = format!("Bearer {}", home.key("all"));
    for list in ["chatflows", "variables", "credentials"] {
        let left = service.get(&format!("/api/v1/{list}"), &[("authorization", &bearer)]);
        assert_eq!(left.json(), json!([]), "{list}");
    }
    bound(&json!({"flows": 1}));
    assert_eq!(report(&import(&home, &folder, &["--json"]))["created"], 4);
}

#[test]
fn what_cannot_come_in_is_named_and_takes_nothing_else_along() {
    let home = stopped_home();
    let folder = Folder::new(&home);
    folder.fill("http://127.0.0.1:1/v1");
    let flow = |number: u8, kind: &str, canvas: &str| json!({"id": format!("{number}0000000-0000-4000-8000-000000000000"), "name": format!("f{number}"), "type": kind, "flowData": canvas});
    folder.insert("chat_flow", &flow(1, "QUANTUM", "{\"nodes\":[],\"edges\":[]}"));
    folder.insert("chat_flow", &flow(2, "CHATFLOW", "{\"nodes\":"));
    folder.insert("chat_flow", &flow(3, "CHATFLOW", "{\"nodes\":[{\"id\":\"a_0\",\"data\":{\"id\":\"a_0\",\"name\":\"oddCard\",\"label\":\"Odd\",\"inputs\":{}}}],\"edges\":[]}"));
    folder.insert("credential", &json!({"id": "b0000000-0000-4000-8000-000000000000", "name": "other key", "credentialName": "openAIApi", "encryptedData": "U2FsdGVkX18AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}));
    folder.insert("credential", &json!({"id": "c0000000-0000-4000-8000-000000000000", "name": "unknown type", "credentialName": "oddApi", "encryptedData": SEALED}));
    folder.insert("apikey", &json!({"id": "d0000000-0000-4000-8000-000000000000", "keyName": "weak", "apiKey": "secret", "permissions": "[]"}));
    let output = import(&home, &folder, &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(error_output(&output).lines().count(), 1, "{}", error_output(&output));
    let told = report(&output);
    let refused = told["items"].as_array().unwrap().iter().filter(|item| item["action"] == "refused");
    let names: Vec<&str> = refused.map(|item| item["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["other key", "unknown type", "weak", "f1", "f2"], "{told:#}");
    assert_eq!(told["created"], 5, "{told:#}");
    assert_eq!(told["coverage"]["missingCards"], json!([{"name": "oddCard", "count": 1, "flows": ["f3"]}]));
    assert_eq!(told["coverage"]["waits"][0]["name"], "f3");
}

#[test]
fn a_folder_that_cannot_be_read_whole_is_refused_in_one_line_and_nothing_comes_in() {
    let home = stopped_home();
    let folder = Folder::new(&home);
    folder.fill("http://127.0.0.1:1/v1");
    let whole = folder.bytes();
    let refused = |more: &[&str], part: &str| {
        let line = one_line(&import(&home, &folder, more), 1);
        assert!(line.contains(part), "{line}");
    };
    let key = folder.path.join("encryption.key");
    fs::write(&key, "another").unwrap();
    refused(&[], "The key does not open the credentials");
    fs::remove_file(&key).unwrap();
    refused(&["--preview"], "no encryption.key");
    let elsewhere = home.path().join("key");
    fs::write(&elsewhere, "made-up\n").unwrap();
    let named = ["--key", elsewhere.to_str().unwrap(), "--preview"];
    assert_eq!(import(&home, &folder, &named).status.code(), Some(0));
    fs::write(folder.database(), &whole[..whole.len() / 2]).unwrap();
    refused(&named, "cannot be read");
    fs::write(folder.database(), "not a database").unwrap();
    refused(&named, "cannot be read");
    fs::write(folder.database(), &whole).unwrap();
    fs::write(folder.path.join("database.sqlite-journal"), "changes").unwrap();
    refused(&named, "changes beside it");
    fs::remove_file(folder.path.join("database.sqlite-journal")).unwrap();
    folder.run("ALTER TABLE chat_message DROP COLUMN chatId");
    refused(&named, "'chat_message' has no column 'chatId'");
    folder.run("DROP TABLE chat_message; DROP TABLE credential");
    refused(&named, "no table 'credential'");
    fs::remove_file(folder.database()).unwrap();
    refused(&named, "no database.sqlite");
    one_line(&home.run(&["import", "--from-flowise", "/nowhere"]), 1);
    for wrong in [
        &["import"][..],
        &["import", "a.json", "--key", "k"],
        &["import", "--from-flowise", "/a", "--update"],
    ] {
        assert_eq!(home.run(wrong).status.code(), Some(2), "{wrong:?}");
    }
    assert!(home.good(&["key", "list"]).lines().all(|line| !line.contains("shop")));
    assert!(!home.good(&["export"]).contains("Support"));
}

#[test]
fn of_several_workspaces_the_one_that_is_named_comes_in() {
    let home = stopped_home();
    let folder = Folder::new(&home);
    folder.run(
        "CREATE TABLE workspace (id varchar PRIMARY KEY, name varchar, createdDate datetime);
         INSERT INTO workspace VALUES ('w1', 'One', '2026-01-01'), ('w2', 'Two', '2026-01-02');
         ALTER TABLE variable ADD COLUMN workspaceId TEXT",
    );
    for (number, home) in [(1, "w1"), (2, "w2")] {
        let id = format!("{number}0000000-0000-4000-8000-000000000000");
        folder.insert("variable", &json!({"id": id, "name": format!("v{number}"), "value": "x", "type": "static", "workspaceId": home}));
    }
    let line = one_line(&import(&home, &folder, &[]), 1);
    assert!(line.contains("--from-workspace") && line.contains("w2 (Two)"), "{line}");
    one_line(&import(&home, &folder, &["--from-workspace", "w3"]), 1);
    let told = report(&import(&home, &folder, &["--from-workspace", "w2", "--json"]));
    assert_eq!((&told["created"], &told["items"][0]["name"]), (&json!(1), &json!("v2")), "{told:#}");
}

#[test]
fn a_move_that_is_killed_is_finished_by_the_next() {
    let home = stopped_home();
    let folder = Folder::new(&home);
    folder.fill("http://127.0.0.1:1/v1");
    folder.run(&format!(
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)
         INSERT INTO chat_message SELECT printf('%08x-0000-4000-8000-000000000000', x), 'userMessage', '{FLOW}', 'question ' || x,
             'EXTERNAL', printf('%08x-1111-4111-8111-111111111111', x % 50), NULL, '2026-01-03 00:00:00' FROM n;
         WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 60)
         INSERT INTO variable SELECT printf('%08x-2222-4222-8222-222222222222', x), 'v' || x, 'x', 'static', '2026-01-03' FROM n;"
    ));
    for pause in [60, 120, 250, 500] {
        let arguments = ["import", "--from-flowise", folder.path(), "--data-dir", home.data()];
        let mut started = command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(pause));
        started.kill().unwrap();
        started.wait().unwrap();
    }
    assert_eq!(report(&import(&home, &folder, &["--json"]))["refused"], 0);
    let again = report(&import(&home, &folder, &["--json"]));
    assert_eq!((&again["created"], &again["skipped"]), (&json!(0), &json!(65)), "{again:#}");
    let service = home.serve();
    let bearer = format!("Bearer {}", home.key("all"));
    let path = format!("/api/v1/chatmessage/{FLOW}");
    let said = service.get(&path, &[("authorization", &bearer)]).json();
    let ids: BTreeSet<&str> =
        said.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!((ids.len(), said.as_array().unwrap().len()), (3_002, 3_002));
}

/// The folders of a real Flowise beside the templates, when there are some.
fn real_folder(name: &str) -> Option<PathBuf> {
    let Some(templates) = std::env::var_os("FLOWKEEP_TEMPLATES") else {
        eprintln!("FLOWKEEP_TEMPLATES is not set: the folders of Flowise beside it are skipped");
        return None;
    };
    Some(Path::new(&templates).parent()?.join("flowise-database").join(name))
}

#[test]
fn a_real_folder_moves_in_and_its_flows_answer() {
    let Some(real) = real_folder("v3") else { return };
    let expected: Value =
        serde_json::from_str(&fs::read_to_string(real.join("expected.json")).unwrap()).unwrap();
    let (home, provider) = (stopped_home(), Provider::start());
    let path = home.path().join("flowise");
    fs::create_dir(&path).unwrap();
    for file in ["database.sqlite", "encryption.key"] {
        fs::write(path.join(file), fs::read(real.join(file)).unwrap()).unwrap();
    }
    let folder = Folder { path };
    // The stand-in of those days listened elsewhere.
    for (table, column) in [("chat_flow", "flowData"), ("assistant", "details")] {
        let there = format!("replace({column}, 'http://127.0.0.1:9097/v1', '{}')", provider.base_url());
        folder.run(&format!("UPDATE {table} SET {column} = {there}"));
    }
    let told = report(&import(&home, &folder, &["--json"]));
    assert_eq!(told["refused"], 0, "{told:#}");
    home.good(&["publish", "--all"]);
    let service = serve(&home);
    let openai = expected["credentials"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["credentialName"] == "openAIApi")
        .unwrap();
    let bearer = format!("Bearer {}", openai["values"]["openAIApiKey"].as_str().unwrap());
    let by_name = |list: &str, field: &str, name: &str| {
        let rows = expected[list].as_array().unwrap();
        rows.iter().find(|row| row[field] == name).unwrap().clone()
    };
    let key = format!("Bearer {}", by_name("apiKeys", "keyName", "Full key")["key"].as_str().unwrap());
    for name in ["Support chat", "Translator", "Shop assistant"] {
        let flow = by_name("flows", "name", name);
        let path = format!("/api/v1/prediction/{}", flow["id"].as_str().unwrap());
        let answer = service.call("POST", &path, &[("authorization", &key)], &json!({"question": "Hello"}));
        assert_eq!(answer.status(), 200, "{name}: {}", answer.text());
        assert_eq!(provider.last_request().header("authorization"), Some(bearer.as_str()), "{name}");
    }
}
