//! Agent memories that keep the state of a flow on a server of its owner (manual 16.10), before real servers: `.ci/postgres` and
//! `.ci/mariadb` start them.

use super::stage::{behind, end, llm, start};
use crate::code_databases::Fixture;
use crate::support::canvases::{Drawing, ProviderFormat};
use crate::support::client::Answer;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, id};
use serde_json::{Value, json};

/// A service, a server that keeps states, and an agent memory over it.
struct House {
    database: Fixture,
    provider: Provider,
    card: &'static str,
    inputs: Value,
}

impl House {
    /// `None` where no server is named.
    fn open(variable: &str, card: &'static str, more: &Value) -> Option<Self> {
        let database = Fixture::open(variable, &[])?;
        let fields = database.fields();
        let mut inputs =
            json!({"host": fields["host"], "port": fields["port"], "database": fields["database"]});
        for (name, value) in more.as_object().unwrap() {
            inputs[name] = value.clone();
        }
        Some(Self { database, provider: Provider::start(), card, inputs })
    }

    /// A canvas for this service whose members `draw` draws behind Start. The memory signs in with this credential.
    fn canvas(&self, server: &Server, credential: &str, draw: impl FnOnce(&mut Drawing, &str)) -> String {
        let mut drawing = Drawing::default();
        let model = ProviderFormat::OpenAi.model(&mut drawing, server, &self.provider.base_url(), json!({}));
        let begin = start(&mut drawing, &model);
        let memory = drawing.card(self.card, self.inputs.clone());
        drawing.credential(&memory, credential);
        drawing.wire(&memory, &begin, "agentMemory");
        draw(&mut drawing, &begin);
        drawing.text()
    }

    fn flow_of(&self, draw: impl FnOnce(&mut Drawing, &str)) -> String {
        let credential = self.database.credential("States", &json!({}));
        let canvas = self.canvas(&self.database.server, &credential, draw);
        self.database.server.flow_with(&canvas, &json!({"type": "MULTIAGENT"}))
    }

    fn flow(&self) -> String {
        self.flow_of(collecting)
    }

    /// Asks with this reply of the model, in the conversation of an earlier answer where there is one.
    fn ask(&self, flow: &str, earlier: Option<&Value>, question: &str, reply: Behaviour) -> Answer {
        self.provider.push_behaviour(reply);
        let mut body = json!({ "question": question });
        if let Some(earlier) = earlier {
            body["chatId"] = earlier["chatId"].clone();
            body["sessionToken"] = earlier["sessionToken"].clone();
        }
        self.database.server.ask(flow, &body)
    }

    fn answer(&self, flow: &str, earlier: Option<&Value>, question: &str, reply: &str) -> Value {
        self.ask(flow, earlier, question, Behaviour::text(reply)).is(200).json()
    }

    /// The rows of a flow, the oldest first.
    fn rows(&self, flow: &str) -> Vec<Value> {
        let sql = format!(
            "SELECT session, run, state FROM flowkeep_agent_state WHERE flow = '{flow}' ORDER BY number"
        );
        self.database.run_query(&sql).as_array().unwrap().clone()
    }

    /// The conversation that the model was sent last.
    fn heard(&self) -> String {
        self.provider.last_request().body["messages"].to_string()
    }
}

/// A member whose every reply is added to a list of the state.
fn collecting(drawing: &mut Drawing, begin: &str) {
    let keys = json!([{"key": "all", "type": "Append", "defaultValue": ""}]).to_string();
    let state = drawing.card("seqState", json!({ "stateMemoryUI": keys }));
    drawing.wire(&state, begin, "state");
    let table = json!([{"key": "all", "value": "$flow.output.content"}]).to_string();
    let only = llm(drawing, begin, "Only", json!({ "updateStateMemoryUI": table }));
    end(drawing, &only);
}

/// A member that asks a person before it calculates.
fn cautious(drawing: &mut Drawing, begin: &str) {
    let calculator = drawing.card("calculator", json!({}));
    let agent = drawing.card("seqAgent", json!({"agentName": "Ann", "interrupt": true}));
    drawing.wire(&calculator, &agent, "tools");
    behind(drawing, begin, &agent);
    end(drawing, &agent);
}

fn collected(answer: &Value) -> &Value {
    &answer["agentReasoning"][0]["state"]["all"]
}

