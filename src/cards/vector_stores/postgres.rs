//! Postgres: chunks in a table of a PostgreSQL server that has pgvector.

use crate::base::cancel::CancelToken;
use crate::domain::predictions::prediction::Document;
use crate::kit::knowledge::conversation_scope::{CHAT_KEY, FILE_UPLOAD};
use crate::kit::stores::postgres::{
    ADDITIONAL_CONFIG, CREDENTIAL, DATABASE, HOST, PORT_INPUT, SSL, clean_text, clean_value, create, session,
    table, table_exists,
};
use crate::kit::stores::remote::{
    ConversationFilter, RECORD_MANAGER, RemoteChunk, RemoteHit, RemoteVectorStore, VectorDatabase,
    VectorSearch, filter, outputs, score_from_distance,
};
use crate::kit::stores::store_inputs::{DOCUMENT, EMBEDDINGS, TOP_K_INPUT};
use crate::kit::{Capability, Card, Category, Choice, Factory, Input, Need, Output, Risk, ScoredChunk};
use crate::postgres::{ColumnName, PgClient, PgConnection, PgError, PgRow, TableName};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::sync::Arc;
use uuid::Uuid;

const CLASSES: &[&str] = &["Postgres", "VectorStoreRetriever", "BaseRetriever"];
const OUTPUTS: &[Output] =
    &outputs(CLASSES, &["Postgres", "VectorStore"], ["Postgres Retriever", "Postgres Vector Store"]);
/// The table where the card names none.
const TABLE: &str = "documents";
/// The column of texts where the card names none.
const CONTENT: &str = "pageContent";
/// Rows of one statement: each has four parameters, and a statement has 65,535 of them.
const ROWS_AT_ONCE: usize = 1_000;

const STRATEGIES: &[Choice] = &[
    Choice::new("cosine", "Cosine"),
    Choice::new("euclidean", "Euclidean"),
    Choice::new("innerProduct", "Inner Product"),
];

pub(crate) const CARD: Card = Card {
    name: "postgres",
    label: "Postgres",
    version: 7.1,
    category: Category::VectorStores,
    description: "Stores chunks in a table of a PostgreSQL server with pgvector and finds them there.",
    base_classes: CLASSES,
    risk: Risk::Safe,
    needs: &[Need::optional(Capability::Knowledge)],
    inputs: &[
        CREDENTIAL,
        DOCUMENT,
        EMBEDDINGS,
        RECORD_MANAGER,
        HOST,
        DATABASE,
        PORT_INPUT,
        SSL,
        Input::text("tableName", "Table Name")
            .additional()
            .help("With a schema and a dot before it where it needs one. Empty: documents."),
        Input::choice("distanceStrategy", "Distance Strategy", STRATEGIES)
            .or("cosine")
            .additional()
            .help("How near two vectors are."),
        FILE_UPLOAD,
        Input::whole("batchSize", "Upsert Batch Size", 1.0, 10_000.0).additional(),
        ADDITIONAL_CONFIG,
        TOP_K_INPUT,
        Input::json("pgMetadataFilter", "Postgres Metadata Filter")
            .additional()
            .variables()
            .help("Only chunks with this metadata are found. A list means one of its values."),
        Input::text("contentColumnName", "Content Column Name")
            .additional()
            .help("The column of the texts, for tables made elsewhere. Empty: pageContent."),
    ],
    outputs: OUTPUTS,
    make: Factory::VectorStore(|inputs| {
        let nearness = match inputs.text("distanceStrategy")?.as_str() {
            "cosine" => Nearness::Cosine,
            "euclidean" => Nearness::Euclidean,
            "innerProduct" => Nearness::InnerProduct,
            _ => return Err(inputs.input_error("distanceStrategy", "this must be one of the list")),
        };
        let (session, schema) = session(inputs)?;
        let content = inputs.optional_text("contentColumnName");
        let content = ColumnName::parse(content.as_deref().unwrap_or(CONTENT));
        let database = PgVectorStore {
            session,
            table: table(inputs, "tableName", TABLE, schema)?,
            content: content.map_err(|error| inputs.input_error("contentColumnName", &error.to_string()))?,
            nearness,
            filter: filter(inputs, "pgMetadataFilter")?,
        };
        Ok(Arc::new(RemoteVectorStore::from_inputs(inputs, database.table.label(), database)?))
    }),
};

