//! Where a flow lies in the repository, and how its two files read. Known only here.

use super::error::{HistoryError, Result};
use crate::domain::flow::FlowKind;
use crate::domain::ids::FlowId;
use crate::domain::version::FlowSnapshot;
use serde_json::{Map, Value, json};

/// The folder of all flows.
pub(super) const FLOWS: &str = "flows";
/// Name, type, category and settings.
pub(super) const FLOW_FILE: &str = "flow.json";
/// The canvas.
pub(super) const CANVAS_FILE: &str = "canvas.json";
/// The first file of a repository.
pub(super) const README_FILE: &str = "README.md";
/// The title of the first commit (spec 2.7).
pub(super) const FIRST_TITLE: &str = "Start version history";
/// What a person reads who opens the repository.
pub(super) const README: &str = "\
# Version history

Flowkeep records every saved version of every flow here, one commit per version.

A flow is the folder `flows/<first two characters of its id>/<its id>`:

- `flow.json`: its name, type, category and settings
- `canvas.json`: its cards and connections

Passwords and credential values are never stored, and text that looks like a secret is kept as
`[secret hidden]`. Look around, copy and clone as you like; to change a flow, use Flowkeep.
";

/// The longest file that is read as a part of a flow.
pub(super) const FILE_MAX_BYTES: u64 = 32 * 1024 * 1024;

/// What an editor leaves on a node that says nothing about the flow.
const NODE_NOISE: [&str; 7] =
    ["selected", "dragging", "resizing", "width", "height", "positionAbsolute", "measured"];

/// The names on the way to a flow's folder.
pub(super) fn path(flow: &FlowId) -> [String; 3] {
    let id = flow.to_string();
    [FLOWS.to_owned(), id[..2].to_owned(), id]
}

/// The flow whose folder this is; `None` for a folder that is no flow's.
pub(super) fn flow_at(shard: &str, name: &str) -> Option<FlowId> {
    let flow = FlowId::parse(name)?;
    let [_, own_shard, own_name] = path(&flow);
    (own_shard == shard && own_name == name).then_some(flow)
}

/// The text of `flow.json`.
pub(super) fn flow_text(snapshot: &FlowSnapshot) -> Result<Vec<u8>> {
    let mut settings = Value::Object(snapshot.settings.clone());
    settings.sort_all_objects();
    pretty(&json!({
        "id": snapshot.id.to_string(),
        "name": snapshot.name,
        "type": snapshot.kind.as_str(),
        "category": snapshot.category,
        "settings": settings,
    }))
}

/// The text of `canvas.json`: keys in one order and editor noise left out, so that two canvases that mean the
/// same have the same text.
///
/// # Errors
/// [`HistoryError::BadCanvas`] when `flow_data` is not JSON text.
pub fn canvas_text(flow_data: &str) -> Result<String> {
    let mut canvas: Value = serde_json::from_str(flow_data).map_err(|_| HistoryError::BadCanvas)?;
    canvas.sort_all_objects();
    for (list, noise) in [("nodes", NODE_NOISE.as_slice()), ("edges", &["selected"])] {
        for item in canvas.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten() {
            quiet(item, noise);
        }
    }
    String::from_utf8(pretty(&canvas)?).map_err(|_| HistoryError::BadCanvas)
}

fn quiet(item: &mut Value, noise: &[&str]) {
    let Some(fields) = item.as_object_mut() else { return };
    fields.retain(|name, _| !noise.contains(&name.as_str()));
    // The family's editor marks the selected box a second time, inside its data.
    if let Some(data) = fields.get_mut("data").and_then(Value::as_object_mut)
        && data.get("selected").is_some_and(Value::is_boolean)
    {
        data.retain(|name, _| name != "selected");
    }
}

fn pretty(value: &Value) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value).map_err(|_| HistoryError::BadCanvas)?;
    text.push(b'\n');
    Ok(text)
}