fn lies_in_the_table(house: &House) {
    let flow = house.flow();
    let first = house.answer(&flow, None, "Go \u{1F4E6} 'now'", "a");
    let second = house.answer(&flow, Some(&first), "Again", "b");
    assert_eq!(collected(&second), &json!(["a", "b"]));
    assert!(house.heard().contains("'now'"), "what was said before is said to the model");
    let rows = house.rows(&flow);
    let runs: Vec<&Value> = rows.iter().map(|row| &row["run"]).collect();
    assert_eq!(runs, [&first["chatMessageId"], &second["chatMessageId"]]);
    assert!(rows.iter().all(|row| row["session"] == first["chatId"]), "{rows:?}");
    // Nothing is kept here that would be used in its place.
    house.database.run_query(&format!("DELETE FROM flowkeep_agent_state WHERE flow = '{flow}'"));
    assert_eq!(collected(&house.answer(&flow, Some(&first), "Still?", "c")), &json!(["c"]));
    assert!(!house.heard().contains("'now'"));
    // A conversation of its own begins anew.
    assert_eq!(collected(&house.answer(&flow, None, "Go", "d")), &json!(["d"]));
}

/// Makes the same flow at a service, bound to a key with which conversations are named; the value of the key.
fn bind(house: &House, server: &Server, credential: &str, flow: &str) -> String {
    let key = server.key(&["chatflows:view"]);
    let config = json!({"namedSessions": true}).to_string();
    let canvas = house.canvas(server, credential, collecting);
    let fields = json!({"flowData": canvas, "apikeyid": id(&key), "apiConfig": config});
    server.put(&format!("/chatflows/{flow}"), &fields);
    key["apiKey"].as_str().unwrap().to_owned()
}

fn goes_on_at_another_service(house: &House) {
    let here = &house.database.server;
    let flow = house.flow();
    let key = bind(house, here, &house.database.credential("Same", &json!({})), &flow);
    let ask = |server: &Server, flow: &str, key: &str, name: &str, reply: &str| {
        house.provider.push_behaviour(Behaviour::text(reply));
        let body = json!({"question": format!("Say {reply}"), "sessionId": name});
        let call = server.call("POST", &format!("/prediction/{flow}")).bearer(key);
        call.json(&body).send().is(200).json()
    };
    ask(here, &flow, &key, "user:ada", "a");
    let there = Server::start();
    let made =
        json!({"id": flow, "name": "Flow", "type": "MULTIAGENT", "flowData": "{\"nodes\":[],\"edges\":[]}"});
    there.post("/export-import/import", &made);
    let mut fields = house.database.fields();
    let names = ["user", "password"].map(|name| (name.to_owned(), fields[name].take()));
    let kind = if house.card == "mySQLAgentMemory" { "MySQLApi" } else { "PostgresApi" };
    let body = json!({"name": "States", "credentialName": kind, "plainDataObj": Value::Object(names.into_iter().collect())});
    let credential = id(&there.post("/credentials", &body));
    let other_key = bind(house, &there, &credential, &flow);
    let second = ask(&there, &flow, &other_key, "user:ada", "b");
    assert_eq!(collected(&second), &json!(["a", "b"]), "{second}");
    assert!(house.heard().contains("Say a"));
    assert_eq!(collected(&ask(&there, &flow, &other_key, "user:bob", "c")), &json!(["c"]));
    // Another flow knows nothing of a session of the same name.
    let other = house.flow();
    let key = bind(house, here, &house.database.credential("Other", &json!({})), &other);
    assert_eq!(collected(&ask(here, &other, &key, "user:ada", "d")), &json!(["d"]));
    assert_eq!(house.rows(&other)[0]["session"], "user:ada");
}

fn adds_what_is_asked_at_once(house: &House) {
    let flow = house.flow();
    let first = house.answer(&flow, None, "Begin", "a");
    std::thread::scope(|scope| {
        for question in ["One?", "Two?", "Three?"] {
            let (flow, first) = (&flow, &first);
            scope.spawn(move || house.answer(flow, Some(first), question, "b"));
        }
    });
    assert_eq!(house.rows(&flow).len(), 4);
    house.answer(&flow, Some(&first), "End", "c");
    let heard = house.heard();
    assert!(["Begin", "One?", "Two?", "Three?"].iter().all(|question| heard.contains(question)), "{heard}");
}