struct PgVectorStore {
    session: PgClient,
    table: TableName,
    content: ColumnName,
    nearness: Nearness,
    filter: Option<Map<String, Value>>,
}

/// How near two vectors are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nearness {
    Cosine,
    Euclidean,
    InnerProduct,
}

impl Nearness {
    const fn operator(self) -> &'static str {
        match self {
            Self::Cosine => "<=>",
            Self::Euclidean => "<->",
            Self::InnerProduct => "<#>",
        }
    }

    /// A score of which larger is nearer, out of what the operator gives.
    fn score(self, distance: f32) -> f32 {
        match self {
            // A vector of nothing but zeros is near to nothing.
            _ if distance.is_nan() => 0.0,
            Self::Cosine => 1.0 - distance,
            Self::Euclidean => score_from_distance(distance),
            Self::InnerProduct => -distance,
        }
    }
}

/// What the metadata of a chunk must be, as a condition with parameters.
#[derive(Debug, Default, PartialEq)]
struct Conditions {
    sql: String,
    parameters: Vec<String>,
}

impl Conditions {
    /// Every entry of all filters must hold.
    fn of<'f>(filters: impl Iterator<Item = &'f Map<String, Value>>) -> Self {
        let mut conditions = Self::default();
        for (key, wanted) in filters.flatten() {
            let any =
                |list: &[Value]| list.iter().map(|one| json!({ key.as_str(): one })).collect::<Vec<_>>();
            let (not, wanted) = match wanted {
                Value::Array(list) => ("", [any(list), vec![json!({ key.as_str(): list })]].concat()),
                Value::Object(map) if map.len() == 1 => match map.iter().next() {
                    Some((word, Value::Array(list))) if word == "in" => ("", any(list)),
                    Some((word, Value::Array(list))) if word == "notIn" => ("NOT ", any(list)),
                    Some((word, Value::Array(list))) if word == "arrayContains" => {
                        ("", list.iter().map(|one| json!({ key.as_str(): [one] })).collect())
                    }
                    _ => ("", vec![json!({ key.as_str(): map })]),
                },
                plain => ("", vec![json!({ key.as_str(): plain })]),
            };
            let number = conditions.next();
            // Writing to a text does not fail.
            let _ = write!(
                conditions.sql,
                " AND {not}EXISTS (SELECT 1 FROM jsonb_array_elements(${number}::jsonb) AS wanted(entry) WHERE \
                 \"metadata\"::jsonb @> wanted.entry)"
            );
            conditions.parameters.push(clean_value(&Value::Array(wanted)).to_string());
        }
        conditions
    }

    /// And they must be everybody's, or those of the conversation.
    fn and_of(mut self, whose: ConversationFilter<'_>) -> Self {
        let (key, chat) = (self.next(), self.next() + 1);
        // Writing to a text does not fail.
        let _ = write!(
            self.sql,
            " AND COALESCE(\"metadata\"::jsonb ->> ${key}::text, '') IN ('', ${chat}::text)"
        );
        self.parameters.extend([CHAT_KEY, whose.0.unwrap_or_default()].map(str::to_owned));
        self
    }

    /// The number of the parameter that comes next; the first one of a search is the vector.
    fn next(&self) -> usize {
        self.parameters.len() + 2
    }
}

