//! Folder with Files: what the operator listed is read, and nothing else (manual 4.8).

use crate::overrides::override_settings;
use crate::support::canvases::Drawing;
use crate::support::{Answer, Server, id};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of documents, and one beside it that nobody listed.
struct DocumentFolder {
    _guard: tempfile::TempDir,
    root: PathBuf,
}

impl DocumentFolder {
    fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(guard.path()).unwrap();
        fs::create_dir_all(root.join("handbook/more")).unwrap();
        fs::create_dir_all(root.join("private")).unwrap();
        for (file, text) in [
            ("handbook/a.txt", "Parcels leave on Mondays."),
            ("handbook/b.csv", "name,age\nAda,36\n"),
            ("handbook/c.bin", "nothing to read"),
            ("handbook/more/d.md", "# Deep"),
            ("private/key.txt", "KEY"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        #[cfg(unix)]
        for link in ["handbook/link", "handbook/more/link"] {
            std::os::unix::fs::symlink(root.join("private"), root.join(link)).unwrap();
        }
        Self { _guard: guard, root }
    }

    fn path(&self, folder: &str) -> String {
        self.root.join(folder).to_str().unwrap().to_owned()
    }

    fn server(&self) -> Server {
        Server::with(&[("SERVICE_DOCUMENT_FOLDERS", &self.path("handbook"))])
    }
}

/// A flow that answers with the texts of a folder.
fn canvas(path: &str, recursive: bool) -> String {
    let mut drawing = Drawing::default();
    let loader = drawing.card("folderFiles", json!({"folderPath": path, "recursive": recursive}));
    drawing.choose_output(&loader, "text");
    drawing.answer_with_document(&loader);
    drawing.text()
}

fn ask(server: &Server, path: &str, recursive: bool) -> Answer {
    server.ask(&server.flow(&canvas(path, recursive)), &json!({"question": "Hi"}))
}

fn answer_text(answer: Answer) -> String {
    answer.is(200).json()["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_listed_folder_is_read_by_the_endings_of_its_files() {
    let place = DocumentFolder::new();
    let server = place.server();
    let flat = answer_text(ask(&server, &place.path("handbook"), false));
    assert!(flat.contains("Parcels leave on Mondays.") && flat.contains("name: Ada"), "{flat}");
    assert!(!flat.contains("Deep") && !flat.contains("nothing to read") && !flat.contains("KEY"), "{flat}");
    let deep = answer_text(ask(&server, &place.path("handbook"), true));
    assert!(deep.contains("# Deep") && !deep.contains("KEY"), "{deep}");
    let within = answer_text(ask(&server, &place.path("handbook/more"), false));
    assert!(within.contains("# Deep") && !within.contains("Parcels"), "{within}");
}

#[test]
fn what_is_not_listed_is_refused_with_the_setting_that_lists_it() {
    let place = DocumentFolder::new();
    let nobody = Server::start();
    let message = ask(&nobody, &place.path("handbook"), false).is_error(500);
    assert!(message.contains("SERVICE_DOCUMENT_FOLDERS"), "{message}");
    let server = place.server();
    let up = format!("{}/../private", place.path("handbook"));
    for path in
        [&place.path("private"), &place.path(""), &up, "/etc", "handbook", &place.path("handbook/link")]
    {
        let message = ask(&server, path, true).is_error(500);
        assert!(
            message.contains("SERVICE_DOCUMENT_FOLDERS") && !message.contains("private"),
            "{path}: {message}"
        );
    }
}

#[test]
fn a_question_never_chooses_the_folder() {
    let place = DocumentFolder::new();
    let server = place.server();
    let settings = override_settings(&[("Folder with Files", &["folderPath", "recursive"])], &[]);
    let flow = server.flow_with(&canvas(&place.path("handbook"), false), &settings);
    let more = json!({"question": "Hi", "overrideConfig": {"folderPath": place.path("handbook/more")}});
    let refused = server.ask(&flow, &more);
    assert!(refused.status == 400 || answer_text(refused.clone()).contains("Parcels"), "{refused:?}");
    let listable = server.post("/node-config", &folder_node(&place.root));
    assert!(!listable.to_string().contains("folderPath"), "{listable}");
}

fn folder_node(path: &Path) -> Value {
    let node: Value = serde_json::from_str(&canvas(path.to_str().unwrap(), false)).unwrap();
    node["nodes"][0].clone()
}

#[test]
fn a_document_store_is_filled_from_a_listed_folder() {
    let place = DocumentFolder::new();
    let server = place.server();
    let store = id(&server.post("/document-store/store", &json!({"name": "Handbook"})));
    let config = json!({"folderPath": place.path("handbook"), "recursive": true});
    let counts = server.post(
        &format!("/document-store/upsert/{store}"),
        &json!({"loader": {"name": "folderFiles", "config": config}}),
    );
    assert_eq!(counts["numAdded"], 3, "{counts}");
    let page = server.read(&format!("/document-store/chunks/{store}/all/1"));
    let sources: Vec<&Value> =
        page["chunks"].as_array().unwrap().iter().map(|chunk| &chunk["metadata"]["source"]).collect();
    assert_eq!(sources, ["a.txt", "b.csv", "more/d.md"]);
}
