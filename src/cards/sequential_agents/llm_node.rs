//! LLM Node: one call of a model, whose reply may have keys, or ask for the tools of a Tool Node.

use super::BEFORE;
use super::structured_reply::{ReplyForm, keys_input};
use crate::domain::error::Result;
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::updates::{self, StateUpdates};
use crate::kit::members::voice::{
    HISTORY, HISTORY_CODE, HUMAN_INPUT, MODEL, PROMPT_VALUES, SYSTEM_INPUT, Voice,
};
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, TurnView, Way, fault};
use crate::kit::steps::structured_output::answer_text;
use crate::kit::{Capability, Card, Category, Factory, Input, Need, Risk, RunContext, TokenSink};
use crate::llm::ChatRequest;
use serde_json::{Value, json};

const KEYS: &str = "llmStructuredOutput";

pub(crate) const CARD: Card = Card {
    name: "seqLLMNode",
    label: "LLM Node",
    version: 4.1,
    category: Category::SequentialAgents,
    description: "Asks a model once.",
    base_classes: &["LLMNode"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        Input::text("llmNodeName", "Name"),
        SYSTEM_INPUT.additional(),
        HISTORY_CODE,
        HISTORY,
        HUMAN_INPUT,
        BEFORE,
        MODEL,
        PROMPT_VALUES.additional(),
        keys_input(KEYS),
        updates::FORM,
        updates::TABLE,
        updates::FUNCTION,
    ],
    outputs: &[],
    make: Factory::Member(|inputs| {
        let voice = Voice::from_inputs(inputs, "llmNodeName")?;
        let name = voice.name.clone();
        let step = LlmNode {
            voice,
            form: ReplyForm::from_inputs(inputs, KEYS)?,
            updates: StateUpdates::from_inputs(inputs)?,
        };
        Ok(Member::Step(NamedStep { name, counts: true, tools: Vec::new(), step: Box::new(step) }))
    }),
};

struct LlmNode {
    voice: Voice,
    form: Option<ReplyForm>,
    updates: StateUpdates,
}

impl MemberStep for LlmNode {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        words: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let label = &self.voice.label;
        let messages = self.voice.messages(view, turn)?;
        let model = self.voice.model(view);
        let (said, output) = match &self.form {
            Some(form) => {
                let answer = form.ask(label, model, messages, turn)?;
                let mut output = answer.clone();
                let text = answer_text(&answer);
                output.insert("content".to_owned(), text.as_str().into());
                (MemberTurn::said(text), Value::Object(output))
            }
            None => {
                if !view.tools.is_empty() && !model.takes_tools() {
                    return Err(fault(
                        label,
                        &format!("{} cannot call tools; connect a model that can", model.label()),
                    ));
                }
                let tools = view.tools.iter().map(|tool| tool.spec()).collect();
                let request = ChatRequest { messages, tools, ..ChatRequest::default() };
                let reply = model.ask(&request, turn.host, words)?;
                let output = json!({"content": reply.text, "toolCalls": reply.calls});
                let (text, calls) = (reply.text.clone(), reply.calls.len());
                let mut said = MemberTurn::said(text);
                said.messages = vec![reply.into_message()];
                if !view.tools.is_empty() {
                    said.way = Way::Tools(calls > 0);
                }
                (said, output)
            }
        };
        let updates = self.updates.evaluate(label, &FlowValues { view, turn, output })?;
        Ok(said.with_updates(updates))
    }
}
