//! Milvus: chunks in a collection of a Milvus server, or of Zilliz' cloud, over its interface for HTTP.

use crate::base::cancel::CancelToken;
use crate::domain::error::Result as CardResult;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{CHAT_KEY, FILE_UPLOAD};
use crate::kit::stores::remote::{
    ConversationFilter, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint,
    flatten_metadata, malformed_answer, missing_input, outputs, score_from_distance, wait_until_done,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Factory, Input, Inputs, Need, Output, Risk, ScoredChunk};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::{Arc, OnceLock};
use uuid::Uuid;

const CLASSES: &[&str] = &["Milvus", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Milvus", "VectorStore"], ["Milvus Retriever", "Milvus Vector Store"]);
/// The fields of a collection that is made here, as programs like Flowise name them.
const NAME: &str = "langchain_primaryid";
const VECTOR: &str = "langchain_vector";
const TEXT: &str = "langchain_text";
/// The partition that every collection has.
const PARTITION: &str = "_default";
/// Bytes that the server takes in a text at most.
const TEXT_BYTES_MAX: usize = 65_535;

pub(crate) const CARD: Card = Card {
    name: "milvus",
    label: "Milvus",
    version: 2.1,
    category: Category::VectorStores,
    description: "Stores chunks in a collection of Milvus 2.4 or later and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["milvusAuth"]).optional(),
        DOCUMENT,
        EMBEDDINGS,
        Input::address("milvusServerUrl", "Milvus Server URL").help("Such as http://localhost:19530."),
        Input::text("milvusCollection", "Milvus Collection Name"),
        Input::text("milvusPartition", "Milvus Partition Name").or(PARTITION),
        FILE_UPLOAD,
        Input::text("milvusTextField", "Milvus Text Field")
            .additional()
            .help("The field that holds the text. Empty: langchain_text."),
        Input::text("milvusFilter", "Milvus Filter")
            .additional()
            .variables()
            .help("Only chunks that fit are found; in the words of Milvus: year > 2020"),
        TOP_K_INPUT,
        Input::switch("secure", "Secure").additional().help(
            "Speaks TLS where the address does not say it. Trusted authorities are those of SERVICE_CA_FILE.",
        ),
        Input::text("clientPemPath", "Client PEM Path").additional(),
        Input::text("clientKeyPath", "Client Key Path").additional(),
        Input::text("caPemPath", "CA PEM Path")
            .additional()
            .help("Kept for canvases drawn elsewhere: an authority of one's own stands in SERVICE_CA_FILE."),
        Input::text("serverName", "Server Name")
            .additional()
            .help("Kept for canvases drawn elsewhere: the name of the certificate is that of the address."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        for input in ["clientPemPath", "clientKeyPath"] {
            if inputs.optional_text(input).is_some_and(|path| !path.trim().is_empty()) {
                return Err(inputs
                    .input_error(input, "this server shows no certificate of its own; leave this empty"));
            }
        }
        let user = inputs.optional_secret("milvusUser").unwrap_or_default();
        let password = inputs.optional_secret("milvusPassword").unwrap_or_default();
        let is_known = !user.is_empty() || !password.is_empty();
        // A key of the cloud is entered as the password alone.
        let token = if user.is_empty() { password } else { format!("{user}:{password}") };
        let header = is_known.then(|| ("authorization", format!("Bearer {token}")));
        let milvus = Milvus {
            endpoint: endpoint(inputs, &place(inputs)?, header.as_slice()),
            collection: inputs.text("milvusCollection")?.trim().to_owned(),
            partition: inputs.text("milvusPartition")?.trim().to_owned(),
            text_key: inputs.optional_text("milvusTextField").unwrap_or_else(|| TEXT.to_owned()),
            filter: inputs.optional_text("milvusFilter").filter(|filter| !filter.trim().is_empty()),
            found: OnceLock::new(),
        };
        let name = format!("{}_{}", milvus.collection, milvus.partition);
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, name, milvus)?))
    }),
};

/// The server's address: owners write it with its scheme or without.
fn place(inputs: &Inputs<'_>) -> CardResult<String> {
    let base = inputs.address("milvusServerUrl").ok_or_else(|| missing_input(inputs, "milvusServerUrl"))?;
    if base.starts_with("http://") || base.starts_with("https://") {
        return Ok(base);
    }
    Ok(format!("{}://{base}", if inputs.switch("secure") { "https" } else { "http" }))
}

