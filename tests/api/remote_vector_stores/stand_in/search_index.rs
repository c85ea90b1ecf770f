//! Indexes of Elasticsearch and OpenSearch.

use super::{RecordedRequest, State, StoredChunk, list, numbers, text};
use serde_json::{Value, json};

pub(crate) fn answer(
    state: &mut State,
    card: &str,
    parts: &[&str],
    request: &RecordedRequest,
) -> Result<Value, u16> {
    match (request.method.as_str(), parts) {
        ("GET", [index, "_mapping"]) => {
            let told = state.told.get(*index).ok_or(404_u16)?;
            Ok(json!({"behind-the-alias": {"mappings": told["mappings"]}}))
        }
        ("PUT", [index]) => {
            let wanted = &request.body;
            let field = &wanted["mappings"]["properties"]["embedding"];
            if card == "elasticsearch" {
                assert_eq!(
                    *field,
                    json!({"type": "dense_vector", "dims": 16, "index": true, "similarity": "l2_norm"})
                );
                assert!(wanted.get("settings").is_none());
            } else {
                assert_eq!((&field["type"], &field["dimension"]), (&json!("knn_vector"), &json!(16)));
                assert_eq!(wanted["settings"]["index"]["knn"], true);
            }
            state.told.insert((*index).to_owned(), wanted.clone());
            Ok(json!({"acknowledged": true, "index": index}))
        }
        ("POST" | "PUT", [index, "_bulk"]) => {
            assert!(request.path.ends_with("?refresh=true"), "what is stored is found at once");
            // A single line reads as plain JSON.
            let line = format!("{}\n", request.body).into_bytes();
            let bytes = if request.bytes.is_empty() { &line } else { &request.bytes };
            assert!(bytes.ends_with(b"\n"), "a server takes no last line without its end");
            Ok(bulk(state, index, bytes))
        }
        ("POST", [index, "_search"]) => search(state, index, &request.body),
        _ => Err(405),
    }
}

fn bulk(state: &mut State, index: &str, bytes: &[u8]) -> Value {
    let rows = state.rows.entry(index.to_owned()).or_default();
    let lines = std::str::from_utf8(bytes).unwrap().lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut items = Vec::new();
    while let Some(action) = lines.next() {
        if action["index"].is_object() {
            let mut data = lines.next().unwrap();
            let vector = numbers(&data["embedding"]);
            data.as_object_mut().unwrap().remove("embedding");
            rows.insert(text(&action["index"]["_id"]), StoredChunk { vector, data });
            items.push(json!({"index": {"_id": action["index"]["_id"], "status": 201, "result": "created"}}));
        } else {
            let was = rows.remove(action["delete"]["_id"].as_str().unwrap());
            let status = if was.is_some() { 200 } else { 404 };
            items.push(json!({"delete": {"_id": action["delete"]["_id"], "status": status}}));
        }
    }
    json!({"took": 1, "errors": false, "items": items})
}

fn search(state: &State, index: &str, body: &Value) -> Result<Value, u16> {
    let rows = state.rows.get(index).ok_or(404_u16)?;
    let most = body["size"].as_u64().unwrap();
    let (vector, filter) = if body["knn"].is_object() {
        let knn = &body["knn"];
        assert!(
            knn["field"] == "embedding" && knn["k"] == most && knn["num_candidates"].as_u64() >= Some(most)
        );
        (&knn["query_vector"], &knn["filter"])
    } else if body["query"]["script_score"].is_object() {
        let scored = &body["query"]["script_score"];
        assert_eq!(
            (&scored["script"]["lang"], &scored["script"]["source"]),
            (&json!("knn"), &json!("knn_score"))
        );
        assert_eq!(scored["script"]["params"]["field"], "embedding");
        (&scored["script"]["params"]["query_value"], &scored["query"])
    } else {
        let knn = &body["query"]["knn"]["embedding"];
        assert_eq!(knn["k"], most);
        (&knn["vector"], &knn["filter"])
    };
    let vector = numbers(vector);
    let away = |row: &StoredChunk| row.vector.iter().zip(&vector).map(|(a, b)| (a - b).powi(2)).sum::<f32>();
    let fitting = rows.values().filter(|row| fits(&row.data, filter));
    let mut found: Vec<(f32, &StoredChunk)> = fitting.map(|row| (1.0 / (1.0 + away(row)), row)).collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(usize::try_from(most).unwrap());
    let hits: Vec<Value> =
        found.iter().map(|(score, row)| json!({"_id": "1", "_score": score, "_source": row.data})).collect();
    Ok(json!({"hits": {"total": {"value": hits.len()}, "hits": hits}}))
}

/// A question of this language, as far as it is asked here.
fn fits(document: &Value, query: &Value) -> bool {
    let at = |field: &Value| {
        let path = format!("/{}", field.as_str().unwrap().replace('.', "/"));
        document.pointer(&path).cloned().unwrap_or_default()
    };
    if query["term"].is_object() {
        let (field, wanted) = query["term"].as_object().unwrap().iter().next().unwrap();
        return at(&json!(field)) == *wanted;
    }
    if query["exists"].is_object() {
        return !at(&query["exists"]["field"]).is_null();
    }
    let parts = query["bool"].as_object().unwrap();
    parts.iter().all(|(kind, wanted)| match kind.as_str() {
        "filter" => list(wanted).iter().all(|wanted| fits(document, wanted)),
        "should" => list(wanted).iter().any(|wanted| fits(document, wanted)),
        "must_not" => !fits(document, wanted),
        "minimum_should_match" => *wanted == 1,
        other => panic!("{other}"),
    })
}
