//! State: the keys that all members of a run read and write beside the messages.

use crate::domain::error::Result;
use crate::kit::build::code::{Code, code_error};
use crate::kit::members::table_or_code::{MemberCode, TableOrCode};
use crate::kit::members::{Member, StateKey, fault};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Risk};
use serde_json::{Map, Value};

const FORM: &str = "stateMemory";
const ROWS: &str = "stateMemoryUI";
const CODE: &str = "stateMemoryCode";

pub(crate) const CARD: Card = Card {
    name: "seqState",
    label: "State",
    version: 2.0,
    category: Category::SequentialAgents,
    description: "What the members of the flow remember together.",
    base_classes: &["State"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        Input::choice(FORM, "State By", &[Choice::new(ROWS, "Table"), Choice::new(CODE, "Code")])
            .or(ROWS)
            .tab("selectedStateTab")
            .additional(),
        Input::rows(
            ROWS,
            "State (Table)",
            &[
                Input::text("key", "Key"),
                Input::choice(
                    "type",
                    "Operation",
                    &[Choice::new("Replace", "Replace"), Choice::new("Append", "Append")],
                )
                .or("Replace"),
                Input::text("defaultValue", "Default Value").optional(),
            ],
        )
        .additional(),
        Input::code(CODE, "State (Code)").additional().help(
            "Returns an object: for each key a default, or {value: (old, new) => …, default: () => …}.",
        ),
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        Ok(Member::State(match TableOrCode::from_inputs(inputs, FORM, (ROWS, CODE))? {
            TableOrCode::Code(code) => keys_of_code(inputs, &code)?,
            TableOrCode::Table(rows) => rows.iter().filter_map(key_of_row).collect(),
        }))
    }),
};

fn key_of_row(row: &Map<String, Value>) -> Option<StateKey> {
    let name = row.get("key")?.as_str()?.trim().to_owned();
    let appends = row.get("type").and_then(Value::as_str) == Some("Append");
    let default = row.get("defaultValue").cloned().unwrap_or_default();
    (!name.is_empty()).then(|| StateKey {
        name,
        appends,
        default: if appends { list(default) } else { default },
    })
}

/// What an appending key begins with is a list, which may be written as JSON.
fn list(default: Value) -> Value {
    match default {
        Value::Array(_) => default,
        Value::Null => Value::Array(Vec::new()),
        Value::String(text) if text.trim().is_empty() => Value::Array(Vec::new()),
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(list @ Value::Array(_)) => list,
            _ => Value::Array(vec![text.into()]),
        },
        other => Value::Array(vec![other]),
    }
}

/// The owner's code gives functions, which cannot leave the engine of scripts: what they do is found out there. One that makes
/// one list of two appends.
const BEFORE: &str = "const declared = await (async () => {\n";
const BEHIND: &str = "\n})();
const keys = [];
for (const [name, key] of Object.entries(declared ?? {})) {
  const isDeclared = key !== null && typeof key === 'object' && !Array.isArray(key) && ('default' in key || typeof key.value === 'function');
  const joins = isDeclared && typeof key.value === 'function' ? key.value(['a'], ['b']) : null;
  const given = isDeclared ? key.default : key;
  keys.push({ name, appends: Array.isArray(joins) && joins.length === 2, value: typeof given === 'function' ? given() : given });
}
return { keys };";

fn keys_of_code(inputs: &Inputs<'_>, code: &MemberCode) -> Result<Vec<StateKey>> {
    let source = format!("{BEFORE}{}{BEHIND}", code.source);
    let runner = code.runner.of(inputs.host)?;
    let returned = runner
        .run_code(&Code::new(inputs.label, &source, Map::new()))
        .map_err(|error| code_error(inputs.label, &error))?;
    let rows = returned.get("keys").and_then(Value::as_array);
    let key = |row: &Value| {
        let appends = row["appends"] == true;
        let value = row.get("value").cloned().unwrap_or_default();
        let name = row["name"].as_str()?.to_owned();
        Some(StateKey { name, appends, default: if appends { list(value) } else { value } })
    };
    let keys = rows.and_then(|rows| rows.iter().map(key).collect());
    keys.ok_or_else(|| fault(inputs.label, "the code of the state must return an object"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_become_keys_that_replace_or_append() {
        let key = |row: Value| key_of_row(row.as_object().unwrap());
        let kept = key(json!({"key": " next ", "type": "Replace", "defaultValue": ""})).unwrap();
        assert_eq!((kept.name.as_str(), kept.appends, kept.default), ("next", false, json!("")));
        for (default, list) in
            [(json!(""), json!([])), (json!("[\"a\"]"), json!(["a"])), (json!("a"), json!(["a"]))]
        {
            assert_eq!(
                key(json!({"key": "k", "type": "Append", "defaultValue": default})).unwrap().default,
                list
            );
        }
        assert!(key(json!({"key": " "})).is_none());
    }
}
