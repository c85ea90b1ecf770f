//! Unstructured File Loader: what a server of Unstructured makes of a file of any kind.

use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::loading::{
    BASE_CLASSES, FileContent, METADATA, OMIT, OUTPUTS, SPLITTER, file_loader,
};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Risk};
use crate::limits;
use crate::llm::{Endpoint, MultipartForm};
use crate::net::{Method, ResponseLimits};
use serde_json::{Map, Value};
use std::time::Duration;
use url::Url;

/// Where such a server takes files, unless its address has a path of its own.
const PATH: &str = "/general/v0/general";
/// The key of the metadata that says where a document is from, unless the card names another.
const SOURCE_KEY: &str = "source";
/// It reads a file before it answers, and pictures of text take their time.
const READING: Duration = Duration::from_secs(10 * 60);
/// What comes back of one file.
const BYTES_MAX: u64 = 32 * 1024 * 1024;

const STRATEGIES: &[Choice] = &[
    Choice::new("auto", "Auto"),
    Choice::new("fast", "Fast"),
    Choice::new("hi_res", "Hi-Res"),
    Choice::new("ocr_only", "OCR Only"),
];
const CHUNKINGS: &[Choice] = &[
    Choice::new("None", "None"),
    Choice::new("basic", "Basic"),
    Choice::new("by_title", "By Title"),
    Choice::new("by_page", "By Page"),
    Choice::new("by_similarity", "By Similarity"),
];

const fn characters(name: &'static str, label: &'static str) -> Input {
    Input::whole(name, label, 0.0, 10_000_000.0).additional()
}

/// Options with one value, and what the server calls them.
const WORDS: &[(&str, &str)] = &[
    ("strategy", "strategy"),
    ("encoding", "encoding"),
    ("hiResModelName", "hi_res_model_name"),
    ("chunkingStrategy", "chunking_strategy"),
];
const NUMBERS: &[(&str, &str)] = &[
    ("combineUnderNChars", "combine_under_n_chars"),
    ("newAfterNChars", "new_after_n_chars"),
    ("maxCharacters", "max_characters"),
];
const SWITCHES: &[(&str, &str)] = &[
    ("coordinates", "coordinates"),
    ("xmlKeepTags", "xml_keep_tags"),
    ("includePageBreaks", "include_page_breaks"),
    ("multiPageSections", "multipage_sections"),
];
const LISTS: &[(&str, &str)] =
    &[("skipInferTableTypes", "skip_infer_table_types"), ("ocrLanguages", "languages")];

pub(crate) const CARD: Card = Card {
    name: "unstructuredFileLoader",
    label: "Unstructured File Loader",
    version: 4.0,
    category: Category::DocumentLoaders,
    description: "Sends a file to a server of Unstructured; each element that it finds is a document.",
    base_classes: BASE_CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::credential(&["unstructuredApi"]).optional(),
        Input::file("fileObject", "File", &[]),
        Input::address("unstructuredAPIUrl", "Unstructured API URL")
            .help("Such as http://localhost:8000/general/v0/general."),
        Input::choice("strategy", "Strategy", STRATEGIES)
            .additional()
            .help("How pages and pictures are read."),
        Input::text("encoding", "Encoding").additional().help("Of files of text. Empty: utf-8."),
        Input::text("skipInferTableTypes", "Skip Infer Table Types")
            .additional()
            .help("Kinds of files in which no tables are looked for: pdf, jpg"),
        Input::text("hiResModelName", "Hi-Res Model Name").additional(),
        Input::choice("chunkingStrategy", "Chunking Strategy", CHUNKINGS)
            .additional()
            .help("How the server joins elements to chunks."),
        Input::text("ocrLanguages", "OCR Languages").additional().help("With commas between them: eng, deu"),
        Input::text("sourceIdKey", "Source ID Key")
            .additional()
            .help("The entry of the metadata that holds the name of the file. Empty: source."),
        Input::switch("coordinates", "Coordinates").additional(),
        Input::switch("xmlKeepTags", "XML Keep Tags").additional(),
        Input::switch("includePageBreaks", "Include Page Breaks").additional(),
        Input::switch("multiPageSections", "Multi-Page Sections").additional(),
        characters("combineUnderNChars", "Combine Under N Chars"),
        characters("newAfterNChars", "New After N Chars"),
        characters("maxCharacters", "Max Characters"),
        SPLITTER,
        METADATA,
        OMIT,
    ],
    outputs: OUTPUTS,
    make: Factory::Loader(|inputs| {
        let api = UnstructuredServer::from_inputs(inputs)?;
        file_loader(inputs, "fileObject", move |file| api.documents(file))
    }),
};