impl PgVectorStore {
    fn create(
        &self,
        connection: &mut PgConnection,
        dimensions: usize,
        cancel: &CancelToken,
    ) -> Result<(), PgError> {
        let known = connection.run("SELECT 1 FROM pg_extension WHERE extname = 'vector'", &[], cancel)?;
        if known.is_empty() {
            create(connection, "CREATE EXTENSION IF NOT EXISTS vector", cancel).map_err(no_extension)?;
        }
        create(connection, &self.creation(dimensions), cancel).map_err(no_vectors)
    }

    /// The table as other programs of Flowise's kind make it.
    fn creation(&self, dimensions: usize) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (\"id\" uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, {} text, \
             \"metadata\" jsonb, \"embedding\" vector({dimensions}))",
            self.table.to_sql(),
            self.content.to_sql(),
        )
    }

    fn insertion(&self, rows: usize) -> String {
        let mut values = String::new();
        for row in 0..rows {
            let first = row * 4;
            let comma = if row == 0 { "" } else { ", " };
            // Writing to a text does not fail.
            let _ = write!(
                values,
                "{comma}(${}::uuid, ${}::text, ${}::jsonb, ${}::vector)",
                first + 1,
                first + 2,
                first + 3,
                first + 4
            );
        }
        let content = self.content.to_sql();
        format!(
            "INSERT INTO {} (\"id\", {content}, \"metadata\", \"embedding\") VALUES {values} ON CONFLICT (\"id\") DO \
             UPDATE SET {content} = EXCLUDED.{content}, \"metadata\" = EXCLUDED.\"metadata\", \"embedding\" = \
             EXCLUDED.\"embedding\"",
            self.table.to_sql(),
        )
    }

    fn conditions(&self, search: &VectorSearch<'_>) -> Conditions {
        let filters = self.filter.iter().chain(search.filter.and_then(Value::as_object));
        Conditions::of(filters).and_of(search.conversation)
    }

    fn selection(&self, most: usize, conditions: &Conditions) -> String {
        let distance = format!("\"embedding\" {} $1::vector", self.nearness.operator());
        format!(
            "SELECT {}, \"metadata\"::text, ({distance})::text FROM {} WHERE \"embedding\" IS NOT NULL{} ORDER BY \
             {distance} LIMIT {most}",
            self.content.to_sql(),
            self.table.to_sql(),
            conditions.sql,
        )
    }

    fn to_hit(&self, row: PgRow) -> Result<RemoteHit, PgError> {
        let [content, metadata, distance] =
            <[Option<String>; 3]>::try_from(row).map_err(|_| PgError::Garbled)?;
        let held: Value = metadata.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let distance = distance.and_then(|text| text.parse().ok()).ok_or(PgError::Garbled)?;
        let metadata = held.as_object().cloned().unwrap_or_default();
        let chunk = Document { page_content: content.unwrap_or_default(), metadata };
        Ok(RemoteHit::new(ScoredChunk { chunk, score: self.nearness.score(distance) }, &held))
    }
}

/// A vector as the server reads it.
fn vector_literal(vector: &[f32]) -> String {
    let numbers: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", numbers.join(","))
}

/// Why there is no extension, for whoever can add it.
fn no_extension(error: PgError) -> PgError {
    if error.is("42501") {
        return PgError::NoVectors(
            "this user may not add it; let an administrator run CREATE EXTENSION vector there",
        );
    }
    if ["0A000", "58P01", "22023", "42704"].iter().any(|code| error.is(code)) {
        return PgError::NoVectors("install it on the server");
    }
    error
}

/// The type is unknown where the extension is missing, or lies in a schema where nobody looks.
fn no_vectors(error: PgError) -> PgError {
    if error.is("42704") || error.is("42883") {
        return PgError::NoVectors("add it with CREATE EXTENSION vector, in a schema where this user looks");
    }
    error
}

impl VectorDatabase for PgVectorStore {
    type Error = PgError;

