//! Classes of Weaviate, and the language in which they are asked.

use super::{RecordedRequest, State, StoredChunk, list, numbers, similarity, text};
use serde_json::{Map, Value, json};

pub(crate) fn answer(state: &mut State, parts: &[&str], request: &RecordedRequest) -> Result<Value, u16> {
    let body = &request.body;
    match (request.method.as_str(), parts) {
        ("GET", ["v1", "schema", class]) => state.told.get(*class).cloned().ok_or(404),
        ("POST", ["v1", "schema"]) => {
            assert_eq!(
                (&body["vectorizer"], &body["vectorIndexConfig"]["distance"]),
                (&json!("none"), &json!("cosine"))
            );
            assert_eq!(body["invertedIndexConfig"]["indexNullState"], true);
            state.told.insert(text(&body["class"]), body.clone());
            Ok(body.clone())
        }
        ("POST", ["v1", "batch", "objects"]) => Ok(put(state, body)),
        ("DELETE", ["v1", "batch", "objects"]) => {
            let which = &body["match"]["where"];
            assert_eq!((&which["path"], &which["operator"]), (&json!(["id"]), &json!("ContainsAny")));
            let rows = state.rows.get_mut(body["match"]["class"].as_str().unwrap()).ok_or(404_u16)?;
            for name in list(&which["valueTextArray"]) {
                rows.remove(name.as_str().unwrap());
            }
            Ok(json!({"results": {"failed": 0, "matches": 1, "successful": 1}}))
        }
        ("POST", ["v1", "graphql"]) => {
            let question = body["query"].as_str().unwrap();
            Ok(ask(state, question).unwrap_or_else(|why| json!({"data": null, "errors": [{"message": why}]})))
        }
        _ => Err(405),
    }
}

fn put(state: &mut State, body: &Value) -> Value {
    let mut stored = Vec::new();
    for object in list(&body["objects"]) {
        let class = text(&object["class"]);
        let told = state.told.get_mut(&class).unwrap();
        let named = told["vectorConfig"].as_object().and_then(|named| named.keys().next().cloned());
        let vector = named.map_or_else(|| &object["vector"], |name| &object["vectors"][name]);
        let properties = object["properties"].as_object().unwrap();
        let known = told["properties"].as_array_mut().unwrap();
        for (name, value) in properties {
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
            let kind = if value.is_number() { "number" } else { "text" };
            if !known.iter().any(|property| property["name"] == name.as_str()) {
                known.push(json!({"name": name, "dataType": [kind]}));
            }
        }
        let row = StoredChunk { vector: numbers(vector), data: Value::Object(properties.clone()) };
        state.rows.entry(class).or_default().insert(text(&object["id"]), row);
        stored.push(json!({"id": object["id"], "result": {"status": "SUCCESS"}}));
    }
    Value::Array(stored)
}

fn ask(state: &State, question: &str) -> Result<Value, String> {
    let mut rest = question;
    for word in ["{", "Get", "{"] {
        rest = rest.trim_start().strip_prefix(word).ok_or("Syntax Error")?;
    }
    let (class, rest) = rest.trim_start().split_once('(').ok_or("Syntax Error")?;
    let mut reader = Reader(rest);
    let arguments = reader.entries(')')?;
    let fields = reader.0.trim().strip_prefix('{').ok_or("Syntax Error")?;
    let (asked, more) = fields.split_once("_additional").ok_or("Syntax Error")?;
    let levels = |bracket| more.matches(bracket).count();
    if levels('}') != levels('{') + 3 {
        return Err("Syntax Error: brackets".to_owned());
    }
    let told = state.told.get(class).ok_or_else(|| format!("Cannot query field \"{class}\""))?;
    let known = |name: &str| list(&told["properties"]).iter().any(|property| property["name"] == name);
    let asked: Vec<&str> = asked.split_whitespace().collect();
    if let Some(strange) = asked.iter().find(|name| !known(name)) {
        return Err(format!("Cannot query field \"{strange}\" on type \"{class}\"."));
    }
    let is_hybrid = arguments.get("hybrid").is_some();
    let near = if is_hybrid { &arguments["hybrid"] } else { &arguments["nearVector"] };
    assert!(!is_hybrid || near["query"].is_string());
    let named = told["vectorConfig"].as_object().and_then(|named| named.keys().next());
    assert_eq!(near.get("targetVectors").map(|names| &names[0]), named.map(|name| json!(name)).as_ref());
    let vector = numbers(&near["vector"]);
    let none = Value::Null;
    let filter = arguments.get("where").unwrap_or(&none);
    let rows = state.rows.get(class).into_iter().flatten().map(|(_, row)| row);
    let mut found: Vec<(f32, &StoredChunk)> = rows
        .filter(|row| filter.is_null() || fits(&row.data, filter))
        .map(|row| (similarity(&row.vector, &vector), row))
        .collect();
    found.sort_by(|one, other| other.0.total_cmp(&one.0));
    found.truncate(usize::try_from(arguments["limit"].as_u64().unwrap()).unwrap());
    let objects = found.iter().map(|(near, row)| {
        let mut object: Map<String, Value> =
            asked.iter().map(|name| ((*name).to_owned(), row.data[*name].clone())).collect();
        let mut told = json!({"id": "1"});
        told[if is_hybrid { "score" } else { "distance" }] =
            if is_hybrid { json!(near.to_string()) } else { json!(1.0 - near) };
        if let Some(name) = named.filter(|_| more.contains("vectors {")) {
            told["vectors"] = json!({ name: row.vector });
        } else if more.contains(" vector") {
            told["vector"] = json!(row.vector);
        }
        object.insert("_additional".to_owned(), told);
        Value::Object(object)
    });
    Ok(json!({"data": {"Get": {class: objects.collect::<Vec<_>>()}}}))
}

