//! Before a real PostgreSQL, which `.ci/postgres` starts.

use super::*;

fn house() -> Option<Fixture> {
    Fixture::open("FLOWKEEP_POSTGRES", &[])
}

#[test]
fn code_reads_with_values() {
    let Some(house) = house() else { return };
    let rows = house.run_code(
        "return await $db.query('Books', 'SELECT * FROM TBL WHERE id = ANY($1) ORDER BY id', [[1, 2]])",
    );
    assert_eq!(rows, json!([{"id": 1, "title": "Emma"}, {"id": 2, "title": "Ärger; --"}]));
    assert_eq!(house.run_code("return await $db.query('Books', 'SELECT id FROM TBL WHERE 1=0')"), json!([]));
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
        house.run_code(code),
        json!([
            "ä'\\", -5, 1.25, null, true, "2024-02-29T12:30:45.678Z", [0, 255], "9007199254740993", {"a": [1]},
            ["a\"b", null, "c,d{}", "NULL", ""], [[1, 2], [3, 4]]
        ])
    );
    let code = "const [row] = await $db.query('Books', `SELECT date '2024-02-29' AS day, 1.10 AS exact, timestamp 'infinity' AS never, interval '1 day' AS span`);
        return [row.day.toISOString(), row.exact, row.never, row.span]";
    assert_eq!(house.run_code(code), json!(["2024-02-29T00:00:00.000Z", "1.10", "infinity", "1 day"]));
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
        assert_eq!(house.run_code(&code.replace("PLACE", place)), rows, "{code}");
    }
}

#[test]
fn an_address_of_the_type_postgres_url_is_asked_too() {
    let Some(house) = house() else { return };
    let body = json!({"name": "Address", "credentialName": "PostgresUrl", "plainDataObj": {"postgresUrl": house.url.as_str()}});
    house.server.post("/credentials", &body);
    assert_eq!(house.run_code("return await $db.query('Address', 'SELECT 1 AS a')"), json!([{"a": 1}]));
    assert!(
        house
            .run_failing_code("return await $db.query('Address', 'DELETE FROM TBL')")
            .contains("DELETE is refused")
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
    house.run_query(&format!("CREATE FUNCTION {function}() RETURNS int LANGUAGE plpgsql AS 'BEGIN DELETE FROM {table}; RETURN 1; END'"));
    house.run_query(&format!("CREATE FUNCTION {function}_off() RETURNS int LANGUAGE plpgsql AS 'BEGIN SET transaction_read_only = off; DELETE FROM {table}; RETURN 1; END'"));
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
    assert!(house.run_failing_code(code).contains("code may only read there"));
    assert_eq!(house.count(), 2);
    house.run_query(&format!("DROP FUNCTION {function}"));
    house.run_query(&format!("DROP FUNCTION {function}_off"));
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
    let Some(house) = Fixture::open("FLOWKEEP_POSTGRES", &[("SERVICE_CODE_SECONDS", "1")]) else { return };
    house.ends_with_the_run(
        "SELECT pg_sleep(60) AS MARK",
        "SELECT count(*) AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(60)%MARK%' AND pid <> pg_backend_pid()",
    );
}
