//! How long a value is as JSON, for bounds on what is kept or sent.

use serde::Serialize;
use std::io;

/// Bytes of a value as JSON, which is not kept. What has no such form counts as far as it was written: who stores or sends it is
/// told.
pub fn json_size(value: &(impl Serialize + ?Sized)) -> usize {
    let mut size = ByteCount(0);
    let _ = serde_json::to_writer(&mut size, value);
    size.0
}

/// Counts what is written.
struct ByteCount(usize);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::json_size;
    use serde_json::json;

    #[test]
    fn a_value_counts_the_bytes_of_its_json() {
        for value in [json!(null), json!("Grüße \"here\"\n"), json!({"a": [1, 2.5, true]})] {
            assert_eq!(json_size(&value), value.to_string().len(), "{value}");
        }
    }
}