fn goes_on_after_an_approval(house: &House) {
    let flow = house.flow_of(cautious);
    house.provider.push_behaviour(Behaviour::call("calculator", json!({"input": "2+2"})));
    let asked = house.answer(&flow, None, "How much is 2+2?", "May I calculate?");
    assert_eq!((&asked["text"], house.rows(&flow).len()), (&json!("May I calculate?"), 1));
    let done = house.answer(&flow, Some(&asked), "Yes", "Four.");
    assert_eq!(done["agentReasoning"][0]["usedTools"][0]["toolOutput"], "4", "{done}");
    let rows = house.rows(&flow);
    assert_eq!((rows.len(), &rows[0]["run"]), (1, &asked["chatMessageId"]), "one run is one row");
    house.answer(&flow, Some(&asked), "Thanks", "You are welcome.");
    let heard = house.heard();
    assert_eq!(heard.matches("How much is 2+2?").count(), 1, "{heard}");
    assert!(heard.contains("Four."), "{heard}");
    // Another question than the answer passes over what waited, and what was said stays said.
    house.provider.push_behaviour(Behaviour::call("calculator", json!({"input": "3+3"})));
    let asked = house.answer(&flow, None, "How much is 3+3?", "May I calculate again?");
    house.answer(&flow, Some(&asked), "How are you?", "Fine.");
    assert!(house.heard().contains("How much is 3+3?"));
    assert_eq!(house.rows(&flow).len(), 4);
}

fn forgets_with_the_conversation(house: &House) {
    let flow = house.flow();
    let first = house.answer(&flow, None, "Go", "a");
    let other = house.answer(&flow, None, "Go", "b");
    let path = format!("/chatmessage/{flow}?chatId={}", first["chatId"].as_str().unwrap());
    house.database.server.owner("DELETE", &path).send().is(200);
    let rows = house.rows(&flow);
    assert_eq!((rows.len(), &rows[0]["session"]), (1, &other["chatId"]));
}

fn names_what_is_damaged(house: &House, label: &str) {
    let flow = house.flow();
    let first = house.answer(&flow, None, "Go", "a");
    for damaged in ["[1]", "\"text\"", "{\"said\": 5}"] {
        let sql = format!("UPDATE flowkeep_agent_state SET state = '{damaged}' WHERE flow = '{flow}'");
        house.database.run_query(&sql);
        let asked = house.provider.requests().len();
        let body =
            json!({"question": "Again", "chatId": first["chatId"], "sessionToken": first["sessionToken"]});
        let error = house.database.server.ask(&flow, &body).is_error(500);
        assert!(error.starts_with(label) && error.contains("flowkeep_agent_state was damaged"), "{error}");
        assert_eq!(house.provider.requests().len(), asked, "no model is asked");
    }
}

fn says_what_fails(house: &House, label: &str) {
    let server = &house.database.server;
    let refused = house.database.credential("Guessed", &json!({"password": "not-this-one"}));
    let flow = server.flow_with(&house.canvas(server, &refused, collecting), &json!({"type": "MULTIAGENT"}));
    let error = server.ask(&flow, &json!({"question": "Go"})).is_error(500);
    assert!(error.starts_with(label) && error.contains("refused the user or the password"), "{error}");
    let secrets = ["not-this-one", house.database.url.password().unwrap()];
    assert!(!secrets.iter().any(|secret| error.contains(secret)), "{error}");
    assert!(house.provider.requests().is_empty() && server.messages(&flow).is_empty());
}

mod postgres {
    use super::*;

    fn house(more: &Value) -> Option<House> {
        House::open("FLOWKEEP_POSTGRES", "postgresAgentMemory", more)
    }

    #[test]
    fn the_state_lies_in_the_table_and_the_next_question_goes_on() {
        house(&json!({})).iter().for_each(lies_in_the_table);
    }

    #[test]
    fn another_service_with_the_same_database_goes_on_where_it_was() {
        house(&json!({})).iter().for_each(goes_on_at_another_service);
    }

    #[test]
    fn questions_that_are_asked_at_once_are_all_kept() {
        house(&json!({})).iter().for_each(adds_what_is_asked_at_once);
    }

    #[test]
    fn a_run_that_waits_for_a_person_is_one_row_when_it_goes_on() {
        house(&json!({})).iter().for_each(goes_on_after_an_approval);
    }

    #[test]
    fn a_conversation_that_is_deleted_is_forgotten_there() {
        house(&json!({})).iter().for_each(forgets_with_the_conversation);
    }

    #[test]
    fn damaged_rows_are_named_before_any_model_is_asked() {
        house(&json!({})).iter().for_each(|house| names_what_is_damaged(house, "Postgres Agent Memory: "));
    }

