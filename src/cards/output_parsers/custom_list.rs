//! Custom List Output Parser: a list with a separator of its own becomes an array.

use super::csv::AUTOFIX;
use crate::kit::{Card, Category, Factory, Input, OutputParser, Risk};
use serde_json::Value;
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "customListOutputParser",
    label: "Custom List Output Parser",
    version: 1.0,
    category: Category::OutputParsers,
    description: "Reads a list with a separator of your own into an array.",
    base_classes: &["CustomListOutputParser", "BaseLLMOutputParser", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::whole("length", "Length", 1.0, 10_000.0)
            .optional()
            .help("How many entries there must be. Empty: any number."),
        Input::text("separator", "Separator").or(",").optional().help("What stands between two entries."),
        AUTOFIX,
    ],
    outputs: &[],
    make: Factory::OutputParser(|inputs| {
        let separator = inputs.text("separator")?;
        Ok(Arc::new(ListParser {
            length: inputs.whole("length")?.map(|length| usize::try_from(length).unwrap_or(usize::MAX)),
            // Owners write a line break as it is written in code.
            separator: separator.replace("\\n", "\n"),
            asks_again: inputs.switch(AUTOFIX.name),
        }))
    }),
};

struct ListParser {
    length: Option<usize>,
    separator: String,
    asks_again: bool,
}

impl OutputParser for ListParser {
    fn instructions(&self) -> String {
        let number = self.length.map_or(String::new(), |length| format!(" Give exactly {length} values."));
        let separator = if self.separator == "\n" {
            "each on a line of its own".to_owned()
        } else {
            format!("separated by `{}`", self.separator)
        };
        format!("Reply with the values only, {separator}.{number}")
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        let text = text.trim().trim_matches('`').trim();
        let values: Vec<Value> = text
            .split(&self.separator)
            .map(str::trim)
            .filter(|entry| !entry.is_empty())
            .map(Value::from)
            .collect();
        match self.length {
            Some(length) if values.len() != length => {
                Err(format!("it holds {} values instead of {length}", values.len()))
            }
            _ if values.is_empty() => Err("it holds no values".to_owned()),
            _ => Ok(Value::Array(values)),
        }
    }

    fn asks_again(&self) -> bool {
        self.asks_again
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_is_cut_at_its_separator() {
        let of =
            |separator: &str, length| ListParser { length, separator: separator.into(), asks_again: false };
        assert_eq!(of(";", None).parse(" a, b; c ;\n"), Ok(json!(["a, b", "c"])));
        assert_eq!(of("\n", Some(2)).parse("a\n\nb"), Ok(json!(["a", "b"])));
        assert_eq!(of(";", Some(3)).parse("a;b"), Err("it holds 2 values instead of 3".to_owned()));
        assert!(of(";", None).parse(" ; ").is_err());
        assert!(of(" | ", Some(3)).instructions().contains("exactly 3"));
    }
}
