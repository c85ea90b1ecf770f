//! JSON schemas of kept questions: the words of the standard that say something of one value, and references within the schema.

use regex::Regex;
use serde_json::{Map, Value};

/// How deep a value and its schema are followed; deeper counts as fitting, so that a schema that names itself ends.
const DEPTH_MAX: usize = 64;

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];
/// What holds schemas by name.
const MAPS: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];
/// What holds one schema.
const SCHEMAS: [&str; 4] = ["items", "additionalProperties", "not", "contains"];
/// What holds a list of schemas.
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const COUNTS: [&str; 6] =
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// What is wrong with a schema, if anything; the sentence goes on after "the schema".
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    check_part(schema, schema, 0)
}

fn check_part(schema: &Value, root: &Value, depth: usize) -> Result<(), String> {
    let rules = match schema {
        Value::Bool(_) => return Ok(()),
        Value::Object(rules) if depth <= DEPTH_MAX => rules,
        Value::Object(_) => return Err(format!("is nested deeper than {DEPTH_MAX} levels")),
        _ => return Err("and each part of it must be an object, or true or false".to_owned()),
    };
    for (word, rule) in rules {
        check_rule(word, rule, root).map_err(|()| format!("has a \"{word}\" that cannot be used"))?;
        let word = word.as_str();
        let parts: Vec<&Value> = match rule {
            Value::Object(map) if MAPS.contains(&word) => map.values().collect(),
            Value::Array(list) if LISTS.contains(&word) || word == "items" => list.iter().collect(),
            one if SCHEMAS.contains(&word) => vec![one],
            _ => Vec::new(),
        };
        for part in parts {
            check_part(part, root, depth + 1)?;
        }
    }
    Ok(())
}

fn check_rule(word: &str, rule: &Value, root: &Value) -> Result<(), ()> {
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    let good = match word {
        "type" => {
            is_type(rule) || rule.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_type))
        }
        "enum" => rule.is_array(),
        "required" => rule.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
        "pattern" => rule.as_str().is_some_and(|pattern| Regex::new(pattern).is_ok()),
        "$ref" => rule.as_str().is_some_and(|path| resolve(root, path).is_some()),
        "uniqueItems" => rule.is_boolean(),
        "patternProperties" => {
            rule.as_object().is_some_and(|map| map.keys().all(|pattern| Regex::new(pattern).is_ok()))
        }
        _ if MAPS.contains(&word) => rule.is_object(),
        _ if LISTS.contains(&word) => rule.as_array().is_some_and(|list| !list.is_empty()),
        _ if COUNTS.contains(&word) => rule.is_u64(),
        _ if BOUNDS.contains(&word) => rule.is_number(),
        _ => true,
    };
    if good { Ok(()) } else { Err(()) }
}

/// What `#/…` names within the schema.
fn resolve<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    root.pointer(path.strip_prefix('#')?)
}

/// True when the value follows the schema.
#[must_use]
pub(crate) fn fits(value: &Value, schema: &Value) -> bool {
    Reading { root: schema }.fits(value, schema, 0)
}

struct Reading<'a> {
    root: &'a Value,
}

impl Reading<'_> {
    fn fits(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        let rules = match schema {
            Value::Bool(any) => return *any,
            Value::Object(rules) if depth <= DEPTH_MAX => rules,
            _ => return true,
        };
        let each = |word: &str, holds: &dyn Fn(&Value) -> bool| rules.get(word).is_none_or(holds);
        let all = |list: &Value, test: &dyn Fn(&Value) -> bool| {
            list.as_array().is_some_and(|list| list.iter().all(test))
        };
        let count = |list: &Value| {
            list.as_array()
                .map_or(0, |list| list.iter().filter(|part| self.fits(value, part, depth + 1)).count())
        };
        each("type", &|kind| is_of_type(value, kind))
            && each("enum", &|list| {
                list.as_array().is_some_and(|list| list.iter().any(|one| equal(one, value)))
            })
            && each("const", &|one| equal(one, value))
            && each("$ref", &|path| {
                let target = path.as_str().and_then(|path| resolve(self.root, path));
                target.is_none_or(|target| self.fits(value, target, depth + 1))
            })
            && each("allOf", &|list| all(list, &|part| self.fits(value, part, depth + 1)))
            && each("anyOf", &|list| count(list) > 0)
            && each("oneOf", &|list| count(list) == 1)
            && each("not", &|part| !self.fits(value, part, depth + 1))
            && match value {
                Value::Object(fields) => self.fits_object(fields, rules, depth),
                Value::Array(items) => self.fits_array(items, rules, depth),
                Value::String(text) => fits_text(text, rules),
                Value::Number(number) => number.as_f64().is_none_or(|number| fits_number(number, rules)),
                _ => true,
            }
    }

    fn fits_object(&self, fields: &Map<String, Value>, rules: &Map<String, Value>, depth: usize) -> bool {
        let object = |word: &str| rules.get(word).and_then(Value::as_object);
        let patterns: Vec<(Regex, &Value)> = object("patternProperties")
            .into_iter()
            .flatten()
            .filter_map(|(pattern, schema)| Some((Regex::new(pattern).ok()?, schema)))
            .collect();
        let field_fits = |(name, value): (&String, &Value)| {
            let named = object("properties").and_then(|named| named.get(name));
            let matched: Vec<&Value> = patterns
                .iter()
                .filter(|(pattern, _)| pattern.is_match(name))
                .map(|(_, schema)| *schema)
                .collect();
            let others = rules.get("additionalProperties").filter(|_| named.is_none() && matched.is_empty());
            named.into_iter().chain(matched).chain(others).all(|schema| self.fits(value, schema, depth + 1))
        };
        let required = rules.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str).all(|name| fields.contains_key(name))
            && within(fields.len(), rules, "minProperties", "maxProperties")
            && fields.iter().all(field_fits)
    }

    fn fits_array(&self, items: &[Value], rules: &Map<String, Value>, depth: usize) -> bool {
        let list = |word: &str| rules.get(word).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let leading = if list("prefixItems").is_empty() { list("items") } else { list("prefixItems") };
        let rest = rules.get("items").filter(|schema| !schema.is_array());
        let item_fits = |(at, item): (usize, &Value)| {
            leading.get(at).or(rest).is_none_or(|schema| self.fits(item, schema, depth + 1))
        };
        let unique = rules.get("uniqueItems") == Some(&Value::Bool(true));
        within(items.len(), rules, "minItems", "maxItems")
            && items.iter().enumerate().all(item_fits)
            && rules
                .get("contains")
                .is_none_or(|part| items.iter().any(|item| self.fits(item, part, depth + 1)))
            && (!unique
                || items.iter().enumerate().all(|(at, item)| !items[..at].iter().any(|one| equal(one, item))))
    }
}

