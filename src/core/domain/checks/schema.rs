//! JSON schemas of kept questions: the words of the standard that say something of one value, and references within the schema.

use super::expectation::compile;
use regex::Regex;
use serde_json::{Map, Value};
use std::cell::Cell;
use std::collections::HashMap;

/// How deep a value and its schema are followed; deeper counts as fitting, so that a schema that names itself ends.
const DEPTH_MAX: usize = 64;
/// Longest JSON schema of an expectation, in bytes (manual 14.4).
const EXPECTATION_SCHEMA_BYTES_MAX: usize = 16 * 1024;
/// Most different patterns in one JSON schema of an expectation (manual 14.4).
const EXPECTATION_SCHEMA_PATTERNS_MAX: usize = 10;
/// Most comparisons of one answer with a JSON schema; an answer that needs more does not follow it (manual 14.4).
///
/// A few hundred bytes of references can ask for more comparisons than a lifetime has.
const EXPECTATION_SCHEMA_STEPS_MAX: usize = 1_000_000;

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
/// What the standard judges values by and is not read here: an expectation must not hold because a word of it was passed over.
const UNREAD: [&str; 15] = [
    "if",
    "then",
    "else",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "propertyNames",
    "minContains",
    "maxContains",
    "additionalItems",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "$id",
];

/// A schema that can be used, and its patterns.
#[derive(Debug, Clone)]
pub struct Schema {
    root: Value,
    patterns: HashMap<String, Regex>,
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

impl Schema {
    /// What is wrong with it is a sentence that goes on after "the schema".
    pub(crate) fn parse(root: &Value) -> Result<Self, String> {
        if root.to_string().len() > EXPECTATION_SCHEMA_BYTES_MAX {
            return Err(format!("has more than {EXPECTATION_SCHEMA_BYTES_MAX} bytes"));
        }
        let mut schema = Self { root: root.clone(), patterns: HashMap::new() };
        schema.read_part(root, 0)?;
        Ok(schema)
    }

    fn read_part(&mut self, part: &Value, depth: usize) -> Result<(), String> {
        let rules = match part {
            Value::Bool(_) => return Ok(()),
            Value::Object(rules) if depth <= DEPTH_MAX => rules,
            Value::Object(_) => return Err(format!("is nested deeper than {DEPTH_MAX} levels")),
            _ => return Err("and each part of it must be an object, or true or false".to_owned()),
        };
        for (word, rule) in rules {
            if !self.can_use(word, rule) {
                return Err(format!("has a \"{word}\" that cannot be used"));
            }
            let word = word.as_str();
            if word == "pattern" {
                self.keep_pattern(word, rule.as_str().unwrap_or_default())?;
            } else if word == "patternProperties" {
                rule.as_object()
                    .into_iter()
                    .flatten()
                    .try_for_each(|(pattern, _)| self.keep_pattern(word, pattern))?;
            }
            let parts: Vec<&Value> = match rule {
                Value::Object(map) if MAPS.contains(&word) => map.values().collect(),
                Value::Array(list) if LISTS.contains(&word) || word == "items" => list.iter().collect(),
                one if SCHEMAS.contains(&word) => vec![one],
                _ => Vec::new(),
            };
            for part in parts {
                self.read_part(part, depth + 1)?;
            }
        }
        Ok(())
    }

