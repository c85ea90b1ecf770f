//! Before a real MariaDB, which `.ci/mariadb` starts.

use super::*;

fn house() -> Option<Fixture> {
    Fixture::open("FLOWKEEP_MARIADB", &[])
}

#[test]
fn code_reads_with_values() {
    let Some(house) = house() else { return };
    let rows = house.run_code(
        "return await $db.query('Books', 'SELECT * FROM TBL WHERE id IN (?) ORDER BY id', [[1, 2]])",
    );
    assert_eq!(rows, json!([{"id": 1, "title": "Emma"}, {"id": 2, "title": "Ärger; --"}]));
    let code = "return await $db.query('Books', 'SELECT title FROM ?? WHERE title = ? LIMIT ?', ['TBL', 'Ärger; --', 1])";
    assert_eq!(house.run_code(code), json!([{"title": "Ärger; --"}]));
    assert_eq!(house.run_code("return await $db.query('Books', 'SELECT id FROM TBL WHERE 1=0')"), json!([]));
}

#[test]
fn values_of_every_type_go_there_and_come_back() {
    let Some(house) = house() else { return };
    let code = "const day = new Date('2024-02-29T12:30:45.678Z');
        const [row] = await $db.query('Books', 'SELECT ? AS t, ? AS w, ? AS n, ? AS nothing, ? AS flag, CAST(? AS DATETIME(3)) AS moment, ? AS bytes, ? AS big',
            ['ä\\'\\\\', -5, 1.25, null, true, day, Buffer.from([0, 255]), 12345678901234567890n]);
        return [row.t, row.w, row.n, row.nothing, row.flag, row.moment.toISOString(), [...row.bytes], row.big]";
    assert_eq!(
        house.run_code(code),
        json!(["ä'\\", -5, 1.25, null, 1, "2024-02-29T12:30:45.678Z", [0, 255], "12345678901234567890"])
    );
    // The same without values, which the server writes another way.
    let code = "const [row] = await $db.query('Books', `SELECT 'x' AS t, -5 AS w, 1.25e0 AS n, NULL AS nothing, CAST(18446744073709551615 AS UNSIGNED) AS big,
            CAST('2024-02-29' AS DATE) AS day, CAST('-30:00:01' AS TIME) AS span, 1.10 AS exact, X'00FF' AS bytes`);
        return [row.t, row.w, row.n, row.nothing, row.big, row.day.toISOString(), row.span, row.exact, [...row.bytes]]";
    let same = code.replace("NULL AS nothing", "? AS nothing").replace("`);", "`, [null]);");
    for code in [code, &same] {
        assert_eq!(
            house.run_code(code),
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
        assert_eq!(house.run_code(&code.replace("PLACE", &place)), rows, "{code}");
    }
    // Without a name, the only one at the place.
    house.server.owner("DELETE", &format!("/credentials/{}?force=true", desk(&house))).send().is(200);
    let place = format!("{{host: '127.0.0.1', user: 'x', password: 'pw-of-code', database: '{database}'}}");
    let code = "const own = await require('mysql2/promise').createConnection(PLACE); return (await own.query('SELECT 1 AS id'))[0]";
    assert_eq!(house.run_code(&code.replace("PLACE", &place)), rows);
    house.credential("Desk", &json!({"allowWrites": true}));
    assert!(house.run_failing_code(&code.replace("PLACE", &place)).contains("several saved credentials fit"));
}

fn desk(house: &Fixture) -> String {
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
    house.run_query(&format!(
        "CREATE FUNCTION {function}() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM {table}; RETURN 1; END"
    ));
    house.run_query(&format!("CREATE TABLE {table}_old (id INT) ENGINE=MyISAM"));
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
    let error = house.run_failing_code("return await $db.query('Books', 'UPDATE TBL SET id = 3')");
    assert!(error.contains("UPDATE is refused") && error.contains("Code may write"), "{error}");
    let error = house.run_failing_code(&format!("return await $db.query('Books', 'SELECT {function}()')"));
    assert!(error.contains("code may only read there"), "{error}");
    assert!(
        house
            .run_failing_code(
                "return await $db.query('Desk', \"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE TBL\")"
            )
            .contains("database 'Desk': ")
    );
    house.run_query(&format!("DROP FUNCTION {function}"));
    house.run_query(&format!("DROP TABLE {table}_old"));
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
    let Some(house) = Fixture::open("FLOWKEEP_MARIADB", &[("SERVICE_CODE_SECONDS", "1")]) else { return };
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
    let code = "const [row] = await $db.query(NAME, \"SHOW STATUS LIKE 'Ssl_version'\"); return row.Value";
    for name in ["'Safe'", "'One line'"] {
        assert_eq!(house.run_code(&code.replace("NAME", name)), "TLSv1.3");
    }
    let error = house.run_failing_code(&code.replace("NAME", "'Strange'"));
    assert!(error.contains("no trusted TLS connection"), "{error}");
}
