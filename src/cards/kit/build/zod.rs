//! Schemas in the notation of Zod, as far as they describe JSON. They are read and never run.

use super::output_schema::{DEPTH_MAX, SchemaField, ValueSchema};
use serde_json::{Number, Value};

/// Longest schema.
const BYTES_MAX: usize = 64 * 1024;

/// Reads a schema.
///
/// # Errors
/// What is wrong with it, and where.
pub(crate) fn parse(text: &str) -> Result<ValueSchema, String> {
    if text.len() > BYTES_MAX {
        return Err("the schema is too long".into());
    }
    let mut reader = ZodParser { rest: text, depth: 0 };
    let schema = reader.schema()?;
    reader.take(';');
    reader.space();
    if reader.rest.is_empty() {
        Ok(schema.shape)
    } else {
        Err(reader.expected_error("the end of the schema"))
    }
}

/// A schema with what its methods say.
struct Schema {
    shape: ValueSchema,
    description: String,
    optional: bool,
}

struct ZodParser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> ZodParser<'a> {
    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.split_once('\n').map_or("", |(_, rest)| rest);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
            } else {
                return;
            }
        }
    }

    fn expected_error(&self, what: &str) -> String {
        let found: String = self.rest.chars().take(20).collect();
        let found = if found.is_empty() { "its end".to_owned() } else { format!("'{}'", found.trim_end()) };
        format!("the schema has {found} where {what} is expected")
    }

    fn take(&mut self, c: char) -> bool {
        self.space();
        let found = self.rest.strip_prefix(c);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn need(&mut self, c: char) -> Result<(), String> {
        if self.take(c) { Ok(()) } else { Err(self.expected_error(&format!("'{c}'"))) }
    }

    fn word(&mut self) -> Result<&'a str, String> {
        self.space();
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        if word.is_empty() {
            return Err(self.expected_error("a name"));
        }
        self.rest = rest;
        Ok(word)
    }

    /// A text in any of the three kinds of quotes.
    fn text(&mut self) -> Result<String, String> {
        self.space();
        let quote = self.rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let quote = quote.ok_or_else(|| self.expected_error("a text in quotes"))?;
        let mut out = String::new();
        let mut characters = self.rest.char_indices().skip(1);
        while let Some((at, c)) = characters.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(out);
                }
                '\\' => match characters.next() {
                    Some((_, 'n')) => out.push('\n'),
                    Some((_, 't')) => out.push('\t'),
                    Some((_, other)) => out.push(other),
                    None => break,
                },
                c => out.push(c),
            }
        }
        Err("the schema has a text that is not closed".into())
    }

    /// A text, a number, a switch or `null`.
    fn value(&mut self) -> Result<Value, String> {
        self.space();
        if self.rest.starts_with(['"', '\'', '`']) {
            return self.text().map(Value::from);
        }
        let end = self.rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '+' | '.' | '_')));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        let value = match word {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            "null" => Some(Value::Null),
            number => number.parse::<Number>().ok().map(Value::Number),
        };
        let value = value.ok_or_else(|| self.expected_error("a value"))?;
        self.rest = rest;
        Ok(value)
    }

    fn schema(&mut self) -> Result<Schema, String> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("the schema is nested deeper than {DEPTH_MAX} levels"));
        }
        if self.word()? != "z" {
            return Err("a schema begins with z., such as z.object".into());
        }
        self.need('.')?;
        let kind = self.word()?;
        if kind == "coerce" {
            self.need('.')?;
            return Err("z.coerce cannot be used: a model writes JSON, which has its types".into());
        }
        self.need('(')?;
        let shape = self.shape(kind)?;
        self.need(')')?;
        let mut schema = Schema { shape, description: String::new(), optional: false };
        while self.take('.') {
            self.method(&mut schema)?;
        }
        self.depth -= 1;
        Ok(schema)
    }

    /// What stands between the brackets of `z.kind(…)`.
    fn shape(&mut self, kind: &str) -> Result<ValueSchema, String> {
        Ok(match kind {
            "string" | "date" => {
                self.skip()?;
                ValueSchema::Text
            }
            "number" => {
                self.skip()?;
                ValueSchema::Number
            }
            "boolean" => {
                self.skip()?;
                ValueSchema::Switch
            }
            "any" | "unknown" => ValueSchema::Anything,
            "null" => ValueSchema::OneOf(vec![Value::Null]),
            "literal" => ValueSchema::OneOf(vec![self.value()?]),
            "enum" => {
                let values = self.list(|reader| reader.text().map(Value::from))?;
                if values.is_empty() {
                    return Err("z.enum needs at least one value".into());
                }
                ValueSchema::OneOf(values)
            }
            "array" => {
                let of = self.schema()?.shape;
                ValueSchema::List(Box::new(of))
            }
            "record" => {
                let mut of = self.schema()?.shape;
                // The first of two is for the names, which are texts in JSON whatever it says.
                if self.take(',') {
                    of = self.schema()?.shape;
                }
                ValueSchema::Named(Box::new(of))
            }
            "union" => ValueSchema::Either(self.list(|reader| Ok(reader.schema()?.shape))?),
            "object" | "strictObject" | "looseObject" => ValueSchema::Object(self.fields()?),
            other => return Err(format!("z.{other} is not known here")),
        })
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, String>) -> Result<Vec<T>, String> {
        self.need('[')?;
        let mut list = Vec::new();
        while !self.take(']') {
            list.push(one(self)?);
            if !self.take(',') {
                self.need(']')?;
                break;
            }
        }
        Ok(list)
    }

    fn fields(&mut self) -> Result<Vec<SchemaField>, String> {
        self.need('{')?;
        let mut fields: Vec<SchemaField> = Vec::new();
        while !self.take('}') {
            self.space();
            let quoted = self.rest.starts_with(['"', '\'']);
            let name = if quoted { self.text()? } else { self.word()?.to_owned() };
            self.need(':')?;
            let Schema { shape, description, optional } = self.schema()?;
            if fields.iter().any(|field| field.name == name) {
                return Err(format!("the schema has '{name}' twice in one object"));
            }
            fields.push(SchemaField { name, shape, description, optional });
            if !self.take(',') {
                self.need('}')?;
                break;
            }
        }
        Ok(fields)
    }

    /// A method behind a schema. Those that only narrow a value are skipped: the model's answer is checked for its types.
    fn method(&mut self, schema: &mut Schema) -> Result<(), String> {
        let name = self.word()?;
        self.need('(')?;
        match name {
            "describe" => schema.description = self.text()?,
            "optional" => schema.optional = true,
            "nullable" => schema.shape = ValueSchema::OrNull(Box::new(schema.shape.clone())),
            "nullish" => {
                schema.optional = true;
                schema.shape = ValueSchema::OrNull(Box::new(schema.shape.clone()));
            }
            "default" => {
                schema.optional = true;
                self.skip()?;
            }
            "array" => schema.shape = ValueSchema::List(Box::new(schema.shape.clone())),
            "int" if schema.shape == ValueSchema::Number => {
                schema.shape = ValueSchema::Whole;
                self.skip()?;
            }
            "min" | "max" | "length" | "nonempty" | "gt" | "gte" | "lt" | "lte" | "positive" | "negative"
            | "nonnegative" | "nonpositive" | "multipleOf" | "finite" | "safe" | "email" | "url" | "uuid"
            | "datetime" | "date" | "time" | "trim" | "regex" | "startsWith" | "endsWith" | "includes"
            | "strict" | "passthrough" | "strip" => self.skip()?,
            other => return Err(format!("the method .{other} is not known here")),
        }
        self.need(')')
    }

    /// Skips to the bracket that closes what is open.
    fn skip(&mut self) -> Result<(), String> {
        let mut open = 0_usize;
        loop {
            self.space();
            match self.rest.chars().next() {
                None => return Err(self.expected_error("')'")),
                Some('"' | '\'' | '`') => drop(self.text()?),
                Some(c) => {
                    match c {
                        ')' if open == 0 => return Ok(()),
                        '(' | '[' | '{' => open += 1,
                        ')' | ']' | '}' => open = open.saturating_sub(1),
                        _ => {}
                    }
                    self.rest = &self.rest[c.len_utf8()..];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_schema_is_read() {
        let text = "z.object({\n // what it is called\n title: z.string().min(1).describe('Its \\'title\\''),\n \
                    \"year\": z.number().int().positive(), /* any */ tags: z.array(z.enum([\"a\", 'b',])).optional(),\n \
                    by: z.object({ name: z.string() }).nullable(), n: z.union([z.number(), z.literal('none')]),\n \
                    more: z.record(z.string(), z.boolean()).default({}), seen: z.boolean().array(),\n});";
        let schema = parse(text).unwrap().schema();
        assert_eq!(schema["required"], json!(["title", "year", "by", "n", "seen"]));
        let properties = &schema["properties"];
        assert_eq!(properties["title"], json!({"type": "string", "description": "Its 'title'"}));
        assert_eq!(properties["year"], json!({"type": "integer"}));
        assert_eq!(properties["tags"], json!({"type": "array", "items": {"enum": ["a", "b"]}}));
        assert_eq!(properties["by"]["anyOf"][0]["properties"]["name"], json!({"type": "string"}));
        assert_eq!(properties["n"], json!({"anyOf": [{"type": "number"}, {"enum": ["none"]}]}));
        assert_eq!(
            properties["more"],
            json!({"type": "object", "additionalProperties": {"type": "boolean"}})
        );
        assert_eq!(properties["seen"], json!({"type": "array", "items": {"type": "boolean"}}));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for (text, why) in [
            ("", "its end where a name"),
            ("{\"a\": 1}", "where a name is expected"),
            ("z.object({a: z.string()}", "its end where ')'"),
            ("z.object({a z.string()})", "'z.string()})' where ':'"),
            ("z.object({a: z.bigint()})", "z.bigint is not known"),
            ("z.object({a: z.string().transform(x => x)})", ".transform is not known"),
            ("z.object({a: z.string(), a: z.string()})", "'a' twice"),
            ("z.object({a: z.enum([])})", "at least one value"),
            ("z.object({}) evil()", "where the end"),
            ("z.string('open", "not closed"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(why), "{text}: {said}");
        }
        let deep = format!("{}z.string(){}", "z.array(".repeat(40), ")".repeat(40));
        assert!(parse(&deep).unwrap_err().contains("nested deeper"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_fail_otherwise(text in "(z\\.|object|string|array|enum|[(){}\\[\\]:,.'\"`\\\\/* a1é])*") {
            let _ = parse(&text);
        }
    }
}
