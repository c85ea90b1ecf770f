//! Custom Tool: a tool that people of the workspace wrote.

use crate::cards::kit::code::{self, Code};
use crate::cards::kit::{Card, Category, Input, Make, Picked, Risk, Tool, Turn};
use crate::domain::ids::ToolId;
use crate::domain::tool_record::ToolRecord;
use crate::llm::ToolSpec;
use serde_json::Value;
use std::sync::Arc;

/// The card.
pub const CARD: Card = Card {
    name: "customTool",
    label: "Custom Tool",
    version: 3.0,
    category: Category::Tools,
    description: "A tool written in JavaScript under Tools.",
    base_classes: &["CustomTool", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Risky,
    inputs: &[
        Input::pick("selectedTool", "Select Tool", Picked::Tool).help("The id of a tool of this workspace."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the tool returns is the answer; the model does not read it."),
    ],
    outputs: &[],
    make: Make::Tools(|inputs| {
        let missing = || inputs.wrong("selectedTool", "there is no such tool in this workspace");
        let id = ToolId::parse(inputs.text("selectedTool")?.trim()).ok_or_else(missing)?;
        let record = inputs.host.tool(&id)?.ok_or_else(missing)?;
        Ok(vec![Arc::new(CustomTool {
            label: inputs.label.to_owned(),
            record,
            returns_directly: inputs.switch("returnDirect"),
        })])
    }),
};

struct CustomTool {
    label: String,
    record: ToolRecord,
    returns_directly: bool,
}

impl Tool for CustomTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.record.model_name(),
            description: self.record.description.clone(),
            schema: self.record.json_schema(),
        }
    }

    fn call(&self, arguments: &Value, turn: &Turn<'_>) -> Result<String, String> {
        let inputs = self.record.read_arguments(arguments)?;
        let code = Code::new(&self.label, &self.record.code, inputs);
        turn.host.run_code(&code).map(|result| code::as_text(&result)).map_err(|error| error.to_string())
    }

    fn returns_directly(&self) -> bool {
        self.returns_directly
    }
}
