//! Decoded objects kept while many are read one after another: each is a delta of one just read.

use gix::objs::Kind;
use gix_pack::cache::DecodeEntry;
use std::collections::HashMap;

/// What one generation may hold, in bytes; two are kept.
const GENERATION_MAX_BYTES: usize = 16 * 1024 * 1024;

type PackOffset = (u32, u64);

#[derive(Default)]
struct Generation {
    objects: HashMap<PackOffset, (Kind, Vec<u8>, usize)>,
    bytes: usize,
}

/// Keeps what was used last: a full generation becomes the old one, and the old one is forgotten.
#[derive(Default)]
struct RecentObjects {
    new: Generation,
    old: Generation,
}

/// A cache for one reader of the object database.
pub(in crate::history) fn new_cache() -> Box<gix::odb::cache::PackCache> {
    Box::<RecentObjects>::default()
}

impl DecodeEntry for RecentObjects {
    fn put(&mut self, pack: u32, offset: u64, data: &[u8], kind: Kind, compressed_size: usize) {
        if self.new.bytes + data.len() > GENERATION_MAX_BYTES {
            self.old = std::mem::take(&mut self.new);
        }
        if data.len() <= GENERATION_MAX_BYTES / 4 {
            self.new.bytes += data.len();
            self.new.objects.insert((pack, offset), (kind, data.to_vec(), compressed_size));
        }
    }

    fn get(&mut self, pack: u32, offset: u64, out: &mut Vec<u8>) -> Option<(Kind, usize)> {
        let place = (pack, offset);
        let found = self.new.objects.get(&place).or_else(|| self.old.objects.get(&place));
        let (kind, data, compressed_size) = found?;
        out.clear();
        out.extend_from_slice(data);
        Some((*kind, *compressed_size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_kept_and_the_cache_stays_small() {
        let mut cache = RecentObjects::default();
        let block = vec![7; GENERATION_MAX_BYTES / 8];
        for offset in 0..100 {
            cache.put(1, offset, &block, Kind::Blob, 5);
        }
        let mut out = Vec::new();
        assert_eq!(cache.get(1, 99, &mut out), Some((Kind::Blob, 5)));
        assert_eq!(out, block);
        assert_eq!((cache.get(1, 0, &mut out), cache.get(2, 99, &mut out)), (None, None));
        assert!(cache.new.bytes + cache.old.bytes <= 2 * GENERATION_MAX_BYTES);
        cache.put(1, 100, &vec![0; GENERATION_MAX_BYTES], Kind::Blob, 5);
        assert_eq!(cache.get(1, 100, &mut out), None, "one object does not push out all others");
    }
}
