//! Agent Memories: where the state of a Multi-Agent or Sequential Agent flow is kept between questions. It is a table of a
//! PostgreSQL or MySQL server, or the database of the service (manual 16.10).

mod mysql;
mod postgres;
mod table;

use self::table::TableKeeper;
use crate::domain::error::Result;
use crate::kit::members::{Member, StateKeeper};
use crate::kit::stores::{mysql as mysql_store, postgres as postgres_store};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Inputs, JsonShape, Need, Risk};
use std::sync::Arc;

/// The base class of a card that keeps the state of members.
const SAVER: &str = "BaseCheckpointSaver";
/// The setting of the card that keeps it in any of them.
const KIND: &str = "databaseType";
const SERVERS: &[&str] = &["postgres", "mysql"];

const NEEDS: &[Need] = &[Need::required(Capability::Conversations)];
const FILE: Input = Input::text("databaseFilePath", "Database File Path")
    .additional()
    .help("Not used: SQLite stands for the database of the service.");
const NOTHING_MORE: Input = Input::json("additionalConfig", "Additional Connection Configuration")
    .shape(JsonShape::Unread)
    .additional()
    .help("Not used: the state is kept in the database of the service.");

const INPUTS: &[Input] = &[
    Input::credential(&["PostgresApi", "MySQLApi"]).when_any(KIND, SERVERS),
    Input::choice(
        KIND,
        "Database",
        &[
            Choice::new("sqlite", "SQLite"),
            Choice::new("postgres", "PostgreSQL"),
            Choice::new("mysql", "MySQL"),
        ],
    )
    .or("sqlite")
    .help("SQLite is the database of the service, where the state lies with the conversation. A server keeps it in its table flowkeep_agent_state."),
    FILE.when(KIND, "sqlite"),
    postgres_store::HOST.when_any(KIND, SERVERS),
    postgres_store::DATABASE.when_any(KIND, SERVERS),
    Input::whole("port", "Port", 1.0, 65_535.0)
        .additional()
        .help("Empty: 5432 for PostgreSQL, 3306 for MySQL.")
        .when_any(KIND, SERVERS),
    Input::json("additionalConfig", "Additional Connection Configuration").additional().help(
        "Further settings of the connection to a server: ssl as true, or with ca, the certificate of the server's authority; for \
         PostgreSQL also application_name, schema, and statement_timeout in milliseconds.",
    ),
];
const POSTGRES_INPUTS: &[Input] = &[
    postgres_store::CREDENTIAL,
    postgres_store::HOST,
    postgres_store::DATABASE,
    postgres_store::PORT_INPUT,
    postgres_store::ADDITIONAL_CONFIG,
];
const MYSQL_INPUTS: &[Input] = &[
    mysql_store::CREDENTIAL,
    postgres_store::HOST,
    postgres_store::DATABASE,
    mysql_store::PORT_INPUT,
    mysql_store::ADDITIONAL_CONFIG,
];

pub(crate) const CARD: Card = Card {
    name: "agentMemory",
    label: "Agent Memory",
    version: 2.0,
    category: Category::Memory,
    description: "Remembers the state of the flow between the questions of a conversation, in the database of the service or \
                  on a server.",
    base_classes: &["AgentMemory", SAVER],
    risk: Risk::Risky,
    needs: NEEDS,
    inputs: INPUTS,
    outputs: &[],
    make: Factory::Member(|inputs| {
        Ok(Member::Saver(match inputs.optional_text(KIND).as_deref() {
            Some("postgres") => Some(on_postgres(inputs)?),
            Some("mysql") => Some(on_mysql(inputs)?),
            _ => None,
        }))
    }),
};

pub(crate) const SQLITE: Card = Card {
    name: "sqliteAgentMemory",
    label: "SQLite Agent Memory",
    version: 1.0,
    description: "Remembers the state of the flow between the questions of a conversation, in the database of the service.",
    base_classes: &["SQLiteAgentMemory", SAVER],
    needs: &[],
    inputs: &[NOTHING_MORE],
    make: Factory::Member(|_| Ok(Member::Saver(None))),
    ..CARD
};

pub(crate) const POSTGRES: Card = Card {
    name: "postgresAgentMemory",
    label: "Postgres Agent Memory",
    version: 1.0,
    description: "Remembers the state of the flow between the questions of a conversation, in the table flowkeep_agent_state \
                  of a PostgreSQL database.",
    inputs: POSTGRES_INPUTS,
    make: Factory::Member(|inputs| Ok(Member::Saver(Some(on_postgres(inputs)?)))),
    ..CARD
};

pub(crate) const MYSQL: Card = Card {
    name: "mySQLAgentMemory",
    label: "MySQL Agent Memory",
    version: 1.0,
    description: "Remembers the state of the flow between the questions of a conversation, in the table flowkeep_agent_state \
                  of a MySQL or MariaDB database.",
    inputs: MYSQL_INPUTS,
    make: Factory::Member(|inputs| Ok(Member::Saver(Some(on_mysql(inputs)?)))),
    ..CARD
};

fn on_postgres(inputs: &Inputs<'_>) -> Result<Arc<dyn StateKeeper>> {
    Ok(Arc::new(TableKeeper::new(inputs, postgres::PostgresStates::from_inputs(inputs)?)?))
}

fn on_mysql(inputs: &Inputs<'_>) -> Result<Arc<dyn StateKeeper>> {
    Ok(Arc::new(TableKeeper::new(inputs, mysql::MySqlStates::from_inputs(inputs)?)?))
}
