//! Databases of vectors that keep what they are sent, each in its own words.

mod meilisearch;
mod milvus;
mod search_index;
mod supabase;
mod weaviate;

use crate::support::canvases::SECRET;
use crate::support::provider::knowledge::similarity;
use crate::support::provider::{Behaviour, Provider, RecordedRequest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A chunk as it is kept.
#[derive(Clone)]
struct StoredChunk {
    vector: Vec<f32>,
    /// Payload, or metadata with the text in it.
    data: Value,
}

type Rows = BTreeMap<String, StoredChunk>;

/// What is kept, by collection.
#[derive(Default)]
pub struct State {
    rows: BTreeMap<String, Rows>,
    /// How a collection was described when it was made.
    told: BTreeMap<String, Value>,
}

/// A database in the words of the one that a card speaks to.
pub struct DatabaseStandIn {
    card: &'static str,
    state: Mutex<State>,
}

impl DatabaseStandIn {
    /// One with nothing in it.
    pub fn new(card: &'static str) -> Self {
        Self { card, state: Mutex::default() }
    }

    /// A server that keeps what it is sent.
    pub fn serve(self: &Arc<Self>, provider: &Provider) {
        let (kept, base) = (self.clone(), provider.base_url());
        provider.set_decision(move |request| kept.answer(request, &base));
    }

    /// How many rows there are in all.
    pub fn len(&self) -> usize {
        self.state.lock().unwrap().rows.values().map(Rows::len).sum()
    }

    /// A collection that somebody made elsewhere.
    pub fn made(&self, name: &str, told: Value) {
        let mut state = self.state.lock().unwrap();
        state.rows.entry(name.to_owned()).or_default();
        state.told.insert(name.to_owned(), told);
    }

    fn is_signed_in(&self, request: &RecordedRequest) -> bool {
        let header = |name: &str| request.header(name).unwrap_or_default().to_owned();
        let bearer = format!("Bearer {SECRET}");
        match self.card {
            "chroma" => header("x-chroma-token") == SECRET,
            "elasticsearch" => header("authorization") == format!("ApiKey {SECRET}"),
            "openSearch" => {
                header("authorization") == format!("Basic {}", STANDARD.encode(format!("ada:{SECRET}")))
            }
            "milvus" => header("authorization") == format!("Bearer root:{SECRET}"),
            "supabase" => header("apikey") == SECRET && header("authorization") == bearer,
            "weaviate" | "meilisearch" => header("authorization") == bearer,
            _ => header("api-key") == SECRET,
        }
    }

    pub fn answer(&self, request: &RecordedRequest, base: &str) -> Behaviour {
        if !self.is_signed_in(request) {
            return Behaviour::status(401, r#"{"error":{"message":"who are you"}}"#);
        }
        let mut state = self.state.lock().unwrap();
        let path = request.path.split('?').next().unwrap();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let (method, body) = (request.method.as_str(), &request.body);
        let answer = match self.card {
            "elasticsearch" | "openSearch" => search_index::answer(&mut state, self.card, &parts, request),
            "weaviate" => weaviate::answer(&mut state, &parts, request),
            "meilisearch" => meilisearch::answer(&mut state, &parts, request),
            "milvus" => milvus::answer(&mut state, &parts, request),
            "supabase" => supabase::answer(&mut state, &parts, request),
            _ => first_three(&mut state.rows, method, &parts, body, base),
        };
        match answer {
            // Some have nothing to say.
            Ok(Value::Null) => Behaviour::status(201, ""),
            Ok(answer) => Behaviour::Status {
                status: 200,
                body: answer.to_string(),
                // The client of Elastic speaks with no other server.
                headers: vec![("x-elastic-product".into(), "Elasticsearch".into())],
            },
            Err(status) => Behaviour::status(status, r#"{"status":{"error":"there is no such collection"}}"#),
        }
    }
}

fn first_three(
    kept: &mut BTreeMap<String, Rows>,
    method: &str,
    parts: &[&str],
    body: &Value,
    base: &str,
) -> Result<Value, u16> {
    match parts {
        ["indexes", _] => {
            Ok(json!({"host": base.replace("http://", ""), "dimension": 16, "metric": "cosine"}))
        }
        ["vectors", "upsert"] => Ok(put_pinecone(kept.entry("index".into()).or_default(), body)),
        ["vectors", "delete"] => Ok(remove(kept.entry("index".into()).or_default(), &body["ids"])),
        ["query"] => Ok(query_pinecone(kept.entry("index".into()).or_default(), body)),
        ["collections", name] | ["collections", name, ..] => qdrant(kept, method, name, &parts[2..], body),
        ["api", "v2", "tenants", "default_tenant", "databases", "ours", "collections", rest @ ..] => {
            chroma(kept, method, rest, body)
        }
        _ => Err(404),
    }
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn remove(rows: &mut Rows, names: &Value) -> Value {
    for name in list(names) {
        rows.remove(name.as_str().unwrap());
    }
    json!({"status": "ok"})
}

/// The nearest rows that fit, best first.
fn nearest<'r>(
    rows: &'r Rows,
    vector: &Value,
    most: &Value,
    fits: impl Fn(&StoredChunk) -> bool,
) -> Vec<(f32, &'r StoredChunk)> {
    let vector = numbers(vector);
    let mut found: Vec<(f32, &StoredChunk)> =
        rows.values().filter(|row| fits(row)).map(|row| (similarity(&row.vector, &vector), row)).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(usize::try_from(most.as_u64().unwrap()).unwrap());
    found
}

fn qdrant(
    kept: &mut BTreeMap<String, Rows>,
    method: &str,
    name: &str,
    rest: &[&str],
    body: &Value,
) -> Result<Value, u16> {
    if (method, rest.is_empty()) == ("PUT", true) {
        assert_eq!(body["vectors"]["size"], 16, "{body}");
        kept.insert(name.to_owned(), Rows::new());
        return Ok(json!({"result": true}));
    }
    let rows = kept.get_mut(name).ok_or(404_u16)?;
    match (method, rest) {
        ("GET", []) => {}
        ("PUT", ["points"]) => {
            for point in list(&body["points"]) {
                let row = StoredChunk { vector: numbers(&point["vector"]), data: point["payload"].clone() };
                rows.insert(text(&point["id"]), row);
            }
        }
        ("POST", ["points", "delete"]) => drop(remove(rows, &body["points"])),
        ("POST", ["points", "search"]) => {
            let fits = |row: &StoredChunk| fits_qdrant(&row.data, &body["filter"]);
            let found = nearest(rows, &body["vector"], &body["limit"], fits);
            let points =
                found.iter().map(|(score, row)| json!({"id": 1, "score": score, "payload": row.data}));
            return Ok(json!({"result": points.collect::<Vec<_>>()}));
        }
        _ => return Err(405),
    }
    Ok(json!({"result": {"status": "ok"}}))
}

fn fits_qdrant(payload: &Value, filter: &Value) -> bool {
    let value = |key: &Value| {
        let path = format!("/{}", key.as_str().unwrap().replace('.', "/"));
        payload.pointer(&path).cloned().unwrap_or_default()
    };
    let holds = |condition: &Value| {
        if condition["must"].is_array() || condition["should"].is_array() {
            return fits_qdrant(payload, condition);
        }
        if condition["is_empty"].is_object() {
            return value(&condition["is_empty"]["key"]).is_null();
        }
        let (found, wanted) = (value(&condition["key"]), &condition["match"]);
        wanted["value"] == found || list(&wanted["any"]).contains(&found)
    };
    let should = list(&filter["should"]);
    list(&filter["must"]).iter().all(holds) && (should.is_empty() || should.iter().any(holds))
}

fn chroma(
    kept: &mut BTreeMap<String, Rows>,
    method: &str,
    rest: &[&str],
    body: &Value,
) -> Result<Value, u16> {
    let described = |name: &str| json!({"id": format!("id-{name}"), "name": name, "configuration_json": {"hnsw": {"space": "cosine"}}});
    if let ("POST", []) = (method, rest) {
        assert_eq!(body["configuration"]["hnsw"]["space"], "cosine");
        kept.entry(text(&body["name"])).or_default();
        return Ok(described(body["name"].as_str().unwrap()));
    }
    let name = rest[0].trim_start_matches("id-");
    let rows = kept.get_mut(name).ok_or(404_u16)?;
    match (method, &rest[1..]) {
        ("GET", []) => return Ok(described(name)),
        ("POST", ["upsert"]) => {
            for (at, id) in list(&body["ids"]).iter().enumerate() {
                let data = json!({"document": body["documents"][at], "metadata": body["metadatas"][at]});
                rows.insert(text(id), StoredChunk { vector: numbers(&body["embeddings"][at]), data });
            }
        }
        ("POST", ["delete"]) => drop(remove(rows, &body["ids"])),
        ("POST", ["query"]) => {
            let fits = |row: &StoredChunk| fits(&row.data["metadata"], &body["where"]);
            let found = nearest(rows, &body["query_embeddings"][0], &body["n_results"], fits);
            let column = |name: &str| found.iter().map(|(_, row)| row.data[name].clone()).collect::<Vec<_>>();
            let distances: Vec<f32> = found.iter().map(|(score, _)| 1.0 - score).collect();
            return Ok(
                json!({"documents": [column("document")], "metadatas": [column("metadata")], "distances": [distances]}),
            );
        }
        _ => return Err(405),
    }
    Ok(json!({}))
}

/// A filter in the words that Chroma and Pinecone share.
fn fits(metadata: &Value, filter: &Value) -> bool {
    let empty = Map::new();
    filter.as_object().unwrap_or(&empty).iter().all(|(key, wanted)| match key.as_str() {
        "$and" => list(wanted).iter().all(|filter| fits(metadata, filter)),
        "$or" => list(wanted).iter().any(|filter| fits(metadata, filter)),
        key if wanted["$exists"] == false => metadata.get(key).is_none(),
        key if wanted.get("$ne").is_some() => metadata[key] != wanted["$ne"],
        key if wanted["$in"].is_array() => list(&wanted["$in"]).contains(&metadata[key]),
        key => metadata[key] == *wanted,
    })
}

fn put_pinecone(rows: &mut Rows, body: &Value) -> Value {
    assert_eq!(body["namespace"], "ours");
    for vector in list(&body["vectors"]) {
        let row = StoredChunk { vector: numbers(&vector["values"]), data: vector["metadata"].clone() };
        rows.insert(text(&vector["id"]), row);
    }
    json!({"upsertedCount": list(&body["vectors"]).len()})
}

fn query_pinecone(rows: &Rows, body: &Value) -> Value {
    assert_eq!(body["namespace"], "ours");
    let found = nearest(rows, &body["vector"], &body["topK"], |row| fits(&row.data, &body["filter"]));
    let matches = found.iter().map(|(score, row)| {
        let mut found = json!({"id": "1", "score": score, "metadata": row.data});
        if body["includeValues"] == true {
            found["values"] = json!(row.vector);
        }
        found
    });
    json!({"matches": matches.collect::<Vec<_>>()})
}
