//! What every floor may use and no room of its own: ending a run from outside, files on their way in, checksums, address
//! blocks, bounded caches.

pub mod address_block;
pub mod bounded_cache;
pub mod cancel;
pub mod checksum;
pub mod spooled_file;
