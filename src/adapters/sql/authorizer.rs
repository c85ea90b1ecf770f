//! What a statement may want. Whatever is not named here is refused while the statement is prepared.

use super::tables::Catalog;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Result};

/// The longest value. The clock is looked at between steps of a statement and not inside a function, so what a function
/// can be given must be so short that the slowest one is done in seconds.
const VALUE_BYTES_MAX: i32 = 128 * 1024;
/// The longest statement, and the longest of the schema, which is read as statements too.
const STATEMENT_BYTES_MAX: i32 = 64 * 1024;
const SCHEMA_BYTES_MAX: i32 = 1024 * 1024;
/// Memory of all databases that are read at the same time, in bytes.
const HEAP_BYTES_MAX: i64 = 256 * 1024 * 1024;

/// Functions that compute and do nothing else: none of them reads a file, loads code or says what machine this is.
const FUNCTIONS: &[&str] = &[
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "bm25",
    "ceil",
    "ceiling",
    "changes",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "glob",
    "group_concat",
    "hex",
    "highlight",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_length",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_object",
    "json_patch",
    "json_pretty",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "julianday",
    "lag",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "match",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "percent_rank",
    "percentile",
    "percentile_cont",
    "percentile_disc",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "rank",
    "replace",
    "round",
    "row_number",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "snippet",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "subtype",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unistr",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
];
/// Tables that are functions: they take apart a JSON text they are given.
const TABLE_FUNCTIONS: &[&str] = &["json_each", "json_tree"];
/// What full-text tables ask of their own database.
const OWN_PRAGMA: &str = "data_version";

/// Sets what a connection may use before anything of its database is read.
pub(super) fn limit_connection(connection: &Connection) -> Result<()> {
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, VALUE_BYTES_MAX),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, SCHEMA_BYTES_MAX),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 50),
        (Limit::SQLITE_LIMIT_VDBE_OP, 500_000),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        connection.set_limit(limit, most)?;
    }
    // What the owner of the file wrote into its schema is no more trusted than the statement.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    for pragma in [
        "PRAGMA query_only = ON",
        "PRAGMA temp_store = MEMORY",
        "PRAGMA mmap_size = 0",
        "PRAGMA cell_size_check = ON",
    ] {
        connection.prepare(pragma)?.query([])?.next()?;
    }
    limit_memory(connection)
}

/// Sets how much memory all databases may take, for one that is filled before it is read.
pub(super) fn limit_memory(connection: &Connection) -> Result<()> {
    connection.prepare(&format!("PRAGMA hard_heap_limit = {HEAP_BYTES_MAX}"))?.query([])?.next()?;
    Ok(())
}

/// True for a statement that is not too long to be looked at.
pub(super) fn is_short_enough(statement: &str) -> bool {
    i32::try_from(statement.len()).is_ok_and(|length| length <= STATEMENT_BYTES_MAX)
}

/// Puts the walls around every statement that is prepared from here on.
pub(super) fn install_authorizer(connection: &mut Connection, known: Catalog) -> Result<()> {
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if is_allowed(&context.action, &known) { Authorization::Allow } else { Authorization::Deny }
    }))
}

fn is_allowed(action: &AuthAction<'_>, known: &Catalog) -> bool {
    match action {
        AuthAction::Select | AuthAction::Recursive => true,
        // What counts is the table itself. A view in between counts for nothing: a statement can give any name to a
        // query of its own, and it would look the same from here.
        AuthAction::Read { table_name, column_name } => {
            let function = TABLE_FUNCTIONS.iter().any(|name| table_name.eq_ignore_ascii_case(name));
            // A query within the statement is asked for by its name when none of its columns is used.
            function
                || known.is_readable(table_name)
                || (column_name.is_empty() && known.is_statement_name(table_name))
        }
        AuthAction::Function { function_name } => {
            let name = function_name.to_ascii_lowercase();
            FUNCTIONS.contains(&name.as_str())
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            pragma_value.is_none() && pragma_name.eq_ignore_ascii_case(OWN_PRAGMA)
        }
        _ => false,
    }
}