/// A server, and the fields it is sent with every file.
struct UnstructuredServer {
    endpoint: Endpoint,
    fields: Vec<(&'static str, String)>,
    source_key: String,
}

impl UnstructuredServer {
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let wrong = |what| inputs.input_error("unstructuredAPIUrl", what);
        let base = inputs.address("unstructuredAPIUrl").ok_or_else(|| wrong("fill this in"))?;
        let url = Url::parse(&base).map_err(|_| wrong("this must be an address"))?;
        let base = if url.path() == "/" { format!("{base}{PATH}") } else { base };
        let mut endpoint = Endpoint::new(inputs.host.outgoing().clone(), &base, None).chosen_by_caller();
        let key = inputs.optional_secret("unstructuredAPIKey");
        endpoint.headers = key.into_iter().map(|key| ("unstructured-api-key".to_owned(), key)).collect();
        endpoint.limits =
            ResponseLimits { first_byte: READING, body_bytes: BYTES_MAX, ..ResponseLimits::default() };
        let mut fields = Vec::new();
        for (input, field) in WORDS {
            let set = inputs.optional_text(input).filter(|text| !matches!(text.trim(), "" | "None"));
            fields.extend(set.map(|text| (*field, text.trim().to_owned())));
        }
        for (input, field) in NUMBERS {
            fields.extend(inputs.whole(input)?.map(|number| (*field, number.to_string())));
        }
        for (input, field) in SWITCHES {
            // What is switched off is sent too: the server has some of them on by itself.
            let set = inputs.optional_text(input).filter(|text| matches!(text.as_str(), "true" | "false"));
            fields.extend(set.map(|text| (*field, text)));
        }
        for (input, field) in LISTS {
            fields.extend(list(inputs, input).into_iter().map(|text| (*field, text)));
        }
        let source_key = inputs.optional_text("sourceIdKey").unwrap_or_else(|| SOURCE_KEY.to_owned());
        Ok(Self { endpoint, fields, source_key })
    }

    /// The documents of one file: the elements that say something.
    fn documents(&self, file: &FileContent<'_>) -> Result<Vec<Document>> {
        let mut form = MultipartForm::default();
        form.file("files", file.name, "application/octet-stream", file.bytes);
        self.fields.iter().for_each(|(name, value)| form.field(name, value));
        let cancel = file.host.cancel();
        let answer = form.send_with(|body| self.endpoint.send_body(&Method::POST, "", Some(body), cancel));
        let answer = answer.map_err(|fault| fault.at(file.label))?;
        let garbled = || file.file_error("what came back is no list of elements");
        let elements = answer.as_array().ok_or_else(garbled)?;
        if elements.len() > limits::CHUNKS_MAX {
            return Err(Error::RunFailed(format!("{}: there are too many documents", file.label)));
        }
        let documents = elements.iter().map(|element| self.document(file.name, element));
        let documents: Option<Vec<_>> = documents.collect();
        let mut documents = documents.ok_or_else(garbled)?;
        documents.retain(|document| !document.page_content.trim().is_empty());
        Ok(documents)
    }

    /// `None` for what is no element.
    fn document(&self, file: &str, element: &Value) -> Option<Document> {
        let element = element.as_object()?;
        let page_content = element.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut metadata = match element.get("metadata") {
            Some(Value::Object(metadata)) => metadata.clone(),
            _ => Map::new(),
        };
        if let Some(kind) = element.get("type") {
            metadata.insert("category".to_owned(), kind.clone());
        }
        metadata.insert(self.source_key.clone(), file.into());
        Some(Document { page_content, metadata })
    }
}

/// Several values, as a list, as its JSON, or with commas between them.
fn list(inputs: &Inputs<'_>, input: &str) -> Vec<String> {
    let text = inputs.optional_text(input).unwrap_or_default();
    match serde_json::from_str::<Vec<String>>(&text) {
        Ok(list) => list,
        Err(_) => inputs.comma_list(input),
    }
}
