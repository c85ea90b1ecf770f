//! LLM: a step that asks a model once.

use crate::domain::error::Result;
use crate::kit::models::model_tally::ModelTally;
use crate::kit::models::token_sink::ThinkingSink;
use crate::kit::steps::made_files::keep_files;
use crate::kit::steps::memory::StepMemory;
use crate::kit::steps::messages::{MessageList, reply_message, step_input};
use crate::kit::steps::model_inputs::{ModelStepNames, model_step_names};
use crate::kit::steps::on_error;
use crate::kit::steps::structured_output::{StructuredOutput, answer_text, write_answer};
use crate::kit::{
    Capability, Card, Category, Factory, Inputs, Need, NullSink, Risk, StepContext, StepOutcome, TokenSink,
    input_lists,
};
use crate::llm::ChatRequest;

const NAMES: ModelStepNames = model_step_names!("llm");

pub(crate) const CARD: Card = Card {
    name: "llmAgentflow",
    label: "LLM",
    version: 1.1,
    category: Category::AgentFlows,
    description: "Asks a model, with the messages and the conversation that you choose.",
    base_classes: &["LLM"],
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Replies), Need::optional(Capability::AnswerFiles)],
    inputs: input_lists![
        &[NAMES.model_input(), NAMES.messages_input()],
        &NAMES.memory.inputs(),
        &NAMES.reply_inputs(),
        on_error::INPUTS,
    ],
    outputs: &[],
    make: Factory::Step(run),
};

