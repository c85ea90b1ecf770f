//! The cards over a PostgreSQL server, before a real one with pgvector (manual 10.4, 10.7). `.ci/postgres` starts
//! one; `FLOWKEEP_POSTGRES=postgres://user:password@127.0.0.1:port/database` names another, on which the user may make
//! tables and users.

use super::loaders;
use crate::support::canvases::Drawing;
use crate::support::form::Form;
use crate::support::{Server, id};
use flowkeep::base::cancel::{CancelReason, CancelToken};
use flowkeep::net::{NetError, Outgoing};
use flowkeep::postgres::{self, PgClient, PgError, PgRow, PgTls};
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::{Duration, Instant};
use url::Url;
use uuid::Uuid;

const MONDAY: &str = "Parcels leave the house on Mondays.";
const FRIDAY: &str = "Parcels leave the house on Fridays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";
const QUESTION: &str = "When do parcels leave the house?";

/// A service, and tables of its own on the real server.
struct PostgresFixture {
    server: Server,
    place: postgres::PgServer,
    /// For what no card does.
    beside: PgClient,
    table: String,
}

impl PostgresFixture {
    /// `None`, and says so, where no server is named.
    fn open() -> Option<Self> {
        let Ok(text) = std::env::var("FLOWKEEP_POSTGRES") else {
            // Not by the macro, whose words are only shown when a test fails.
            let _ = writeln!(std::io::stderr(), "skipped: FLOWKEEP_POSTGRES names no PostgreSQL server");
            return None;
        };
        let url = Url::parse(&text).expect("FLOWKEEP_POSTGRES is an address");
        let plain =
            |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
        let place = postgres::PgServer {
            host: url.host_str().unwrap().to_owned(),
            port: url.port().unwrap_or(postgres::PORT),
            database: url.path().trim_start_matches('/').to_owned(),
            user: plain(url.username()),
            password: plain(url.password().unwrap_or_default()),
            tls: PgTls::Off,
            application: "tests".to_owned(),
            time: Duration::from_secs(30),
        };
        let table = format!("t_{}", Uuid::new_v4().simple());
        Some(Self { server: Server::start(), beside: session(&place), place, table })
    }

    fn sql(&self, sql: &str) -> Vec<PgRow> {
        let cancel = CancelToken::new(None);
        self.beside.with_connection(&cancel, |connection| connection.run(sql, &[], &cancel)).unwrap()
    }

    fn count(&self, table: &str) -> String {
        self.sql(&format!("SELECT count(*) FROM \"{table}\""))[0][0].clone().unwrap()
    }

    fn connection(&self) -> Value {
        json!({"host": self.place.host, "port": self.place.port.to_string(), "database": self.place.database})
    }

    /// A flow that answers from these texts; `more` are further inputs of the store, `records` those of the manager.
    fn canvas(&self, texts: &[(&str, &str)], more: &Value, records: Option<&Value>) -> String {
        let mut drawing = Drawing::default();
        let (user, password) = (self.place.user.as_str(), self.place.password.as_str());
        let mut inputs = self.connection();
        inputs["tableName"] = json!(self.table);
        inputs["topK"] = json!("2");
        extend(&mut inputs, more);
        let password = more["password"].as_str().unwrap_or(password);
        let user = more["user"].as_str().unwrap_or(user);
        let body = json!({
            "name": "real", "credentialName": "PostgresApi", "plainDataObj": {"user": user, "password": password},
        });
        let credential = id(&self.server.post("/credentials", &body));
        let store = drawing.card("postgres", inputs);
        drawing.credential(&store, &credential);
        for (source, text) in texts {
            let metadata = json!({"source": source, "year": 2024, "loc": {"line": 1}});
            // Files that people send have a loader that reads some.
            let loader = if more["fileUpload"] == true {
                let file = loaders::inline("own.txt", "text/plain", text.as_bytes());
                drawing.card("textFile", json!({"txtFile": file, "metadata": metadata}))
            } else {
                drawing.card("plainText", json!({"text": text, "metadata": metadata}))
            };
            drawing.wire(&loader, &store, "document");
        }
        if let Some(records) = records {
            let mut inputs = self.connection();
            inputs["tableName"] = json!(format!("{}_r", self.table));
            extend(&mut inputs, records);
            let records = drawing.card("postgresRecordManager", inputs);
            drawing.credential(&records, &credential);
            drawing.wire(&records, &store, "recordManager");
        }
        drawing.answer_with_chunks(&store, json!({"dimensions": "16"}));
        drawing.text()
    }