struct Milvus {
    endpoint: Endpoint,
    collection: String,
    partition: String,
    text_key: String,
    filter: Option<String>,
    /// The collection, once it was looked up in this run.
    found: OnceLock<MilvusCollection>,
}

/// A collection as the server describes it.
#[derive(Clone, Debug, PartialEq)]
struct MilvusCollection {
    /// The field of the names, and whether the server makes them.
    primary: (String, bool),
    vector: String,
    dimensions: Option<u64>,
    fields: Vec<String>,
    /// It takes entries that are no fields.
    is_open: bool,
    metric: String,
    is_loaded: bool,
}

impl MilvusCollection {
    fn read(answer: &Value) -> Result<Self, ModelError> {
        let wrong =
            |what: &str| ModelError::Settings(format!("the collection has no {what}; name another one"));
        let fields =
            answer["fields"].as_array().ok_or_else(|| ModelError::Garbled("it names no fields".into()))?;
        let named = |field: &Value| field["name"].as_str().map(str::to_owned);
        let primary = fields.iter().find(|field| field["primaryKey"] == true);
        let primary = primary.and_then(|field| {
            let makes = field["autoId"] == true || answer["autoId"] == true || field["type"] != "VarChar";
            Some((named(field)?, makes))
        });
        let vector = fields.iter().find(|field| field["type"] == "FloatVector");
        let vector = vector.ok_or_else(|| wrong("field for vectors"))?;
        let name = named(vector).ok_or_else(|| wrong("field for vectors"))?;
        let length = vector["params"].as_array().into_iter().flatten().find(|param| param["key"] == "dim");
        let length = length.and_then(|param| match &param["value"] {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64(),
        });
        let mut indexes = answer["indexes"].as_array().into_iter().flatten();
        let metric = indexes.find(|index| index["fieldName"] == name.as_str());
        Ok(Self {
            primary: primary.ok_or_else(|| wrong("field for names"))?,
            vector: name,
            dimensions: length,
            fields: fields.iter().filter_map(named).collect(),
            is_open: answer["enableDynamicField"] == true,
            metric: metric.and_then(|index| index["metricType"].as_str()).unwrap_or("COSINE").to_owned(),
            is_loaded: answer["load"] != "LoadStateNotLoad",
        })
    }

    fn has(&self, field: &str) -> bool {
        self.fields.iter().any(|known| known == field)
    }

    /// A score of which larger is nearer.
    fn score(&self, distance: f32) -> f32 {
        if self.metric == "L2" { score_from_distance(distance) } else { distance }
    }
}

impl Milvus {
    /// Asks for something of the collection; what the server refuses it says in an answer that is good as such.
    fn ask(&self, what: &str, mut body: Value, cancel: &CancelToken) -> Result<Value, ModelError> {
        body["collectionName"] = self.collection.as_str().into();
        let path = format!("/v2/vectordb/{what}");
        let mut answer = self.endpoint.send_json(&Method::POST, &path, Some(&body), cancel)?;
        match answer["code"].as_i64() {
            Some(0 | 200) => Ok(answer["data"].take()),
            // Who is asking is not known.
            Some(1800) => Err(ModelError::KeyRefused),
            Some(_) => Err(self.endpoint.error_from_body(400, &answer)),
            None => Err(ModelError::Garbled("it does not say whether it went well".into())),
        }
    }

    /// `None` when nothing was stored yet.
    fn look_up(&self, cancel: &CancelToken) -> Result<Option<MilvusCollection>, ModelError> {
        if let Some(found) = self.found.get() {
            return Ok(Some(found.clone()));
        }
        if self.ask("collections/has", json!({}), cancel)?["has"] != true {
            return Ok(None);
        }
        let found = MilvusCollection::read(&self.ask("collections/describe", json!({}), cancel)?)?;
        Ok(Some(self.found.get_or_init(|| found).clone()))
    }

    fn require_collection(&self, cancel: &CancelToken) -> Result<MilvusCollection, ModelError> {
        self.look_up(cancel)?.ok_or_else(|| {
            ModelError::Settings(format!(
                "there is no collection '{}'; fill the store first",
                self.collection
            ))
        })
    }

