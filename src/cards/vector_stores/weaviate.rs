//! Weaviate: chunks as objects of a class of a Weaviate server, or of its cloud.

mod filter;

use crate::base::cancel::CancelToken;
use crate::domain::error::Result as CardResult;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::CHAT_KEY;
use crate::kit::knowledge::mmr::{FETCH_K, LAMBDA, SEARCH_TYPE};
use crate::kit::stores::remote::{
    RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint,
    in_path, malformed_answer, missing_input, outputs, score_from_distance,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{
    Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Output, Risk, ScoredChunk,
};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

const CLASSES: &[&str] = &["Weaviate", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Weaviate", "VectorStore"], ["Weaviate Retriever", "Weaviate Vector Store"]);
/// The property that holds the text.
const TEXT_KEY: &str = "text";
/// The longest name of a property.
const NAME_CHARS_MAX: usize = 231;
/// Types of properties that are asked for by name alone; each may come as a list.
const PLAIN: &[&str] = &["text", "string", "int", "number", "boolean", "date", "uuid"];

const CONNECTIONS: &[Choice] =
    &[Choice::new("cloud", "Cloud"), Choice::new("local", "Local"), Choice::new("custom", "Custom")];

pub(crate) const CARD: Card = Card {
    name: "weaviate",
    label: "Weaviate",
    version: 5.0,
    category: Category::VectorStores,
    description: "Stores chunks in a class of Weaviate and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["weaviateApi"]).optional(),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::choice("weaviateConnectionType", "Weaviate Connection Type", CONNECTIONS).or("cloud"),
        Input::address("weaviateHost", "Weaviate Host")
            .help("Such as localhost:8080, or the REST endpoint that the cloud's page shows."),
        Input::switch("weaviateHttpSecure", "Weaviate HTTP Secure")
            .or("true")
            .additional()
            .when("weaviateConnectionType", "custom"),
        Input::address("weaviateGrpcHost", "Weaviate GRPC Host")
            .additional()
            .when("weaviateConnectionType", "custom")
            .help("Kept for canvases drawn elsewhere: everything goes over HTTP here."),
        Input::switch("weaviateGrpcSecure", "Weaviate GRPC Secure")
            .or("true")
            .additional()
            .when("weaviateConnectionType", "custom"),
        Input::text("weaviateIndex", "Weaviate Index").help("The name of the class: letters, digits and _."),
        Input::text("weaviateTextKey", "Weaviate Text Key")
            .additional()
            .help("The property that holds the text. Empty: text."),
        Input::text("weaviateMetadataKeys", "Weaviate Metadata Keys")
            .additional()
            .help("Properties that come with a chunk, with commas between them. Empty: all."),
        TOP_K_INPUT,
        Input::json("weaviateFilter", "Weaviate Search Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Weaviate's where."),
        SEARCH_TYPE,
        FETCH_K,
        LAMBDA,
        Input::number("alpha", "Alpha", 0.0, 1.0)
            .additional()
            .help("Looks at words too: 0 at words alone, 1 at meaning alone. Empty: at meaning alone."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let key =
            inputs.optional_secret("weaviateApiKey").map(|key| ("authorization", format!("Bearer {key}")));
        let class = inputs.text("weaviateIndex")?.trim().to_owned();
        if !is_name(&class) {
            return Err(inputs.input_error("weaviateIndex", "this must be a name of letters, digits and _"));
        }
        let text_key = inputs.optional_text("weaviateTextKey").unwrap_or_else(|| TEXT_KEY.to_owned());
        if !is_name(&text_key) {
            return Err(inputs.input_error("weaviateTextKey", "this must be a name of letters, digits and _"));
        }
        let metadata_keys = inputs.optional_text("weaviateMetadataKeys").unwrap_or_default();
        let metadata_keys = serde_json::from_str::<Vec<String>>(&metadata_keys)
            .unwrap_or_else(|_| inputs.comma_list("weaviateMetadataKeys"));
        let filter = match inputs.object("weaviateFilter")? {
            // As requests of Weaviate hold it.
            mut filter if filter.get("where").is_some_and(Value::is_object) => filter.remove("where"),
            filter => (!filter.is_empty()).then_some(Value::Object(filter)),
        };
        let weaviate = Weaviate {
            endpoint: endpoint(inputs, &place(inputs)?, key.as_slice()),
            class: with_capital(&class),
            text_key,
            metadata_keys,
            filter,
            alpha: inputs.number("alpha")?,
            found: OnceLock::new(),
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, class, weaviate)?))
    }),
};

