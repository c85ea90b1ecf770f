//! The list of versions: a cache that can be behind, wrong or gone.

use super::*;
use crate::domain::error::Result as DomainResult;
use crate::history::commits;
use crate::history::message::CommitSummary;
use gix::ObjectId;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts how often rows are written.
#[derive(Default)]
struct CountingStore {
    rows: MemoryIndex,
    puts: AtomicUsize,
    clears: AtomicUsize,
}

impl IndexStore for CountingStore {
    fn get(&self, key: &[u8]) -> DomainResult<Option<Vec<u8>>> {
        self.rows.get(key)
    }
    fn range(
        &self,
        from: &[u8],
        below: &[u8],
        descending: bool,
        limit: usize,
    ) -> DomainResult<Vec<IndexRow>> {
        self.rows.range(from, below, descending, limit)
    }
    fn put(&self, rows: &[IndexRow]) -> DomainResult<()> {
        self.puts.fetch_add(1, Ordering::SeqCst);
        self.rows.put(rows)
    }
    fn clear(&self) -> DomainResult<()> {
        self.clears.fetch_add(1, Ordering::SeqCst);
        self.rows.clear()
    }
}

#[test]
fn a_restart_walks_only_what_the_store_does_not_cover() {
    let root = TempDir::new().unwrap();
    let store = Arc::<CountingStore>::default();
    let start = || History::open(root.path().join("versions"), true).with_index(Box::new(Arc::clone(&store)));
    let flow = FlowId::random();
    let history = start();
    for text in ["a", "b", "c"] {
        history.recorder().record(&change(flow, VersionKind::Publish, text)).unwrap();
    }
    assert_eq!(history.list(&flow).unwrap().len(), 3);
    let cleared = store.clears.load(Ordering::SeqCst);
    assert_eq!(store.puts.load(Ordering::SeqCst), 0, "rows wait in memory");
    history.flush_index().unwrap();
    history.flush_index().unwrap();
    assert_eq!(store.puts.load(Ordering::SeqCst), 1);
    history.recorder().record(&change(flow, VersionKind::Save, "d")).unwrap();

    let next = start();
    assert_eq!(titles(&next.list(&flow).unwrap()), ["Saved: d", "Saved: c", "Saved: b", "Saved: a"]);
    assert_eq!(next.last_published(&flow).unwrap().unwrap().title, "Saved: c");
    assert_eq!(store.clears.load(Ordering::SeqCst), cleared, "nothing was made anew");
    next.flush_index().unwrap();
    assert_eq!(next.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults, Vec::<String>::new());
}

#[test]
fn a_doubtful_index_is_thrown_away_and_verify_sees_a_wrong_one() {
    let mut ground = Ground::new();
    let flow = FlowId::random();
    for text in ["a", "b"] {
        ground.record(&change(flow, VersionKind::Save, text));
    }
    ground.history.list(&flow).unwrap();
    ground.history.flush_index().unwrap();
    let row = ground.store.range(b"v", b"w", false, 1).unwrap().pop().unwrap();
    let altered = String::from_utf8(row.1.clone()).unwrap().replace("Saved: a", "Forged");
    ground.store.put(&[(row.0.clone(), altered.into_bytes())]).unwrap();
    let faults = ground.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults;
    assert_eq!(faults.len(), 1, "{faults:?}");
    ground.history.clear_index().unwrap();
    assert_eq!(titles(&ground.history.list(&flow).unwrap()), ["Saved: b", "Saved: a"]);
    ground.assert_sound();
    ground.history.flush_index().unwrap();
    for stamp in [b"".as_slice(), b"\x01short", &[9; 29], &[1; 29], &[2; 29]] {
        ground.store.put(&[(b"s".to_vec(), stamp.to_vec())]).unwrap();
        ground.restart();
        assert_eq!(ground.history.list(&flow).unwrap().len(), 2, "{stamp:?}");
        ground.history.flush_index().unwrap();
        ground.assert_sound();
    }
    let extra = [row.0[..17].to_vec(), 77_u64.to_be_bytes().to_vec()].concat();
    ground.store.put(&[(extra, row.1)]).unwrap();
    assert_eq!(ground.history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults.len(), 1);
}

#[test]
fn a_prefix_that_two_versions_of_a_flow_share_finds_neither() {
    let index = VersionCache::new(Box::<MemoryIndex>::default());
    let (flow, other) = (FlowId::random(), FlowId::random());
    let root = ObjectId::from_bytes_or_panic(&[9; 20]);
    let sha = |ending: u8| {
        Sha::from_bytes([&[0xab, 0xcd, 0xef, ending], [1; 16].as_slice()].concat().try_into().unwrap())
    };
    let ground = Ground::new();
    let sample = ground.record(&change(flow, VersionKind::Save, "a"));
    let told =
        |sha| CommitSummary { flow: Some(flow), intent: None, version: Version { sha, ..sample.clone() } };
    index.clear().unwrap();
    let mut parent = root;
    index.set_covered(root);
    for (flow, sha) in [(flow, sha(0x10)), (flow, sha(0x1f)), (other, sha(0x12)), (flow, sha(0x20))] {
        let commit = commits::object_id(&sha);
        index.append_version(parent, commit, flow, &told(sha));
        parent = commit;
    }
    let find = |flow: &FlowId, text: &str| {
        index.find(flow, &ShaPrefix::parse(text).unwrap()).unwrap().map(|version| version.sha)
    };
    assert_eq!(find(&flow, "abcdef1"), None, "two versions");
    assert_eq!(find(&flow, "abcdef2"), Some(sha(0x20)));
    assert_eq!(find(&flow, "abcdef10"), Some(sha(0x10)));
    assert_eq!(find(&flow, "abcdef1f0"), Some(sha(0x1f)));
    assert_eq!(find(&flow, "abcdef3"), None);
    assert_eq!(find(&other, "abcdef1"), Some(sha(0x12)), "other flows do not count");
    assert_eq!(find(&flow, &sha(0x1f).to_string()), Some(sha(0x1f)));
}
