//! Which statements go out. The server holds reading to be reading; what is refused here is what a server lets pass as
//! reading and is not, and what cannot work over a connection of this kind.

use crate::script::DatabaseKind;

/// Words with which a statement begins that reads.
const READS: &[&str] = &["SELECT", "WITH", "VALUES", "TABLE", "SHOW", "EXPLAIN", "DESCRIBE", "DESC"];
/// Words that begin or end what lasts longer than a statement.
const LASTS: &[&str] =
    &["BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE", "XA", "LOCK"];
/// Longest word that is shown.
const WORD_CHARS_MAX: usize = 20;

/// Checks a statement by its first word and by marks it may not hold.
///
/// # Errors
/// A sentence that says what to do.
pub(super) fn check_statement(
    sql: &str,
    family: DatabaseKind,
    writes: bool,
    shared: bool,
) -> Result<(), String> {
    let verb = verb(sql, family);
    if verb == "COPY" && family == DatabaseKind::Postgres {
        return Err("COPY is not available to code: use SELECT or INSERT".to_owned());
    }
    if writes {
        if shared && LASTS.contains(&verb.as_str()) {
            return Err(format!(
                "{verb} needs a connection of its own, as pool.connect() or createConnection() give one: other \
                 statements share this one"
            ));
        }
        return Ok(());
    }
    if !READS.contains(&verb.as_str()) {
        let shown = if verb.is_empty() { "this statement".to_owned() } else { verb };
        return Err(format!(
            "code may only read there, and {shown} is refused: a statement begins with {}. Switch on Code may write in \
             the credential if it may",
            READS.join(", ")
        ));
    }
    if family == DatabaseKind::Mysql {
        let lower = sql.to_ascii_lowercase();
        // Such comments are run by the server, and such files are written by it whatever the transaction.
        for mark in ["/*!", "/*m!", "outfile", "dumpfile"] {
            if lower.contains(mark) {
                return Err(format!(
                    "code may only read there, and a statement with {mark} is refused, also inside a text: give texts as \
                     values"
                ));
            }
        }
    }
    Ok(())
}

/// The first word of a statement, in capitals; brackets and comments before it do not count.
fn verb(sql: &str, family: DatabaseKind) -> String {
    let mut rest = sql;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '(' || c == ';');
        let is_line = rest.starts_with("--") || (family == DatabaseKind::Mysql && rest.starts_with('#'));
        if is_line {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if let Some(after) = rest.strip_prefix("/*") {
            rest = after_comment(after, family == DatabaseKind::Postgres);
        } else {
            break;
        }
    }
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    rest[..end].chars().take(WORD_CHARS_MAX).collect::<String>().to_ascii_uppercase()
}

/// What follows a comment, which in PostgreSQL may hold others.
fn after_comment(inside: &str, nests: bool) -> &str {
    let (mut rest, mut depth) = (inside, 1);
    while depth > 0 {
        let Some(at) = rest.find("*/") else { return "" };
        match rest.find("/*").filter(|open| nests && *open < at) {
            Some(open) => {
                depth += 1;
                rest = &rest[open + 2..];
            }
            None => {
                depth -= 1;
                rest = &rest[at + 2..];
            }
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use DatabaseKind::{Mysql, Postgres};

    #[test]
    fn a_statement_that_reads_begins_with_a_word_that_reads() {
        for sql in [
            "SELECT 1",
            " select 1;",
            "(SELECT 1) UNION (SELECT 2)",
            "-- first\nSELECT 1",
            "/* a */ /* b */with x as (select 1) select * from x",
            "/* /* nested */ DELETE */ SELECT 1",
            "VALUES (1)",
            "show tables",
            "explain select 1",
        ] {
            assert_eq!(check_statement(sql, Postgres, false, true), Ok(()), "{sql}");
        }
        assert_eq!(check_statement("# x\nSELECT 1", Mysql, false, true), Ok(()));
        for sql in [
            "",
            "-- SELECT",
            "DELETE FROM x",
            "/* SELECT */ DELETE FROM x",
            "/* /* */ SELECT */ DELETE FROM x",
            "SET transaction_read_only = off",
            "DO $$ BEGIN END $$",
            "CALL f()",
            "BEGIN",
            "COMMIT",
            "SELECTED",
            "ＳＥＬＥＣＴ 1",
            "\u{0}SELECT 1",
        ] {
            assert!(check_statement(sql, Postgres, false, false).is_err(), "{sql}");
        }
    }

    #[test]
    fn what_mysql_calls_reading_and_writes_files_is_refused() {
        for sql in [
            "SELECT 1 INTO OUTFILE '/tmp/x'",
            "SELECT 1 INTO/**/DumpFile '/tmp/x'",
            "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */",
            "SELECT 1 /*M! x */",
        ] {
            assert!(check_statement(sql, Mysql, false, false).is_err(), "{sql}");
        }
        assert_eq!(check_statement("SELECT 1 INTO OUTFILE '/tmp/x'", Mysql, true, false), Ok(()));
    }

    #[test]
    fn what_lasts_needs_a_connection_of_its_own() {
        assert_eq!(check_statement("begin", Postgres, true, false), Ok(()));
        assert!(
            check_statement("begin", Postgres, true, true)
                .unwrap_err()
                .contains("BEGIN needs a connection of its own")
        );
        assert!(check_statement("COPY x TO STDOUT", Postgres, true, false).is_err());
    }
}