/// The server's address: owners write it with its scheme or without.
fn place(inputs: &Inputs<'_>) -> CardResult<String> {
    let host = inputs.address("weaviateHost").ok_or_else(|| missing_input(inputs, "weaviateHost"))?;
    if host.starts_with("http://") || host.starts_with("https://") {
        return Ok(host);
    }
    let is_secure = match inputs.text("weaviateConnectionType")?.as_str() {
        // In earlier years the card asked for the scheme instead.
        "local" | "http" => false,
        "custom" => inputs.switch("weaviateHttpSecure"),
        _ => true,
    };
    Ok(format!("{}://{host}", if is_secure { "https" } else { "http" }))
}

/// A name stands in questions to the server as it is, so nothing else may be in it.
fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts && text.len() <= NAME_CHARS_MAX && text.chars().all(is_word)
}

/// The server writes every class with a capital.
fn with_capital(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
}

struct Weaviate {
    endpoint: Endpoint,
    class: String,
    text_key: String,
    /// Properties that come with a chunk; none for all of them.
    metadata_keys: Vec<String>,
    filter: Option<Value>,
    /// How much meaning counts beside words.
    alpha: Option<f64>,
    /// The class, once it was looked up in this run.
    found: OnceLock<WeaviateClass>,
}

/// A class as the server describes it.
#[derive(Clone)]
struct WeaviateClass {
    /// Names and types of what is no vector.
    properties: BTreeMap<String, String>,
    /// How far two vectors are from one another.
    distance: String,
    /// The name of its vectors, where they have one.
    target: Option<String>,
    /// It can be asked which objects lack a property.
    knows_nulls: bool,
}

impl WeaviateClass {
    fn read(answer: &Value) -> Result<Self, ModelError> {
        if !answer["class"].is_string() {
            return Err(ModelError::Garbled("it names no class".into()));
        }
        let properties = answer["properties"].as_array().into_iter().flatten().filter_map(|property| {
            let name = property["name"].as_str().filter(|name| is_name(name))?;
            Some((name.to_owned(), property["dataType"][0].as_str()?.to_owned()))
        });
        let named = answer["vectorConfig"].as_object();
        let target = named.and_then(|named| named.keys().next()).filter(|name| is_name(name)).cloned();
        if named.is_some_and(|named| named.len() > 1) {
            return Err(ModelError::Settings(
                "the class has several vectors for each object; name another one".into(),
            ));
        }
        let index = match &target {
            Some(name) => &answer["vectorConfig"][name]["vectorIndexConfig"],
            None => &answer["vectorIndexConfig"],
        };
        Ok(Self {
            properties: properties.collect(),
            distance: index["distance"].as_str().unwrap_or("cosine").to_owned(),
            target,
            knows_nulls: answer["invertedIndexConfig"]["indexNullState"] == true,
        })
    }

    /// A score of which larger is nearer.
    fn score(&self, distance: f32) -> f32 {
        match self.distance.as_str() {
            "cosine" => 1.0 - distance,
            "dot" => -distance,
            _ => score_from_distance(distance),
        }
    }
}

impl Weaviate {
    /// `None` when nothing was stored yet.
    fn look_up(&self, cancel: &CancelToken) -> Result<Option<WeaviateClass>, ModelError> {
        if let Some(found) = self.found.get() {
            return Ok(Some(found.clone()));
        }
        let path = format!("/v1/schema/{}", in_path(&self.class));
        let Some(answer) = self.endpoint.get_optional(&path, cancel)? else { return Ok(None) };
        let class = WeaviateClass::read(&answer)?;
        Ok(Some(self.found.get_or_init(|| class).clone()))
    }

    fn require_class(&self, cancel: &CancelToken) -> Result<WeaviateClass, ModelError> {
        self.look_up(cancel)?.ok_or_else(|| {
            ModelError::Settings(format!("there is no class '{}'; fill the store first", self.class))
        })
    }

