//! Agent Memory: where the state of a Multi-Agent or Sequential Agent flow is kept between questions. It is the database of
//! the service.

use crate::cards::kit::members::Member;
use crate::cards::kit::{Card, Category, Choice, Factory, Input, Risk};

pub(crate) const CARD: Card = Card {
    name: "agentMemory",
    label: "Agent Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Remembers the state of the flow between the questions of a conversation.",
    base_classes: &["AgentMemory", "BaseCheckpointSaver"],
    risk: Risk::Risky,
    needs: &[],
    inputs: &[
        Input::choice("databaseType", "Database", &[Choice::new("sqlite", "SQLite")])
            .or("sqlite")
            .help("The state is kept in the database of the service, with the conversation."),
        Input::text("databaseFilePath", "Database File Path")
            .additional()
            .help("Not used: the state is kept in the database of the service."),
        Input::json("additionalConfig", "Additional Connection Configuration").additional().help("Not used."),
    ],
    outputs: &[],
    make: Factory::Member(|_| Ok(Member::Saver)),
};
