//! What a statement can and cannot do.

use super::*;
use crate::base::cancel::CancelReason;
use std::time::Instant;

/// A database of customers and secrets, in a folder of its own.
fn made() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("shop.db");
    let made = Connection::open(&path).unwrap();
    made.execute_batch(
        "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, photo BLOB, spent REAL);
         INSERT INTO customers VALUES (1, 'Ada', x'0102', 1.5), (2, 'Bob', NULL, 2), (3, 'Cy', NULL, NULL);
         CREATE TABLE secrets (word TEXT);
         INSERT INTO secrets VALUES ('swordfish');
         CREATE VIEW peek AS SELECT word FROM secrets;
         CREATE VIEW names AS SELECT name FROM customers;
         CREATE VIRTUAL TABLE notes USING fts5(body);
         INSERT INTO notes VALUES ('hello world');
         CREATE TRIGGER t AFTER INSERT ON customers BEGIN DELETE FROM secrets; END;",
    )
    .unwrap();
    (folder, path)
}

fn open(path: &Path, only: &[&str], not: &[&str]) -> Result<SqlReader, SqlError> {
    let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let tables = VisibleTables { only: own(only), not: own(not) };
    SqlReader::open(path, &tables, SqlLimits::default(), &CancelToken::new(None))
}

#[test]
fn rows_come_back_as_json_and_bounded() {
    let (_folder, path) = made();
    let mut reader = open(&path, &[], &[]).unwrap();
    assert_eq!(
        reader.rows("SELECT * FROM customers WHERE id < 3 ORDER BY id;").unwrap(),
        "[{\"id\":1,\"name\":\"Ada\",\"photo\":\"(2 bytes)\",\"spent\":1.5},\n{\"id\":2,\"name\":\"Bob\",\"photo\":null,\"spent\":2.0}]"
    );
    assert_eq!(reader.rows("SELECT 1 WHERE 0").unwrap(), "[]");
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    let text = reader.rows(many).unwrap();
    assert!(text.ends_with(LEFT_OUT) && text.len() < 64 * 1024, "{}", text.len());
    let long = reader.rows("SELECT printf('%.*c', 100000, 'x') AS long").unwrap();
    assert!(long.contains("x…") && long.len() < 10_000, "{}", long.len());
}

#[test]
fn whatever_is_more_than_reading_is_refused() {
    let (folder, path) = made();
    let mut reader = open(&path, &[], &[]).unwrap();
    let other = folder.path().join("other.db");
    for statement in [
        "INSERT INTO customers(name) VALUES ('Eve')",
        "UPDATE customers SET name = 'Eve'",
        "DELETE FROM customers",
        "DROP TABLE customers",
        "CREATE TABLE x (a)",
        "CREATE TEMP TABLE x (a)",
        "CREATE VIRTUAL TABLE temp.x USING fts5(a)",
        "ALTER TABLE customers ADD COLUMN x",
        &format!("ATTACH '{}' AS other", other.display()),
        "ATTACH ':memory:' AS other",
        "DETACH main",
        &format!("VACUUM INTO '{}'", other.display()),
        "VACUUM",
        "PRAGMA journal_mode = WAL",
        "PRAGMA query_only = OFF",
        "PRAGMA table_info(customers)",
        "PRAGMA data_version = 1",
        "SELECT * FROM pragma_table_info('customers')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM sqlite_master",
        "SELECT count(*) FROM sqlite_schema",
        "SELECT * FROM dbstat",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('x', 'y')",
        "SELECT sqlite_version()",
        "SELECT fts3_tokenizer('simple')",
        "SELECT randomblob(10)",
        "BEGIN",
        "SAVEPOINT a",
        "ANALYZE",
        "REINDEX",
        "EXPLAIN SELECT 1; SELECT 1",
        "SELECT 1; DELETE FROM customers",
        "",
        "not SQL",
    ] {
        let error = reader.rows(statement).unwrap_err();
        assert!(error.is_of_statement(), "{statement}: {error:?}");
    }
    assert!(!other.exists());
    assert!(reader.rows("SELECT count(*) AS n FROM customers").unwrap().contains("3"));
}

