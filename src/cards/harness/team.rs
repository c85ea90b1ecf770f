//! Team: who leads the specialists of a harness, and how.

use crate::domain::error::Result;
use crate::kit::steps::structured_output::keys_input;
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, Need, Risk, WireType};

/// What the harness is called in paths.
pub const NAME: &str = "harnessName";
pub(super) const MODEL: &str = "harnessModel";
pub(super) const INSTRUCTIONS: &str = "harnessInstructions";
pub(super) const ROUTING: &str = "harnessRouting";
const MAX_SPECIALISTS: &str = "harnessMaxSpecialists";
const HANDOFF: &str = "harnessHandoff";
const SECONDS: &str = "harnessSpecialistSeconds";
pub(super) const MEMORY: &str = "harnessMemoryType";
pub(super) const WINDOW: &str = "harnessMemoryWindowSize";
pub(crate) const REPORT: &str = "harnessReportSchema";
/// Where specialists are connected.
pub const SPECIALISTS: &str = "specialists";

/// Specialists that a model may choose at once, unless the owner says otherwise (manual 22.2).
const MAX_SPECIALISTS_DEFAULT: u64 = 3;
/// How long a specialist may take, unless the owner says otherwise (manual 22.2).
const SECONDS_DEFAULT: u64 = 60;

pub const CARD: Card = Card {
    name: "harnessTeam",
    label: "Team",
    version: 1.0,
    category: Category::Harness,
    description: "Leads specialists: chooses who works on a question, and answers from what they report.",
    base_classes: &["HarnessTeam"],
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Replies), Need::optional(Capability::AnswerFiles)],
    inputs: &[
        Input::text(NAME, "Harness Name")
            .help("What the team is called where it is asked: small letters, digits and dashes."),
        Input::card(MODEL, "Model", WireType::ChatModel)
            .help("Chooses the specialists and writes the answer."),
        Input::lines(INSTRUCTIONS, "Instructions")
            .optional()
            .variables()
            .help("What the model is told when it chooses and when it answers."),
        Input::wires(SPECIALISTS, "Specialists", WireType::Specialist),
        Input::choice(
            ROUTING,
            "Routing",
            &[
                Choice::new("auto", "The model chooses"),
                Choice::new("all", "Every specialist"),
                Choice::new("one", "The model chooses one"),
            ],
        )
        .or("auto"),
        Input::whole(MAX_SPECIALISTS, "Max Specialists", 1.0, 8.0)
            .or("3")
            .when(ROUTING, "auto")
            .help("So many of those that the model chooses work on a question."),
        Input::choice(
            HANDOFF,
            "Handoff",
            &[
                Choice::new("compose", "The model writes the answer"),
                Choice::new("relay", "A single report is the answer"),
            ],
        )
        .or("compose"),
        Input::whole(SECONDS, "Seconds for a Specialist", 1.0, 600.0).or("60").additional(),
        Input::choice(
            MEMORY,
            "Memory",
            &[
                Choice::new("none", "None"),
                Choice::new("allMessages", "All Messages"),
                Choice::new("windowSize", "Newest Messages"),
            ],
        )
        .or("none")
        .help("What of the conversation the team knows beside the question."),
        Input::whole(WINDOW, "Window Size", 1.0, 1_000.0)
            .or("20")
            .when(MEMORY, "windowSize")
            .help("So many pairs of question and answer are sent."),
        keys_input(REPORT),
    ],
    outputs: &[],
    make: Factory::Team,
};

/// Who chooses the specialists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routing {
    /// The model, and no more than so many.
    Chosen(usize),
    /// The model, which chooses one in any case.
    One,
    /// All of them work on the question itself.
    All,
}

/// What the card says of how the team works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TeamSettings {
    pub routing: Routing,
    /// A report that stands alone is the answer.
    pub relays: bool,
    /// How long a specialist may take.
    pub specialist_seconds: u64,
}

impl TeamSettings {
    /// # Errors
    /// When a number is out of its range.
    pub fn from_inputs(inputs: &Inputs<'_>) -> Result<Self> {
        let said = |name: &str| inputs.optional_text(name).unwrap_or_default();
        let most = inputs.whole(MAX_SPECIALISTS)?.unwrap_or(MAX_SPECIALISTS_DEFAULT);
        Ok(Self {
            routing: match said(ROUTING).as_str() {
                "all" => Routing::All,
                "one" => Routing::One,
                _ => Routing::Chosen(usize::try_from(most).unwrap_or(1)),
            },
            relays: said(HANDOFF) == "relay",
            specialist_seconds: inputs.whole(SECONDS)?.unwrap_or(SECONDS_DEFAULT),
        })
    }
}
