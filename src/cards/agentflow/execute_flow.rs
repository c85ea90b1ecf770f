//! Execute Flow: another flow of the workspace answers, and its answer is the text of the step.

use crate::domain::error::{Error, Result};
use crate::domain::ids::FlowId;
use crate::domain::predictions::prediction::{HistoryMessage, MessageRole, RunOutput};
use crate::kit::models::model_tally::{ARTIFACTS, FILE_ANNOTATIONS};
use crate::kit::steps::on_error;
use crate::kit::{
    AskedFlow, Capability, Card, Category, Choice, Factory, FlowCall, Flows, Input, Inputs, Need, NullSink,
    Picker, Risk, StepContext, StepOutcome, TokenSink, input_lists,
};
use serde_json::json;

const FLOW: &str = "executeFlowSelectedFlow";
const QUESTION: &str = "executeFlowInput";
const OVERRIDES: &str = "executeFlowOverrideConfig";
const REPLY_AS: &str = "executeFlowReturnResponseAs";
const KEY_FIELD: &str = "chatflowApiKey";

pub(crate) const CARD: Card = Card {
    name: "executeFlowAgentflow",
    label: "Execute Flow",
    version: 1.2,
    category: Category::AgentFlows,
    description: "Asks another flow of this workspace.",
    base_classes: &["ExecuteFlow"],
    risk: Risk::Risky,
    needs: &[Need::required(Capability::Flows)],
    inputs: input_lists![
        &[
            Input::credential(&["chatflowApi"])
                .optional()
                .help("Only for a flow that is bound to an API key: a credential that holds it."),
            Input::pick(FLOW, "Select Flow", Picker::Flow)
                .help("A flow of this workspace, but not this one."),
            Input::lines(QUESTION, "Input").variables().help("What the flow is asked."),
            Input::json(OVERRIDES, "Override Config")
                .optional()
                .variables()
                .help("Settings of the other flow, as far as its owner lets a request change them."),
            Input::address("executeFlowBaseURL", "Base URL")
                .optional()
                .help("Not used: flows of this workspace are asked within the service."),
            Input::choice(
                REPLY_AS,
                "Return Response As",
                &[
                    Choice::new("userMessage", "User Message"),
                    Choice::new("assistantMessage", "Assistant Message"),
                ],
            )
            .or("userMessage")
            .help("Who said the answer, for the models that come later."),
            Input::state_updates("executeFlowUpdateState"),
        ],
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(ask),
};

fn ask(inputs: &Inputs<'_>, context: &StepContext<'_>, _: &mut dyn TokenSink) -> Result<StepOutcome> {
    let host = context.turn.host;
    let wrong = || inputs.input_error(FLOW, "this must be the id of a flow of this workspace");
    let flow = FlowId::parse(inputs.text(FLOW)?.trim()).ok_or_else(wrong)?;
    if host.fact("chatflowId").is_some_and(|own| own == flow.to_string()) {
        return Err(inputs.input_error(FLOW, "a flow cannot ask itself; choose another one"));
    }
    let question = inputs.text(QUESTION)?;
    let key = inputs.optional_secret(KEY_FIELD);
    let call = FlowCall {
        flow: AskedFlow::Id(&flow),
        question: &question,
        overrides: &inputs.object(OVERRIDES)?,
        afresh: false,
        key: key.as_deref(),
        iterations: 0,
        cancel: None,
    };
    let flows = inputs.need::<dyn Flows>()?.of(host)?;
    let answer = flows.ask_flow(&call, &mut NullSink).map_err(|fault| match fault {
        Error::NotFound(_) => inputs.input_error(FLOW, &fault.to_string()),
        fault => name_card(inputs.label, fault),
    })?;
    let role = match inputs.optional_text(REPLY_AS).as_deref() {
        Some("assistantMessage") => MessageRole::Api,
        _ => MessageRole::User,
    };
    let outcome = outcome_of(answer, role)?;
    Ok(outcome.with_input("messages", json!([{"role": "user", "content": question}])))
}

pub(crate) fn outcome_of(answer: RunOutput, role: MessageRole) -> Result<StepOutcome> {
    let mut outcome = StepOutcome::from_text(answer.text.as_str());
    if !answer.source_documents.is_empty() {
        let documents = serde_json::to_value(&answer.source_documents).map_err(Error::internal)?;
        outcome.output.insert("sourceDocuments".to_owned(), documents);
    }
    if !answer.used_tools.is_empty() {
        let tools = serde_json::to_value(&answer.used_tools).map_err(Error::internal)?;
        outcome.output.insert("usedTools".to_owned(), tools);
    }
    if !answer.artifacts.is_empty() {
        outcome.output.insert(ARTIFACTS.to_owned(), json!(answer.artifacts));
    }
    if !answer.file_annotations.is_empty() {
        outcome.output.insert(FILE_ANNOTATIONS.to_owned(), json!(answer.file_annotations));
    }
    outcome.said = vec![HistoryMessage::new(role, answer.text)];
    outcome.used_tools = answer.used_tools;
    outcome.sources = answer.source_documents;
    Ok(outcome)
}

/// What the other flow failed with, as a failure of this card: what may pass still may.
pub(crate) fn name_card(label: &str, fault: Error) -> Error {
    match fault {
        Error::Unauthorized(_) => Error::RunFailed(format!(
            "{label}: the flow answers holders of its API key only; a credential with that key must be selected."
        )),
        other => other.of_card(label),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::error::Unauthorized;
    use crate::domain::ids::{ChatId, MessageId};
    use crate::domain::predictions::prediction::{Document, RunIds, UsedTool};
    use crate::kit::capabilities::test_host::TestHost;
    use crate::kit::steps::test_step::TestStep;
    use crate::kit::{Capabilities, Host, HostContext, RunFacts};
    use serde_json::{Map, Value};

    const OTHER: &str = "7c9e6679-7425-40de-944b-e07fc1f90ae7";

    /// Its flows answer with what they were asked.
    struct FlowHost {
        host: TestHost,
        ids: RunIds,
        fault: fn() -> Option<Error>,
    }

    impl Default for FlowHost {
        fn default() -> Self {
            let (answer, question) = (MessageId::random(), MessageId::random());
            let ids = RunIds { flow: FlowId::random(), chat: ChatId::random(), answer, question };
            Self { host: TestHost::default(), ids, fault: || None }
        }
    }

    impl Host for FlowHost {
        fn context(&self) -> HostContext<'_> {
            HostContext { facts: Some(RunFacts { ids: &self.ids, session: None }), ..self.host.context() }
        }

        fn capabilities(&self) -> Capabilities<'_> {
            Capabilities::default().with_flows(self)
        }
    }

    impl Flows for FlowHost {
        fn ask_flow(&self, call: &FlowCall<'_>, _: &mut dyn TokenSink) -> Result<RunOutput> {
            if let Some(fault) = (self.fault)() {
                return Err(fault);
            }
            let text = format!("{} {:?} {}", call.question, call.key, Value::Object(call.overrides.clone()));
            Ok(RunOutput {
                used_tools: vec![UsedTool {
                    tool: "t".to_owned(),
                    tool_input: json!({}),
                    tool_output: "o".to_owned(),
                    error: None,
                }],
                source_documents: vec![Document { page_content: "p".to_owned(), metadata: Map::new() }],
                ..RunOutput::from_text(text)
            })
        }
    }

    fn step() -> TestStep {
        TestStep::new(&CARD).with(FLOW, json!(OTHER)).with(QUESTION, json!("How late?"))
    }

    #[test]
    fn the_other_flow_is_asked_with_key_and_settings() {
        let step =
            step().with(OVERRIDES, json!("{\"a\": 1}")).with_credential(&json!({"chatflowApiKey": "k"}));
        let outcome = step.run_on(&FlowHost::default()).unwrap();
        assert_eq!(outcome.text(), "How late? Some(\"k\") {\"a\":1}");
        assert_eq!(
            Value::Object(outcome.input),
            json!({"messages": [{"role": "user", "content": "How late?"}]})
        );
    }

    #[test]
    fn tools_and_sources_of_the_other_flow_are_handed_on() {
        let outcome = step().run_on(&FlowHost::default()).unwrap();
        assert_eq!((outcome.used_tools.len(), outcome.sources.len()), (1, 1));
        assert_eq!(outcome.output["usedTools"][0]["toolOutput"], "o");
        assert_eq!(outcome.output["sourceDocuments"][0]["pageContent"], "p");
    }

    #[test]
    fn the_owner_says_who_said_the_answer() {
        let role = |step: TestStep| step.run_on(&FlowHost::default()).unwrap().said[0].role;
        assert_eq!(role(step()), MessageRole::User);
        assert_eq!(role(step().with(REPLY_AS, json!("assistantMessage"))), MessageRole::Api);
    }

    #[test]
    fn a_flow_does_not_ask_itself() {
        let host = FlowHost::default();
        let told = step().with(FLOW, json!(host.ids.flow.to_string())).run_on(&host).unwrap_err();
        assert!(told.to_string().contains("cannot ask itself"), "{told}");
    }

    #[test]
    fn a_failure_names_the_card_and_keeps_whether_it_may_pass() {
        let told = |fault| step().run_on(&FlowHost { fault, ..FlowHost::default() }).unwrap_err();
        let locked = told(|| Some(Error::Unauthorized(Unauthorized::NoProof)));
        assert!(locked.to_string().contains("a credential with that key"), "{locked}");
        let busy = told(|| Some(Error::transient("Model: busy")));
        assert!(busy.may_pass() && busy.to_string() == "Execute Flow: Model: busy", "{busy}");
        assert!(matches!(told(|| Some(Error::Cancelled)), Error::Cancelled));
    }
}
