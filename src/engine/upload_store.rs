//! The vector store of a canvas that takes files of its chat (manual 10.8 r1): which files, and which loader
//! reads each of them.

use super::source::for_each_reference;
use crate::canvas::files::InlineFile;
use crate::canvas::{Canvas, Node};
use crate::cards::kit::Factory;
use crate::cards::kit::knowledge::conversation_scope::FILE_UPLOAD;
use crate::cards::kit::stores::store_inputs::DOCUMENT;
use crate::cards::registry;
use serde_json::Value;

/// A store that takes files, with the loaders wired into it that read some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadStore {
    pub store: String,
    loaders: Vec<FileLoader>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FileLoader {
    node: String,
    input: &'static str,
    endings: &'static [&'static str],
}

/// The files that one loader reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoaderFiles {
    pub node: String,
    pub input: &'static str,
    pub files: Vec<InlineFile>,
}

/// The first store of a canvas that takes files and has a loader that reads some.
#[must_use]
pub fn find_upload_store(canvas: &Canvas) -> Option<UploadStore> {
    canvas.nodes().iter().find_map(|node| upload_store_at(canvas, node))
}

fn upload_store_at(canvas: &Canvas, node: &Node) -> Option<UploadStore> {
    let card = registry::find(&node.name).filter(|card| matches!(card.make, Factory::VectorStore(_)))?;
    card.input(FILE_UPLOAD.name)?;
    let is_on = match node.inputs.get(FILE_UPLOAD.name)? {
        Value::Bool(on) => *on,
        Value::String(text) => text == "true",
        _ => false,
    };
    let mut loaders = Vec::new();
    for_each_reference(node.inputs.get(DOCUMENT.name).filter(|_| is_on)?, &mut |id| {
        let loader = canvas.node(id).and_then(|node| registry::find(&node.name));
        if let Some((input, endings)) = loader.and_then(super::overrides::file_input) {
            loaders.push(FileLoader { node: id.to_owned(), input, endings });
        }
    });
    (!loaders.is_empty()).then(|| UploadStore { store: node.id.clone(), loaders })
}

impl UploadStore {
    /// How the names of files end that it takes; `*` alone when it takes all.
    #[must_use]
    pub fn endings(&self) -> Vec<String> {
        if self.loaders.iter().any(|loader| loader.endings.is_empty()) {
            return vec!["*".to_owned()];
        }
        let mut endings: Vec<String> = Vec::new();
        for ending in self.loaders.iter().flat_map(|loader| loader.endings) {
            let ending = format!(".{}", ending.trim_start_matches('.'));
            if !endings.contains(&ending) {
                endings.push(ending);
            }
        }
        endings
    }

    /// True when a loader reads files of this name.
    #[must_use]
    pub fn takes(&self, name: &str) -> bool {
        self.loader(name).is_some()
    }

    /// One loader for each file: nothing is stored twice. What names its type goes before what takes all.
    fn loader(&self, name: &str) -> Option<&FileLoader> {
        let reads = |loader: &&FileLoader| super::overrides::ends(name, loader.endings);
        let mut readers = self.loaders.iter().filter(reads);
        let first = readers.next()?;
        if first.endings.is_empty() {
            readers.find(|loader| !loader.endings.is_empty()).or(Some(first))
        } else {
            Some(first)
        }
    }

    /// The files by the loaders that read them; those that none reads are left out.
    #[must_use]
    pub fn assign_to_loaders(&self, files: Vec<InlineFile>) -> Vec<LoaderFiles> {
        let mut given: Vec<LoaderFiles> = Vec::new();
        for file in files {
            let Some(loader) = self.loader(&file.name) else { continue };
            if let Some(given) = given.iter_mut().find(|given| given.node == loader.node) {
                given.files.push(file);
                continue;
            }
            given.push(LoaderFiles { node: loader.node.clone(), input: loader.input, files: vec![file] });
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn canvas(store: &str, upload: Value) -> Canvas {
        let node = |id: &str, name: &str, inputs: Value| json!({"id": id, "position": {"x": 0, "y": 0}, "type": "customNode", "data": {"id": id, "name": name, "inputs": inputs}});
        let nodes = [
            node("text", "textFile", json!({})),
            node("any", "fileLoader", json!({})),
            node("pdf", "pdfFile", json!({})),
            node("typed", "plainText", json!({"text": "x"})),
            node(
                "store",
                store,
                json!({"fileUpload": upload, "document": ["{{typed.data.instance}}", "{{any.data.instance}}", "{{pdf.data.instance}}"]}),
            ),
        ];
        Canvas::parse(&json!({"nodes": nodes, "edges": []}).to_string()).unwrap()
    }

    #[test]
    fn a_store_takes_what_its_own_loaders_read() {
        for (store, upload, expected) in [
            ("faiss", json!(true), true),
            ("qdrant", json!("true"), true),
            ("pinecone", json!(false), false),
            ("chroma", json!(""), false),
            ("documentStoreVS", json!(true), false),
        ] {
            assert_eq!(
                find_upload_store(&canvas(store, upload.clone())).is_some(),
                expected,
                "{store} {upload}"
            );
        }
        let found = find_upload_store(&canvas("faiss", json!(true))).unwrap();
        assert_eq!(found.endings(), ["*"]);
        let file = |name: &str| InlineFile { name: name.to_owned(), bytes: Vec::new() };
        let given = found.assign_to_loaders(vec![file("a.pdf"), file("b.txt"), file("c.PDF")]);
        let seen: Vec<_> = given.iter().map(|given| (given.node.as_str(), given.files.len())).collect();
        assert_eq!(seen, [("pdf", 2), ("any", 1)]);
    }
}
