//! Agent Memories: where the state of a Multi-Agent or Sequential Agent flow is kept between questions. It is the database of
//! the service for each of them, so a canvas drawn around another database goes on as it is.

use crate::cards::kit::members::Member;
use crate::cards::kit::{Card, Category, Choice, Factory, Input, Risk};

/// The base class of a card that keeps the state of members.
const SAVER: &str = "BaseCheckpointSaver";

const MORE: Input = Input::json("additionalConfig", "Additional Connection Configuration")
    .additional()
    .help("Not used: the state is kept in the database of the service.");
const HOST: Input = Input::text("host", "Host")
    .optional()
    .help("Kept and not used: the state is kept in the database of the service, and nothing is sent to this address.");
const DATABASE: Input =
    Input::text("database", "Database").optional().help("Kept and not used, as the host is.");

/// The port, of which the canvas says the usual one.
const fn port(usual: &'static str) -> Input {
    Input::whole("port", "Port", 1.0, 65_535.0)
        .or(usual)
        .additional()
        .help("Kept and not used, as the host is.")
}

/// A card that keeps the state in the database of the service.
const fn saver(name: &'static str, label: &'static str, version: f64, inputs: &'static [Input]) -> Card {
    Card {
        name,
        label,
        version,
        category: Category::Memory,
        description: "Remembers the state of the flow between the questions of a conversation, in the database of the \
                      service.",
        base_classes: &["AgentMemory", SAVER],
        risk: Risk::Risky,
        needs: &[],
        inputs,
        outputs: &[],
        make: Factory::Member(|_| Ok(Member::Saver)),
    }
}

const INPUTS: &[Input] = &[
    Input::choice(
        "databaseType",
        "Database",
        &[
            Choice::new("sqlite", "SQLite"),
            Choice::new("postgres", "PostgreSQL"),
            Choice::new("mysql", "MySQL"),
        ],
    )
    .or("sqlite")
    .help("Whatever stands here, the state is kept in the database of the service, with the conversation."),
    Input::text("databaseFilePath", "Database File Path")
        .additional()
        .help("Not used: the state is kept in the database of the service."),
    HOST.additional(),
    DATABASE.additional(),
    Input::whole("port", "Port", 1.0, 65_535.0).additional().help("Kept and not used, as the host is."),
    MORE,
];

const SQLITE_INPUTS: &[Input] = &[MORE];
const POSTGRES_INPUTS: &[Input] = &[HOST, DATABASE, port("5432"), MORE];
const MYSQL_INPUTS: &[Input] = &[HOST, DATABASE, port("3306"), MORE];

pub(crate) const CARD: Card = saver("agentMemory", "Agent Memory", 2.0, INPUTS);

pub(crate) const SQLITE: Card = Card {
    base_classes: &["SQLiteAgentMemory", SAVER],
    ..saver("sqliteAgentMemory", "SQLite Agent Memory", 1.0, SQLITE_INPUTS)
};

pub(crate) const POSTGRES: Card = saver("postgresAgentMemory", "Postgres Agent Memory", 1.0, POSTGRES_INPUTS);

pub(crate) const MYSQL: Card = saver("mySQLAgentMemory", "MySQL Agent Memory", 1.0, MYSQL_INPUTS);
