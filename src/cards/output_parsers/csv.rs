//! CSV Output Parser: a comma list becomes an array.

use crate::kit::{Card, Category, Factory, Input, OutputParser, Risk};
use serde_json::Value;
use std::sync::Arc;

/// Asks the model once more after a text that does not fit.
pub(crate) const AUTOFIX: Input = Input::switch("autofixParser", "Autofix")
    .optional()
    .help("When the text cannot be read, the model is asked once to put it right.");

pub(crate) const CARD: Card = Card {
    name: "csvOutputParser",
    label: "CSV Output Parser",
    version: 1.0,
    category: Category::OutputParsers,
    description: "Reads a comma-separated list into an array.",
    base_classes: &["CSVListOutputParser", "BaseLLMOutputParser", "Runnable"],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[AUTOFIX],
    outputs: &[],
    make: Factory::OutputParser(|inputs| {
        Ok(Arc::new(CsvParser { asks_again: inputs.switch("autofixParser") }))
    }),
};

struct CsvParser {
    asks_again: bool,
}

impl OutputParser for CsvParser {
    fn instructions(&self) -> String {
        "Reply with the values only, on one line, separated by commas. Example: `red, green, blue`".to_owned()
    }

    fn parse(&self, text: &str) -> Result<Value, String> {
        let line = text.trim().trim_matches('`').trim();
        let values: Vec<Value> = line
            .split([',', '\n'])
            .map(|entry| entry.trim().trim_matches('"').trim())
            .filter(|entry| !entry.is_empty())
            .map(|entry| Value::String(entry.to_owned()))
            .collect();
        if values.is_empty() { Err("the reply holds no values".to_owned()) } else { Ok(Value::Array(values)) }
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
    fn a_comma_list_becomes_an_array() {
        let parser = CsvParser { asks_again: false };
        assert_eq!(parser.parse("red, \"green\",blue\n").unwrap(), json!(["red", "green", "blue"]));
        assert!(parser.parse(" , ").is_err());
    }
}