    #[test]
    fn what_fails_names_the_card_and_no_secret() {
        house(&json!({})).iter().for_each(|house| says_what_fails(house, "Postgres Agent Memory: "));
    }

    #[test]
    fn the_card_for_any_database_keeps_it_there_too_in_a_schema_that_it_names() {
        let Some(mut house) = house(&json!({"databaseType": "postgres"})) else { return };
        house.card = "agentMemory";
        let schema = format!("s_{}", house.database.table);
        house.inputs["additionalConfig"] = json!({ "schema": schema });
        let flow = house.flow();
        house.provider.push_behaviour(Behaviour::text("never"));
        let error = house.database.server.ask(&flow, &json!({"question": "Go"})).is_error(500);
        assert!(error.starts_with("Agent Memory: the database has no such schema"), "{error}");
        house.database.run_query(&format!("CREATE SCHEMA {schema}"));
        let first = house.answer(&flow, None, "Go", "a");
        assert_eq!(collected(&house.answer(&flow, Some(&first), "Again", "b")).as_array().unwrap().len(), 2);
        let sql = format!("SELECT run FROM {schema}.flowkeep_agent_state");
        assert_eq!(house.database.run_query(&sql).as_array().unwrap().len(), 2);
        house.database.run_query(&format!("DROP SCHEMA {schema} CASCADE"));
    }

    #[test]
    fn an_answer_whose_state_cannot_be_kept_stays_in_the_conversation_and_is_an_error() {
        let Some(house) = house(&json!({})) else { return };
        let name = format!("r_{}", house.database.table);
        house.answer(&house.flow(), None, "The table is made by this", "a");
        let password = "only for this test";
        house.database.run_query(&format!("CREATE ROLE {name} LOGIN PASSWORD '{password}'"));
        house.database.run_query(&format!("GRANT SELECT ON flowkeep_agent_state TO {name}"));
        let server = &house.database.server;
        let credential = house.database.credential("Reader", &json!({"user": name, "password": password}));
        let flow =
            server.flow_with(&house.canvas(server, &credential, collecting), &json!({"type": "MULTIAGENT"}));
        let error = house.ask(&flow, None, "Go", Behaviour::text("Said and paid for")).is_error(500);
        house.database.run_query(&format!("DROP OWNED BY {name}"));
        house.database.run_query(&format!("DROP ROLE {name}"));
        assert!(error.starts_with("Postgres Agent Memory: the user may not do this"), "{error}");
        assert!(!error.contains(password) && !error.contains(&name), "{error}");
        let kept = server.messages(&flow);
        assert_eq!((kept.len(), &kept[1]["content"]), (2, &json!("Said and paid for")));
        assert!(house.rows(&flow).is_empty());
    }
}

mod mariadb {
    use super::*;

    fn house(more: &Value) -> Option<House> {
        House::open("FLOWKEEP_MARIADB", "mySQLAgentMemory", more)
    }

    #[test]
    fn the_state_lies_in_the_table_and_the_next_question_goes_on() {
        house(&json!({})).iter().for_each(lies_in_the_table);
    }

    #[test]
    fn another_service_with_the_same_database_goes_on_where_it_was() {
        house(&json!({})).iter().for_each(goes_on_at_another_service);
    }

    #[test]
    fn questions_that_are_asked_at_once_are_all_kept() {
        house(&json!({})).iter().for_each(adds_what_is_asked_at_once);
    }

    #[test]
    fn a_run_that_waits_for_a_person_is_one_row_when_it_goes_on() {
        house(&json!({})).iter().for_each(goes_on_after_an_approval);
    }

    #[test]
    fn a_conversation_that_is_deleted_is_forgotten_there() {
        house(&json!({})).iter().for_each(forgets_with_the_conversation);
    }

    #[test]
    fn damaged_rows_are_named_before_any_model_is_asked() {
        house(&json!({})).iter().for_each(|house| names_what_is_damaged(house, "MySQL Agent Memory: "));
    }

    #[test]
    fn what_fails_names_the_card_and_no_secret() {
        house(&json!({})).iter().for_each(|house| says_what_fails(house, "MySQL Agent Memory: "));
    }

    #[test]
    fn the_card_for_any_database_keeps_it_there_too() {
        let Some(mut house) = house(&json!({"databaseType": "mysql"})) else { return };
        house.card = "agentMemory";
        lies_in_the_table(&house);
    }
}