    fn flow(&self, texts: &[(&str, &str)], more: &Value) -> String {
        self.server.flow(&self.canvas(texts, more, None))
    }

    fn save(&self, flow: &str, canvas: &str) {
        let call = self.server.owner("PUT", &format!("/chatflows/{flow}"));
        call.json(&json!({ "flowData": canvas })).send().is(200);
    }

    fn upsert(&self, flow: &str) -> Value {
        let call = self.server.owner("POST", &format!("/vector/upsert/{flow}"));
        call.json(&json!({})).send().is(200).json()
    }

    fn upsert_error(&self, flow: &str) -> String {
        let text =
            self.server.owner("POST", &format!("/vector/upsert/{flow}")).json(&json!({})).send().text();
        assert!(!text.contains(&self.place.password), "{text}");
        text
    }

    fn search_results(&self, flow: &str) -> Vec<Value> {
        let answer = self.server.ask(flow, &json!({ "question": QUESTION })).is(200).json();
        answer["sourceDocuments"].as_array().cloned().unwrap_or_default()
    }

    fn sources(&self, flow: &str) -> Vec<String> {
        let found = self.search_results(flow);
        found.iter().map(|found| found["metadata"]["source"].as_str().unwrap().to_owned()).collect()
    }

    fn answer_error(&self, flow: &str) -> String {
        let text = self.server.ask(flow, &json!({ "question": QUESTION })).text();
        assert!(text.contains("Postgres") && !text.contains(&self.place.password), "{text}");
        text
    }
}

impl Drop for PostgresFixture {
    fn drop(&mut self) {
        let cancel = CancelToken::new(Some(Duration::from_secs(5)));
        let sql = format!("DROP TABLE IF EXISTS \"{0}\", \"{0}_r\"", self.table);
        let _ = self.beside.with_connection(&cancel, |connection| connection.run(&sql, &[], &cancel));
    }
}

fn session(place: &postgres::PgServer) -> PgClient {
    PgClient::new(place.clone(), Outgoing::new(Vec::new(), true))
}

fn extend(inputs: &mut Value, more: &Value) {
    inputs.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
}

