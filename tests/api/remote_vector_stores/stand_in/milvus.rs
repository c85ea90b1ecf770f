//! Collections of Milvus, as its interface for HTTP has them in version 2.

use super::{RecordedRequest, Rows, State, StoredChunk, list, nearest, numbers, text};
use serde_json::{Value, json};

pub(crate) fn answer(state: &mut State, parts: &[&str], request: &RecordedRequest) -> Result<Value, u16> {
    assert_eq!(request.method, "POST");
    let ["v2", "vectordb", room, what] = parts else { return Err(404) };
    let body = &request.body;
    let name = text(&body["collectionName"]);
    let data = match (*room, *what) {
        ("collections", "has") => json!({"has": state.told.contains_key(&name)}),
        ("collections", "describe") => state.told.get(&name).cloned().ok_or(404_u16)?,
        ("collections", "create") => {
            state.told.insert(name, describe_collection(body));
            json!({})
        }
        ("collections", "load") => {
            state.told.get_mut(&name).unwrap()["load"] = json!("LoadStateLoading");
            json!({})
        }
        ("collections", "get_load_state") => {
            let before = state.told.get_mut(&name).unwrap()["load"].take();
            state.told.get_mut(&name).unwrap()["load"] = json!("LoadStateLoaded");
            json!({"loadState": before, "loadProgress": 50})
        }
        ("partitions", "has") => json!({"has": state.told.contains_key(&partition(body))}),
        ("partitions", "create") => {
            state.told.insert(partition(body), json!({}));
            json!({})
        }
        ("entities", "insert" | "upsert") => put(state, &name, what, body),
        ("entities", "delete") => {
            let (_, names) = body["filter"].as_str().unwrap().split_once(" in ").unwrap();
            let rows = state.rows.get_mut(&name).unwrap();
            for name in serde_json::from_str::<Vec<String>>(names).unwrap() {
                rows.remove(&name);
            }
            json!({})
        }
        ("entities", "search") => {
            let told = &state.told[&name];
            assert_eq!(told["load"], "LoadStateLoaded", "who searches loads first");
            assert_eq!(body["outputFields"], json!(["*"]));
            let none = Rows::new();
            let fits = |row: &StoredChunk| holds(&row.data, body["filter"].as_str().unwrap());
            let rows = state.rows.get(&name).unwrap_or(&none);
            let found = nearest(rows, &body["data"][0], &body["limit"], fits);
            let by_distance = told["indexes"][0]["metricType"] == "L2";
            let entities = found.iter().map(|(near, row)| {
                let mut entity = row.data.clone();
                entity["distance"] = json!(if by_distance { 2.0 - 2.0 * near } else { *near });
                entity
            });
            entities.collect()
        }
        _ => return Err(404),
    };
    Ok(json!({"code": 0, "data": data}))
}

fn partition(body: &Value) -> String {
    format!("{}/{}", text(&body["collectionName"]), text(&body["partitionName"]))
}

/// A collection as it is described after it was made like this.
fn describe_collection(wanted: &Value) -> Value {
    let fields = list(&wanted["schema"]["fields"]).iter().map(|field| {
        let own = field["elementTypeParams"].as_object().into_iter().flatten();
        let params: Vec<Value> =
            own.map(|(key, value)| json!({"key": key, "value": value.to_string()})).collect();
        json!({"name": field["fieldName"], "type": field["dataType"], "primaryKey": field["isPrimary"] == true,
            "autoId": false, "params": params})
    });
    let fields: Vec<Value> = fields.collect();
    let dim = fields.iter().find(|field| field["type"] == "FloatVector").unwrap();
    assert_eq!(dim["params"][0], json!({"key": "dim", "value": "16"}));
    assert_eq!(wanted["indexParams"][0]["params"]["index_type"], "AUTOINDEX");
    json!({"fields": fields, "indexes": wanted["indexParams"], "load": "LoadStateLoaded",
        "enableDynamicField": wanted["schema"]["enableDynamicField"]})
}

fn put(state: &mut State, name: &str, what: &str, body: &Value) -> Value {
    let told = &state.told[name];
    let fields = list(&told["fields"]);
    let primary = fields.iter().find(|field| field["primaryKey"] == true).unwrap();
    assert_eq!(what == "insert", primary["autoId"] == true, "one replaces by names of one's own alone");
    let vector = fields.iter().find(|field| field["type"] == "FloatVector").unwrap();
    let rows = state.rows.entry(name.to_owned()).or_default();
    for entity in list(&body["data"]) {
        let names = entity.as_object().unwrap().keys();
        let is_known = |name: &&String| fields.iter().any(|field| field["name"] == name.as_str());
        let strange: Vec<&String> = names.filter(|name| !is_known(name)).collect();
        assert!(told["enableDynamicField"] == true || strange.is_empty(), "{strange:?}");
        let missing = fields
            .iter()
            .find(|field| field["autoId"] != true && entity[field["name"].as_str().unwrap()].is_null());
        assert!(missing.is_none(), "{missing:?}");
        let own = entity[primary["name"].as_str().unwrap()].as_str().map(str::to_owned);
        let own = own.unwrap_or_else(|| rows.len().to_string());
        rows.insert(
            own,
            StoredChunk { vector: numbers(&entity[vector["name"].as_str().unwrap()]), data: entity.clone() },
        );
    }
    json!({"upsertCount": list(&body["data"]).len()})
}

/// A filter, as far as such are written here.
fn holds(entity: &Value, filter: &str) -> bool {
    let filter = filter.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(filter);
    filter.is_empty()
        || filter.split(" and ").all(|condition| {
            let condition = condition.trim_matches(['(', ')']);
            if let Some((field, any)) = condition.split_once(" in ") {
                let any: Vec<Value> = serde_json::from_str(any).unwrap();
                return any.contains(&entity[field]);
            }
            let (field, value) = condition.split_once(" == ").unwrap();
            entity[field] == serde_json::from_str::<Value>(value).unwrap()
        })
}