    /// Names of the properties that a chunk comes with.
    fn requested_properties<'c>(&'c self, class: &'c WeaviateClass) -> impl Iterator<Item = &'c str> {
        let is_asked = |name: &str| {
            let wanted = self.metadata_keys.is_empty() || self.metadata_keys.iter().any(|key| key == name);
            // Whose a chunk is must be known of each.
            wanted || name == self.text_key || name == CHAT_KEY
        };
        let is_plain = |kind: &str| PLAIN.contains(&kind.trim_end_matches("[]"));
        let properties = class.properties.iter();
        properties.filter(move |(name, kind)| is_asked(name) && is_plain(kind)).map(|(name, _)| name.as_str())
    }

    /// The question that finds what is nearest.
    fn question(&self, class: &WeaviateClass, search: &VectorSearch<'_>) -> Result<String, ModelError> {
        let vector = serde_json::to_string(search.vector).map_err(|_| malformed_answer())?;
        let target = class.target.as_ref();
        let targets = target.map_or_else(String::new, |name| format!(", targetVectors: [\"{name}\"]"));
        let near = match self.alpha {
            Some(alpha) => {
                let text = Value::from(search.text);
                format!("hybrid: {{query: {text}, alpha: {alpha}, vector: {vector}{targets}}}")
            }
            None => format!("nearVector: {{vector: {vector}{targets}}}"),
        };
        let filter = filter::combined_filter(self.filter.as_ref(), search, class)?;
        let filter = filter.map_or_else(String::new, |filter| format!(", where: {filter}"));
        let mut more = if self.alpha.is_some() { "score" } else { "distance" }.to_owned();
        if search.with_vectors {
            // Writing to a text does not fail.
            let _ = match target {
                Some(name) => write!(more, " vectors {{ {name} }}"),
                None => write!(more, " vector"),
            };
        }
        let asked: Vec<&str> = self.requested_properties(class).collect();
        Ok(format!(
            "{{ Get {{ {}(limit: {}, {near}{filter}) {{ {} _additional {{ id {more} }} }} }} }}",
            self.class,
            search.most,
            asked.join(" "),
        ))
    }

    fn to_hit(&self, class: &WeaviateClass, search: &VectorSearch<'_>, object: &Value) -> Option<RemoteHit> {
        let more = &object["_additional"];
        let score = match self.alpha {
            // A number within a text.
            Some(_) => {
                more["score"].as_str().map_or_else(|| more["score"].as_f64(), |text| text.parse().ok())?
                    as f32
            }
            None => class.score(more["distance"].as_f64()? as f32),
        };
        let vector = match (&class.target, search.with_vectors) {
            (_, false) => Vec::new(),
            (Some(name), true) => serde_json::from_value(more["vectors"][name].clone()).ok()?,
            (None, true) => serde_json::from_value(more["vector"].clone()).ok()?,
        };
        let mut metadata = object.as_object()?.clone();
        metadata.remove("_additional");
        let text = metadata.remove(&self.text_key);
        metadata.retain(|_, value| !value.is_null());
        let page_content = text.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let chunk = Document { page_content, metadata };
        Some(RemoteHit::new(ScoredChunk { chunk, score }, object).with_vector(vector))
    }

    fn properties(&self, chunk: &Document) -> Map<String, Value> {
        let mut properties = Map::new();
        flatten("", &chunk.metadata, &mut properties);
        properties.insert(self.text_key.clone(), chunk.page_content.as_str().into());
        properties
    }
}

/// Metadata as properties: what is nested gets the names of all levels, as other programs like Flowise write it.
fn flatten(before: &str, metadata: &Map<String, Value>, properties: &mut Map<String, Value>) {
    for (name, value) in metadata {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut name: String = format!("{before}{name}").chars().map(word).take(NAME_CHARS_MAX - 1).collect();
        // These two are the object's own, and no name begins with a digit.
        if matches!(name.as_str(), "id" | "vector" | "_id" | "_additional") || !is_name(&name) {
            name.insert(0, 'm');
        }
        match value {
            Value::Null => {}
            Value::Object(map) => flatten(&format!("{name}_"), map, properties),
            Value::Array(list) => {
                let is_alike = list.iter().all(Value::is_string) || list.iter().all(Value::is_number);
                let value =
                    if is_alike && !list.is_empty() { value.clone() } else { value.to_string().into() };
                properties.insert(name, value);
            }
            plain => drop(properties.insert(name, plain.clone())),
        }
    }
}

