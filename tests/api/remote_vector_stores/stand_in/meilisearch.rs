//! Indexes of Meilisearch, whose changes are made later.

use super::{RecordedRequest, State, StoredChunk, list, nearest, numbers, text};
use serde_json::{Value, json};

pub(crate) fn answer(state: &mut State, parts: &[&str], request: &RecordedRequest) -> Result<Value, u16> {
    let body = &request.body;
    match (request.method.as_str(), parts) {
        ("GET", ["tasks", task]) => {
            let name = format!("task {task}");
            let before = state.told.insert(name, json!(true)).unwrap();
            let status = if before == true { "succeeded" } else { "processing" };
            return Ok(json!({"uid": task.parse::<u64>().unwrap(), "indexUid": "books", "status": status,
                "type": "documentAdditionOrUpdate", "enqueuedAt": "2024-05-01T12:00:00.000001Z"}));
        }
        ("GET", ["indexes", index, "settings"]) => return state.told.get(*index).cloned().ok_or(404),
        ("POST", ["indexes", index, "search"]) => return search(state, index, body),
        ("POST", ["indexes"]) => {
            assert_eq!(body["primaryKey"], "objectID");
            state.told.insert(text(&body["uid"]), json!({"embedders": {}, "filterableAttributes": []}));
            state.rows.entry(text(&body["uid"])).or_default();
        }
        ("DELETE", ["indexes", index]) => {
            state.told.remove(*index);
            state.rows.remove(*index);
        }
        ("PATCH", ["indexes", index, "settings", "embedders"]) => {
            state.told.get_mut(*index).ok_or(404_u16)?["embedders"] = body.clone();
        }
        ("PUT", ["indexes", index, "settings", "filterable-attributes"]) => {
            state.told.get_mut(*index).ok_or(404_u16)?["filterableAttributes"] = body.clone();
        }
        ("POST", ["indexes", index, "documents"]) => {
            let told = state.told.get(*index).ok_or(404_u16)?;
            let (embedder, _) = told["embedders"].as_object().unwrap().iter().next().unwrap();
            let rows = state.rows.get_mut(*index).unwrap();
            for document in list(body) {
                let own = &document["_vectors"][embedder];
                assert_eq!(own["regenerate"], false);
                let row = StoredChunk { vector: numbers(&own["embeddings"]), data: document.clone() };
                rows.insert(text(&document["objectID"]), row);
            }
        }
        ("POST", ["indexes", index, "documents", "delete-batch"]) => {
            let rows = state.rows.get_mut(*index).ok_or(404_u16)?;
            list(body).iter().for_each(|name| drop(rows.remove(name.as_str().unwrap())));
        }
        _ => return Err(405),
    }
    let task = state.told.len();
    state.told.insert(format!("task {task}"), json!(false));
    Ok(json!({"taskUid": task, "indexUid": "books", "status": "enqueued", "type": "documentAdditionOrUpdate",
        "enqueuedAt": "2024-05-01T12:00:00.000001Z"}))
}

fn search(state: &State, index: &str, body: &Value) -> Result<Value, u16> {
    let told = state.told.get(index).ok_or(404_u16)?;
    let embedder = body["hybrid"]["embedder"].as_str().unwrap();
    assert!(
        told["embedders"][embedder].is_object() && body["q"].is_string() && body["showRankingScore"] == true
    );
    let fits = |row: &StoredChunk| list(&body["filter"]).iter().all(|wanted| holds(&row.data, wanted));
    let found = nearest(&state.rows[index], &body["vector"], &body["limit"], fits);
    let hits = found.iter().map(|(score, row)| {
        let mut hit = row.data.clone();
        hit.as_object_mut().unwrap().remove("_vectors");
        hit["_rankingScore"] = json!(score);
        hit
    });
    Ok(json!({"hits": hits.collect::<Vec<_>>()}))
}

/// A list within the list holds when one of it does.
fn holds(document: &Value, wanted: &Value) -> bool {
    if let Value::Array(any) = wanted {
        return any.iter().any(|wanted| holds(document, wanted));
    }
    wanted.as_str().unwrap().split(" AND ").all(|condition| {
        let held = |field: &str| {
            let path = format!("/{}", field.trim_matches('"').replace('.', "/"));
            document.pointer(&path).cloned().unwrap_or_default()
        };
        if let Some(field) = condition.strip_suffix(" NOT EXISTS") {
            return held(field).is_null();
        }
        let (field, value) = condition.split_once(" = ").unwrap();
        let held = held(field);
        let held = held.as_str().map_or_else(|| held.to_string(), str::to_owned);
        held == value.trim_matches('"')
    })
}