fn fits(properties: &Value, filter: &Value) -> bool {
    let operands = || list(&filter["operands"]).iter().map(|filter| fits(properties, filter));
    let held = || &properties[filter["path"][0].as_str().unwrap()];
    match filter["operator"].as_str().unwrap() {
        "And" => operands().all(|fits| fits),
        "Or" => operands().any(|fits| fits),
        "IsNull" => held().is_null() == (filter["valueBoolean"] == true),
        "Equal" => {
            let values = ["valueText", "valueNumber", "valueInt", "valueBoolean"];
            let wanted = values.iter().find_map(|name| filter.get(*name)).unwrap();
            held() == wanted
        }
        other => panic!("{other}"),
    }
}

/// Values as a question has them: names stand without quotes.
struct Reader<'q>(&'q str);

impl Reader<'_> {
    fn skip(&mut self) {
        self.0 = self.0.trim_start_matches([' ', ',', '\n']);
    }

    /// Names and values up to a bracket.
    fn entries(&mut self, end: char) -> Result<Value, String> {
        let mut map = Map::new();
        loop {
            self.skip();
            if let Some(rest) = self.0.strip_prefix(end) {
                self.0 = rest;
                return Ok(Value::Object(map));
            }
            let name = self.name()?;
            self.0 = self.0.trim_start().strip_prefix(':').ok_or("Syntax Error: expected a colon")?;
            let value = self.value()?;
            map.insert(name, value);
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let end = self.0.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at(end);
        self.0 = rest;
        if name.is_empty() { Err("Syntax Error: expected a name".to_owned()) } else { Ok(name.to_owned()) }
    }

    fn value(&mut self) -> Result<Value, String> {
        self.0 = self.0.trim_start();
        if let Some(rest) = self.0.strip_prefix('{') {
            self.0 = rest;
            return self.entries('}');
        }
        if let Some(rest) = self.0.strip_prefix('[') {
            self.0 = rest;
            let mut all = Vec::new();
            loop {
                self.skip();
                if let Some(rest) = self.0.strip_prefix(']') {
                    self.0 = rest;
                    return Ok(Value::Array(all));
                }
                all.push(self.value()?);
            }
        }
        if self.0.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let word = self.name()?;
            return Ok(serde_json::from_str(&word).unwrap_or(Value::String(word)));
        }
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        if self.0.starts_with(is_number) {
            let end = self.0.find(|c| !is_number(c)).unwrap_or(self.0.len());
            let (number, rest) = self.0.split_at(end);
            self.0 = rest;
            return serde_json::from_str(number).map_err(|error| format!("Syntax Error: {error}"));
        }
        let mut stream = serde_json::Deserializer::from_str(self.0).into_iter::<Value>();
        let value = stream.next().and_then(Result::ok).ok_or("Syntax Error: expected a value")?;
        self.0 = &self.0[stream.byte_offset()..];
        Ok(value)
    }
}
