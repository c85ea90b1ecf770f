//! What every floor may use and no room of its own: ending a run from outside, files on their way in, checksums, signatures
//! and digits, address blocks, bounded caches, lengths of JSON, the newest lines of the log.

pub mod address_block;
pub mod bounded_cache;
pub mod cancel;
pub mod checksum;
pub mod hex;
pub mod hmac;
pub mod json_size;
pub mod recent_log;
pub mod spooled_file;
