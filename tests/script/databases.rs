//! The clients of databases as code sees them, before a stand-in that notes what it is asked. What real servers do,
//! `tests/api/code_databases.rs` sees.

use super::*;
use flowkeep::script::{
    DatabaseAnswer, DatabaseColumn, DatabaseError, DatabaseHandler, DatabaseKind, DatabaseOperation,
    DatabaseRequest, ScriptServices,
};
use std::sync::Mutex;

/// Notes what it is asked, and answers every statement with one row of these columns.
struct RecordingDatabase {
    family: DatabaseKind,
    row: Vec<(&'static str, &'static str, Value)>,
    asked: Mutex<Vec<Value>>,
}

impl DatabaseHandler for RecordingDatabase {
    fn execute(&self, ask: &DatabaseRequest, time: Duration) -> Result<DatabaseAnswer, DatabaseError> {
        assert!(time <= Duration::from_secs(2));
        self.asked.lock().unwrap().push(serde_json::to_value(ask).unwrap());
        let family = Some(self.family);
        match &ask.work {
            DatabaseOperation::Query { sql, .. } if sql == "fails" => Err(DatabaseError {
                message: "database 'x': no".into(),
                code: Some("23000".into()),
                number: Some(1062),
                words: Some("Duplicate".into()),
            }),
            DatabaseOperation::Query { .. } => {
                let column = |(name, kind, _): &(&str, &str, Value)| DatabaseColumn {
                    name: (*name).into(),
                    kind: (*kind).into(),
                    number: 1,
                };
                Ok(DatabaseAnswer {
                    family,
                    columns: self.row.iter().map(column).collect(),
                    rows: vec![self.row.iter().map(|(_, _, value)| value.clone()).collect()],
                    verb: "SELECT".into(),
                    count: 1,
                    inserted: 0,
                })
            }
            _ => Ok(DatabaseAnswer { family, ..DatabaseAnswer::default() }),
        }
    }
}

/// What code returns, and all that was asked.
fn run_recorded(
    family: DatabaseKind,
    row: Vec<(&'static str, &'static str, Value)>,
    source: &str,
) -> (Result<Value, ScriptError>, Vec<Value>) {
    let noting = RecordingDatabase { family, row, asked: Mutex::default() };
    let served = ScriptServices { databases: Some(&noting), ..ScriptServices::default() };
    let result = SCRIPTS.run_with(source, &ScriptScope::default(), served, &CancelToken::new(None)).result;
    (result, noting.asked.into_inner().unwrap())
}

/// The statement and the values of the first query.
fn first_query(family: DatabaseKind, source: &str) -> Value {
    let (result, all) = run_recorded(family, Vec::new(), source);
    result.unwrap();
    all.iter().find_map(|ask| ask["work"].get("query").cloned()).unwrap()
}

#[test]
fn a_password_of_code_goes_nowhere() {
    for source in [
        "await new (require('pg').Client)({host: 'h', user: 'u', password: 'pw-of-code', database: 'd'}).connect()",
        "await new (require('pg').Pool)('postgres://u:pw-of-code@h:5432/d').query('SELECT 1')",
        "await require('mysql2/promise').createConnection('mysql://u:pw-of-code@h/d')",
        "await require('mysql2/promise').createPool({uri: 'mysql://u:pw-of-code@h/d'}).query('SELECT 1')",
        "await new (require('typeorm').DataSource)({type: 'mysql', host: 'h', password: 'pw-of-code', database: 'd'}).initialize()",
    ] {
        let family = if source.contains("pg") { DatabaseKind::Postgres } else { DatabaseKind::Mysql };
        let (result, all) = run_recorded(family, Vec::new(), source);
        result.unwrap();
        let place = &all[0]["place"];
        assert_eq!((&place["host"], &place["database"]), (&json!("h"), &json!("d")), "{source}");
        assert!(!json!(all).to_string().contains("pw-of-code"), "{source}");
    }
}

