//! Chatflow Tool: another flow of the workspace that a model can ask.

use super::search::{name_and_description, one_argument, text_argument};
use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::kit::{
    AskedFlow, CallError, Capability, Card, Category, Factory, FlowCall, Flows, Grant, Input, Inputs, Need,
    NullSink, Observation, Picker, Risk, RunContext, Tool,
};
use crate::llm::ToolSpec;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) const CARD: Card = Card {
    name: "ChatflowTool",
    label: "Chatflow Tool",
    version: 5.1,
    category: Category::Tools,
    description: "Another chatflow of this workspace that the model can ask.",
    base_classes: &["ChatflowTool", "Tool"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: &inputs(
        Input::credential(&["chatflowApi"]),
        Input::pick("selectedChatflow", "Select Chatflow", Picker::Flow)
            .help("The id of a chatflow of this workspace."),
    ),
    outputs: &[],
    make: Factory::Tools(|inputs| {
        Ok(vec![Arc::new(FlowTool::from_inputs(inputs, "selectedChatflow", "chatflowApiKey")?)])
    }),
};

/// The inputs of a card that asks a flow: how it proves that it may, and which flow.
pub(crate) const fn inputs(credential: Input, selected: Input) -> [Input; 10] {
    [
        credential
            .optional()
            .help("Only for a flow that is bound to an API key: a credential that holds it."),
        selected,
        Input::text("name", "Tool Name").optional().help("Empty: the label of this card."),
        Input::lines("description", "Tool Description").optional().help("Tells the model when to use it."),
        Input::switch("returnDirect", "Return Direct")
            .optional()
            .help("What the flow answers is the answer; the model does not read it."),
        Input::json("overrideConfig", "Override Config")
            .additional()
            .variables()
            .help("Settings of the other flow, as far as its owner lets a request change them."),
        Input::address("baseURL", "Base URL")
            .additional()
            .help("Not used: flows of this workspace are asked within the service."),
        Input::switch("startNewSession", "Start new session per message")
            .additional()
            .help("The other flow remembers nothing of what it was asked before."),
        Input::switch("useQuestionFromChat", "Use Question from Chat")
            .additional()
            .help("The other flow is asked what this one was asked, and not what the model writes."),
        Input::lines("customInput", "Custom Input")
            .additional()
            .when("useQuestionFromChat", "false")
            .help("What the other flow is asked. Empty: what the model writes."),
    ]
}

/// Who writes the question.
enum QuestionAuthor {
    /// The person, as they asked this flow.
    Person,
    /// The owner, always the same.
    Owner(String),
    Model,
}

pub(crate) struct FlowTool {
    label: String,
    flows: Grant<dyn Flows>,
    spec: ToolSpec,
    flow: FlowId,
    key: Option<String>,
    asker: QuestionAuthor,
    overrides: Map<String, Value>,
    starts_afresh: bool,
    returns_directly: bool,
}

impl FlowTool {
    /// A tool from a card whose input `selected` names the flow and whose credential holds the key in `key_field`.
    ///
    /// # Errors
    /// When an input cannot be read, or the flow would ask itself.
    pub(crate) fn from_inputs(inputs: &Inputs<'_>, selected: &str, key_field: &str) -> Result<Self> {
        let flow = FlowId::parse(inputs.text(selected)?.trim())
            .ok_or_else(|| inputs.input_error(selected, "this must be the id of a flow of this workspace"))?;
        if inputs.host.fact("chatflowId").is_some_and(|own| own == flow.to_string()) {
            return Err(inputs.input_error(selected, "a flow cannot ask itself; choose another one"));
        }
        let asker = match inputs.optional_text("customInput") {
            _ if inputs.switch("useQuestionFromChat") => QuestionAuthor::Person,
            Some(text) if !text.trim().is_empty() => QuestionAuthor::Owner(text),
            _ => QuestionAuthor::Model,
        };
        let (name, description) = name_and_description(inputs, "Asks");
        let spec = match asker {
            QuestionAuthor::Model => one_argument(&name, &description, "input", "What to ask."),
            _ => ToolSpec { name, description, schema: json!({"type": "object", "properties": {}}) },
        };
        Ok(Self {
            label: inputs.label.to_owned(),
            flows: inputs.need()?,
            spec,
            flow,
            key: inputs.optional_secret(key_field),
            asker,
            overrides: inputs.object("overrideConfig")?,
            starts_afresh: inputs.switch("startNewSession"),
            returns_directly: inputs.switch("returnDirect"),
        })
    }
}

impl Tool for FlowTool {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn call(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<String, CallError> {
        self.observe(arguments, turn).map(|seen| seen.text)
    }

    fn observe(&self, arguments: &Value, turn: &RunContext<'_>) -> Result<Observation, CallError> {
        let question = match &self.asker {
            QuestionAuthor::Person => turn.question,
            QuestionAuthor::Owner(text) => text,
            QuestionAuthor::Model => text_argument(arguments, "input")?,
        };
        let ask = FlowCall {
            flow: AskedFlow::Id(&self.flow),
            question,
            overrides: &self.overrides,
            afresh: self.starts_afresh,
            key: self.key.as_deref(),
            iterations: 0,
            cancel: None,
        };
        let outcome = self.flows.of(turn.host).and_then(|flows| flows.ask_flow(&ask, &mut NullSink)).map_err(|fault| {
            let fault = match fault {
                Error::Unauthorized(_) => {
                    "the flow answers holders of its API key only; a credential with that key must be selected."
                        .into()
                }
                other => CallError::from(other),
            };
            fault.reworded(|text| format!("{}: {text}", self.label))
        })?;
        Ok(Observation { text: outcome.text, sources: outcome.source_documents, ..Observation::default() })
    }

    fn returns_directly(&self) -> bool {
        self.returns_directly
    }
}