    fn create(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        let text = |name: &str, most: usize| json!({"fieldName": name, "dataType": "VarChar", "elementTypeParams": {"max_length": most}});
        let mut primary = text(NAME, 36);
        primary["isPrimary"] = true.into();
        let vector = json!({
            "fieldName": VECTOR, "dataType": "FloatVector", "elementTypeParams": {"dim": dimensions},
        });
        let fields = json!([primary, text(&self.text_key, TEXT_BYTES_MAX), text(CHAT_KEY, 64), vector]);
        let wanted = json!({
            "schema": {"autoId": false, "enableDynamicField": true, "fields": fields},
            "indexParams": [{
                "fieldName": VECTOR, "indexName": VECTOR, "metricType": "COSINE",
                "params": {"index_type": "AUTOINDEX"},
            }],
        });
        self.ask("collections/create", wanted, cancel).map(drop)
    }

    fn row(&self, row: &RemoteChunk<'_>, collection: &MilvusCollection) -> Result<Value, ModelError> {
        let mut entity = flatten_metadata(&row.chunk.metadata);
        let (primary, makes_names) = &collection.primary;
        let is_of_chat = entity.contains_key(CHAT_KEY);
        if is_of_chat && !collection.is_open && !collection.has(CHAT_KEY) {
            return Err(ModelError::Settings(format!(
                "the collection takes no files of conversations: it has no field '{CHAT_KEY}'"
            )));
        }
        entity.retain(|key, _| collection.is_open || collection.has(key));
        if collection.has(CHAT_KEY) && !is_of_chat {
            entity.insert(CHAT_KEY.to_owned(), "".into());
        }
        entity.remove(primary);
        if !makes_names {
            entity.insert(primary.clone(), json!(row.name));
        }
        entity.insert(self.text_key.clone(), row.chunk.page_content.as_str().into());
        entity.insert(collection.vector.clone(), json!(row.vector));
        Ok(Value::Object(entity))
    }

    /// The card's filter, that of a search, and whose chunks they are: all of them must hold.
    fn all(&self, search: &VectorSearch<'_>, collection: &MilvusCollection) -> String {
        let wanted = search.filter.and_then(Value::as_object).into_iter().flatten();
        let wanted = wanted.map(|(key, value)| {
            let field = if collection.has(key) { key.clone() } else { dynamic(key) };
            match value {
                Value::Array(_) => format!("{field} in {value}"),
                plain => format!("{field} == {plain}"),
            }
        });
        let own = self.filter.iter().map(|filter| format!("({filter})"));
        let all: Vec<String> =
            own.chain(wanted).chain(conversation_condition(search.conversation, collection)).collect();
        all.join(" and ")
    }

    fn chunk(&self, held: &Value, collection: &MilvusCollection) -> Document {
        let mut metadata: Map<String, Value> = held.as_object().cloned().unwrap_or_default();
        let text = metadata.remove(&self.text_key);
        for own in [collection.vector.as_str(), collection.primary.0.as_str(), "distance"] {
            metadata.remove(own);
        }
        if metadata.get(CHAT_KEY).is_some_and(|chat| chat == "") {
            metadata.remove(CHAT_KEY);
        }
        metadata.retain(|_, value| !value.is_null());
        let page_content = text.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        Document { page_content, metadata }
    }
}

/// An entry that is no field of the collection. JSON writes a text as the server reads it.
fn dynamic(key: &str) -> String {
    format!("$meta[{}]", Value::from(key))
}

/// `None` where the collection can hold nothing of any conversation.
fn conversation_condition(whose: ConversationFilter<'_>, collection: &MilvusCollection) -> Option<String> {
    let own = whose.0.map(Value::from);
    if collection.has(CHAT_KEY) {
        let any: Vec<Value> = [Value::from("")].into_iter().chain(own).collect();
        return Some(format!("{CHAT_KEY} in {}", Value::Array(any)));
    }
    let field = collection.is_open.then(|| dynamic(CHAT_KEY))?;
    let own = own.map_or_else(String::new, |own| format!(" or {field} == {own}"));
    Some(format!("(not exists {field}{own})"))
}