/// Reads the two files of a flow back; `None` when another tool left something else in them.
pub(super) fn snapshot(flow: &FlowId, flow_file: &[u8], canvas_file: &[u8]) -> Option<FlowSnapshot> {
    let about: Map<String, Value> = serde_json::from_slice(flow_file).ok()?;
    let canvas: Value = serde_json::from_slice(canvas_file).ok()?;
    let text = |name: &str| about.get(name).and_then(Value::as_str);
    Some(FlowSnapshot {
        id: *flow,
        name: text("name")?.to_owned(),
        kind: FlowKind::parse(text("type")?)?,
        category: text("category").map(str::to_owned),
        canvas: serde_json::to_string(&canvas).ok()?,
        settings: about.get("settings").and_then(Value::as_object).cloned().unwrap_or_default(),
    })
}

/// The name in a `flow.json`.
pub(super) fn name(flow_file: &[u8]) -> Option<String> {
    let about: Map<String, Value> = serde_json::from_slice(flow_file).ok()?;
    about.get("name")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_and_key_order_make_no_difference_and_nothing_else_is_lost() {
        let drawn = r#"{"viewport":{"zoom":0.5},"nodes":[{"id":"a","width":300,"height":52,"selected":true,"dragging":false,
            "positionAbsolute":{"x":1},"position":{"y":2.5,"x":1},"style":{"width":9},
            "data":{"selected":true,"inputs":{"selected":true,"z":"\u00e9","a":1e3,"width":7}}},7,null],
            "edges":[{"target":"b","source":"a","selected":false}],"extra":[3,1,2]}"#;
        let text = canvas_text(drawn).unwrap();
        let same = r#"{"edges":[{"source":"a","target":"b"}],"extra":[3,1,2],"nodes":[{"data":{"inputs":{"a":1000.0,
            "selected":true,"width":7,"z":"é"}},"id":"a","position":{"x":1,"y":2.5},"style":{"width":9}},7,null],
            "viewport":{"zoom":0.5}}"#;
        assert_eq!(text, canvas_text(same).unwrap());
        let kept: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(kept, serde_json::from_str::<Value>(same).unwrap());
        assert!(text.starts_with("{\n  \"edges\": [\n") && text.ends_with("}\n"), "{text}");
        assert!(matches!(canvas_text("{"), Err(HistoryError::BadCanvas)));
        assert_eq!(canvas_text("[1]").unwrap(), "[\n  1\n]\n");
    }

    #[test]
    fn only_a_flows_own_folder_is_its_folder() {
        let flow = FlowId::random();
        let [_, shard, name] = path(&flow);
        assert_eq!(flow_at(&shard, &name), Some(flow));
        assert_eq!(flow_at("zz", &name), None);
        assert_eq!(flow_at(&shard, &name.to_uppercase()).is_some(), name.to_uppercase() == name);
        assert_eq!(flow_at(&shard, "notes"), None);
    }

    #[test]
    fn a_snapshot_reads_back() {
        let settings = json!({ "isPublic": true, "apiConfig": { "b": 1, "a": 2 } });
        let snapshot_before = FlowSnapshot {
            id: FlowId::random(),
            name: "Desk \"7\"".into(),
            kind: FlowKind::Agentflow,
            category: None,
            canvas: r#"{"edges":[],"nodes":[{"id":"a"}]}"#.into(),
            settings: settings.as_object().unwrap().clone(),
        };
        let flow_file = flow_text(&snapshot_before).unwrap();
        let canvas_file = canvas_text(&snapshot_before.canvas).unwrap();
        let back = snapshot(&snapshot_before.id, &flow_file, canvas_file.as_bytes()).unwrap();
        assert_eq!(back, snapshot_before);
        assert_eq!(name(&flow_file).as_deref(), Some("Desk \"7\""));
        assert!(snapshot(&snapshot_before.id, b"{}", b"{}").is_none());
    }
}