#[test]
fn only_tables_that_are_shown_can_be_read_whatever_a_statement_calls_them() {
    let (_folder, path) = made();
    for mut reader in
        [open(&path, &["customers"], &[]).unwrap(), open(&path, &[], &["SECRETS", "notes"]).unwrap()]
    {
        for statement in [
            "SELECT word FROM secrets",
            "SELECT count(*) FROM secrets",
            "SELECT 1 FROM secrets",
            "SELECT * FROM peek",
            "SELECT count(*) FROM peek",
            "WITH customers AS (SELECT word FROM secrets) SELECT * FROM customers",
            "WITH names AS (SELECT word FROM secrets) SELECT * FROM names",
            "SELECT (SELECT word FROM secrets) FROM customers",
            "SELECT name FROM customers WHERE name = (SELECT word FROM main.secrets)",
            "SELECT name FROM customers UNION SELECT word FROM secrets",
            "SELECT * FROM notes",
            "SELECT * FROM notes_content",
        ] {
            assert_eq!(reader.rows(statement), Err(SqlError::Refused), "{statement}");
        }
        for statement in [
            "SELECT name FROM customers",
            "SELECT count(*) FROM customers",
            "WITH c AS (SELECT name FROM customers) SELECT count(*) FROM c",
            "SELECT upper(name), sum(spent) OVER (ORDER BY id) FROM customers",
            "SELECT value FROM json_each('[1,2]')",
            "SELECT strftime('%Y', 'now')",
        ] {
            reader.rows(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
        let described = reader.describe(2).unwrap();
        assert!(described.contains("CREATE TABLE customers") && described.contains("Bob"), "{described}");
        assert!(!described.contains("swordfish") && !described.contains("Cy"), "{described}");
    }
    let mut all = open(&path, &[], &[]).unwrap();
    assert!(all.rows("SELECT * FROM names").unwrap().contains("Ada"));
    assert!(all.rows("SELECT body FROM notes WHERE notes MATCH 'hello'").unwrap().contains("world"));
    assert!(open(&path, &["notes"], &[]).unwrap().rows("SELECT body FROM notes('hello')").is_ok());
    assert!(matches!(open(&path, &["nothing"], &[]), Err(SqlError::NoTable(name)) if name == "nothing"));
    assert!(matches!(open(&path, &["sqlite_schema"], &[]), Err(SqlError::NoTable(_))));
}

#[test]
fn a_statement_ends_when_its_time_or_the_run_is_over() {
    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let (_folder, path) = made();
    let limits = SqlLimits { time: Duration::from_millis(50), ..SqlLimits::default() };
    let cancel = CancelToken::new(None);
    let mut reader = SqlReader::open(&path, &VisibleTables::default(), limits, &cancel).unwrap();
    assert_eq!(reader.rows(ENDLESS), Err(SqlError::TimedOut));
    let limits = SqlLimits { time: Duration::from_secs(60), ..SqlLimits::default() };
    let mut reader = SqlReader::open(&path, &VisibleTables::default(), limits, &cancel).unwrap();
    let other = cancel.clone();
    let ending = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        other.cancel(CancelReason::CallerLeft);
    });
    let began = Instant::now();
    assert_eq!(reader.rows(ENDLESS), Err(SqlError::Cancelled));
    assert!(began.elapsed() < Duration::from_secs(10));
    ending.join().unwrap();
}

#[test]
fn values_that_are_too_large_are_not_made() {
    let (_folder, path) = made();
    let mut reader = open(&path, &[], &[]).unwrap();
    for statement in [
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) \
         SELECT group_concat(printf('%.*c', 1000, 'x')) FROM n",
    ] {
        assert_eq!(reader.rows(statement), Err(SqlError::TooLarge), "{statement}");
    }
}

#[test]
fn what_is_no_database_is_told_so_and_links_are_not_followed() {
    let (folder, path) = made();
    let text = path.with_file_name("text.db");
    std::fs::write(&text, "not a database, however long it may be".repeat(100)).unwrap();
    assert!(matches!(open(&text, &[], &[]), Err(SqlError::NotADatabase)));
    assert!(matches!(open(&path.with_file_name("missing.db"), &[], &[]), Err(SqlError::NotADatabase)));
    assert!(!folder.path().join("missing.db").exists());
    #[cfg(unix)]
    {
        let link = path.with_file_name("link.db");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(matches!(open(&link, &[], &[]), Err(SqlError::NotADatabase)));
    }
}

#[test]
fn a_database_that_is_written_to_meanwhile_can_be_read() {
    let (_folder, path) = made();
    let writer = Connection::open(&path).unwrap();
    writer.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0)).unwrap();
    writer.execute_batch("BEGIN; INSERT INTO customers(name) VALUES ('Di');").unwrap();
    let count = |expected: &str| {
        let mut reader = open(&path, &[], &[]).unwrap();
        assert!(reader.rows("SELECT count(*) AS n FROM customers").unwrap().contains(expected));
    };
    count("3");
    writer.execute_batch("COMMIT").unwrap();
    count("4");
    drop(writer);
    count("4");
}

#[test]
fn a_description_takes_no_longer_than_a_statement() {
    let (_folder, path) = made();
    let slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let owner = Connection::open(&path).unwrap();
    for at in 0..20 {
        owner.execute_batch(&format!("CREATE VIEW slow{at} AS {slow};")).unwrap();
    }
    let limits = SqlLimits { time: Duration::from_millis(200), ..SqlLimits::default() };
    let mut reader =
        SqlReader::open(&path, &VisibleTables::default(), limits, &CancelToken::new(None)).unwrap();
    let began = Instant::now();
    let described = reader.describe(3).unwrap();
    assert!(described.contains("CREATE VIEW slow19") && described.contains("Ada"), "{described}");
    assert!(began.elapsed() < Duration::from_secs(3));
}

#[test]
fn the_content_of_a_hidden_full_text_table_is_hidden_too() {
    let (_folder, path) = made();
    let more = Connection::open(&path).unwrap();
    more.execute_batch(
        "CREATE TABLE orders (id INTEGER); CREATE VIRTUAL TABLE orders_private USING fts5(body);
         INSERT INTO orders_private VALUES ('swordfish');",
    )
    .unwrap();
    drop(more);
    for (only, not) in
        [(vec!["orders"], vec![]), (vec![], vec!["orders_private"]), (vec!["orders", "notes"], vec![])]
    {
        let mut reader = open(&path, &only, &not).unwrap();
        for statement in ["SELECT c0 FROM orders_private_content", "SELECT * FROM orders_private_data"] {
            assert!(reader.rows(statement).is_err(), "{statement} {only:?} {not:?}");
        }
    }
    assert!(
        open(&path, &["orders_private"], &[]).unwrap().rows("SELECT c0 FROM orders_private_content").is_ok()
    );
}

#[test]
fn a_function_that_searches_long_texts_ends_too() {
    let (_folder, path) = made();
    let mut reader = open(&path, &[], &[]).unwrap();
    let begun = Instant::now();
    let search = |haystack: usize, needle: usize| {
        format!("SELECT instr(printf('%.*c', {haystack}, '0'), printf('%.*c', {needle}, '0') || 'b')")
    };
    assert!(reader.rows(&search(10_000_000, 5_000_000)).is_err());
    let _ = reader.rows(&search(120_000, 60_000));
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}