fn run(inputs: &Inputs<'_>, context: &StepContext<'_>, sink: &mut dyn TokenSink) -> Result<StepOutcome> {
    let model = inputs.model(NAMES.model)?;
    let memory = StepMemory::from_inputs(inputs, NAMES.memory)?;
    let structured = StructuredOutput::from_inputs(inputs, NAMES.structured_output)?;
    let mut tally = ModelTally::default();
    let messages = MessageList {
        inputs,
        context,
        model: &model,
        rows: Some(NAMES.messages),
        last: Some(NAMES.user_message),
        memory: &memory,
    }
    .gather(&mut tally)?;
    let input = step_input(inputs, &messages);
    let (host, mut unheard) = (context.turn.host, NullSink);
    let sink: &mut dyn TokenSink = if context.is_last { sink } else { &mut unheard };
    let mut outcome = match structured {
        None => {
            let request = ChatRequest { messages, ..ChatRequest::default() };
            let reply = tally.ask(&model, &request, host, sink)?;
            keep_files(inputs, &model, &reply.files, &mut tally)?;
            StepOutcome::from_text(reply.text)
        }
        Some(keys) => {
            let answer = keys.ask(&model, messages, &mut tally, host, &mut ThinkingSink(sink))?;
            let mut outcome = StepOutcome::from_text(answer_text(&answer));
            write_answer(&answer, &mut outcome.output);
            outcome
        }
    };
    tally.describe(&mut outcome.output);
    outcome.said = reply_message(inputs, NAMES.reply_role, outcome.text(), &tally.files);
    Ok(StepOutcome { input, sources: tally.citations, ..outcome })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::predictions::prediction::{ImageSource, ImageUpload, MessageRole};
    use crate::kit::models::test_model::{TestModel, calling, reply};
    use crate::kit::steps::test_step::{TestStep, answered, asked};
    use crate::llm::{ChatMessage, Completion, ContentPart};
    use serde_json::{Value, json};

    fn step(model: &TestModel) -> TestStep {
        TestStep::asking(&CARD, NAMES.model, model)
    }

    /// The messages that the step sends, each as its role and text.
    fn sent(step: impl Fn(TestStep) -> TestStep) -> Vec<String> {
        let model = TestModel::new(vec![reply("one"), reply("two")]);
        step(self::step(&model)).run().unwrap();
        shown(&model.requests().last().unwrap().messages)
    }

    fn shown(messages: &[ChatMessage]) -> Vec<String> {
        let role = |message: &ChatMessage| match message {
            ChatMessage::System(_) => "system",
            ChatMessage::User(_) => "user",
            ChatMessage::Assistant { .. } => "assistant",
            ChatMessage::Tool { .. } => "tool",
        };
        messages.iter().map(|message| format!("{}: {}", role(message), message.text())).collect()
    }

    fn rows() -> Value {
        json!([
            {"role": "user", "content": "Example"},
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "Yes."},
            {"role": "developer", "content": "Be kind."},
            {"role": "user", "content": " "},
        ])
    }

    #[test]
    fn instructions_stand_in_front_in_their_order() {
        let told = sent(|step| step.with(NAMES.messages, rows()));
        let expected =
            ["system: Be brief.", "system: Be kind.", "user: Example", "assistant: Yes.", "user: Hi?"];
        assert_eq!(told, expected);
    }

    #[test]
    fn the_first_model_hears_the_request_the_past_and_the_question() {
        let told = sent(|step| TestStep {
            history: vec![asked("a"), answered("b")],
            past: vec![asked("c"), answered("d")],
            ..step.with(NAMES.user_message, "Now!")
        });
        assert_eq!(told, ["user: a", "assistant: b", "user: c", "assistant: d", "user: Hi?", "user: Now!"]);
    }

    #[test]
    fn a_later_model_hears_what_was_said_and_no_question_of_its_own() {
        let told = sent(|step| TestStep {
            history: vec![asked("a")],
            past: vec![asked("c"), answered("d")],
            said: vec![asked("Hi?"), answered("Reply")],
            ..step
        });
        assert_eq!(told, ["user: c", "assistant: d", "user: Hi?", "assistant: Reply"]);
    }

    #[test]
    fn without_memory_a_row_of_the_person_takes_the_place_of_the_question() {
        let told = sent(|step| TestStep {
            past: vec![asked("c")],
            ..step.with(NAMES.memory.enable, false).with(NAMES.messages, rows())
        });
        assert_eq!(told, ["system: Be brief.", "system: Be kind.", "user: Example", "assistant: Yes."]);
    }

    #[test]
    fn without_memory_and_rows_the_first_model_hears_the_question_alone() {
        let told = sent(|step| TestStep { past: vec![asked("c")], ..step.with(NAMES.memory.enable, false) });
        assert_eq!(told, ["user: Hi?"]);
    }

    #[test]
    fn where_nobody_would_ask_the_last_instruction_is_the_question() {
        let only =
            json!([{"role": "system", "content": "Be brief."}, {"role": "system", "content": "Sing."}]);
        let told = sent(|step| TestStep {
            said: vec![asked("Hi?")],
            ..step.with(NAMES.memory.enable, false).with(NAMES.messages, only.clone())
        });
        assert_eq!(told, ["system: Be brief.", "user: Sing."]);
    }

    #[test]
    fn a_step_with_nothing_to_ask_says_so() {
        let model = TestModel::new(vec![reply("x")]);
        let step = TestStep { question: String::new(), ..step(&model) };
        let told = step.run().unwrap_err().to_string();
        assert_eq!(told, "Mine: Messages: there is nothing to ask the model; add a message");
    }

    #[test]
    fn a_window_holds_the_newest_pairs() {
        let told = sent(|step| TestStep {
            past: vec![asked("a"), answered("b"), asked("c"), answered("d")],
            ..step.with(NAMES.memory.kind, "windowSize").with(NAMES.memory.window, 1)
        });
        assert_eq!(told, ["assistant: d", "user: Hi?"]);
    }

    #[test]
    fn a_summary_leaves_the_question_as_it_is() {
        let told = sent(|step| TestStep {
            past: vec![asked("a"), answered("b")],
            ..step.with(NAMES.memory.kind, "conversationSummary")
        });
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains("Notes on what we said before") && told[0].contains("one"), "{told:?}");
        assert_eq!(told[1], "user: Hi?");
    }

    #[test]
    fn a_later_model_with_a_summary_still_hears_the_newest_message_of_the_person() {
        let told = sent(|step| TestStep {
            past: vec![asked("a"), answered("b")],
            said: vec![asked("Hi?"), answered("Reply")],
            ..step.with(NAMES.memory.kind, "conversationSummary")
        });
        assert_eq!(told[1..], ["user: Hi?", "assistant: Reply"]);
    }

    #[test]
    fn only_what_does_not_fit_is_summed_up() {
        let long = "x".repeat(400);
        let told = sent(|step| TestStep {
            past: vec![asked(&long), answered("b")],
            ..step.with(NAMES.memory.kind, "conversationSummaryBuffer").with(NAMES.memory.tokens, 50)
        });
        assert!(told[0].contains("Notes on what we said before"), "{told:?}");
        assert_eq!(told[1..], ["assistant: b", "user: Hi?"]);
    }

    #[test]
    fn a_conversation_that_fits_is_not_summed_up() {
        let told = sent(|step| TestStep {
            past: vec![asked("a"), answered("b")],
            ..step.with(NAMES.memory.kind, "conversationSummaryBuffer")
        });
        assert_eq!(told, ["user: a", "assistant: b", "user: Hi?"]);
    }

    #[test]
    fn images_go_with_the_question_where_the_model_takes_them() {
        let image = ImageUpload {
            name: "a.png".to_owned(),
            mime: "image/png".to_owned(),
            content: ImageSource::Image { base64: "AAAA".to_owned() },
        };
        for (model, count) in
            [(TestModel::with_images(vec![reply("x")]), 2), (TestModel::new(vec![reply("x")]), 1)]
        {
            let step = step(&model).with(NAMES.user_message, "Now!");
            let outcome = TestStep { uploads: vec![image.clone()], ..step }.run().unwrap();
            let ChatMessage::User(parts) = &model.requests()[0].messages[0] else { panic!() };
            assert_eq!((parts.len(), &parts[0]), (count, &ContentPart::Text("Hi?".to_owned())));
            assert!(!Value::Object(outcome.input).to_string().contains("AAAA"));
        }
    }

    #[test]
    fn the_reply_is_said_in_the_role_that_the_card_names() {
        for (set, role) in [("userMessage", MessageRole::User), ("assistantMessage", MessageRole::Api)] {
            let model = TestModel::new(vec![reply("Hello")]);
            let outcome = step(&model).with(NAMES.reply_role, set).run().unwrap();
            assert_eq!((outcome.said[0].role, outcome.said[0].text.as_str()), (role, "Hello"));
        }
    }

    #[test]
    fn a_last_step_is_heard_while_it_writes_and_another_is_not() {
        for (is_last, text, thinking) in [(true, "Hello", "Hm"), (false, "", "")] {
            let thought = Completion { thinking: "Hm".to_owned(), ..reply("Hello") };
            let model = TestModel::new(vec![thought]);
            let (outcome, heard) = TestStep { is_last, ..step(&model) }.run_heard();
            let outcome = outcome.unwrap();
            assert_eq!((heard.text.as_str(), heard.thinking.as_str()), (text, thinking));
            assert_eq!(
                (outcome.text(), &outcome.output["reasonContent"]),
                ("Hello", &json!({"thinking": "Hm"}))
            );
        }
    }

    #[test]
    fn the_record_shows_the_messages_and_what_is_set() {
        let model = TestModel::new(vec![reply("x")]);
        let input = step(&model).with(NAMES.reply_role, "userMessage").run().unwrap().input;
        assert_eq!(input["messages"], json!([{"role": "user", "content": "Hi?"}]));
        assert_eq!(input[NAMES.reply_role], "userMessage");
    }

    fn keys() -> Value {
        json!([
            {"key": "city", "type": "string", "description": "Where"},
            {"key": "mood", "type": "enum", "enumValues": "good, bad"},
            {"key": "content", "type": "number"},
        ])
    }

    const ANSWER: &str = r#"{"city": "Rome", "mood": "good", "content": 7}"#;

    fn answer() -> Value {
        serde_json::from_str(ANSWER).unwrap()
    }

    #[test]
    fn the_keys_of_an_answer_stand_beside_its_text_and_replace_none_of_the_steps_own() {
        let model = TestModel::new(vec![calling(&[("give_answer", answer())])]);
        let (outcome, heard) = step(&model).with(NAMES.structured_output, keys()).run_heard();
        let outcome = outcome.unwrap();
        assert_eq!(serde_json::from_str::<Value>(outcome.text()).unwrap(), answer());
        assert_eq!((&outcome.output["city"], &outcome.output["mood"]), (&json!("Rome"), &json!("good")));
        assert_eq!(heard.text, "");
        assert_eq!(outcome.said[0].text, outcome.text());
    }

    #[test]
    fn an_answer_that_does_not_fit_is_asked_for_once_more() {
        let wrong = calling(&[("give_answer", json!({"city": 7}))]);
        let model = TestModel::new(vec![wrong, calling(&[("give_answer", answer())])]);
        step(&model).with(NAMES.structured_output, keys()).run().unwrap();
        let told = shown(&model.requests()[1].messages).pop().unwrap();
        assert!(told.starts_with("tool: That does not fit: city must be a text."), "{told}");
    }

    #[test]
    fn a_model_that_never_fits_fails_the_step() {
        let model = TestModel::new(vec![reply("no"), reply("never")]);
        let told = step(&model).with(NAMES.structured_output, keys()).run().unwrap_err().to_string();
        let expected =
            "Mine: JSON Structured Output: Test Model gave no answer with these keys: it holds no JSON";
        assert_eq!(told, expected);
    }

    #[test]
    fn a_model_without_functions_writes_the_keys_down() {
        let model = TestModel::without_tools(vec![reply(ANSWER)]);
        let outcome = step(&model).with(NAMES.structured_output, keys()).run().unwrap();
        assert_eq!(outcome.output["city"], "Rome");
        assert!(model.requests()[0].tools.is_empty());
    }

    #[test]
    fn a_key_without_what_it_needs_is_named() {
        for (row, why) in [
            (
                json!([{"key": "a", "type": "enum"}]),
                "Mine: JSON Structured Output, row 1: Values: list at least one value",
            ),
            (
                json!([{"key": "a", "type": "jsonArray", "jsonSchema": "[]"}]),
                "Mine: JSON Structured Output, row 1: JSON Schema: the schema must be a JSON object",
            ),
            (
                json!([{"key": "a"}, {"key": "a"}]),
                "Mine: JSON Structured Output, row 2: Key: 'a' is there twice",
            ),
        ] {
            let model = TestModel::new(Vec::new());
            let told = step(&model).with(NAMES.structured_output, row).run().unwrap_err().to_string();
            assert_eq!(told, why);
        }
    }
}
