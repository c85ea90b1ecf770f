//! Files encrypted with a passphrase, in the format of the program `age` (age-encryption.org/v1), which opens them too.
//!
//! A file has a header of text, which holds the key of the file, encrypted with a key that scrypt makes of the passphrase; then the
//! content in pieces of 64 KiB, each encrypted and signed, with its number and whether it is the last. So whatever is changed, cut off,
//! left out or put elsewhere is found, and either direction holds one piece in memory. Keys of other kinds than a passphrase, and files
//! written as text, are for the program.

mod error;
mod header;
mod keys;
mod pieces;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use error::AgeError;
pub use header::is_age;
pub use reader::AgeReader;
pub use writer::AgeWriter;

/// How the first line of each version of the format begins.
pub const MAGIC: &[u8] = b"age-encryption.org/";
