//! Vectors, rankings of chunks, and lists of models, as their providers write them.

use super::RecordedRequest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Numbers of a vector. They are few, so that a golden text can show them.
const DIMENSIONS: usize = 24;

/// The vector of a text: texts that share words are near.
pub fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    let lower = text.to_lowercase();
    for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let hash =
            word.bytes().fold(5381_usize, |hash, byte| hash.wrapping_mul(33).wrapping_add(byte.into()));
        vector[hash % DIMENSIONS] += 1.0;
    }
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    // A text without words is not nothing: no provider answers with a vector of zeros.
    if length == 0.0 {
        vector[0] = 1.0;
        return vector;
    }
    vector.iter().map(|number| number / length).collect()
}

/// How near two vectors are.
pub fn similarity(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn vector_of(value: &Value) -> Vec<f32> {
    vector(value.as_str().unwrap_or_default())
}

fn texts(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The answer to a request of one of these kinds.
pub fn answer(request: &RecordedRequest) -> Option<Value> {
    let path = request.path.split('?').next().unwrap_or_default();
    let body = &request.body;
    if path.ends_with("/v2/embed") {
        let vectors: Vec<_> = texts(&body["texts"]).map(vector_of).collect();
        let meta = json!({"billed_units": {"input_tokens": vectors.len() as f64}});
        Some(json!({"id": "e1", "embeddings": {"float": vectors}, "texts": body["texts"], "meta": meta}))
    } else if path.ends_with("/api/embed") {
        let vectors: Vec<_> = texts(&body["input"]).map(vector_of).collect();
        Some(json!({"model": body["model"], "embeddings": vectors, "prompt_eval_count": vectors.len()}))
    } else if path.ends_with("/embeddings") {
        Some(openai(body))
    } else if path.ends_with(":batchEmbedContents") {
        let vector = |request: &Value| json!({"values": vector_of(&request["content"]["parts"][0]["text"])});
        Some(json!({"embeddings": texts(&body["requests"]).map(vector).collect::<Vec<_>>()}))
    } else if path.ends_with("/feature-extraction") {
        Some(texts(&body["inputs"]).map(vector_of).collect())
    } else if path.ends_with("/invoke") && body["inputText"].is_string() {
        Some(json!({"embedding": vector_of(&body["inputText"]), "inputTextTokenCount": 3}))
    } else if path.ends_with("/invoke") {
        let vectors: Vec<_> = texts(&body["texts"]).map(vector_of).collect();
        Some(json!({"id": "e1", "embeddings": vectors, "response_type": "embeddings_floats"}))
    } else if path.ends_with(":predict") {
        let statistics = json!({"token_count": 3.0, "truncated": false});
        let values = |one: &Value| json!({"embeddings": {"values": vector_of(&one["content"]), "statistics": statistics}});
        Some(json!({"predictions": texts(&body["instances"]).map(values).collect::<Vec<_>>()}))
    } else if path.ends_with("/rerank") {
        Some(rerank_answer(body))
    } else {
        None
    }
}

/// The last comes first: the numbers say which is which.
fn openai(body: &Value) -> Value {
    let packed = body["encoding_format"] == "base64";
    let entry = |(index, text): (usize, &Value)| {
        let vector = vector_of(text);
        let embedding = if packed {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            json!(STANDARD.encode(bytes))
        } else {
            json!(vector)
        };
        json!({"object": "embedding", "index": index, "embedding": embedding})
    };
    let mut data: Vec<Value> = texts(&body["input"]).enumerate().map(entry).collect();
    data.reverse();
    let tokens = data.len();
    json!({"object": "list", "data": data, "model": body["model"],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens}})
}

/// Chunks by nearness to the query, under either name that providers have for the list.
fn rerank_answer(body: &Value) -> Value {
    let query = vector_of(&body["query"]);
    let score = |text: &Value| {
        let text = if text.is_string() { text } else { &text["text"] };
        similarity(&vector_of(text), &query)
    };
    let mut entries: Vec<(usize, f32)> =
        texts(&body["documents"]).enumerate().map(|(index, text)| (index, score(text))).collect();
    entries.sort_by(|a, b| b.1.total_cmp(&a.1));
    let most = body["top_n"].as_u64().or(body["top_k"].as_u64()).unwrap_or(u64::MAX);
    let entries = entries.into_iter().take(usize::try_from(most).unwrap_or(usize::MAX));
    let entries: Vec<Value> =
        entries.map(|(index, score)| json!({"index": index, "relevance_score": score})).collect();
    if body.get("top_k").is_some() {
        json!({"object": "list", "data": entries, "usage": {"total_tokens": 7}})
    } else {
        json!({"id": "r1", "results": entries, "meta": {"billed_units": {"search_units": 1}}})
    }
}

/// The models that a stand-in has, as each provider lists them.
pub fn models(request: &RecordedRequest) -> Option<Value> {
    if request.method != "GET" {
        return None;
    }
    let path = request.path.split('?').next().unwrap_or_default();
    let of_cohere = request.path.contains("endpoint=");
    if path.ends_with("/v1beta/models") {
        Some(json!({"models": [
            {"name": "models/gemini-theirs", "displayName": "Gemini of Theirs", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/embedding-theirs", "supportedGenerationMethods": ["embedContent"]},
        ]}))
    } else if path.ends_with("/api/tags") {
        Some(json!({"models": [{"name": "theirs:8b", "size": 7}]}))
    } else if path.ends_with("/models") && of_cohere {
        Some(json!({"models": [{"name": "theirs", "endpoints": ["chat"]}]}))
    } else if path.ends_with("/models") && request.header("anthropic-version").is_some() {
        Some(json!({"data": [{"id": "claude-theirs", "display_name": "Claude of Theirs", "type": "model"}]}))
    } else if path.ends_with("/models") {
        let models = ["theirs", "gpt-4o", "embed-theirs", "whisper-1"];
        Some(json!({"object": "list", "data": models.map(|id| json!({"id": id, "object": "model"}))}))
    } else {
        None
    }
}
