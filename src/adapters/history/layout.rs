//! Where a flow lies in the repository, and how its files read. Known only here.

use crate::canvas::{StoredCanvas, assistant};
use crate::domain::flows::flow::FlowKind;
use crate::domain::flows::version::FlowSnapshot;
use crate::domain::ids::FlowId;
use crate::limits::VERSION_CANVAS_BYTES_MAX;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

/// The folder of all flows.
pub(super) const FLOWS: &str = "flows";
/// Name, type, category and settings.
pub(super) const FLOW_FILE: &str = "flow.json";
pub(super) const CANVAS_FILE: &str = "canvas.json";
/// The records that the canvas uses (manual 6.3).
pub(super) const REFERENCES_FILE: &str = "references.json";
/// The assistant that the canvas was drawn from, for who reads the repository: it is read off the canvas again.
pub(super) const ASSISTANT_FILE: &str = "assistant.json";
/// The first file of a repository.
pub(super) const README_FILE: &str = "README.md";
/// The title of the first commit (manual 6.3 r1).
pub(super) const FIRST_TITLE: &str = "Start version history";
/// What a person reads who opens the repository.
pub(super) const README: &str = "\
# Version history

Flowkeep records every saved version of every flow here, one commit per version.

A flow is the folder `flows/<first two characters of its id>/<its id>`:

- `flow.json`: its name, type, category and settings
- `canvas.json`: its cards and connections
- `references.json`: the credentials, tools and other records it uses, by name
- `assistant.json`: of an assistant, the model, instructions, tools and document stores it is made of

Passwords and credential values are never stored, and text that looks like a secret is kept as
`[secret hidden]`. Look around, copy and clone as you like; to change a flow, use Flowkeep.
";

/// The longest file that is read as a part of a flow.
pub(super) const FILE_MAX_BYTES: u64 = VERSION_CANVAS_BYTES_MAX as u64;

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

/// The text of `flow.json`: keys in one order, so that equal flows have equal texts.
pub(super) fn flow_text(snapshot: &FlowSnapshot) -> Vec<u8> {
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

fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("a JSON value can be written");
    text.push(b'\n');
    text
}

/// The text of `references.json`; `None` where nothing was noted.
pub(super) fn references_text(snapshot: &FlowSnapshot) -> Option<Vec<u8>> {
    let references = serde_json::to_value(snapshot.references.as_ref()?).expect("a reference can be written");
    Some(pretty(&references))
}

/// The text of `assistant.json`; `None` for a flow of another kind.
pub(super) fn assistant_text(snapshot: &FlowSnapshot) -> Option<Vec<u8>> {
    let canvas = StoredCanvas::parse(&snapshot.canvas).filter(|_| snapshot.kind == FlowKind::Assistant)?;
    let details = assistant::details(&snapshot.name, canvas.nodes()).to_json();
    Some(pretty(&Value::Object(details)))
}

/// Reads the files of a flow back; `None` when another tool left something else in the two that make it. What is wrong in the
/// third counts as not noted.
pub(super) fn snapshot(
    flow: &FlowId,
    flow_file: &[u8],
    canvas_file: &[u8],
    references_file: Option<&[u8]>,
) -> Option<FlowSnapshot> {
    let about: Map<String, Value> = serde_json::from_slice(flow_file).ok()?;
    serde_json::from_slice::<IgnoredAny>(canvas_file).ok()?;
    let text = |name: &str| about.get(name).and_then(Value::as_str);
    Some(FlowSnapshot {
        id: *flow,
        name: text("name")?.to_owned(),
        kind: FlowKind::parse(text("type")?)?,
        category: text("category").map(str::to_owned),
        canvas: str::from_utf8(canvas_file).ok()?.to_owned(),
        settings: about.get("settings").and_then(Value::as_object).cloned().unwrap_or_default(),
        references: references_file.and_then(|file| serde_json::from_slice(file).ok()),
    })
}

/// True for a `flow.json` whose id is not that of its folder.
pub(super) fn names_another_flow(flow: &FlowId, flow_file: &[u8]) -> bool {
    let about: Map<String, Value> = serde_json::from_slice(flow_file).unwrap_or_default();
    about.get("id").and_then(Value::as_str).and_then(FlowId::parse).as_ref() != Some(flow)
}

/// What a `flow.json` says of the flow, as far as it does.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FlowHeader {
    pub(super) name: Option<String>,
    pub(super) kind: Option<FlowKind>,
}

impl FlowHeader {
    pub(super) fn parse(flow_file: &[u8]) -> Self {
        let about: Map<String, Value> = serde_json::from_slice(flow_file).unwrap_or_default();
        let text = |name: &str| about.get(name).and_then(Value::as_str);
        Self { name: text("name").map(str::to_owned), kind: text("type").and_then(FlowKind::parse) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::flows::references::{RecordReference, ReferenceKind};

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
            canvas: "{\n  \"edges\": []\n}\n".into(),
            settings: settings.as_object().unwrap().clone(),
            references: Some(vec![RecordReference {
                kind: ReferenceKind::Credential,
                id: None,
                name: "Key".into(),
                sort: Some("openAIApi".into()),
                digest: None,
            }]),
        };
        let flow_file = flow_text(&snapshot_before);
        let references = references_text(&snapshot_before).unwrap();
        let read = |references: Option<&[u8]>| {
            snapshot(&snapshot_before.id, &flow_file, snapshot_before.canvas.as_bytes(), references).unwrap()
        };
        assert_eq!(read(Some(&references)), snapshot_before);
        let unnoted = FlowSnapshot { references: None, ..snapshot_before.clone() };
        assert_eq!((read(None), read(Some(b"{}"))), (unnoted.clone(), unnoted.clone()));
        assert_eq!(references_text(&unnoted), None);
        let about = FlowHeader::parse(&flow_file);
        assert_eq!((about.name.as_deref(), about.kind), (Some("Desk \"7\""), Some(FlowKind::Agentflow)));
        assert_eq!(FlowHeader::parse(b"[]"), FlowHeader::default());
        assert!(snapshot(&snapshot_before.id, b"{}", b"{}", None).is_none());
    }
}