/// 1 and 1.0 are the same number.
fn equal(one: &Value, other: &Value) -> bool {
    one == other || one.as_f64().is_some_and(|number| Some(number) == other.as_f64())
}

fn is_of_type(value: &Value, kind: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => true,
    };
    match kind {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).any(is),
        kind => kind.as_str().is_none_or(is),
    }
}

fn within(count: usize, rules: &Map<String, Value>, least: &str, most: &str) -> bool {
    let limit = |word: &str| rules.get(word).and_then(Value::as_u64);
    let count = count as u64;
    limit(least).is_none_or(|least| count >= least) && limit(most).is_none_or(|most| count <= most)
}

fn fits_text(text: &str, rules: &Map<String, Value>) -> bool {
    let pattern = rules.get("pattern").and_then(Value::as_str).and_then(|pattern| Regex::new(pattern).ok());
    within(text.chars().count(), rules, "minLength", "maxLength")
        && pattern.is_none_or(|pattern| pattern.is_match(text))
}

fn fits_number(number: f64, rules: &Map<String, Value>) -> bool {
    let holds = |word: &str, test: fn(f64, f64) -> bool| {
        rules.get(word).and_then(Value::as_f64).is_none_or(|bound| test(number, bound))
    };
    holds("minimum", |number, bound| number >= bound)
        && holds("maximum", |number, bound| number <= bound)
        && holds("exclusiveMinimum", |number, bound| number > bound)
        && holds("exclusiveMaximum", |number, bound| number < bound)
        && holds("multipleOf", |number, bound| {
            let quotient = number / bound;
            bound <= 0.0 || (quotient - quotient.round()).abs() < 1e-9
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_follow_their_schema_or_do_not() {
        let schema = json!({
            "type": "object", "required": ["days"], "additionalProperties": false,
            "properties": {
                "days": {"type": "integer", "minimum": 1, "maximum": 60},
                "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": true, "maxItems": 2},
            },
            "$defs": {"tag": {"enum": ["a", "b"]}},
        });
        check(&schema).unwrap();
        for good in [json!({"days": 30}), json!({"days": 1.0, "tags": ["a", "b"]})] {
            assert!(fits(&good, &schema), "{good}");
        }
        let bad = [
            json!({}),
            json!([]),
            json!({"days": "30"}),
            json!({"days": 61}),
            json!({"days": 1.5}),
            json!({"days": 1, "x": 2}),
            json!({"days": 1, "tags": ["c"]}),
            json!({"days": 1, "tags": ["a", "a"]}),
        ];
        for bad in bad {
            assert!(!fits(&bad, &schema), "{bad}");
        }
    }

    #[test]
    fn parts_are_combined() {
        let schema = json!({"anyOf": [{"type": "string", "pattern": "^a", "maxLength": 3}, {"const": 7}], "not": {"const": "ab"}});
        for (value, expected) in [
            (json!("a"), true),
            (json!("ab"), false),
            (json!("abcd"), false),
            (json!(7.0), true),
            (json!(8), false),
        ] {
            assert_eq!(fits(&value, &schema), expected, "{value}");
        }
        assert!(!fits(&json!(1), &json!({"oneOf": [{"type": "integer"}, {"type": "number"}]})));
    }

    #[test]
    fn a_schema_that_names_itself_ends() {
        let schema = json!({"$ref": "#"});
        check(&schema).unwrap();
        assert!(fits(&json!({}), &schema));
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_named() {
        let wrong = |schema: Value| check(&schema).unwrap_err();
        assert_eq!(wrong(json!({"type": "text"})), "has a \"type\" that cannot be used");
        assert_eq!(
            wrong(json!({"properties": {"a": {"pattern": "("}}})),
            "has a \"pattern\" that cannot be used"
        );
        assert!(wrong(json!("string")).contains("object"));
        assert!(wrong(json!({"$ref": "#/nowhere"})).contains("$ref"));
    }
}
