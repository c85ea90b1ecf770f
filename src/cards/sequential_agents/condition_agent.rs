//! Condition Agent: a model is asked, and a table or code decides by its reply where the flow goes on.

use super::DECISIONS;
use super::structured_reply::{ReplyForm, keys_input};
use crate::domain::error::Result;
use crate::kit::members::flow_values::FlowValues;
use crate::kit::members::judging::{FORM, FUNCTION, Judge, TABLE};
use crate::kit::members::voice::{HISTORY, HUMAN_INPUT, MODEL, PROMPT_VALUES, SYSTEM_INPUT, Voice};
use crate::kit::members::{Member, MemberStep, MemberTurn, NamedStep, ShownTurn, TurnView, Way};
use crate::kit::steps::structured_output::answer_text;
use crate::kit::{
    Capability, Card, Category, Factory, Input, Need, NullSink, Risk, RunContext, TokenSink, WireType,
};
use crate::llm::ChatRequest;
use serde_json::{Value, json};

const KEYS: &str = "conditionAgentStructuredOutput";
const DEFAULT_SYSTEM: &str =
    "You decide how a conversation goes on. Read it and say in a few words what it needs next.";
const DEFAULT_HUMAN: &str = "Given the conversation above, what is needed next?";

pub(crate) const CARD: Card = Card {
    name: "seqConditionAgent",
    label: "Condition Agent",
    version: 3.1,
    category: Category::SequentialAgents,
    description: "Asks a model, and goes on by what it says.",
    base_classes: &["ConditionAgent", "Condition"],
    risk: Risk::Risky,
    needs: &[Need::optional(Capability::Code)],
    inputs: &[
        Input::text("conditionAgentName", "Name"),
        Input::wires("sequentialNode", "Sequential Node", WireType::SequentialNode),
        MODEL,
        SYSTEM_INPUT.or(DEFAULT_SYSTEM).additional(),
        HISTORY,
        HUMAN_INPUT.or(DEFAULT_HUMAN),
        PROMPT_VALUES.additional(),
        keys_input(KEYS),
        FORM,
        TABLE,
        FUNCTION,
    ],
    outputs: DECISIONS,
    make: Factory::Member(|inputs| {
        let voice = Voice::from_inputs(inputs, "conditionAgentName")?;
        let name = voice.name.clone();
        let step = ConditionAgent {
            voice,
            form: ReplyForm::from_inputs(inputs, KEYS)?,
            judge: Judge::from_inputs(inputs)?,
        };
        Ok(Member::Step(NamedStep { name, counts: true, tools: Vec::new(), step: Box::new(step) }))
    }),
};

struct ConditionAgent {
    voice: Voice,
    form: Option<ReplyForm>,
    judge: Judge,
}

impl MemberStep for ConditionAgent {
    fn take_turn(
        &self,
        view: &TurnView<'_>,
        turn: &RunContext<'_>,
        _: &mut dyn TokenSink,
    ) -> Result<MemberTurn> {
        let label = &self.voice.label;
        let (messages, model) = (self.voice.messages(view, turn)?, self.voice.model(view));
        let (text, output) = match &self.form {
            Some(form) => {
                let answer = form.ask(label, model, messages, turn)?;
                let (text, mut output) = (answer_text(&answer), answer);
                output.insert("content".to_owned(), text.as_str().into());
                (text, Value::Object(output))
            }
            None => {
                let request = ChatRequest { messages, ..ChatRequest::default() };
                let text = model.ask(&request, turn.host, &mut NullSink)?.text;
                let output = json!({ "content": text });
                (text, output)
            }
        };
        let next = self.judge.decide(label, &FlowValues { view, turn, output })?;
        // What it says decides, and is no part of the conversation.
        let shown = ShownTurn { texts: vec![text], next: Some(next.clone()), ..ShownTurn::default() };
        Ok(MemberTurn { shown, way: Way::Output(next), ..MemberTurn::default() })
    }
}
