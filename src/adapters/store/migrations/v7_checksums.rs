//! From format 6 to 7: every row gets its checksum.

use crate::domain::error::Result;
use crate::store::checksum::RowEncoding;
use crate::store::keys::KeyRange;
use crate::store::tables::{ALL, Table};
use crate::store::transaction::{Order, Tx as _, WriteTx};
use std::ops::ControlFlow;

/// Bytes that are held in memory at a time.
const BATCH_BYTES: usize = 4 << 20;

pub(in crate::store) fn run(tx: &WriteTx) -> Result<()> {
    for table in ALL {
        let mut from = Some(Vec::new());
        while let Some(start) = from {
            from = add_checksums(tx, table, &start)?;
        }
    }
    tx.set_encoding(RowEncoding::Checksummed);
    Ok(())
}

/// Gives some rows from `start` on their checksums; where the next ones begin, if there are any.
fn add_checksums(tx: &WriteTx, table: Table, start: &[u8]) -> Result<Option<Vec<u8>>> {
    let (mut rows, mut bytes) = (Vec::new(), 0);
    tx.set_encoding(RowEncoding::Plain);
    tx.scan(table, &KeyRange::new(start, None), Order::Ascending, |key, value| {
        bytes += key.len() + value.len();
        rows.push((key.to_vec(), value.to_vec()));
        Ok(if bytes < BATCH_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
    })?;
    // The first key behind the last one.
    let next = rows.last().filter(|_| bytes >= BATCH_BYTES).map(|(key, _)| [key.as_slice(), &[0]].concat());
    tx.set_encoding(RowEncoding::Checksummed);
    tx.put_all(table, rows)?;
    Ok(next)
}

#[cfg(test)]
pub(in crate::store) mod tests {
    use super::*;
    use crate::store::Store;
    use crate::store::checksum::CHECKSUM_BYTES;
    use crate::store::migrations::FORMAT_KEY;
    use crate::store::tables::{MESSAGES, META};
    use redb::{Database, ReadableTable as _, TableHandle as _};
    use std::path::Path;

    /// Makes a closed database one of an older format, as far as its rows are concerned.
    pub(in crate::store) fn downgrade(path: &Path, format: u32) {
        let database = Database::open(path).unwrap();
        let tx = database.begin_write().unwrap();
        for definition in ALL {
            let mut table = tx.open_table(definition).unwrap();
            let rows: Vec<(Vec<u8>, Vec<u8>)> = table
                .iter()
                .unwrap()
                .map(|row| row.unwrap())
                .map(|(key, value)| (key.value().to_vec(), value.value().to_vec()))
                .collect();
            for (key, mut value) in rows {
                let is_of_meta = definition.name() == META.name();
                if is_of_meta && key == FORMAT_KEY {
                    value = format.to_string().into_bytes();
                } else {
                    value.truncate(value.len() - CHECKSUM_BYTES);
                }
                if is_of_meta && key == b"journal" && format < 6 {
                    value.truncate(8);
                }
                table.insert(key.as_slice(), value.as_slice()).unwrap();
            }
        }
        tx.commit().unwrap();
    }

    #[test]
    fn rows_of_the_older_format_get_their_sums() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.redb");
        let row = |number: u32| (number.to_be_bytes(), vec![7; 20_000]);
        let store = Store::open(&path).unwrap();
        store.write(|tx| tx.put_all(MESSAGES, (0..500).map(row))).unwrap();
        drop(store);
        downgrade(&path, 6);
        for _ in 0..2 {
            let store = Store::open(&path).unwrap();
            let mut found = 0;
            let each = |key: &[u8], value: &[u8]| {
                assert_eq!((key, value), (row(found).0.as_slice(), row(found).1.as_slice()));
                found += 1;
                Ok(ControlFlow::Continue(()))
            };
            store.read_messages(|tx| tx.scan(MESSAGES, &KeyRange::all(), Order::Ascending, each)).unwrap();
            assert_eq!(found, 500, "more than are held at a time");
            assert_eq!(store.verify(&|| false).unwrap().damages, []);
        }
    }
}