    fn can_use(&self, word: &str, rule: &Value) -> bool {
        let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
        match word {
            "type" => {
                is_type(rule)
                    || rule.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_type))
            }
            "enum" => rule.is_array(),
            "required" => rule.as_array().is_some_and(|names| names.iter().all(Value::is_string)),
            "pattern" => rule.is_string(),
            "$ref" => rule.as_str().is_some_and(|path| self.resolve(path).is_some()),
            "uniqueItems" => rule.is_boolean(),
            _ if MAPS.contains(&word) => rule.is_object(),
            _ if LISTS.contains(&word) => rule.as_array().is_some_and(|list| !list.is_empty()),
            _ if COUNTS.contains(&word) => rule.is_u64(),
            _ if BOUNDS.contains(&word) => rule.is_number(),
            _ => !UNREAD.contains(&word),
        }
    }

    fn keep_pattern(&mut self, word: &str, pattern: &str) -> Result<(), String> {
        if self.patterns.contains_key(pattern) {
            return Ok(());
        }
        if self.patterns.len() == EXPECTATION_SCHEMA_PATTERNS_MAX {
            return Err(format!("has more than {EXPECTATION_SCHEMA_PATTERNS_MAX} patterns"));
        }
        let made =
            compile(pattern).map_err(|reason| format!("has a \"{word}\" that cannot be used: {reason}"))?;
        self.patterns.insert(pattern.to_owned(), made);
        Ok(())
    }

    /// What `#/…` names within the schema.
    fn resolve(&self, path: &str) -> Option<&Value> {
        self.root.pointer(path.strip_prefix('#')?)
    }

    /// True when the value follows the schema.
    #[must_use]
    pub(crate) fn fits(&self, value: &Value) -> bool {
        let reading = Reading { schema: self, steps: Cell::new(EXPECTATION_SCHEMA_STEPS_MAX) };
        let fits = reading.fits(value, &self.root, 0);
        // What ran out of steps may have failed a `not`, which would have made it fit.
        fits && reading.steps.get() > 0
    }
}

struct Reading<'a> {
    schema: &'a Schema,
    /// What is left of them.
    steps: Cell<usize>,
}

