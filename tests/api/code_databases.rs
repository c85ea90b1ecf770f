//! Databases that code of flows asks, before real servers: `.ci/postgres` and `.ci/mariadb` start them. `FLOWKEEP_POSTGRES` and
//! `FLOWKEEP_MARIADB` name others (`scheme://user:password@host:port/database`), on which the user may make tables.

use super::code::function;
use crate::support::{Server, id};
use serde_json::{Value, json};
use std::io::Write as _;
use std::net::TcpListener;
use std::time::{Duration, Instant};
use url::Url;
use uuid::Uuid;

/// A service, and a table of its own on a real server, in which two books are.
struct House {
    server: Server,
    url: Url,
    kind: &'static str,
    table: String,
}

impl House {
    fn open(variable: &str, settings: &[(&'static str, &str)]) -> Option<Self> {
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
        house.written(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, title VARCHAR(100))"));
        house.written(&format!("INSERT INTO {table} VALUES (1, 'Emma'), (2, 'Ärger; --')"));
        Some(house)
    }

    fn fields(&self) -> Value {
        json!({
            "user": self.url.username(), "password": self.url.password().unwrap(),
            "host": self.url.host_str().unwrap(), "port": self.url.port().unwrap().to_string(),
            "database": self.url.path().trim_start_matches('/'),
        })
    }

    fn credential(&self, name: &str, more: &Value) -> String {
        let mut fields = self.fields();
        for (name, value) in more.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let body = json!({"name": name, "credentialName": self.kind, "plainDataObj": fields});
        id(&self.server.post("/credentials", &body))
    }

    /// What code returns; `TBL` in it is the name of the table.
    fn returned(&self, code: &str) -> Value {
        let flow = self.server.flow(&function(&code.replace("TBL", &self.table), &json!({})));
        let answer = self.server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
        answer.get("json").cloned().unwrap_or_else(|| answer["text"].clone())
    }

    /// The error with which code fails.
    fn fails(&self, code: &str) -> String {
        let flow = self.server.flow(&function(&code.replace("TBL", &self.table), &json!({})));
        let error = self.server.ask(&flow, &json!({"question": "Hi"})).is_error(500);
        assert!(error.starts_with("Custom JS Function: "), "{error}");
        assert!(!error.contains(self.url.password().unwrap()), "{error}");
        error
    }

    fn written(&self, sql: &str) -> Value {
        self.returned(&format!("return await $db.query('Desk', {})", json!(sql)))
    }

    fn count(&self) -> Value {
        self.returned("return Number((await $db.query('Desk', 'SELECT count(*) AS n FROM TBL'))[0].n)")
    }

    /// Refused are statements that write, one by one; the table stays as it was.
    fn refuses_to_write(&self, statements: &[&str]) {
        for sql in statements {
            let error = self.fails(&format!("return await $db.query('Books', {})", json!(sql)));
            assert!(error.contains("database 'Books': "), "{sql}: {error}");
        }
        assert_eq!(self.count(), 2);
    }

    fn reads_and_writes_through_a_transaction(&self, connect: &str, insert: &str, release: &str) {
        let begins = |end: &str| {
            format!("{connect} {insert} {end} {release}; return 'x'")
                .replace("BEGIN()", "await own.query('BEGIN')")
        };
        self.returned(&begins("await own.query('ROLLBACK');"));
        assert_eq!(self.count(), 2);
        self.returned(&begins(""));
        assert_eq!(self.count(), 2, "what is not committed is undone when the connection is released");
        self.returned(&begins("await own.query('COMMIT');"));
        assert_eq!(self.count(), 3);
        let error = self.fails("await $db.query('Desk', 'BEGIN')");
        assert!(error.contains("BEGIN needs a connection of its own"), "{error}");
    }

    fn says_what_is_wrong(&self, wrong: &[(&str, &Value, &str)]) {
        for (name, more, says) in wrong {
            self.credential(name, more);
            let error = self.fails(&format!("return await $db.query('{name}', 'SELECT 1')"));
            assert!(
                error.contains(&format!("database '{name}': ")) && error.contains(says),
                "{name}: {error}"
            );
        }
        let error = self.fails("return await $db.query('Nobody\\'s', 'SELECT 1')");
        assert!(error.contains("there is no credential 'Nobody's'"), "{error}");
        self.credential("Twin", &json!({}));
        let twin = self.credential("Twin", &json!({}));
        assert!(self.fails("return await $db.query('Twin', 'SELECT 1')").contains("write the id"));
        assert_eq!(
            self.returned(&format!("return await $db.query('{twin}', 'SELECT 1 AS a')")),
            json!([{"a": 1}])
        );
        let error = self.fails("return await $db.query('Books', 'SELECT 1; SELECT 2')");
        assert!(error.contains("one is sent at a time"), "{error}");
        let error = self.fails("return await $db.query('Books', 'SELECT nothing FROM TBL')");
        assert!(error.contains("there is no such column") && !error.contains("nothing"), "{error}");
        let said = "try { await $db.query('Books', 'SELECT nothing FROM TBL') } catch (error) { return error.sqlMessage }";
        assert!(self.returned(said).as_str().unwrap().contains("nothing"));
        let error = self.fails("return await $db.query('Books', 'SELECT 1', [() => 1])");
        assert!(error.contains("a function cannot be a value"), "{error}");
    }

    fn bounds_what_comes_back(&self, numbers: &str, wide: &str) {
        let error = self.fails(&format!("return await $db.query('Books', {})", json!(numbers)));
        assert!(error.contains("the result is over 10000 rows or 4 MiB"), "{error}");
        let error = self.fails(&format!("return await $db.query('Books', {})", json!(wide)));
        assert!(error.contains("the result is over 10000 rows or 4 MiB"), "{error}");
        // A shared connection is made again afterwards.
        let code = format!(
            "try {{ await $db.query('Books', {}) }} catch {{}} return await $db.query('Books', 'SELECT 1 AS a')",
            json!(numbers)
        );
        assert_eq!(self.returned(&code), json!([{"a": 1}]));
        let error = self.fails("for (let at = 0; at < 300; at++) await $db.query('Books', 'SELECT 1')");
        assert!(error.contains("too many statements"), "{error}");
    }

    /// `waits` waits for a minute; `running` counts the statements at the server that hold the mark.
    fn ends_with_the_run(&self, waits: &str, running: &str) {
        let mark = format!("mark_{}", Uuid::new_v4().simple());
        let count = || {
            self.returned(&format!(
                "return Number((await $db.query('Desk', {}))[0].n)",
                json!(running.replace("MARK", &mark[..20]))
            ))
        };
        let code = format!("return await $db.query('Books', {})", json!(waits.replace("MARK", &mark)));
        let start = Instant::now();
        let error = self.fails(&code);
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
        let error = self.fails(&connects.replace("HOST", "localhost").replace("PORT", &port));
        assert!(
            error.contains("Save one of the type") && error.contains("credential: \"its name\""),
            "{error}"
        );
        assert!(!error.contains("pw-of-code") && listener.accept().is_err(), "{error}");
    }
}

impl Drop for House {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.written(&format!("DROP TABLE {}", self.table));
        }
    }
}

