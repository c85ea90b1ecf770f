//! Supabase: chunks in a table of a Supabase project, found by a function of its database.

mod calls;

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::mmr::{FETCH_K, LAMBDA, SEARCH_TYPE};
use crate::kit::stores::remote::{
    RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase, VectorSearch, endpoint,
    filter, malformed_answer, missing_input, outputs, path_name,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Output, Risk, ScoredChunk};
use crate::llm::{Endpoint, ModelError};
use crate::net::Method;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use uuid::Uuid;

const CLASSES: &[&str] = &["Supabase", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Supabase", "VectorStore"], ["Supabase Retriever", "Supabase Vector Store"]);
/// Names in one address.
const NAMES_AT_ONCE: usize = 100;
/// What the database answers when a name is not of the type of its column.
const WRONG_TYPE: &str = "invalid input syntax for type";

pub(crate) const CARD: Card = Card {
    name: "supabase",
    label: "Supabase",
    version: 4.0,
    category: Category::VectorStores,
    description: "Stores chunks in a table of Supabase and finds them by a function of its database. Both must exist.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        Input::credential(&["supabaseApi"]),
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        Input::address("supabaseProjUrl", "Supabase Project URL").help("Such as https://yours.supabase.co."),
        Input::text("tableName", "Table Name")
            .help("With the columns id, content, metadata (jsonb) and embedding (vector)."),
        Input::text("queryName", "Query Name")
            .help("A function that takes query_embedding, match_count and filter: match_documents"),
        Input::json("supabaseMetadataFilter", "Supabase Metadata Filter")
            .additional()
            .variables()
            .help("Only chunks with this metadata are found."),
        Input::lines("supabaseRPCFilter", "Supabase RPC Filter")
            .additional()
            .help("Goes before the metadata filter: filter(\"metadata->a::int\", \"gt\", 5)"),
        TOP_K_INPUT,
        SEARCH_TYPE,
        FETCH_K,
        LAMBDA,
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let base =
            inputs.address("supabaseProjUrl").ok_or_else(|| missing_input(inputs, "supabaseProjUrl"))?;
        let key = inputs.secret("supabaseApiKey")?;
        let headers = [("apikey", key.clone()), ("authorization", format!("Bearer {key}"))];
        let reading = endpoint(inputs, &base, &headers);
        let mut writing = reading.clone();
        let replacing = "return=minimal,resolution=merge-duplicates";
        writing.headers.push(("prefer".to_owned(), replacing.to_owned()));
        let (table, table_in_path) = path_name(inputs, "tableName")?;
        let (_, function) = path_name(inputs, "queryName")?;
        let calls = inputs.optional_text("supabaseRPCFilter").unwrap_or_default();
        let calls = calls::parse(&calls).ok_or_else(|| {
            inputs.input_error(
                "supabaseRPCFilter",
                "this must be calls such as filter(\"metadata->>a\", \"eq\", \"b\")",
            )
        })?;
        let supabase = Supabase {
            reading,
            writing,
            table: table_in_path,
            function,
            filter: filter(inputs, "supabaseMetadataFilter")?,
            calls,
            by_number: AtomicBool::new(false),
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, table, supabase)?))
    }),
};

struct Supabase {
    reading: Endpoint,
    /// As `reading`, and what is there under a name is replaced.
    writing: Endpoint,
    /// As they stand in a path.
    table: String,
    function: String,
    filter: Option<Map<String, Value>>,
    /// The owner's calls, as pairs of a query.
    calls: Vec<(String, String)>,
    /// The table names its rows by numbers.
    by_number: AtomicBool,
}

/// A name as a number, for tables that number their rows. Programs in JavaScript read it without loss.
fn number(name: Uuid) -> u64 {
    const BITS: u32 = 53;
    name.as_u64_pair().0 >> (u64::BITS - BITS)
}

impl Supabase {
    /// Does something by the names of rows, which older tables have as numbers.
    fn by_row_id(
        &self,
        work: impl Fn(&dyn Fn(Uuid) -> Value) -> Result<(), ModelError>,
    ) -> Result<(), ModelError> {
        let by_number = || work(&|name| number(name).into());
        if self.by_number.load(Ordering::Relaxed) {
            return by_number();
        }
        match work(&|name| json!(name)) {
            Err(ModelError::Provider { status: 400, message })
                if message.contains(WRONG_TYPE) && message.contains("int") =>
            {
                self.by_number.store(true, Ordering::Relaxed);
                by_number()
            }
            done => done,
        }
    }
}

impl VectorDatabase for Supabase {
    type Error = ModelError;

    /// Nobody makes tables from outside.
    fn prepare(&self, _: usize, _: &CancelToken) -> Result<(), ModelError> {
        Ok(())
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), ModelError> {
        self.by_row_id(|id| {
            let row = |row: &RemoteChunk<'_>| {
                json!({"id": id(row.name), "content": row.chunk.page_content, "metadata": row.chunk.metadata,
                    "embedding": row.vector})
            };
            let body: Value = rows.iter().map(row).collect();
            let path = format!("/rest/v1/{}", self.table);
            self.writing.send_json(&Method::POST, &path, Some(&body), cancel).map(drop)
        })
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), ModelError> {
        names.chunks(NAMES_AT_ONCE).try_for_each(|some| {
            self.by_row_id(|id| {
                let all: Vec<String> =
                    some.iter().map(|name| id(*name).to_string().replace('"', "")).collect();
                let path = format!("/rest/v1/{}?id=in.({})", self.table, all.join(","));
                self.writing.send_json(&Method::DELETE, &path, None, cancel).map(drop)
            })
        })
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, ModelError> {
        let mut body = json!({"query_embedding": search.vector});
        let mut reading = self.reading.clone();
        let own = self.filter.as_ref().filter(|_| self.calls.is_empty());
        let more = search.filter.and_then(Value::as_object);
        let wanted: Map<String, Value> =
            own.into_iter().chain(more).flatten().map(|(key, value)| (key.clone(), value.clone())).collect();
        if !wanted.is_empty() {
            body["filter"] = Value::Object(wanted);
        }
        if self.calls.is_empty() {
            body["match_count"] = search.most.into();
        } else {
            // What the function gives is filtered afterwards, so it must not stop before that.
            reading.query.clone_from(&self.calls);
            reading.query.push(("limit".to_owned(), search.most.to_string()));
        }
        let path = format!("/rest/v1/rpc/{}", self.function);
        let answer = reading.send_json(&Method::POST, &path, Some(&body), cancel)?;
        let rows = answer.as_array().ok_or_else(malformed_answer)?;
        let found = |row: &Value| {
            let page_content = row["content"].as_str()?.to_owned();
            let metadata = row["metadata"].as_object().cloned().unwrap_or_default();
            let score = row["similarity"].as_f64()? as f32;
            let chunk = Document { page_content, metadata };
            Some(RemoteHit::new(ScoredChunk { chunk, score }, row))
        };
        let mut all = Vec::with_capacity(rows.len());
        for row in rows {
            let found = found(row).ok_or_else(malformed_answer)?;
            all.push(if search.with_vectors { found.with_vector(vector(row)?) } else { found });
        }
        Ok(all)
    }
}

/// The vector of a row, as a list or as the text of one.
fn vector(row: &Value) -> Result<Vec<f32>, ModelError> {
    let vector = match &row["embedding"] {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => serde_json::from_value(other.clone()).ok(),
    };
    vector.ok_or_else(|| {
        ModelError::Settings(
            "the function of the Query Name gives no column 'embedding', which a search by Max Marginal Relevance needs"
                .into(),
        )
    })
}