impl Reading<'_> {
    /// False when no steps are left.
    fn spend(&self, steps: usize) -> bool {
        self.steps.set(self.steps.get().saturating_sub(steps));
        self.steps.get() > 0
    }

    fn fits(&self, value: &Value, schema: &Value, depth: usize) -> bool {
        let rules = match schema {
            Value::Bool(any) => return *any,
            Value::Object(rules) if depth <= DEPTH_MAX => rules,
            _ => return true,
        };
        if !self.spend(1 + rules.len()) {
            return false;
        }
        let each = |word: &str, holds: &dyn Fn(&Value) -> bool| rules.get(word).is_none_or(holds);
        let list = |rule: &'_ Value, test: &dyn Fn(&[Value]) -> bool| {
            rule.as_array().is_some_and(|list| self.spend(list.len()) && test(list))
        };
        let part_fits = |part: &Value| self.fits(value, part, depth + 1);
        each("type", &|kind| is_of_type(value, kind))
            && each("enum", &|rule| list(rule, &|list| list.iter().any(|one| equal(one, value))))
            && each("const", &|one| equal(one, value))
            && each("$ref", &|path| {
                let target = path.as_str().and_then(|path| self.schema.resolve(path));
                target.is_none_or(part_fits)
            })
            && each("allOf", &|rule| list(rule, &|list| list.iter().all(part_fits)))
            && each("anyOf", &|rule| list(rule, &|list| list.iter().any(part_fits)))
            && each("oneOf", &|rule| {
                list(rule, &|list| list.iter().filter(|part| part_fits(part)).take(2).count() == 1)
            })
            && each("not", &|part| !part_fits(part))
            && match value {
                Value::Object(fields) => self.fits_object(fields, rules, depth),
                Value::Array(items) => self.fits_array(items, rules, depth),
                Value::String(text) => self.fits_text(text, rules),
                Value::Number(number) => number.as_f64().is_none_or(|number| fits_number(number, rules)),
                _ => true,
            }
    }

    fn fits_object(&self, fields: &Map<String, Value>, rules: &Map<String, Value>, depth: usize) -> bool {
        let object = |word: &str| rules.get(word).and_then(Value::as_object);
        let patterns: Vec<(&Regex, &Value)> = object("patternProperties")
            .into_iter()
            .flatten()
            .filter_map(|(pattern, schema)| Some((self.schema.patterns.get(pattern)?, schema)))
            .collect();
        let field_fits = |(name, value): (&String, &Value)| {
            let named = object("properties").and_then(|named| named.get(name));
            let matched: Vec<&Value> = patterns
                .iter()
                .filter(|(pattern, _)| pattern.is_match(name))
                .map(|(_, schema)| *schema)
                .collect();
            let others = rules.get("additionalProperties").filter(|_| named.is_none() && matched.is_empty());
            self.spend(1 + patterns.len())
                && named
                    .into_iter()
                    .chain(matched)
                    .chain(others)
                    .all(|schema| self.fits(value, schema, depth + 1))
        };
        let required = rules.get("required").and_then(Value::as_array);
        required
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .all(|name| self.spend(1) && fields.contains_key(name))
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
        let is_new = |(at, item): (usize, &Value)| {
            self.spend(at + 1) && !items[..at].iter().any(|one| equal(one, item))
        };
        let unique = rules.get("uniqueItems") == Some(&Value::Bool(true));
        within(items.len(), rules, "minItems", "maxItems")
            && items.iter().enumerate().all(item_fits)
            && rules
                .get("contains")
                .is_none_or(|part| items.iter().any(|item| self.fits(item, part, depth + 1)))
            && (!unique || items.iter().enumerate().all(is_new))
    }

    fn fits_text(&self, text: &str, rules: &Map<String, Value>) -> bool {
        let pattern = rules.get("pattern").and_then(Value::as_str);
        let pattern = pattern.and_then(|pattern| self.schema.patterns.get(pattern));
        within(text.chars().count(), rules, "minLength", "maxLength")
            && pattern.is_none_or(|pattern| pattern.is_match(text))
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
        let schema = Schema::parse(&schema).unwrap();
        for good in [json!({"days": 30}), json!({"days": 1.0, "tags": ["a", "b"]})] {
            assert!(schema.fits(&good), "{good}");
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
            assert!(!schema.fits(&bad), "{bad}");
        }
    }

    #[test]
    fn parts_are_combined() {
        let schema = json!({"anyOf": [{"type": "string", "pattern": "^a", "maxLength": 3}, {"const": 7}], "not": {"const": "ab"}});
        let schema = Schema::parse(&schema).unwrap();
        for (value, expected) in [
            (json!("a"), true),
            (json!("ab"), false),
            (json!("abcd"), false),
            (json!(7.0), true),
            (json!(8), false),
        ] {
            assert_eq!(schema.fits(&value), expected, "{value}");
        }
        let both = json!({"oneOf": [{"type": "integer"}, {"type": "number"}]});
        assert!(!Schema::parse(&both).unwrap().fits(&json!(1)));
    }

    #[test]
    fn a_schema_that_names_itself_ends() {
        let schema = Schema::parse(&json!({"$ref": "#"})).unwrap();
        assert!(schema.fits(&json!({})));
    }

    #[test]
    fn what_asks_for_endless_comparisons_is_given_up_and_does_not_fit() {
        let itself = json!({"$ref": "#"});
        let branches = json!([itself, itself, itself]);
        for word in ["allOf", "oneOf"] {
            let mut schema = Map::new();
            schema.insert(word.to_owned(), branches.clone());
            let schema = Schema::parse(&Value::Object(schema)).unwrap();
            assert!(!schema.fits(&json!({})), "{word}");
        }
        let unlike = Schema::parse(&json!({"not": {"allOf": branches}, "$defs": {}})).unwrap();
        assert!(!unlike.fits(&json!([])));
        let numbers = Value::from((0..20_000).collect::<Vec<u32>>());
        assert!(!Schema::parse(&json!({"uniqueItems": true})).unwrap().fits(&numbers));
    }

    #[test]
    fn a_schema_that_cannot_be_used_is_named() {
        let wrong = |schema: Value| Schema::parse(&schema).unwrap_err();
        assert_eq!(wrong(json!({"type": "text"})), "has a \"type\" that cannot be used");
        assert_eq!(
            wrong(json!({"properties": {"a": {"pattern": "("}}})),
            "has a \"pattern\" that cannot be used: unclosed group"
        );
        assert!(wrong(json!("string")).contains("object"));
        assert!(wrong(json!({"$ref": "#/nowhere"})).contains("$ref"));
        assert!(wrong(json!({"patternProperties": {"[": {}}})).contains("patternProperties"));
        assert!(wrong(json!({"properties": {"a": {"if": {}}}})).contains("\"if\""));
        assert!(wrong(json!({"description": "a".repeat(EXPECTATION_SCHEMA_BYTES_MAX)})).contains("bytes"));
        let patterns: Vec<Value> =
            (0..=EXPECTATION_SCHEMA_PATTERNS_MAX).map(|at| json!({"pattern": format!("{at}")})).collect();
        assert!(wrong(json!({"anyOf": patterns})).contains("10 patterns"));
    }
}