mod mariadb {
    use super::*;

    fn house() -> Option<House> {
        House::open("FLOWKEEP_MARIADB", &[])
    }

    #[test]
    fn code_reads_with_values() {
        let Some(house) = house() else { return };
        let rows = house.returned(
            "return await $db.query('Books', 'SELECT * FROM TBL WHERE id IN (?) ORDER BY id', [[1, 2]])",
        );
        assert_eq!(rows, json!([{"id": 1, "title": "Emma"}, {"id": 2, "title": "Ärger; --"}]));
        let code = "return await $db.query('Books', 'SELECT title FROM ?? WHERE title = ? LIMIT ?', ['TBL', 'Ärger; --', 1])";
        assert_eq!(house.returned(code), json!([{"title": "Ärger; --"}]));
        assert_eq!(
            house.returned("return await $db.query('Books', 'SELECT id FROM TBL WHERE 1=0')"),
            json!([])
        );
    }

    #[test]
    fn values_of_every_type_go_there_and_come_back() {
        let Some(house) = house() else { return };
        let code = "const day = new Date('2024-02-29T12:30:45.678Z');
            const [row] = await $db.query('Books', 'SELECT ? AS t, ? AS w, ? AS n, ? AS nothing, ? AS flag, CAST(? AS DATETIME(3)) AS moment, ? AS bytes, ? AS big',
                ['ä\\'\\\\', -5, 1.25, null, true, day, Buffer.from([0, 255]), 12345678901234567890n]);
            return [row.t, row.w, row.n, row.nothing, row.flag, row.moment.toISOString(), [...row.bytes], row.big]";
        assert_eq!(
            house.returned(code),
            json!(["ä'\\", -5, 1.25, null, 1, "2024-02-29T12:30:45.678Z", [0, 255], "12345678901234567890"])
        );
        // The same without values, which the server writes another way.
        let code = "const [row] = await $db.query('Books', `SELECT 'x' AS t, -5 AS w, 1.25e0 AS n, NULL AS nothing, CAST(18446744073709551615 AS UNSIGNED) AS big,
                CAST('2024-02-29' AS DATE) AS day, CAST('-30:00:01' AS TIME) AS span, 1.10 AS exact, X'00FF' AS bytes`);
            return [row.t, row.w, row.n, row.nothing, row.big, row.day.toISOString(), row.span, row.exact, [...row.bytes]]";
        let same = code.replace("NULL AS nothing", "? AS nothing").replace("`);", "`, [null]);");
        for code in [code, &same] {
            assert_eq!(
                house.returned(code),
                json!([
                    "x",
                    -5,
                    1.25,
                    null,
                    "18446744073709551615",
                    "2024-02-29T00:00:00.000Z",
                    "-30:00:01",
                    "1.10",
                    [0, 255]
                ])
            );
        }
    }

    #[test]
    fn the_doors_are_called_like_the_clients_that_people_know() {
        let Some(house) = house() else { return };
        let database = house.fields()["database"].as_str().unwrap().to_owned();
        let place = format!(
            "{{host: '127.0.0.1', user: 'x', password: 'pw-of-code', database: '{database}', credential: 'Books'}}"
        );
        let rows = json!([{"id": 1}]);
        for code in [
            "const mysql = require('mysql2/promise'); const own = await mysql.createConnection(PLACE);
             const [rows, fields] = await own.execute('SELECT id FROM TBL WHERE id = ?', [1]); await own.end(); return rows",
            "const pool = require('mysql2/promise').createPool(PLACE); const own = await pool.getConnection();
             try { return (await own.query('SELECT id FROM TBL WHERE id = ?', 1))[0] } finally { own.release(); await pool.end() }",
            "const own = require('mysql2').createConnection(PLACE); return new Promise((done, failed) =>
             own.query('SELECT id FROM TBL WHERE ?', {id: 1}, (error, rows, fields) => error ? failed(error) : done(rows)))",
            "const { DataSource } = require('typeorm'); const source = new DataSource({type: 'mysql', ...PLACE});
             await source.initialize(); const rows = await source.query('SELECT id FROM TBL WHERE id = ?', [1]);
             await source.destroy(); return rows",
        ] {
            assert_eq!(house.returned(&code.replace("PLACE", &place)), rows, "{code}");
        }
        // Without a name, the only one at the place.
        house.server.owner("DELETE", &format!("/credentials/{}", desk(&house))).send().is(200);
        let place =
            format!("{{host: '127.0.0.1', user: 'x', password: 'pw-of-code', database: '{database}'}}");
        let code = "const own = await require('mysql2/promise').createConnection(PLACE); return (await own.query('SELECT 1 AS id'))[0]";
        assert_eq!(house.returned(&code.replace("PLACE", &place)), rows);
        house.credential("Desk", &json!({"allowWrites": true}));
        assert!(house.fails(&code.replace("PLACE", &place)).contains("several saved credentials fit"));
    }

    fn desk(house: &House) -> String {
        let all = house.server.read("/credentials");
        let desk = all.as_array().unwrap().iter().find(|one| one["name"] == "Desk").unwrap();
        id(desk)
    }

    #[test]
    fn code_chooses_no_address() {
        let Some(house) = house() else { return };
        house.code_chooses_no_address(
            "await require('mysql2/promise').createConnection({host: 'HOST', port: PORT, user: 'x', password: 'pw-of-code'})",
        );
    }

    #[test]
    fn nothing_is_written_unless_the_credential_says_so() {
        let Some(house) = house() else { return };
        let (table, function) = (&house.table, format!("f_{}", house.table));
        house.written(&format!("CREATE FUNCTION {function}() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM {table}; RETURN 1; END"));
        house.written(&format!("CREATE TABLE {table}_old (id INT) ENGINE=MyISAM"));
        house.refuses_to_write(&[
            &format!("DELETE FROM {table}"),
            &format!("/* SELECT */ DELETE FROM {table}"),
            &format!("WITH x AS (SELECT 1) DELETE FROM {table}"),
            &format!("SELECT {function}()"),
            &format!("SELECT 1; DELETE FROM {table}"),
            &format!("SELECT * FROM {table} /*!50000 INTO OUTFILE '/tmp/{table}' */"),
            &format!("SELECT * FROM {table} INTO OUTFILE '/tmp/{table}'"),
            &format!("INSERT INTO {table}_old VALUES (1)"),
            &format!("CREATE TABLE {table}_new (id INT)"),
            "SET SESSION TRANSACTION READ WRITE",
            "COMMIT",
            "START TRANSACTION",
        ]);
        let error = house.fails("return await $db.query('Books', 'UPDATE TBL SET id = 3')");
        assert!(error.contains("UPDATE is refused") && error.contains("Code may write"), "{error}");
        let error = house.fails(&format!("return await $db.query('Books', 'SELECT {function}()')"));
        assert!(error.contains("code may only read there"), "{error}");
        assert!(
            house
                .fails(
                    "return await $db.query('Desk', \"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE TBL\")"
                )
                .contains("database 'Desk': ")
        );
        house.written(&format!("DROP FUNCTION {function}"));
        house.written(&format!("DROP TABLE {table}_old"));
    }

    #[test]
    fn a_transaction_counts_when_it_is_committed() {
        let Some(house) = house() else { return };
        house.reads_and_writes_through_a_transaction(
            "const own = await require('mysql2/promise').createConnection({credential: 'Desk'}); await own.beginTransaction();",
            "const [done] = await own.execute('INSERT INTO TBL VALUES (?, ?)', [3, 'Three']); if (done.affectedRows !== 1) throw done;",
            "await own.end()",
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_the_name_of_the_credential() {
        let Some(house) = house() else { return };
        house.says_what_is_wrong(&[
            ("Wrong", &json!({"password": "pw-wrong"}), "refused the user or the password"),
            ("Away", &json!({"port": 1}), "no connection to the server"),
            ("Other", &json!({"database": "nowhere"}), "no such database"),
            ("Bare", &json!({"host": ""}), "fill in Host and Database"),
            ("Metadata", &json!({"host": "169.254.169.254"}), "refused by policy"),
            ("Port", &json!({"port": "70000"}), "a number from 1 to 65535"),
        ]);
    }

    #[test]
    fn what_comes_back_is_bounded() {
        let Some(house) = house() else { return };
        house.bounds_what_comes_back("SELECT seq FROM seq_1_to_10001000", "SELECT REPEAT('x', 5000000) AS a");
    }

    #[test]
    fn a_statement_ends_with_the_run() {
        let Some(house) = House::open("FLOWKEEP_MARIADB", &[("SERVICE_CODE_SECONDS", "1")]) else { return };
        house.ends_with_the_run(
            "SELECT SLEEP(60) AS MARK",
            "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info LIKE '%SLEEP(60)%MARK%' AND id <> CONNECTION_ID()",
        );
    }

    #[test]
    fn over_tls_the_server_is_trusted_by_its_authority() {
        let Some(house) = house() else { return };
        let Ok(path) = std::env::var("FLOWKEEP_MARIADB_AUTHORITY") else { return };
        let authority = std::fs::read_to_string(path).unwrap();
        house.credential("Safe", &json!({"ssl": true, "certificate": authority}));
        house.credential("One line", &json!({"ssl": true, "certificate": authority.replace('\n', " ")}));
        house.credential("Strange", &json!({"ssl": true}));
        let code =
            "const [row] = await $db.query(NAME, \"SHOW STATUS LIKE 'Ssl_version'\"); return row.Value";
        for name in ["'Safe'", "'One line'"] {
            assert_eq!(house.returned(&code.replace("NAME", name)), "TLSv1.3");
        }
        let error = house.fails(&code.replace("NAME", "'Strange'"));
        assert!(error.contains("no trusted TLS connection"), "{error}");
    }
}

mod postgres {
    use super::*;

    fn house() -> Option<House> {
        House::open("FLOWKEEP_POSTGRES", &[])
    }

    #[test]
    fn code_reads_with_values() {
        let Some(house) = house() else { return };
        let rows = house.returned(
            "return await $db.query('Books', 'SELECT * FROM TBL WHERE id = ANY($1) ORDER BY id', [[1, 2]])",
        );
        assert_eq!(rows, json!([{"id": 1, "title": "Emma"}, {"id": 2, "title": "Ärger; --"}]));
        assert_eq!(
            house.returned("return await $db.query('Books', 'SELECT id FROM TBL WHERE 1=0')"),
            json!([])
        );
    }

    #[test]
    fn values_of_every_type_go_there_and_come_back() {
        let Some(house) = house() else { return };
        let code = "const day = new Date('2024-02-29T12:30:45.678Z');
            const [row] = await $db.query('Books', `SELECT $1::text AS t, $2::int AS w, $3::float8 AS n, $4::text AS nothing, $5::bool AS flag,
                $6::timestamptz AS moment, $7::bytea AS bytes, $8::int8 AS big, $9::jsonb AS doc, $10::text[] AS list, $11::int[] AS numbers`,
                ['ä\\'\\\\', -5, 1.25, null, true, day, Buffer.from([0, 255]), 9007199254740993n, {a: [1]}, ['a\"b', null, 'c,d{}', 'NULL', ''], [[1, 2], [3, 4]]]);
            return [row.t, row.w, row.n, row.nothing, row.flag, row.moment.toISOString(), [...row.bytes], row.big, row.doc, row.list, row.numbers]";
        assert_eq!(
            house.returned(code),
            json!([
                "ä'\\", -5, 1.25, null, true, "2024-02-29T12:30:45.678Z", [0, 255], "9007199254740993", {"a": [1]},
                ["a\"b", null, "c,d{}", "NULL", ""], [[1, 2], [3, 4]]
            ])
        );
        let code = "const [row] = await $db.query('Books', `SELECT date '2024-02-29' AS day, 1.10 AS exact, timestamp 'infinity' AS never, interval '1 day' AS span`);
            return [row.day.toISOString(), row.exact, row.never, row.span]";
        assert_eq!(house.returned(code), json!(["2024-02-29T00:00:00.000Z", "1.10", "infinity", "1 day"]));
    }

    #[test]
    fn the_doors_are_called_like_the_clients_that_people_know() {
        let Some(house) = house() else { return };
        let place = "{host: '127.0.0.1', user: 'x', password: 'pw-of-code', credential: 'Books'}";
        let rows = json!([{"id": 1}]);
        for code in [
            "const { Client } = require('pg'); const own = new Client(PLACE); await own.connect();
             const found = await own.query('SELECT id FROM TBL WHERE id = $1', [1]); await own.end();
             if (found.rowCount !== 1 || found.command !== 'SELECT' || found.fields[0].name !== 'id') throw found; return found.rows",
            "const { Pool } = require('pg'); const pool = new Pool(PLACE); const own = await pool.connect();
             try { return (await own.query({text: 'SELECT id FROM TBL WHERE id = $1', values: [1]})).rows } finally { own.release(); await pool.end() }",
            "const pool = new (require('pg').Pool)(PLACE); return new Promise((done, failed) =>
             pool.query('SELECT id FROM TBL WHERE id = $1', [1], (error, found) => error ? failed(error) : done(found.rows)))",
            "const { DataSource } = require('typeorm'); const source = await new DataSource({type: 'postgres', ...PLACE}).initialize();
             const runner = source.createQueryRunner(); await runner.connect();
             return await runner.query('SELECT id FROM TBL WHERE id = $1', [1])",
        ] {
            assert_eq!(house.returned(&code.replace("PLACE", place)), rows, "{code}");
        }
    }

    #[test]
    fn an_address_of_the_type_postgres_url_is_asked_too() {
        let Some(house) = house() else { return };
        let body = json!({"name": "Address", "credentialName": "PostgresUrl", "plainDataObj": {"postgresUrl": house.url.as_str()}});
        house.server.post("/credentials", &body);
        assert_eq!(house.returned("return await $db.query('Address', 'SELECT 1 AS a')"), json!([{"a": 1}]));
        assert!(
            house.fails("return await $db.query('Address', 'DELETE FROM TBL')").contains("DELETE is refused")
        );
    }

    #[test]
    fn code_chooses_no_address() {
        let Some(house) = house() else { return };
        house.code_chooses_no_address(
            "await new (require('pg').Client)('postgres://x:pw-of-code@HOST:PORT/elsewhere').connect()",
        );
    }

    #[test]
    fn nothing_is_written_unless_the_credential_says_so() {
        let Some(house) = house() else { return };
        let (table, function) = (&house.table, format!("f_{}", house.table));
        house.written(&format!("CREATE FUNCTION {function}() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM {table}; RETURN 1; END'"));
        house.written(&format!("CREATE FUNCTION {function}_off() RETURNS int LANGUAGE plpgsql AS 'BEGIN SET transaction_read_only = off; DELETE FROM {table}; RETURN 1; END'"));
        house.refuses_to_write(&[
            &format!("DELETE FROM {table}"),
            &format!("/* /* */ SELECT */ DELETE FROM {table}"),
            &format!("WITH x AS (DELETE FROM {table} RETURNING 1) SELECT * FROM x"),
            &format!("EXPLAIN ANALYZE DELETE FROM {table}"),
            &format!("SELECT {function}()"),
            &format!("SELECT {function}_off()"),
            &format!("SELECT 1; DELETE FROM {table}"),
            &format!("SELECT * INTO {table}_new FROM {table}"),
            &format!("SELECT * FROM {table} FOR UPDATE"),
            &format!("COPY {table} TO PROGRAM 'true'"),
            "SET TRANSACTION READ WRITE",
            "DO $$ BEGIN END $$",
            "COMMIT",
        ]);
        // What one statement sets for the session does not help the next.
        let code = "await $db.query('Books', \"SELECT set_config('default_transaction_read_only', 'off', false), set_config('transaction_read_only', 'off', false)\").catch(() => {});
            return await $db.query('Books', 'WITH x AS (DELETE FROM TBL RETURNING 1) SELECT * FROM x')";
        assert!(house.fails(code).contains("code may only read there"));
        assert_eq!(house.count(), 2);
        house.written(&format!("DROP FUNCTION {function}"));
        house.written(&format!("DROP FUNCTION {function}_off"));
    }

    #[test]
    fn a_transaction_counts_when_it_is_committed() {
        let Some(house) = house() else { return };
        house.reads_and_writes_through_a_transaction(
            "const pool = new (require('pg').Pool)({credential: 'Desk'}); const own = await pool.connect(); BEGIN();",
            "if ((await own.query('INSERT INTO TBL VALUES ($1, $2)', [3, 'Three'])).rowCount !== 1) throw 'count';",
            "own.release()",
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_the_name_of_the_credential() {
        let Some(house) = house() else { return };
        house.says_what_is_wrong(&[
            ("Wrong", &json!({"password": "pw-wrong"}), "refused the user or the password"),
            ("Away", &json!({"port": 1}), "no connection to the server"),
            ("Other", &json!({"database": "nowhere"}), "no such database"),
            ("Bare", &json!({"host": ""}), "fill in Host and Database"),
            ("Plain", &json!({"ssl": true}), "no SSL"),
        ]);
    }

    #[test]
    fn what_comes_back_is_bounded() {
        let Some(house) = house() else { return };
        house.bounds_what_comes_back(
            "SELECT generate_series(1, 10001000) AS a",
            "SELECT repeat('x', 5000000) AS a",
        );
    }

    #[test]
    fn a_statement_ends_with_the_run() {
        let Some(house) = House::open("FLOWKEEP_POSTGRES", &[("SERVICE_CODE_SECONDS", "1")]) else { return };
        house.ends_with_the_run(
            "SELECT pg_sleep(60) AS MARK",
            "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%MARK%' AND pid <> pg_backend_pid()",
        );
    }
}
