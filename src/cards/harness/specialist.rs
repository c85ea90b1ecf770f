//! Specialist: one of a team, with a model, tools and knowledge of its own.

use super::team;
use crate::agentflow::agent::ROUNDS_DEFAULT;
use crate::agentflow::agent::rounds::{AgentProgress, Rounds, RoundsEnd};
use crate::agentflow::agent::toolbox::{STORE_ROW, TOOL_ROW, Toolbox, ToolboxNames};
use crate::domain::error::{Error, Result};
use crate::domain::predictions::prediction::{Document, UsedTool};
use crate::kit::models::model_tally::ModelTally;
use crate::kit::steps::memory::StepMemory;
use crate::kit::steps::messages::MessageList;
use crate::kit::{
    Capability, Card, Category, Factory, Input, Inputs, KeptFile, Model, Need, Risk, StepContext, TokenSink,
    WireType,
};
use crate::llm::ChatMessage;
use std::sync::Arc;

pub const NAME: &str = "specialistName";
pub const DESCRIPTION: &str = "specialistDescription";
const MODEL: &str = "specialistModel";
const INSTRUCTIONS: &str = "specialistInstructions";
const ROUNDS: &str = "specialistMaxIterations";
const TOOLBOX: ToolboxNames =
    ToolboxNames { tools: "specialistTools", stores: "specialistKnowledgeDocumentStores", vectors: None };

/// What every specialist is told beside the instructions of its owner.
const STANDING: &str = "You are one of a team of specialists. The last message is the task that you were given. Work on \
                        this task alone and report what you found: who leads the team answers the person from your \
                        report.";

pub const CARD: Card = Card {
    name: "harnessSpecialist",
    label: "Specialist",
    version: 1.0,
    category: Category::Harness,
    description: "Works on tasks of a team, with tools and knowledge of its own.",
    base_classes: &["HarnessSpecialist"],
    risk: Risk::Safe,
    needs: &[
        Need::optional(Capability::Replies),
        Need::optional(Capability::Knowledge),
        Need::optional(Capability::AnswerFiles),
    ],
    inputs: &[
        Input::text(NAME, "Specialist Name")
            .help("Small letters, digits and dashes; each of a team has its own."),
        Input::lines(DESCRIPTION, "Description")
            .optional()
            .help("What it can do. The model that chooses sees nothing else of it."),
        Input::card(MODEL, "Model", WireType::ChatModel).optional().help("Empty: the model of the team."),
        Input::lines(INSTRUCTIONS, "Instructions").optional().variables(),
        Input::rows(TOOLBOX.tools, "Tools", TOOL_ROW).optional(),
        Input::rows(TOOLBOX.stores, "Knowledge (Document Stores)", STORE_ROW)
            .optional()
            .help("Document stores that it can search."),
        Input::whole(ROUNDS, "Max Iterations", 1.0, 100.0)
            .or("25")
            .additional()
            .help("Rounds of tool calls; a specialist that wants more fails."),
    ],
    outputs: &[],
    make: Factory::Team,
};

/// What a specialist brought.
#[derive(Debug, Default)]
pub struct SpecialistWork {
    pub text: String,
    pub used_tools: Vec<UsedTool>,
    pub sources: Vec<Document>,
    pub files: Vec<KeptFile>,
}

/// The model that a specialist works with.
///
/// # Errors
/// When what is picked is no model.
pub fn model_of(inputs: &Inputs<'_>, team: &Arc<Model>) -> Result<Arc<Model>> {
    if inputs.picked(MODEL).is_some() { inputs.model(MODEL) } else { Ok(team.clone()) }
}

/// Works on the task, which is the question of `context`. What is written on the way goes to `sink`.
///
/// # Errors
/// When the model or a tool that must not fail does, a call wants a person, or there were too many rounds.
pub fn work(
    inputs: &Inputs<'_>,
    context: &StepContext<'_>,
    (model, team): (&Model, &Inputs<'_>),
    sink: &mut dyn TokenSink,
) -> Result<SpecialistWork> {
    let toolbox = Toolbox::from_inputs(inputs, TOOLBOX)?;
    toolbox.check(inputs, model)?;
    let memory = StepMemory::chosen(team, team::MEMORY, team::WINDOW)?;
    let mut tally = ModelTally::default();
    let own = inputs.optional_text(INSTRUCTIONS).filter(|text| !text.trim().is_empty());
    let mut messages: Vec<ChatMessage> =
        own.into_iter().chain([STANDING.to_owned()]).map(ChatMessage::System).collect();
    let list = MessageList { inputs, context, model, rows: None, last: None, memory: &memory };
    messages.extend(list.gather(&mut tally)?);
    let rounds_max = inputs.whole(ROUNDS)?.unwrap_or(ROUNDS_DEFAULT);
    let rounds = Rounds::new(inputs, model, &toolbox, context.turn, sink, (ROUNDS, rounds_max));
    let mut rounds = Rounds { progress: AgentProgress::new(messages, tally), ..rounds };
    match rounds.run()? {
        RoundsEnd::Answer => {}
        RoundsEnd::Approval(call) => {
            return Err(Error::RunFailed(format!(
                "{}: the tool '{}' waits for the approval of a person, and nobody is asked in a team",
                inputs.label, call.name
            )));
        }
    }
    let AgentProgress { tally, used_tools, mut sources, .. } = rounds.progress;
    sources.extend(tally.citations);
    let text = if rounds.answer.trim().is_empty() { rounds.text } else { rounds.answer };
    Ok(SpecialistWork { text: text.trim().to_owned(), used_tools, sources, files: tally.files })
}
