//! The flows of a file for who runs one of them and has no workspace.

use super::ItemKind;
use super::flow::canvas_of;
use super::parse::{ImportItem, parse};
use crate::domain::error::{Error, Result};
use crate::domain::flows::flow::FlowKind;
use crate::domain::workspace::import::FileImport;
use serde_json::{Map, Value};

/// Names that a refusal lists.
const NAMES_SHOWN: usize = 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileFlow {
    pub name: String,
    pub kind: FlowKind,
    /// Its canvas: what was to be published, where the file holds that too.
    pub canvas: String,
}

#[derive(Debug)]
pub(crate) struct FileFlows {
    flows: Vec<FileFlow>,
    /// Names and types of credentials by id, as the file says them.
    pub credentials: Map<String, Value>,
}

impl FileFlows {
    /// Reads a file: a canvas, a starter, a flow or an export.
    ///
    /// # Errors
    /// 400 when it holds no flow.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let incoming = parse(FileImport::fields_of(text)?, None)?;
        let flow = |item: &ImportItem| match (item.kind, &item.fault) {
            (ItemKind::Flow(kind), None) => {
                Some(FileFlow { name: item.name.clone(), kind, canvas: canvas_of(item).to_owned() })
            }
            _ => None,
        };
        let flows: Vec<FileFlow> = incoming.items.iter().filter_map(flow).collect();
        if flows.is_empty() {
            let fault = incoming.items.into_iter().find_map(|item| item.fault);
            return Err(Error::Invalid(fault.unwrap_or_else(|| "There is no flow in this file.".to_owned())));
        }
        Ok(Self { flows, credentials: incoming.credentials })
    }

    /// The flow of this name, or the only one.
    ///
    /// # Errors
    /// 400 that lists the names there are.
    pub(crate) fn pick(&self, name: Option<&str>) -> Result<&FileFlow> {
        let fits = |flow: &&FileFlow| name.is_none_or(|name| flow.name == name);
        let mut fitting = self.flows.iter().filter(fits);
        if let (Some(only), None) = (fitting.next(), fitting.next()) {
            return Ok(only);
        }
        let names: Vec<&str> = self.flows.iter().take(NAMES_SHOWN).map(|flow| flow.name.as_str()).collect();
        let names = names.join(", ");
        Err(Error::Invalid(match name {
            None => format!("The file holds several flows; say which with --name: {names}."),
            Some(_) => format!("The file does not hold one flow of this name; there are: {names}."),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_starter_a_canvas_and_an_export_hold_flows() {
        let canvas = json!({"nodes": [], "edges": []});
        for file in [
            canvas.clone(),
            json!({"name": "Welcome", "type": "Chatflow", "canvas": canvas}),
            json!({"ChatFlow": [{"name": "a", "flowData": canvas.to_string()}], "Tool": [{"name": "t"}]}),
        ] {
            let file = FileFlows::read(&file.to_string()).unwrap();
            assert_eq!(file.pick(None).unwrap().kind, FlowKind::Chatflow);
        }
        let row = |name: &str| json!({"name": name, "flowData": canvas.to_string()});
        let two = FileFlows::read(&json!({"ChatFlow": [row("a"), row("b")]}).to_string()).unwrap();
        assert_eq!(two.pick(Some("b")).unwrap().name, "b");
        assert!(two.pick(None).err().unwrap().to_string().contains("--name: a, b"));
        assert!(two.pick(Some("c")).err().unwrap().to_string().contains("there are: a, b"));
        assert!(FileFlows::read("[]").is_err() && FileFlows::read(r#"{"Tool": [{"name": "t"}]}"#).is_err());
    }
}
