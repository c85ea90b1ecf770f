//! OpenAPI Toolkit: the operations of an API as tools.

use super::requests::pairs;
use crate::domain::error::Result;
use crate::kit::build::code::{self, Code};
use crate::kit::build::component::Toolkit;
use crate::kit::knowledge::untrusted_text;
use crate::kit::web::openapi::{self, ApiCall, Operation};
use crate::kit::{
    CallError, Capability, Card, Category, Choice, CodeRunner, Factory, Grant, Input, Inputs, Need, Picker,
    Risk, RunContext, Tool,
};
use crate::llm::ToolSpec;
use crate::net::ResponseLimits;
use crate::script::ScriptError;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use url::Url;

pub(crate) const CARD: Card = Card {
    name: "openAPIToolkit",
    label: "OpenAPI Toolkit",
    version: 2.1,
    category: Category::Tools,
    description: "The operations of an API that is described in OpenAPI.",
    base_classes: &["OpenAPIToolkit", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code), Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::choice(
            "inputType",
            "Input Type",
            &[Choice::new("file", "Upload File"), Choice::new(BY_LINK, "Provide Link")],
        )
        .or("file"),
        Input::file("openApiFile", "OpenAPI File", &["yaml", "yml", "json"]).optional().when("inputType", "file"),
        Input::address("openApiLink", "OpenAPI Link").optional().when("inputType", BY_LINK),
        Input::address("selectedServer", "Server")
            .optional()
            .help("The base address of the API. Empty: the first one that the description names."),
        Input::pick("selectedEndpoints", "Available Endpoints", Picker::Actions)
            .optional()
            .help("The operation ids that the model may call, as a JSON list. Empty: all of them."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the API answers is the answer; the model does not read it."),
        Input::headers("headers", "Headers").additional(),
        Input::switch("removeNulls", "Remove null parameters")
            .optional()
            .help("What a model sends as null is left out of the body."),
        Input::code("customCode", "Custom Code")
            .additional()
            .help("Makes the call, with $url and $options, and returns its text. Empty: the call is made as described."),
        Input::file("yamlFile", "YAML File", &["yaml", "yml"])
            .additional()
            .help("Where older flows keep the description."),
    ],
    outputs: &[],
    make: Factory::Tools(toolkit),
};

const BY_LINK: &str = "link";

fn toolkit(inputs: &Inputs<'_>) -> Result<Toolkit> {
    let files: &[&str] =
        if inputs.text("inputType")? == BY_LINK { &[] } else { &["openApiFile", "yamlFile"] };
    let api = openapi::load_description(inputs, files, "openApiLink")?;
    let server = match inputs.address("selectedServer") {
        Some(own) => Url::parse(&own)
            .map_err(|_| inputs.input_error("selectedServer", "this must be a full address"))?,
        None => api.servers.first().cloned().ok_or_else(|| {
            inputs.input_error("selectedServer", "the description names no full address; give one")
        })?,
    };
    let wrong = || inputs.input_error("selectedEndpoints", "this must be a JSON list of operation ids");
    let chosen: Option<Vec<String>> = match inputs.json("selectedEndpoints")? {
        None => None,
        Some(list) => Some(serde_json::from_value(list).map_err(|_| wrong())?),
    };
    let is_chosen = |operation: &Operation| match chosen.as_deref() {
        None | Some([]) => true,
        Some(ids) => ids.contains(&operation.id),
    };
    let shared = Arc::new(ToolkitClient {
        label: inputs.label.to_owned(),
        server,
        headers: pairs(inputs, "headers")?,
        returns_directly: inputs.switch("returnDirect"),
        removes_nulls: inputs.switch("removeNulls"),
        code: inputs.optional_text("customCode").filter(|code| !code.trim().is_empty()),
        runner: inputs.want(),
    });
    let tools = api.operations.into_iter().filter(is_chosen);
    let tools: Toolkit = tools
        .map(|operation| Arc::new(ApiTool { operation, client: shared.clone() }) as Arc<dyn Tool>)
        .collect();
    if tools.is_empty() {
        return Err(inputs.input_error(
            "selectedEndpoints",
            "the description has none of these operations; only those with an operationId count",
        ));
    }
    Ok(tools)
}

/// What all tools of one card call with.
struct ToolkitClient {
    label: String,
    server: Url,
    headers: Vec<(String, String)>,
    returns_directly: bool,
    removes_nulls: bool,
    code: Option<String>,
    runner: Option<Grant<dyn CodeRunner>>,
}

struct ApiTool {
    operation: Operation,
    client: Arc<ToolkitClient>,
}

impl Tool for ApiTool {
    fn spec(&self) -> ToolSpec {
        self.operation.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        let ToolkitClient { label, server, headers, removes_nulls, code, runner, .. } = self.client.as_ref();
        let call = self.operation.call(server, arguments, *removes_nulls)?;
        let text = match code {
            None => call.request(headers).fetch_text(turn, ResponseLimits::default())?,
            Some(source) => {
                let code = Code::new(label, source, seen_by_code(&call, headers));
                let runner = runner.ok_or_else(|| CallError::from(&ScriptError::Unavailable))?;
                let runner = runner.of(turn.host)?;
                let result = runner.run_code(&code).map_err(|error| CallError::from(&error))?;
                code::as_text(&result)
            }
        };
        if self.client.returns_directly {
            return Ok(text);
        }
        Ok(untrusted_text::mark_untrusted("response", &self.operation.spec.name, &text))
    }

    fn returns_directly(&self) -> bool {
        self.client.returns_directly
    }
}

/// The call as `$url` and `$options`, in the words of `fetch`.
fn seen_by_code(call: &ApiCall, headers: &[(String, String)]) -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    if call.body.is_some() {
        all.insert("Content-Type".into(), "application/json".into());
    }
    all.extend(headers.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
    let mut options = json!({"method": call.method, "headers": all});
    if let Some(body) = &call.body {
        options["body"] = body.to_string().into();
    }
    Map::from_iter([("url".to_owned(), call.url.as_str().into()), ("options".to_owned(), options)])
}
