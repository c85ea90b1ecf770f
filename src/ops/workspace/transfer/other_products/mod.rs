//! Exports of n8n, Langflow and Dify (manual 5.14): each flow of a file is read into a form that is no product's, and drawn of
//! that, where all of it has a counterpart here. A flow of which something has none is refused as a whole, with a report. Nothing
//! of a file is run or fetched, and every field of it may be of any type and size.

mod blueprint;
mod dify;
mod dify_graph;
mod draw;
mod langflow;
mod langflow_parts;
mod models;
mod n8n;
mod n8n_parts;
mod n8n_text;
mod obstacles;
mod tools;
mod yaml;

use self::blueprint::Blueprint;
use self::models::{list, text};
use self::obstacles::Obstacles;
use crate::domain::error::Result;
use crate::domain::flows::flow::FlowKind;
use crate::domain::workspace::import::FileImport;
use serde_json::{Map, Value};

/// Nodes of a flow that is read: what has more is no chat with a model.
const NODES_MAX: usize = 1_000;

/// A flow of another product, as a flow of this service or as the reason why it is none.
#[derive(Debug)]
pub(super) struct ForeignFlow {
    pub name: String,
    pub kind: FlowKind,
    /// Its canvas as text, or the report.
    pub canvas: std::result::Result<String, String>,
    pub chat: Map<String, Value>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Product {
    N8n,
    Langflow,
    Dify,
}

impl Product {
    const fn name(self) -> &'static str {
        match self {
            Self::N8n => "n8n",
            Self::Langflow => "Langflow",
            Self::Dify => "Dify",
        }
    }

    /// Whose file this is; `None` for our own and for what is nobody's.
    fn of(file: &Map<String, Value>) -> Option<Self> {
        let has_list =
            |fields: &Map<String, Value>, name: &str| fields.get(name).is_some_and(Value::is_array);
        if has_list(file, "nodes") && file.get("connections").is_some_and(Value::is_object) {
            return (!file.contains_key("edges")).then_some(Self::N8n);
        }
        let is_dify = file.get("app").is_some_and(|app| app["mode"].is_string())
            && ["model_config", "workflow"].iter().any(|part| file.contains_key(*part));
        if is_dify {
            return Some(Self::Dify);
        }
        let is_flow = |fields: &Map<String, Value>| {
            fields
                .get("data")
                .and_then(Value::as_object)
                .is_some_and(|data| has_list(data, "nodes") && has_list(data, "edges"))
        };
        let flows = list(file.get("flows"));
        let has_flows = !flows.is_empty() && flows.iter().all(|flow| flow.as_object().is_some_and(is_flow));
        (is_flow(file) || has_flows).then_some(Self::Langflow)
    }
}

/// The file that a text holds which is not JSON, when a request sent one; any other file as it is.
///
/// # Errors
/// 400 for a text that is no YAML, or goes beyond a bound.
pub(super) fn unwrap_text(mut file: Map<String, Value>) -> Result<Map<String, Value>> {
    // What a person's tool is called stands beside other fields; a text stands alone.
    match file.get(FileImport::TEXT) {
        Some(Value::String(_)) if file.len() == 1 => {}
        _ => return Ok(file),
    }
    let Some(Value::String(text)) = file.remove(FileImport::TEXT) else { return Ok(file) };
    match serde_json::from_str(&text) {
        Ok(Value::Object(file)) => Ok(file),
        _ => yaml::read(&text),
    }
}

/// The flows of a file of another product, each drawn when it is its turn; `None` for any other file.
pub(super) fn read(file: &Map<String, Value>) -> Option<impl ExactSizeIterator<Item = ForeignFlow>> {
    let product = Product::of(file)?;
    let flows = list(file.get("flows"));
    let rows: Vec<&Map<String, Value>> = match product {
        Product::Langflow if !flows.is_empty() => flows.iter().filter_map(Value::as_object).collect(),
        _ => vec![file],
    };
    Some(rows.into_iter().map(move |flow| read_flow(product, flow)))
}

fn read_flow(product: Product, flow: &Map<String, Value>) -> ForeignFlow {
    let mut obstacles = Obstacles::default();
    let (name, nodes) = match product {
        Product::N8n => (text(flow, "name"), list(flow.get("nodes")).len()),
        Product::Langflow => (text(flow, "name"), list(flow.get("data").map(|data| &data["nodes"])).len()),
        Product::Dify => {
            let app = models::object(flow.get("app"));
            (text(app, "name"), list(flow.get("workflow").map(|workflow| &workflow["graph"]["nodes"])).len())
        }
    };
    let name = super::parse::display_name(name).trim().to_owned();
    let mut blueprint = Blueprint::default();
    if nodes > NODES_MAX {
        obstacles.add("too many nodes", &format!("a flow may have {NODES_MAX}"), "all of them");
    } else {
        match product {
            Product::N8n => n8n::read(flow, &mut blueprint, &mut obstacles),
            Product::Langflow => langflow::read(flow, &mut blueprint, &mut obstacles),
            Product::Dify => dify::read(flow, &mut blueprint, &mut obstacles),
        }
    }
    if blueprint.steps.is_empty() && obstacles.is_empty() {
        obstacles.add("no step that asks a model", "only flows that ask a model come in", "none");
    }
    draw::check(&blueprint, &mut obstacles);
    if !obstacles.is_empty() {
        let report = obstacles.report(product.name(), nodes);
        return ForeignFlow {
            name,
            kind: FlowKind::Chatflow,
            canvas: Err(report),
            chat: Map::new(),
            notes: Vec::new(),
        };
    }
    let drawn = draw::draw(&mut blueprint);
    let mut notes = vec![format!("It was drawn anew from an export of {}.", product.name())];
    notes.append(&mut blueprint.differences);
    ForeignFlow { name, kind: drawn.kind, canvas: Ok(drawn.canvas), chat: blueprint.chat, notes }
}
