//! The storage engine: one database, many writers at once, and what is remembered of it.

pub(crate) mod checkpoint;
pub(crate) mod checkpointer;
pub(crate) mod create;
pub(crate) mod database;
pub(crate) mod group_commit;
pub(crate) mod guarded_database;
pub(crate) mod overlay;
pub(crate) mod read_cache;
pub(crate) mod recovery;
pub(crate) mod upgrade_copy;
pub(crate) mod write_group;
