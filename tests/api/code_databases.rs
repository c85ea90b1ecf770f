//! Databases that code of flows asks, before real servers: `.ci/postgres` and `.ci/mariadb` start them. `FLOWKEEP_POSTGRES`
//! and `FLOWKEEP_MARIADB` name others (`scheme://user:password@host:port/database`), on which the user may make tables.

mod mariadb;
mod postgres;

use super::code::function;
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use url::Url;
use uuid::Uuid;

/// A service, and a table of its own on a real server, in which two books are.
pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) url: Url,
    kind: &'static str,
    pub(crate) table: String,
}

impl Fixture {
    pub(crate) fn open(variable: &str, settings: &[(&'static str, &str)]) -> Option<Self> {
        let Ok(text) = std::env::var(variable) else {
            // Not by the macro, whose words are only shown when a test fails.
            let _ = writeln!(std::io::stderr(), "skipped: {variable} names no server");
            return None;
        };
        let url = Url::parse(&text).expect("the variable holds an address");
        let kind = if variable == "FLOWKEEP_MARIADB" { "MySQLApi" } else { "PostgresApi" };
        let table = format!("t_{}", Uuid::new_v4().simple());
        let house = Self { server: Server::with(settings), url, kind, table };
        house.credential("Books", &json!({}));
        house.credential("Desk", &json!({"allowWrites": true, "database": house.fields()["database"]}));
        let table = &house.table;
        house.run_query(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, title VARCHAR(100))"));
        house.run_query(&format!("INSERT INTO {table} VALUES (1, 'Emma'), (2, 'Ärger; --')"));
        Some(house)
    }

    pub(crate) fn fields(&self) -> Value {
        json!({
            "user": self.url.username(), "password": self.url.password().unwrap(),
            "host": self.url.host_str().unwrap(), "port": self.url.port().unwrap().to_string(),
            "database": self.url.path().trim_start_matches('/'),
        })
    }

    pub(crate) fn credential(&self, name: &str, more: &Value) -> String {
        let mut fields = self.fields();
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let body = json!({"name": name, "credentialName": self.kind, "plainDataObj": fields});
        id(&self.server.post("/credentials", &body))
    }

    /// What code returns; `TBL` in it is the name of the table.
    fn run_code(&self, code: &str) -> Value {
        let flow = self.server.flow(&function(&code.replace("TBL", &self.table), &json!({})));
        let answer = self.server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        answer.get("json").cloned().unwrap_or_else(|| answer["text"].clone())
    }

    /// The error with which code fails.
    fn run_failing_code(&self, code: &str) -> String {
        let flow = self.server.flow(&function(&code.replace("TBL", &self.table), &json!({})));
        let error = self.server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
        assert!(error.starts_with("Custom JS Function: "), "{error}");
        assert!(!error.contains(self.url.password().unwrap()), "{error}");
        error
    }

    pub(crate) fn run_query(&self, sql: &str) -> Value {
        self.run_code(&format!("return await $db.query('Desk', {})", json!(sql)))
    }

    fn count(&self) -> Value {
        self.run_code("return Number((await $db.query('Desk', 'SELECT count(*) AS n FROM TBL'))[0].n)")
    }

    /// Refused are statements that write, one by one; the table stays as it was.
    fn refuses_to_write(&self, statements: &[&str]) {
        for sql in statements {
            let error = self.run_failing_code(&format!("return await $db.query('Books', {})", json!(sql)));
            assert!(error.contains("database 'Books': "), "{sql}: {error}");
        }
        assert_eq!(self.count(), 2);
    }

    fn reads_and_writes_through_a_transaction(&self, connect: &str, insert: &str, release: &str) {
        let begins = |end: &str| {
            format!("{connect} {insert} {end} {release}; return 'x'")
                .replace("BEGIN()", "await own.query('BEGIN')")
        };
        self.run_code(&begins("await own.query('ROLLBACK');"));
        assert_eq!(self.count(), 2);
        self.run_code(&begins(""));
        assert_eq!(self.count(), 2, "what is not committed is undone when the connection is released");
        self.run_code(&begins("await own.query('COMMIT');"));
        assert_eq!(self.count(), 3);
        let error = self.run_failing_code("await $db.query('Desk', 'BEGIN')");
        assert!(error.contains("BEGIN needs a connection of its own"), "{error}");
    }

    fn says_what_is_wrong(&self, wrong: &[(&str, &Value, &str)]) {
        for (name, more, says) in wrong {
            self.credential(name, more);
            let error = self.run_failing_code(&format!("return await $db.query('{name}', 'SELECT 1')"));
            assert!(
                error.contains(&format!("database '{name}': ")) && error.contains(says),
                "{name}: {error}"
            );
        }
        let error = self.run_failing_code("return await $db.query('Nobody\\'s', 'SELECT 1')");
        assert!(error.contains("there is no credential 'Nobody's'"), "{error}");
        self.credential("Twin", &json!({}));
        let twin = self.credential("Twin", &json!({}));
        assert!(self.run_failing_code("return await $db.query('Twin', 'SELECT 1')").contains("write the id"));
        assert_eq!(
            self.run_code(&format!("return await $db.query('{twin}', 'SELECT 1 AS a')")),
            json!([{"a": 1}])
        );
        let error = self.run_failing_code("return await $db.query('Books', 'SELECT 1; SELECT 2')");
        assert!(error.contains("one is sent at a time"), "{error}");
        let error = self.run_failing_code("return await $db.query('Books', 'SELECT nothing FROM TBL')");
        assert!(error.contains("there is no such column") && !error.contains("nothing"), "{error}");
        let said = "try { await $db.query('Books', 'SELECT nothing FROM TBL') } catch (error) { return error.sqlMessage }";
        assert!(self.run_code(said).as_str().unwrap().contains("nothing"));
        let error = self.run_failing_code("return await $db.query('Books', 'SELECT 1', [() => 1])");
        assert!(error.contains("a function cannot be a value"), "{error}");
    }

    fn bounds_what_comes_back(&self, numbers: &str, wide: &str) {
        let error = self.run_failing_code(&format!("return await $db.query('Books', {})", json!(numbers)));
        assert!(error.contains("the result is over 10000 rows or 4 MiB"), "{error}");
        let error = self.run_failing_code(&format!("return await $db.query('Books', {})", json!(wide)));
        assert!(error.contains("the result is over 10000 rows or 4 MiB"), "{error}");
        // A shared connection is made again afterwards.
        let code = format!(
            "try {{ await $db.query('Books', {}) }} catch {{}} return await $db.query('Books', 'SELECT 1 AS a')",
            json!(numbers)
        );
        assert_eq!(self.run_code(&code), json!([{"a": 1}]));
        let error =
            self.run_failing_code("for (let at = 0; at < 300; at++) await $db.query('Books', 'SELECT 1')");
        assert!(error.contains("too many statements"), "{error}");
    }

    /// `waits` waits for a minute; `running` counts the statements at the server that hold the mark.
    fn ends_with_the_run(&self, waits: &str, running: &str) {
        let mark = format!("mark_{}", Uuid::new_v4().simple());
        let count = || {
            self.run_code(&format!(
                "return Number((await $db.query('Desk', {}))[0].n)",
                json!(running.replace("MARK", &mark[..20]))
            ))
        };
        let code = format!("return await $db.query('Books', {})", json!(waits.replace("MARK", &mark)));
        let start = Instant::now();
        let error = self.run_failing_code(&code);
        assert!(error.contains("took"), "{error}");
        assert!(start.elapsed() < Duration::from_secs(20));
        let end = Instant::now() + Duration::from_secs(5);
        while count() != 0 {
            assert!(Instant::now() < end, "the statement still runs");
        }
    }

    /// `connects` connects to `PLACE` with a password of its own.
    fn code_chooses_no_address(&self, connects: &str) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let error = self.run_failing_code(&connects.replace("HOST", "localhost").replace("PORT", &port));
        assert!(
            error.contains("Save one of the type") && error.contains("credential: \"its name\""),
            "{error}"
        );
        assert!(!error.contains("pw-of-code") && listener.accept().is_err(), "{error}");
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.run_query(&format!("DROP TABLE {}", self.table));
        }
    }
}
