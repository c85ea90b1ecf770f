//! Few Shot Prompt Template: examples, each put through a prompt of its own, between two texts with `{variables}`.

use crate::domain::error::Result;
use crate::kit::build::prompt::{BraceText, Prompt, PromptForm};
use crate::kit::{Card, Category, Choice, Factory, Input, Inputs, Risk, WireType};
use serde_json::{Map, Value};

const EXAMPLES: &str = "examples";
const EXAMPLE_PROMPT: &str = "examplePrompt";
const FORMAT: &str = "templateFormat";
const SINGLE_BRACES: &str = "f-string";
/// What stands between two parts where nothing else is said.
const PARAGRAPH: &str = "\n\n";
/// More examples than this are a mistake.
const EXAMPLES_MAX: usize = 1_000;

pub(crate) const CARD: Card = Card {
    name: "fewShotPromptTemplate",
    label: "Few Shot Prompt Template",
    version: 1.0,
    category: Category::Prompts,
    description: "A prompt that shows the model examples before the question.",
    base_classes: &[
        "FewShotPromptTemplate",
        "BaseStringPromptTemplate",
        "BasePromptTemplate",
        "Runnable",
    ],
    risk: Risk::Safe,
    needs: &[],
    inputs: &[
        Input::lines(EXAMPLES, "Examples")
            .lists()
            .help("A JSON list of objects, each with the values of one example: [{\"word\": \"happy\", \"antonym\": \"sad\"}]."),
        Input::wire(EXAMPLE_PROMPT, "Example Prompt", WireType::Prompt).help("The form of each example."),
        Input::lines("prefix", "Prefix").optional().help("Stands before the examples."),
        Input::lines("suffix", "Suffix").help("Stands after the examples and holds the question as a {variable}."),
        Input::lines("exampleSeparator", "Example Separator").optional().help("Empty: a blank line."),
        Input::choice(
            FORMAT,
            "Template Format",
            &[Choice::new(SINGLE_BRACES, "f-string"), Choice::new("jinja-2", "jinja-2")],
        )
        .or(SINGLE_BRACES),
    ],
    outputs: &[],
    make: Factory::Prompt(|inputs| {
        if inputs.text(FORMAT)? != SINGLE_BRACES {
            return Err(inputs.input_error(FORMAT, "choose f-string and write variables in single braces"));
        }
        let between = inputs.optional_text("exampleSeparator").unwrap_or_else(|| PARAGRAPH.to_owned());
        // What an example says is sent as it is: only the two texts around the examples have variables.
        let mut parts: Vec<BraceText> = inputs.optional_brace_text("prefix").into_iter().collect();
        parts.extend(examples(inputs)?.into_iter().map(BraceText::literal));
        parts.push(inputs.brace_text("suffix")?);
        Ok(Prompt { form: PromptForm::Text(BraceText::join(parts, &between)), values: Map::new() })
    }),
};

fn examples(inputs: &Inputs<'_>) -> Result<Vec<String>> {
    let prompt = inputs.prompt(EXAMPLE_PROMPT)?;
    let PromptForm::Text(form) = &prompt.form else {
        return Err(inputs.input_error(EXAMPLE_PROMPT, "connect a Prompt Template: an example is one text"));
    };
    let wrong = || inputs.input_error(EXAMPLES, "this must be a JSON list of objects, one for each example");
    let Some(Value::Array(list)) = inputs.json(EXAMPLES)? else { return Err(wrong()) };
    if list.len() > EXAMPLES_MAX {
        return Err(inputs.input_error(EXAMPLES, &format!("no more than {EXAMPLES_MAX} can be shown")));
    }
    let mut texts = Vec::with_capacity(list.len());
    for (at, example) in list.into_iter().enumerate() {
        let Value::Object(example) = example else { return Err(wrong()) };
        let mut values = prompt.values.clone();
        values.extend(example);
        if let Some(missing) = form.variables().find(|name| !values.contains_key(*name)) {
            let what = format!("example {} has no '{missing}', which the example prompt shows", at + 1);
            return Err(inputs.input_error(EXAMPLES, &what));
        }
        texts.push(form.format(&values));
    }
    Ok(texts)
}
