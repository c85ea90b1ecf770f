//! Canvases: read, judged, compiled, hidden for history and put back.

use crate::{fuzz, seeds};
use flowkeep::canvas::{Canvas, NoSchemas, StoredCanvas, secrets};
use flowkeep::domain::flows::flow::FlowKind;
use flowkeep::engine::Plan;
use flowkeep::engine::resources::NoResources;
use flowkeep::engine::validate::validate;
use std::fs;
use std::path::Path;

const WORDS: &[&str] = &[
    "\"nodes\":",
    "\"edges\":",
    "\"data\":",
    "\"inputs\":",
    "\"id\":\"\"",
    "\"parentNode\":",
    "\"sourceHandle\":",
    "{{a.data.instance}}",
    "{{$vars.",
    "}}",
    "\"name\":\"llmChain\"",
    "\"name\":\"chatOpenAI\"",
    "\"credential\":",
    "FLOWISE_CREDENTIAL_ID",
    "FILE-STORAGE::[\"",
    "data:text/plain;base64,,filename:",
    "null",
    "[[[[",
    "\\u0000",
];

/// The flows that come with the program, as further seeds.
pub fn starters() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/starters");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let canvas = |path| {
        let whole: serde_json::Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let drawn = whole.get("canvas").cloned().unwrap_or(whole);
        drawn.as_str().map_or_else(|| drawn.to_string(), str::to_owned).into_bytes()
    };
    paths.iter().map(canvas).collect()
}

#[test]
fn canvases() {
    let mut all = seeds("canvas");
    all.extend(starters());
    fuzz("canvas", all, WORDS, |input| {
        let text = String::from_utf8_lossy(input);
        let stored = StoredCanvas::parse(&text).map(|stored| stored.text().len() / 64);
        let Ok(canvas) = Canvas::parse(&text) else { return (0, stored, String::new()) };
        let problems = validate(FlowKind::Chatflow, &canvas, &NoResources);
        let hidden = secrets::redact(&canvas, &NoSchemas, &|_| None);
        let again = Canvas::parse(&hidden.text()).expect("what history keeps can be read");
        assert!(canvas.nodes().len() >= again.nodes().len());
        let planned = match Plan::compile(&canvas) {
            Ok(plan) => plan.cards().count().to_string(),
            Err(error) => format!("{error:?}").chars().take(24).collect(),
        };
        (1 + problems.len(), stored, planned)
    });
}
