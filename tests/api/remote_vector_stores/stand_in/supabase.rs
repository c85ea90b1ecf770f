//! A table of Supabase and the function that finds in it.

use super::{RecordedRequest, State, StoredChunk, list, nearest, numbers};
use serde_json::{Value, json};

pub(crate) fn answer(state: &mut State, parts: &[&str], request: &RecordedRequest) -> Result<Value, u16> {
    let body = &request.body;
    let rows = state.rows.entry("documents".to_owned()).or_default();
    match (request.method.as_str(), parts) {
        ("POST", ["rest", "v1", "documents"]) => {
            let prefer = request.header("prefer").unwrap();
            assert!(prefer.contains("resolution=merge-duplicates") && prefer.contains("return=minimal"));
            for row in list(body) {
                let data = json!({"content": row["content"], "metadata": row["metadata"]});
                rows.insert(row["id"].to_string(), StoredChunk { vector: numbers(&row["embedding"]), data });
            }
            Ok(Value::Null)
        }
        ("DELETE", ["rest", "v1", "documents"]) => {
            let path = request.path.replace("%28", "(").replace("%29", ")").replace("%2C", ",");
            let names = path.split_once("?id=in.(").unwrap().1.trim_end_matches(')');
            for name in names.split(',') {
                rows.remove(&json!(name).to_string()).or_else(|| rows.remove(name));
            }
            Ok(Value::Null)
        }
        ("POST", ["rest", "v1", "rpc", "match_documents"]) => {
            let fits = |row: &StoredChunk| {
                let wanted = body["filter"].as_object().into_iter().flatten();
                wanted.into_iter().all(|(key, value)| row.data["metadata"][key] == *value)
            };
            let most = if body["match_count"].is_null() { &json!(1000) } else { &body["match_count"] };
            let found = nearest(rows, &body["query_embedding"], most, fits);
            let rows = found.iter().map(|(near, row)| {
                let mut found = row.data.clone();
                found["similarity"] = json!(near);
                // The database writes a vector as a text.
                found["embedding"] = json!(json!(row.vector).to_string());
                found
            });
            Ok(rows.collect())
        }
        _ => Err(404),
    }
}