#[test]
fn chunks_are_stored_in_a_table_and_found_again_by_every_strategy() {
    let Some(house) = PostgresFixture::open() else { return };
    let texts = [("a", MONDAY), ("b", OFFICE)];
    let flow = house.flow(&texts, &json!({}));
    assert_eq!(house.upsert(&flow)["numAdded"], 2);
    for strategy in ["cosine", "euclidean", "innerProduct"] {
        house.save(&flow, &house.canvas(&texts, &json!({"distanceStrategy": strategy}), None));
        let found = house.search_results(&flow);
        assert_eq!(found[0]["pageContent"], MONDAY, "{strategy}: {found:?}");
        let metadata = &found[0]["metadata"];
        assert_eq!((&metadata["year"], &metadata["loc"]["line"]), (&json!(2024), &json!(1)), "{strategy}");
    }
    house.upsert(&flow);
    assert_eq!(house.count(&house.table), "2", "filling it again changes nothing");
    let columns = house.sql(&format!(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '\"{}\"'::regclass AND \
         attnum > 0 ORDER BY attnum",
        house.table
    ));
    let columns: Vec<String> =
        columns.into_iter().map(|row| row.into_iter().flatten().collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(columns, ["id uuid", "pageContent text", "metadata jsonb", "embedding vector(16)"]);
}

#[test]
fn records_on_the_server_tell_what_is_new_and_what_is_gone() {
    let Some(house) = PostgresFixture::open() else { return };
    let counts =
        |filled: &Value| ["numAdded", "numDeleted", "numSkipped"].map(|name| filled[name].as_u64().unwrap());
    let both = [("a", MONDAY), ("b", OFFICE)];
    let flow = house.server.flow(&house.canvas(&both, &json!({}), Some(&json!({}))));
    let mut steps = Vec::new();
    for (cleanup, texts) in [
        ("none", &both[..]),
        ("none", &both[..]),
        ("incremental", &[("a", FRIDAY)]),
        ("full", &[("b", OFFICE)]),
        ("none", &[("a", MONDAY)]),
    ] {
        house.save(&flow, &house.canvas(texts, &json!({}), Some(&json!({ "cleanup": cleanup }))));
        let counts = counts(&house.upsert(&flow));
        steps.push((counts, house.count(&house.table), house.count(&format!("{}_r", house.table))));
    }
    let step = |counts, rows: &str| (counts, rows.to_owned(), rows.to_owned());
    let expected = [
        step([2, 0, 0], "2"),
        step([0, 0, 2], "2"),
        step([1, 1, 0], "2"),
        step([0, 1, 1], "1"),
        step([1, 0, 0], "2"),
    ];
    assert_eq!(steps, expected);
    let records = house.sql(&format!(
        "SELECT namespace, group_id FROM \"{}_r\" WHERE updated_at > 1e9 AND uuid IS NOT NULL ORDER BY 2",
        house.table
    ));
    let namespace = Some(format!("{flow}_{}", house.table));
    assert_eq!(records, [[namespace.clone(), Some("a".into())], [namespace, Some("b".into())]]);
}

#[test]
fn records_of_another_namespace_are_left_alone() {
    let Some(house) = PostgresFixture::open() else { return };
    let flow =
        house.server.flow(&house.canvas(&[("a", MONDAY)], &json!({}), Some(&json!({"namespace": "one"}))));
    house.upsert(&flow);
    let other = json!({"namespace": "it's \"another\"", "cleanup": "full"});
    house.save(&flow, &house.canvas(&[("b", OFFICE)], &json!({}), Some(&other)));
    assert_eq!(house.upsert(&flow)["numDeleted"], 0);
    assert_eq!(house.count(&format!("{}_r", house.table)), "2");
}

#[test]
fn the_owners_filter_is_compared_as_a_value() {
    let Some(house) = PostgresFixture::open() else { return };
    let texts = [("a", MONDAY), ("b", FRIDAY), ("it's", OFFICE)];
    let flow = house.flow(&texts, &json!({}));
    house.upsert(&flow);
    for (filter, expected) in [
        (json!({"source": "it's"}), &["it's"][..]),
        (json!({"source": "b", "year": 2024}), &["b"]),
        (json!({"source": "b", "year": "2024"}), &[]),
        (json!({"source": ["b", "x"]}), &["b"]),
        (json!({"source": {"in": ["b"]}}), &["b"]),
        (json!({"source": {"notIn": ["a", "b"]}}), &["it's"]),
        (json!({"loc": {"line": 2}}), &[]),
        (json!({"source' OR true; --": 1}), &[]),
    ] {
        house.save(&flow, &house.canvas(&texts, &json!({"pgMetadataFilter": filter.to_string()}), None));
        assert_eq!(house.sources(&flow), expected, "{filter}");
    }
}

#[test]
fn tables_that_others_made_are_read_and_filled() {
    let Some(house) = PostgresFixture::open() else { return };
    house.sql("CREATE EXTENSION IF NOT EXISTS vector");
    house.sql(&format!(
        "CREATE TABLE \"{0}\" (\"id\" uuid NOT NULL DEFAULT gen_random_uuid() PRIMARY KEY, \"content\" text, \
         \"metadata\" jsonb, \"embedding\" vector)",
        house.table
    ));
    house.sql(&format!(
        "INSERT INTO \"{}\" (content, metadata, embedding) VALUES ('theirs', NULL, array_fill(0.1, ARRAY[16])::vector), \
         ('no vector', '{{}}', NULL)",
        house.table
    ));
    let more = json!({"contentColumnName": "content"});
    let flow = house.flow(&[("a", MONDAY)], &more);
    assert_eq!(house.search_results(&flow)[0]["pageContent"], "theirs");
    house.upsert(&flow);
    let texts: Vec<Value> =
        house.search_results(&flow).into_iter().map(|found| found["pageContent"].clone()).collect();
    assert_eq!(texts, [MONDAY, "theirs"]);
    house.save(&flow, &house.canvas(&[("a", MONDAY)], &json!({"contentColumnName": "elsewhere"}), None));
    let text = house.answer_error(&flow);
    assert!(text.contains("other columns") && !text.contains("elsewhere"), "{text}");
}

#[test]
fn what_fails_names_the_card_and_says_what_to_do() {
    let Some(house) = PostgresFixture::open() else { return };
    for (more, says) in [
        (json!({"password": "guessed"}), "refused the user or the password"),
        (json!({"user": "nobody here"}), "refused the user or the password"),
        (json!({"database": "nowhere"}), "no such database"),
        (json!({"port": "1"}), "no connection to"),
        (json!({"host": "169.254.169.254"}), "refused by policy"),
        (json!({"host": "a b"}), "not a host name"),
        (json!({"tableName": "a\"; DROP TABLE x; --"}), "Table Name: this must be a name"),
        (json!({"contentColumnName": "a b"}), "Content Column Name: this must be a name"),
        (json!({"additionalConfig": "{\"host\": \"elsewhere\"}"}), "'host' cannot be set here"),
        (json!({"additionalConfig": "{\"ssl\": {\"rejectUnauthorized\": false}}"}), "has to prove who it is"),
        (json!({"ssl": true}), "the server has no SSL"),
        (json!({}), "no such table; fill the store first"),
    ] {
        let flow = house.flow(&[("a", MONDAY)], &more);
        let text = house.answer_error(&flow);
        let places = ["guessed", "nobody here", "nowhere", &house.place.user, &house.table];
        assert!(text.contains(says) && !places.iter().any(|place| text.contains(place)), "{more}: {text}");
    }
}

#[test]
fn vectors_of_another_length_store_nothing() {
    let Some(house) = PostgresFixture::open() else { return };
    house.upsert(&house.flow(&[("a", MONDAY)], &json!({})));
    let longer = house.canvas(&[("b", OFFICE), ("c", FRIDAY)], &json!({}), None);
    let flow = house.server.flow(&longer.replace(r#""dimensions":"16""#, r#""dimensions":"32""#));
    let text = house.upsert_error(&flow);
    assert!(text.contains("must have the length that the table was made for"), "{text}");
    assert_eq!(house.count(&house.table), "1");
}

#[test]
fn without_the_extension_it_is_said_who_can_add_it() {
    let Some(house) = PostgresFixture::open() else { return };
    let name = format!("x_{}", house.table);
    house.sql(&format!("CREATE DATABASE {name}"));
    house.sql(&format!("CREATE ROLE {name} LOGIN PASSWORD 'only for this test'"));
    let more = json!({"database": name, "user": name, "password": "only for this test"});
    let flow = house.flow(&[("a", MONDAY)], &more);
    let text = house.upsert_error(&flow);
    house.sql(&format!("DROP DATABASE {name} WITH (FORCE)"));
    house.sql(&format!("DROP ROLE {name}"));
    assert!(text.contains("no pgvector") && text.contains("an administrator"), "{text}");
    assert!(!text.contains("only for this test"), "{text}");
}

#[test]
fn files_of_a_conversation_are_found_in_it_and_nowhere_else() {
    let Some(house) = PostgresFixture::open() else { return };
    let taking = |more: &Value| {
        let more =
            json!({"fileUpload": true, "topK": more["topK"], "pgMetadataFilter": more["filter"].to_string()});
        house.canvas(&[("a", MONDAY)], &more, Some(&json!({"cleanup": "full"})))
    };
    let flow = house.server.flow(&taking(&json!({"topK": "9", "filter": {}})));
    let send = |text: &str| {
        let form = Form::of(&[("chatId", "")]).file("a.txt", "text/plain", text.as_bytes());
        let call = house.server.call("POST", &format!("/vector/upsert/{flow}"));
        call.form(&form).send().is(200).json()
    };
    let found = |flow: &str, chat: &Value| {
        let body =
            json!({"question": QUESTION, "chatId": chat["chatId"], "sessionToken": chat["sessionToken"]});
        let answer = house.server.ask(flow, &body).is(200).json();
        let found = answer["sourceDocuments"].as_array().cloned().unwrap_or_default();
        let mut texts: Vec<String> =
            found.iter().map(|chunk| chunk["pageContent"].as_str().unwrap().to_owned()).collect();
        texts.sort_unstable();
        texts
    };
    let (one, other) = (send(FRIDAY), send(OFFICE));
    assert_eq!((&one["numAdded"], house.count(&house.table)), (&json!(1), "2".to_owned()));
    assert_eq!(house.upsert(&flow)["numDeleted"], 0, "a full cleanup leaves what people sent");
    assert_eq!(house.count(&house.table), "3");
    assert_eq!(found(&flow, &one), [FRIDAY, MONDAY]);
    assert_eq!(found(&flow, &other), [MONDAY, OFFICE]);
    assert_eq!(found(&flow, &Value::Null), [MONDAY], "a new conversation");
    send(QUESTION);
    house.save(&flow, &taking(&json!({"topK": "1", "filter": {}})));
    assert_eq!(found(&flow, &Value::Null), [MONDAY], "the limit counts what may be found");
    // The owner's filter holds for both.
    for (source, expected) in [("a", &[FRIDAY, MONDAY][..]), ("b", &[])] {
        house.save(&flow, &taking(&json!({"topK": "9", "filter": {"source": source}})));
        assert_eq!(found(&flow, &one), expected, "{source}");
    }
    // Nor does a flow that only reads the table tell anybody of it.
    for most in ["9", "1"] {
        let reading = house.flow(&[("a", MONDAY)], &json!({ "topK": most }));
        assert_eq!(found(&reading, &Value::Null), [MONDAY], "{most}");
    }
}

#[test]
fn odd_characters_are_stored_in_batches() {
    let Some(house) = PostgresFixture::open() else { return };
    let odd = "A \0 null, a \u{1F4E6} box, a \"quote\", a \\ and a {brace}.";
    let many: Vec<String> = (0..40).map(|number| format!("Parcel {number} has its own shelf.")).collect();
    let mut texts: Vec<(&str, &str)> = vec![("odd", odd)];
    texts.extend(many.iter().map(|text| ("many", text.as_str())));
    let flow = house.flow(&texts, &json!({"batchSize": "7"}));
    assert_eq!(house.upsert(&flow)["numAdded"], 41);
    let kept = house
        .sql(&format!("SELECT \"pageContent\" FROM \"{}\" WHERE metadata ->> 'source' = 'odd'", house.table));
    assert_eq!(kept[0][0].as_deref(), Some(odd.replace('\0', "").as_str()));
}

#[test]
fn two_who_fill_a_new_table_at_once_both_succeed() {
    let Some(house) = PostgresFixture::open() else { return };
    let flows = [("a", MONDAY), ("b", FRIDAY), ("c", OFFICE)]
        .map(|text| house.server.flow(&house.canvas(&[text], &json!({}), Some(&json!({})))));
    std::thread::scope(|scope| {
        for flow in &flows {
            scope.spawn(|| house.upsert(flow));
        }
    });
    assert_eq!(
        (house.count(&house.table), house.count(&format!("{}_r", house.table))),
        ("3".into(), "3".into())
    );
}

#[test]
fn a_statement_that_waits_ends_with_its_time_and_with_the_run() {
    let Some(house) = PostgresFixture::open() else { return };
    let more = json!({"additionalConfig": {"statement_timeout": 300}});
    let flow = house.flow(&[("a", MONDAY)], &more);
    house.upsert(&flow);
    house.sql("BEGIN");
    house.sql(&format!("LOCK TABLE \"{}\"", house.table));
    let start = Instant::now();
    assert!(house.answer_error(&flow).contains("the database took too long"));

    let cancel = CancelToken::new(None);
    let other = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        other.cancel(CancelReason::CallerLeft);
    });
    let waiting = session(&house.place);
    let sql = format!("SELECT * FROM \"{}\"", house.table);
    let ended = waiting.with_connection(&cancel, |connection| connection.run(&sql, &[], &cancel));
    assert_eq!(ended, Err(PgError::Net(NetError::Cancelled)));
    assert!(start.elapsed() < Duration::from_secs(10));
    house.sql("ROLLBACK");
}

#[test]
fn a_request_leads_to_no_other_server_whatever_the_owner_listed() {
    let Some(house) = PostgresFixture::open() else { return };
    let texts = [("a", MONDAY), ("b", OFFICE)];
    let flow = house.flow(&texts, &json!({}));
    house.upsert(&flow);
    let names = ["host", "port", "database", "ssl", "additionalConfig", "topK"];
    let rows: Vec<Value> =
        names.iter().map(|name| json!({"label": name, "name": name, "enabled": true})).collect();
    let config = json!({"overrideConfig": {"status": true, "nodes": {"Postgres": rows}}});
    let call = house.server.owner("PUT", &format!("/chatflows/{flow}"));
    call.json(&json!({ "apiConfig": config.to_string() })).send().is(200);
    let overrides = json!({
        "host": "169.254.169.254", "port": 1, "database": "nowhere", "ssl": true,
        "additionalConfig": {"statement_timeout": 100, "schema": "nowhere"}, "topK": 1,
    });
    let body = json!({ "question": QUESTION, "overrideConfig": overrides });
    let answer = house.server.ask(&flow, &body).is(200).json();
    assert_eq!(answer["sourceDocuments"].as_array().unwrap().len(), 1, "{answer}");
}