impl VectorDatabase for Milvus {
    type Error = ModelError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), ModelError> {
        match self.look_up(cancel)? {
            Some(MilvusCollection { dimensions: Some(wanted), .. }) if wanted != dimensions as u64 => {
                return Err(ModelError::Settings(format!(
                    "the collection holds vectors of {wanted} numbers, and the embeddings make vectors of {dimensions}"
                )));
            }
            Some(_) => {}
            None => self.create(dimensions, cancel)?,
        }
        if self.partition == PARTITION {
            return Ok(());
        }
        let partition = json!({"partitionName": self.partition});
        if self.ask("partitions/has", partition.clone(), cancel)?["has"] == true {
            return Ok(());
        }
        self.ask("partitions/create", partition, cancel).map(drop)
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        let collection = self.require_collection(cancel)?;
        let data: Result<Vec<Value>, ModelError> =
            rows.iter().map(|row| self.row(row, &collection)).collect();
        // Names that the server makes are new each time, and it replaces by no others.
        let what = if collection.primary.1 { "entities/insert" } else { "entities/upsert" };
        self.ask(what, json!({"data": data?, "partitionName": self.partition}), cancel).map(drop)
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        let Some(collection) = self.look_up(cancel)? else { return Ok(()) };
        let (primary, makes_names) = &collection.primary;
        if *makes_names {
            return Err(ModelError::Settings(
                "the server names chunks itself, so none can be removed".into(),
            ));
        }
        let which =
            json!({"filter": format!("{primary} in {}", json!(names)), "partitionName": self.partition});
        self.ask("entities/delete", which, cancel).map(drop)
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let collection = self.require_collection(cancel)?;
        if !collection.is_loaded {
            self.ask("collections/load", json!({}), cancel)?;
            wait_until_done(cancel, || {
                let at = self.ask("collections/get_load_state", json!({}), cancel)?;
                Ok(at["loadState"] == "LoadStateLoaded")
            })?;
        }
        let body = json!({
            "data": [search.vector],
            "annsField": collection.vector,
            "limit": search.most,
            "filter": self.all(search, &collection),
            "outputFields": ["*"],
            "partitionNames": [self.partition],
        });
        let answer = self.ask("entities/search", body, cancel)?;
        let found = |held: &Value| {
            let score = collection.score(held["distance"].as_f64()? as f32);
            Some(RemoteHit::new(ScoredChunk { chunk: self.chunk(held, &collection), score }, held))
        };
        let entities = answer.as_array().ok_or_else(malformed_answer)?;
        entities.iter().map(found).collect::<Option<Vec<_>>>().ok_or_else(malformed_answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whose_chunks_are_looked_at_is_said_as_the_collection_knows_it() {
        let described = |fields: Value, is_open: bool| {
            let vector =
                json!({"name": "v", "type": "FloatVector", "params": [{"key": "dim", "value": "3"}]});
            let mut all =
                vec![json!({"name": "id", "type": "Int64", "primaryKey": true, "autoId": true}), vector];
            all.extend(fields.as_array().cloned().unwrap());
            let indexes = json!([{"fieldName": "v", "metricType": "L2"}]);
            let answer = json!({"fields": all, "enableDynamicField": is_open, "indexes": indexes, "load": "LoadStateLoaded"});
            MilvusCollection::read(&answer).unwrap()
        };
        let field = json!([{"name": CHAT_KEY, "type": "VarChar"}]);
        let known = described(field, false);
        assert_eq!((known.dimensions, known.primary.1, known.metric.as_str()), (Some(3), true, "L2"));
        for (collection, chat, expected) in [
            (&known, None, Some(r#"flowise_chatId in [""]"#)),
            (&known, Some("c"), Some(r#"flowise_chatId in ["","c"]"#)),
            (&described(json!([]), true), None, Some(r#"(not exists $meta["flowise_chatId"])"#)),
            (
                &described(json!([]), true),
                Some("c"),
                Some(r#"(not exists $meta["flowise_chatId"] or $meta["flowise_chatId"] == "c")"#),
            ),
            (&described(json!([]), false), Some("c"), None),
        ] {
            assert_eq!(conversation_condition(ConversationFilter(chat), collection).as_deref(), expected);
        }
    }
}
