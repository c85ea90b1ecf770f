//! Pages of the database that a disk changed by itself, found where they are read.

use super::row_damage;
use super::tables::Table;
use super::transaction::database_error;
use crate::domain::error::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a read of the database. What a disk changed in its pages may be a panic there, which is one of this table alone.
pub(super) fn catch_damage<T, E: Into<redb::Error>>(
    table: Table,
    read: impl FnOnce() -> Result<T, E>,
) -> Result<T> {
    let damaged = || {
        let damage = row_damage::table_damage(table);
        tracing::error!(
            target: "flowkeep::store::page_damage",
            table = damage.place(),
            "pages of the database are damaged"
        );
        Error::Damaged(damage)
    };
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(error)) => Err(match error.into() {
            redb::Error::Corrupted(_) => damaged(),
            other => database_error(other),
        }),
        Err(_) => Err(damaged()),
    }
}