    fn prepare(&self, dimensions: usize, cancel: &CancelToken) -> Result<(), PgError> {
        self.session.with_connection(cancel, |connection| {
            if table_exists(connection, &self.table, cancel)? {
                Ok(())
            } else {
                self.create(connection, dimensions, cancel)
            }
        })
    }

    fn put(&self, rows: &[RemoteChunk<'_>], cancel: &CancelToken) -> Result<(), PgError> {
        let stored = self.session.with_connection(cancel, |connection| {
            connection.transaction(cancel, |connection| {
                for some in rows.chunks(ROWS_AT_ONCE) {
                    let values: Vec<String> = some
                        .iter()
                        .flat_map(|row| {
                            let metadata = Value::Object(row.chunk.metadata.clone());
                            [
                                row.name.to_string(),
                                clean_text(&row.chunk.page_content),
                                clean_value(&metadata).to_string(),
                                vector_literal(&row.vector),
                            ]
                        })
                        .collect();
                    let values: Vec<&str> = values.iter().map(String::as_str).collect();
                    connection.run(&self.insertion(some.len()), &values, cancel)?;
                }
                Ok(())
            })
        });
        stored.map_err(no_vectors)
    }

    fn remove(&self, names: &[Uuid], cancel: &CancelToken) -> Result<(), PgError> {
        let sql = format!("DELETE FROM {} WHERE \"id\" = ANY($1::uuid[])", self.table.to_sql());
        let names: Vec<String> = names.iter().map(Uuid::to_string).collect();
        let names = format!("{{{}}}", names.join(","));
        self.session.with_connection(cancel, |connection| connection.run(&sql, &[&names], cancel)).map(|_| ())
    }

    fn nearest(&self, search: &VectorSearch<'_>, cancel: &CancelToken) -> Result<Vec<RemoteHit>, PgError> {
        let conditions = self.conditions(search);
        let vector = vector_literal(search.vector);
        let mut parameters = vec![vector.as_str()];
        parameters.extend(conditions.parameters.iter().map(String::as_str));
        let sql = self.selection(search.most, &conditions);
        let rows =
            self.session.with_connection(cancel, |connection| connection.run(&sql, &parameters, cancel));
        rows.map_err(no_vectors)?.into_iter().map(|row| self.to_hit(row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Outgoing;
    use crate::postgres::{PgServer, PgTls};

    fn store(nearness: Nearness) -> PgVectorStore {
        let server = PgServer {
            host: "db".into(),
            port: 5432,
            database: "books".into(),
            user: "ada".into(),
            password: "p".into(),
            tls: PgTls::Off,
            application: "flowkeep".into(),
            time: PgServer::TIME_MAX,
        };
        PgVectorStore {
            session: PgClient::new(server, Outgoing::new(Vec::new(), false)),
            table: TableName::parse("lib.books").unwrap(),
            content: ColumnName::parse("text").unwrap(),
            nearness,
            filter: None,
        }
    }

    #[test]
    fn statements_hold_quoted_names_and_no_value() {
        let store = store(Nearness::Euclidean);
        assert_eq!(
            store.creation(3),
            r#"CREATE TABLE IF NOT EXISTS "lib"."books" ("id" uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, "text" text, "metadata" jsonb, "embedding" vector(3))"#
        );
        assert_eq!(
            store.insertion(2),
            r#"INSERT INTO "lib"."books" ("id", "text", "metadata", "embedding") VALUES ($1::uuid, $2::text, $3::jsonb, $4::vector), ($5::uuid, $6::text, $7::jsonb, $8::vector) ON CONFLICT ("id") DO UPDATE SET "text" = EXCLUDED."text", "metadata" = EXCLUDED."metadata", "embedding" = EXCLUDED."embedding""#
        );
        let filter = json!({"a'; drop table x; --": "it's"});
        let conditions = Conditions::of(filter.as_object().into_iter());
        let sql = store.selection(4, &conditions);
        assert_eq!(
            sql,
            r#"SELECT "text", "metadata"::text, ("embedding" <-> $1::vector)::text FROM "lib"."books" WHERE "embedding" IS NOT NULL AND EXISTS (SELECT 1 FROM jsonb_array_elements($2::jsonb) AS wanted(entry) WHERE "metadata"::jsonb @> wanted.entry) ORDER BY "embedding" <-> $1::vector LIMIT 4"#
        );
        assert_eq!(conditions.parameters, [r#"[{"a'; drop table x; --":"it's"}]"#]);
    }

    #[test]
    fn each_entry_of_each_filter_is_a_condition() {
        let (one, other) = (
            json!({"year": 2024, "tags": ["a", "b"]}),
            json!({"kind": {"in": ["x"]}, "not": {"notIn": [1]}, "has": {"arrayContains": ["y"]}, "deep": {"in": 1}}),
        );
        let conditions = Conditions::of([&one, &other].into_iter().filter_map(Value::as_object));
        assert_eq!(conditions.sql.matches(" AND EXISTS ").count(), 5);
        assert_eq!(conditions.sql.matches(" AND NOT EXISTS ").count(), 1);
        assert_eq!(
            conditions.parameters,
            [
                r#"[{"year":2024}]"#,
                r#"[{"tags":"a"},{"tags":"b"},{"tags":["a","b"]}]"#,
                r#"[{"kind":"x"}]"#,
                r#"[{"not":1}]"#,
                r#"[{"has":["y"]}]"#,
                r#"[{"deep":{"in":1}}]"#,
            ]
        );
    }

    #[test]
    fn chunks_are_everybodys_or_of_the_conversation_and_fit_every_filter() {
        let owners = json!({"year": 2024}).as_object().cloned();
        let store = PgVectorStore { filter: owners, ..store(Nearness::Cosine) };
        let more = json!({"kind": "x"});
        let conditions = |whose| {
            let filter = Some(&more);
            let search = VectorSearch {
                text: "",
                vector: &[1.0],
                most: 4,
                filter,
                conversation: whose,
                with_vectors: false,
            };
            store.conditions(&search)
        };
        let all = Conditions::of([store.filter.as_ref().unwrap(), more.as_object().unwrap()].into_iter());
        assert_eq!(all.parameters, [r#"[{"year":2024}]"#, r#"[{"kind":"x"}]"#]);
        for (whose, chat) in [(ConversationFilter(Some("it's")), "it's"), (ConversationFilter(None), "")] {
            let some = conditions(whose);
            let more = r#" AND COALESCE("metadata"::jsonb ->> $4::text, '') IN ('', $5::text)"#;
            assert_eq!(some.sql, format!("{}{more}", all.sql));
            assert_eq!(some.parameters[2..], [CHAT_KEY, chat]);
        }
    }

    #[test]
    fn larger_scores_are_nearer_by_every_strategy() {
        for (nearness, operator, near, far) in [
            (Nearness::Cosine, "<=>", 0.0, 0.5),
            (Nearness::Euclidean, "<->", 0.0, 2.0),
            (Nearness::InnerProduct, "<#>", -1.0, 0.5),
        ] {
            assert_eq!(nearness.operator(), operator);
            assert!(nearness.score(near) > nearness.score(far), "{nearness:?}");
            assert!(nearness.score(f32::NAN) < nearness.score(near));
        }
    }

    #[test]
    fn a_missing_extension_is_told_apart_from_other_faults() {
        let told = |code: &str| PgError::Server { code: code.into(), message: "x".into() };
        for code in ["42501", "0A000", "58P01"] {
            assert!(no_extension(told(code)).to_string().contains("no pgvector"), "{code}");
        }
        assert!(no_vectors(told("42704")).to_string().contains("CREATE EXTENSION vector"));
        assert_eq!(no_vectors(told("42P01")), told("42P01"));
        assert_eq!(no_extension(told("57014")), told("57014"));
    }
}
