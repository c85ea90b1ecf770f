//! Custom Tool: a tool that people of the workspace wrote, or that stands in the canvas itself.

use crate::domain::error::Result;
use crate::domain::ids::ToolId;
use crate::domain::workspace::tool::{ToolArgument, WorkspaceTool, model_name};
use crate::kit::build::code::{self, Code};
use crate::kit::build::output_schema::ValueSchema;
use crate::kit::build::zod;
use crate::kit::{
    CallError, Capability, Card, Category, CodeRunner, Factory, Grant, Input, Inputs, Need, Picker, Risk,
    RunContext, Tool, WorkspaceTools,
};
use crate::llm::ToolSpec;
use serde_json::{Map, Value};
use std::sync::Arc;

const SELECTED: &str = "selectedTool";
const NAME: &str = "customToolName";
const DESCRIPTION: &str = "customToolDesc";
const SCHEMA: &str = "customToolSchema";
const CODE: &str = "customToolFunc";

pub(crate) const CARD: Card = Card {
    name: "customTool",
    label: "Custom Tool",
    version: 3.0,
    category: Category::Tools,
    description: "A tool written in JavaScript under Tools.",
    base_classes: &["CustomTool", "Tool", "StructuredTool", "Runnable"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Code), Need::optional(Capability::WorkspaceTools)],
    inputs: &[
        Input::pick(SELECTED, "Select Tool", Picker::Tool)
            .unless(&[NAME, CODE])
            .help("The id of a tool of this workspace."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the tool returns is the answer; the model does not read it."),
        Input::text(NAME, "Custom Tool Name").optional().additional().help("Takes the place of the selected tool's name."),
        Input::lines(DESCRIPTION, "Custom Tool Description")
            .optional()
            .additional()
            .help("Takes the place of the selected tool's description."),
        Input::code(SCHEMA, "Custom Tool Schema")
            .optional()
            .additional()
            .help("Takes the place of the selected tool's arguments: a z.object, or rows of property, type, description and required."),
        Input::code(CODE, "Custom Tool Function")
            .optional()
            .additional()
            .help("Takes the place of the selected tool's code. With a name and this, no tool needs to be selected."),
    ],
    outputs: &[],
    make: Factory::Tools(|inputs| Ok(vec![Arc::new(CustomTool::from_inputs(inputs)?)])),
};

/// What a tool takes.
enum ToolArguments {
    Rows(Vec<ToolArgument>),
    Form(ValueSchema),
}

struct CustomTool {
    label: String,
    name: String,
    description: String,
    arguments: ToolArguments,
    code: String,
    runner: Grant<dyn CodeRunner>,
    returns_directly: bool,
}

impl CustomTool {
    /// The selected tool, with what the canvas says in place of it.
    fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let selected = selected_tool(inputs)?;
        let own = |input: &str| inputs.optional_text(input).filter(|text| !text.trim().is_empty());
        let or = |input: &str, recorded: fn(&WorkspaceTool) -> &str| {
            own(input).or_else(|| selected.as_ref().map(|record| recorded(record).to_owned()))
        };
        let missing = |input: &str| inputs.input_error(input, "fill this in, or select a tool");
        let name = or(NAME, |record| &record.name).ok_or_else(|| match own(CODE) {
            Some(_) => missing(NAME),
            None => inputs.input_error(SELECTED, "select a tool"),
        })?;
        let arguments = match (own(SCHEMA), &selected) {
            (Some(written), _) => arguments(&written).map_err(|why| inputs.input_error(SCHEMA, &why))?,
            (None, Some(record)) => ToolArguments::Rows(record.arguments.clone()),
            (None, None) => ToolArguments::Rows(Vec::new()),
        };
        Ok(Self {
            label: inputs.label.to_owned(),
            name: model_name(&name),
            description: or(DESCRIPTION, |record| &record.description).unwrap_or_default(),
            arguments,
            code: or(CODE, |record| &record.code).ok_or_else(|| missing(CODE))?,
            runner: inputs.need()?,
            returns_directly: inputs.switch("returnDirect"),
        })
    }
}

fn selected_tool(inputs: &Inputs<'_>) -> Result<Option<WorkspaceTool>> {
    let Some(id) = inputs.optional_text(SELECTED).filter(|id| !id.trim().is_empty()) else { return Ok(None) };
    let missing = || inputs.input_error(SELECTED, "there is no such tool in this workspace");
    let id = ToolId::parse(id.trim()).ok_or_else(missing)?;
    let tools = inputs.want::<dyn WorkspaceTools>().ok_or_else(missing)?;
    tools.of(inputs.host)?.tool(&id)?.ok_or_else(missing).map(Some)
}

/// Reads a schema: rows as the page writes them, or the notation of Zod.
fn arguments(written: &str) -> std::result::Result<ToolArguments, String> {
    if written.trim_start().starts_with('[') {
        let rows: Vec<ToolArgument> = serde_json::from_str(written)
            .map_err(|_| "this must be rows of property, type, description and required")?;
        return Ok(ToolArguments::Rows(rows));
    }
    match zod::parse(written.trim())? {
        shape @ ValueSchema::Object(_) => Ok(ToolArguments::Form(shape)),
        _ => Err("the schema must be a z.object".to_owned()),
    }
}

impl ToolArguments {
    fn schema(&self) -> Value {
        match self {
            Self::Rows(rows) => ToolArgument::json_schema(rows),
            Self::Form(shape) => shape.schema(),
        }
    }

    /// What the code sees of the arguments a model gave.
    fn read(&self, given: &Value) -> std::result::Result<Map<String, Value>, String> {
        match self {
            Self::Rows(rows) => ToolArgument::parse_arguments(rows, given),
            // A form of arguments is an object, and what fits one is another.
            Self::Form(shape) => {
                Ok(shape.fit(given, "the arguments")?.as_object().cloned().unwrap_or_default())
            }
        }
    }
}

impl Tool for CustomTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.clone(),
            description: self.description.clone(),
            schema: self.arguments.schema(),
        }
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> std::result::Result<String, CallError> {
        let code = Code::new(&self.label, &self.code, self.arguments.read(arguments)?);
        let runner = self.runner.of(turn.host)?;
        runner.run_code(&code).map(|result| code::as_text(&result)).map_err(|error| CallError::from(&error))
    }

    fn returns_directly(&self) -> bool {
        self.returns_directly
    }
}
