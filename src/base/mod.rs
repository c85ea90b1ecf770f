//! What every floor may use and no room of its own: ending a run from outside, files on their way in, checksums, signatures
//! and digits, address blocks, bounded caches, lengths of JSON, the newest lines of the log.

pub(crate) mod address_block;
pub(crate) mod bounded_cache;
pub mod cancel;
pub(crate) mod checksum;
pub mod hex;
pub(crate) mod hmac;
pub(crate) mod json_size;
pub(crate) mod recent_log;
pub(crate) mod spooled_file;