impl VectorDatabase for Weaviate {
    type Error = ModelError;

    fn prepare(&self, _: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        if self.look_up(cancel)?.is_some() {
            return Ok(());
        }
        let wanted = json!({
            "class": self.class,
            "vectorizer": "none",
            "vectorIndexConfig": {"distance": "cosine"},
            "invertedIndexConfig": {"indexNullState": true},
            "properties": [
                {"name": self.text_key, "dataType": ["text"]},
                {"name": CHAT_KEY, "dataType": ["text"], "tokenization": "field"},
            ],
        });
        match self.endpoint.send_json(&Method::POST, "/v1/schema", Some(&wanted), cancel) {
            // Somebody else made it meanwhile.
            Err(ModelError::Provider { status: 422, message }) if message.contains("already exists") => {
                Ok(())
            }
            made => made.map(|_| ()),
        }
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let target = self.require_class(cancel)?.target;
        let object = |row: &RemoteChunk<'_>| {
            let mut object = json!({
                "class": self.class, "id": row.name, "properties": self.properties(row.chunk),
            });
            match &target {
                Some(name) => object["vectors"] = json!({ name: row.vector }),
                None => object["vector"] = json!(row.vector),
            }
            object
        };
        let body = json!({"objects": rows.iter().map(object).collect::<Vec<_>>()});
        let answer = self.endpoint.send_json(&Method::POST, "/v1/batch/objects", Some(&body), cancel)?;
        let stored = answer
            .as_array()
            .ok_or_else(|| ModelError::Garbled("it does not say what became of the chunks".into()))?;
        match stored.iter().find(|object| object["result"]["errors"].is_object()) {
            Some(refused) => Err(self.endpoint.error_from_body(422, &refused["result"]["errors"])),
            None => Ok(()),
        }
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        if self.look_up(cancel)?.is_none() {
            return Ok(());
        }
        let which = json!({"path": ["id"], "operator": "ContainsAny", "valueTextArray": names});
        let body = json!({"match": {"class": self.class, "where": which}});
        let answer = self.endpoint.send_json(&Method::DELETE, "/v1/batch/objects", Some(&body), cancel)?;
        match answer["results"]["failed"].as_u64() {
            Some(0) => Ok(()),
            Some(_) => Err(ModelError::Garbled("some chunks were not removed".into())),
            None => Err(ModelError::Garbled("it does not say what was removed".into())),
        }
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let class = self.require_class(cancel)?;
        if !class.properties.contains_key(&self.text_key) {
            return Err(ModelError::Settings(format!(
                "the class has no property '{}'; check the Weaviate Text Key",
                self.text_key
            )));
        }
        let question = json!({"query": self.question(&class, search)?});
        let answer = self.endpoint.send_json(&Method::POST, "/v1/graphql", Some(&question), cancel)?;
        if let Some(error) = answer["errors"].get(0) {
            return Err(self.endpoint.error_from_body(422, error));
        }
        let objects = answer["data"]["Get"][&self.class].as_array().ok_or_else(malformed_answer)?;
        let found = objects.iter().map(|object| self.to_hit(&class, search, object));
        found.collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_become_properties_that_the_server_takes() {
        let metadata = json!({"source": "a", "loc": {"lines": {"from": 1}}, "pdf.info": "x", "id": 7, "7": true,
            "tags": ["a", "b"], "mixed": [1, "a"], "empty": [], "gone": null});
        let mut properties = Map::new();
        flatten("", metadata.as_object().unwrap(), &mut properties);
        assert_eq!(
            Value::Object(properties),
            json!({"source": "a", "loc_lines_from": 1, "pdf_info": "x", "mid": 7, "m7": true, "tags": ["a", "b"],
                "mixed": "[1,\"a\"]", "empty": "[]"})
        );
    }

    #[test]
    fn a_name_holds_nothing_that_a_question_could_be_changed_with() {
        for name in ["Books", "_x", "a1"] {
            assert!(is_name(name), "{name}");
        }
        for text in ["", "1a", "a b", "a{", "a-b", "\u{e9}", &"a".repeat(300)] {
            assert!(!is_name(text), "{text}");
        }
        assert_eq!(with_capital("books"), "Books");
    }
}
