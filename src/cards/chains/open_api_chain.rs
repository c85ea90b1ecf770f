//! OpenAPI Chain: a model picks one operation of an API, and what the API answers is the answer.

use super::llm_chain::{MODERATION, answer_with};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{RunOutput, UsedTool};
use crate::kit::build::component::moderate;
use crate::kit::web::openapi::{self, Operation};
use crate::kit::{
    Capability, Card, Category, Chain, Factory, Input, Model, Moderation, ModerationVerdict, Need, NullSink,
    Risk, RunContext, TokenSink, WireType,
};
use crate::llm::{ChatMessage, ChatRequest};
use crate::net::ResponseLimits;
use crate::tools::requests::pairs;
use std::sync::Arc;
use url::Url;

const INSTRUCTIONS: &str = "Answer the question by calling the one tool whose result holds the answer. Call exactly one. When none fits, \
                            say so instead.";

pub(crate) const CARD: Card = Card {
    name: "openApiChain",
    label: "OpenAPI Chain",
    version: 2.0,
    category: Category::Chains,
    description: "Calls the operation of an API that fits a question, and answers with what came back.",
    base_classes: &["OpenAPIChain", "BaseChain", "Runnable"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::WorkspaceFiles)],
    inputs: &[
        Input::wire("model", "Chat Model", WireType::ChatModel),
        Input::address("yamlLink", "YAML Link")
            .optional()
            .help("Where the description is, when no file is uploaded."),
        Input::file("yamlFile", "YAML File", &["yaml", "yml", "json"]).optional(),
        Input::headers("headers", "Headers").additional(),
        MODERATION,
    ],
    outputs: &[],
    make: Factory::Chain(|inputs| {
        let api = openapi::load_description(inputs, &["yamlFile"], "yamlLink")?;
        let at = if inputs.optional_text("yamlFile").is_some() { "yamlFile" } else { "yamlLink" };
        let server = api.servers.into_iter().next();
        Ok(Arc::new(OpenApi {
            label: inputs.label.to_owned(),
            model: inputs.model("model")?,
            server: server
                .ok_or_else(|| inputs.input_error(at, "the description names no full address of a server"))?,
            operations: api.operations,
            headers: pairs(inputs, "headers")?,
            moderations: inputs.moderations("inputModeration")?,
        }))
    }),
};

struct OpenApi {
    label: String,
    model: Arc<Model>,
    server: Url,
    operations: Vec<Operation>,
    headers: Vec<(String, String)>,
    moderations: Vec<Arc<dyn Moderation>>,
}

impl Chain for OpenApi {
    fn run(&self, turn: &RunContext<'_>, sink: &mut dyn TokenSink) -> Result<RunOutput> {
        if let ModerationVerdict::Block(answer) = moderate(&self.moderations, turn)? {
            return answer_with(answer, sink);
        }
        let failed = |why: &str| Error::RunFailed(format!("{}: {why}", self.label));
        if !self.model.takes_tools() {
            let model = self.model.label();
            return Err(failed(&format!("{model} cannot call tools; connect a model that can")));
        }
        let request = ChatRequest {
            messages: vec![ChatMessage::System(INSTRUCTIONS.to_owned()), ChatMessage::user(turn.question)],
            tools: self.operations.iter().map(|operation| operation.spec.clone()).collect(),
            ..ChatRequest::default()
        };
        let reply = self.model.ask(&request, turn.host, &mut NullSink)?;
        let Some(wanted) = reply.calls.first() else { return answer_with(reply.text, sink) };
        let operation = self.operations.iter().find(|operation| operation.spec.name == wanted.name);
        let operation = operation.ok_or_else(|| failed("the model wanted an operation that is not there"))?;
        let call = operation.call(&self.server, &wanted.arguments, false).map_err(|why| failed(&why))?;
        let text = call
            .request(&self.headers)
            .fetch_text(turn, ResponseLimits::default())
            .map_err(|why| why.at(&self.label))?;
        let used = UsedTool {
            tool: operation.spec.name.clone(),
            tool_input: wanted.arguments.clone(),
            tool_output: text.clone(),
            error: None,
        };
        Ok(RunOutput { used_tools: vec![used], ..answer_with(text, sink)? })
    }
}