#[test]
fn marks_are_values_outside_of_texts_names_and_comments() {
    let mysql = |source: &str| first_query(DatabaseKind::Mysql, source);
    assert_eq!(
        mysql(
            "await $db.query('x', \"SELECT '?', `?` -- ?\\n, ? /* ? */ FROM ?? WHERE a IN (?) AND ?\", [1, 'd.t`x', ['b', 2], {c: null}])"
        ),
        json!({
            "sql": "SELECT '?', `?` -- ?\n, ? /* ? */ FROM `d`.`t``x` WHERE a IN (?, ?) AND `c` = ?",
            "values": [{"whole": 1}, {"text": "b"}, {"whole": 2}, "null"],
        })
    );
    let rows = "const own = await require('mysql2/promise').createConnection({}); await own.query('INSERT INTO t VALUES ?', [[[1, 'a'], [2, 'b']]])";
    assert_eq!(mysql(rows)["sql"], "INSERT INTO t VALUES (?, ?), (?, ?)");
    let kept = "const own = await require('mysql2/promise').createConnection({}); await own.execute('SELECT ?', [[1]])";
    assert_eq!(mysql(kept), json!({"sql": "SELECT ?", "values": [{"text": "[1]"}]}));
    let postgres = "await $db.query('x', 'SELECT $1 ? $2', [{a: 1}, ['a\"', null, [1.5]]])";
    assert_eq!(
        first_query(DatabaseKind::Postgres, postgres),
        json!({"sql": "SELECT $1 ? $2", "values": [{"text": "{\"a\":1}"}, {"text": "{\"a\\\"\",NULL,{\"1.5\"}}"}]})
    );
}

#[test]
fn values_without_a_form_are_refused_before_they_are_sent() {
    for value in ["() => 1", "Symbol('x')", "new Date('x')", "{toJSON() {}}", "NaN"] {
        let source = format!("await $db.query('x', 'SELECT ?', [{value}])");
        let (result, all) = run_recorded(DatabaseKind::Mysql, Vec::new(), &source);
        assert!(matches!(result, Err(ScriptError::Threw { .. })), "{value}: {result:?}");
        assert!(all.iter().all(|ask| ask["work"] == "connect"), "{all:?}");
    }
    let (result, _) = run_recorded(
        DatabaseKind::Mysql,
        Vec::new(),
        "const a = {}; a.a = a; await $db.query('x', 'SELECT ?', [[a]])",
    );
    assert!(result.is_err());
}

#[test]
fn rows_are_made_of_what_their_columns_are() {
    let row = vec![
        ("__proto__", "text", json!("x")),
        ("n", "number", json!("1.5")),
        ("l", "long", json!("9007199254740993")),
        ("s", "long", json!("7")),
        ("d", "time", json!("2024-02-29 12:30:45.6789+02")),
        ("z", "time", json!("0000-00-00")),
        ("j", "json", json!("{\"a\":[1]}")),
        ("b", "bytes", json!("AP8=")),
        ("f", "boolean", json!("t")),
        ("a", "text[]", json!("[0:1]={\"a,\\\"\",NULL}")),
        ("u", "number", Value::Null),
    ];
    let source = "const [row] = await $db.query('x', 'SELECT 1');
        return [Object.keys(row)[0], row.n, row.l, row.s, row.d.toISOString(), row.z, row.j.a, [...row.b], row.f, row.a, row.u]";
    let (result, _) = run_recorded(DatabaseKind::Postgres, row, source);
    assert_eq!(
        result.unwrap(),
        json!([
            "__proto__",
            1.5,
            "9007199254740993",
            7,
            "2024-02-29T10:30:45.678Z",
            "0000-00-00",
            [1],
            [0, 255],
            true,
            ["a,\"", null],
            null
        ])
    );
}

#[test]
fn a_refusal_is_an_error_with_the_fields_that_clients_give_it() {
    let source = "try { await $db.query('x', 'fails') } catch (error) { return [error.message, error.code, error.errno, error.sqlState, error.sqlMessage] }";
    let (result, _) = run_recorded(DatabaseKind::Mysql, Vec::new(), source);
    assert_eq!(result.unwrap(), json!(["database 'x': no", "ER_DUP_ENTRY", 1062, "23000", "Duplicate"]));
}

#[test]
fn each_connection_of_code_is_one_of_its_own_and_ends() {
    let source = "const pool = new (require('pg').Pool)({credential: 'x'});
        const [one, other] = [await pool.connect(), await pool.connect()];
        await one.query('BEGIN'); await other.query('SELECT 1'); one.release(); other.release(); await pool.end();
        await $db.query('y', 'SELECT 1');
        return one.query('SELECT 1').catch((error) => error.message)";
    let (result, all) = run_recorded(DatabaseKind::Postgres, Vec::new(), source);
    assert_eq!(result.unwrap(), "the connection was closed by the code");
    let of = |work: &str| {
        let asks = all.iter().filter(|ask| ask["work"] == work);
        asks.map(|ask| ask["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let (connected, closed) = (of("connect"), of("close"));
    assert_eq!((connected.len(), &connected[..2]), (3, &closed[..]));
}

#[test]
fn where_there_are_no_databases_it_is_said_what_there_is() {
    assert_eq!(value("return typeof $db"), "undefined");
    assert!(thrown_message("require('mysql2/promise')").contains("$db.query(credential, statement, values)"));
}
