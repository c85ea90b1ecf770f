//! Files of n8n, Langflow and Dify, as JSON and as YAML: whoever may import brings what a stranger wrote.

use crate::program::{Program, command, standard_output};
use crate::request_head::{answer, is_well, outcome};
use crate::wire::request;
use crate::{fuzz, seeds};
use serde_json::json;

const WORDS: &[&str] = &[
    "\"nodes\":",
    "\"connections\":",
    "\"parameters\":",
    "\"ai_languageModel\":",
    "\"={{ $json.chatInput }}\"",
    "={{",
    "}}",
    "{{#",
    "#}}",
    "\"template\":",
    "\"fieldName\":",
    "œ",
    "&a ",
    "*a",
    "? ",
    "- ",
    "\n  ",
    "!!binary ",
    "{",
    "[",
    "null",
    "1e400",
    "\"\\ud800\"",
];

#[test]
fn files_of_other_products() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let program = Program::serve(&data, &["--demo"]);
    let made = command(&["key", "create", "--all", "--name", "fuzz", "--data-dir", data.to_str().unwrap()]);
    let told = standard_output(&{ made }.output().unwrap());
    let key = told.split_whitespace().max_by_key(|word| word.len()).unwrap().to_owned();
    let bearer = format!("Bearer {key}");
    fuzz("foreign", seeds("foreign"), WORDS, |input| {
        let body = json!({"mode": "preview", "text": String::from_utf8_lossy(input)}).to_string();
        let headers = [("authorization", bearer.as_str())];
        outcome(&answer(
            &program,
            &request("POST", "/api/v1/export-import/import", &headers, body.as_bytes()),
        ))
    });
    is_well(&program);
}
