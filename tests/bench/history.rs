//! The history at size: how long a list, a record and an opening take, and what the history weighs.
//!
//! `cargo bench --bench history -- [commits] [flows]`, 100,000 commits over 10,000 flows when not told.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a report for people; what fails must stop it")]

#[path = "../support/git_host/mod.rs"]
mod git_host;

use flowkeep::base::cancel::CancelToken;
use flowkeep::canvas::{Canvas, secrets};
use flowkeep::cards::registry::Registry;
use flowkeep::domain::error::{Error, Result};
use flowkeep::domain::flows::flow::FlowKind;
use flowkeep::domain::flows::version::{
    Author, FlowSnapshot, NewVersion, ShaPrefix, VersionContent, VersionKind,
};
use flowkeep::domain::ids::{FlowId, UserId};
use flowkeep::domain::secrets::redact;
use flowkeep::history::remote::{CopyItem, Remote};
use flowkeep::history::{History, IndexRow, IndexStore};
use flowkeep::net::Outgoing;
use jiff::Timestamp;
use redb::{Database, ReadableDatabase as _, TableDefinition};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const ROWS: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");
/// Every so many commits are one flow's, so that its list is full.
const HOT_EVERY: usize = 400;

/// The list of versions in a database, as the service keeps it.
struct Rows(Database);

fn error(fault: impl Into<redb::Error>) -> Error {
    Error::internal(fault.into())
}

impl IndexStore for Rows {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let table = self.0.begin_read().map_err(error)?.open_table(ROWS).map_err(error)?;
        Ok(table.get(key).map_err(error)?.map(|value| value.value().to_vec()))
    }

    fn range(&self, from: &[u8], below: &[u8], descending: bool, limit: usize) -> Result<Vec<IndexRow>> {
        let table = self.0.begin_read().map_err(error)?.open_table(ROWS).map_err(error)?;
        let mut range = table.range::<&[u8]>(from..below).map_err(error)?;
        let mut rows = Vec::new();
        while rows.len() < limit {
            let Some(row) = (if descending { range.next_back() } else { range.next() }) else { break };
            let (key, value) = row.map_err(error)?;
            rows.push((key.value().to_vec(), value.value().to_vec()));
        }
        Ok(rows)
    }

    fn put(&self, rows: &[IndexRow]) -> Result<()> {
        let write = self.0.begin_write().map_err(error)?;
        {
            let mut table = write.open_table(ROWS).map_err(error)?;
            for (key, value) in rows {
                table.insert(key.as_slice(), value.as_slice()).map_err(error)?;
            }
        }
        write.commit().map_err(error)
    }

    fn clear(&self) -> Result<()> {
        let write = self.0.begin_write().map_err(error)?;
        write.delete_table(ROWS).map_err(error)?;
        write.open_table(ROWS).map_err(error)?;
        write.commit().map_err(error)
    }
}

fn open(root: &Path) -> History {
    let database = Database::builder().set_cache_size(64 << 20).create(root.join("index.redb")).unwrap();
    let write = database.begin_write().unwrap();
    write.open_table(ROWS).unwrap();
    write.commit().unwrap();
    History::open(root.join("versions"), true).with_index(Box::new(Rows(database)))
}

/// Numbers without meaning.
struct Rng(u64);

impl Rng {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// A canvas of ten cards, about 14 kB.
fn canvas(dice: &mut Rng) -> Value {
    let node = |at: usize, dice: &mut Rng| {
        json!({
            "id": format!("chatOpenAI_{at}"), "type": "customNode", "width": 300, "height": 520, "selected": false,
            "position": { "x": dice.below(2000), "y": dice.below(2000) },
            "data": {
                "id": format!("chatOpenAI_{at}"), "label": "Chat Model", "version": 8, "name": "chatOpenAI",
                "baseClasses": ["ChatModel", "BaseChatModel", "BaseLanguageModel", "Runnable"],
                "category": "Chat Models", "description": "Wrapper around a chat endpoint with a long description",
                "inputParams": [
                    { "label": "Connect Credential", "name": "credential", "type": "credential",
                      "id": format!("chatOpenAI_{at}-input-credential-credential") },
                    { "label": "Model Name", "name": "modelName", "type": "asyncOptions", "default": "some-model",
                      "id": format!("chatOpenAI_{at}-input-modelName-asyncOptions") },
                    { "label": "Temperature", "name": "temperature", "type": "number", "step": 0.1,
                      "id": format!("chatOpenAI_{at}-input-temperature-number") },
                ],
                "inputs": { "modelName": "some-model", "temperature": 0.9,
                    "prompt": format!("You are {:x} and answer about {:x}", dice.below(1 << 30), dice.below(1 << 30)) },
                "outputs": {},
            },
        })
    };
    let nodes: Vec<Value> = (0..10).map(|at| node(at, dice)).collect();
    json!({ "nodes": nodes, "edges": [], "viewport": { "x": 0, "y": 0, "zoom": 1 } })
}

/// The canvas as a version keeps it.
fn stored(canvas: &Value) -> String {
    secrets::redact(&Canvas::parse(&canvas.to_string()).unwrap(), &Registry, &|_| None).text()
}

fn edit(dice: &mut Rng, canvas: &mut Value) {
    let node = dice.below(10);
    canvas["nodes"][node]["position"]["x"] = dice.below(2000).into();
    canvas["nodes"][node]["data"]["inputs"]["prompt"] =
        format!("Answer about {:x}", dice.below(1 << 30)).into();
}

struct Flow {
    id: FlowId,
    canvas: Value,
}

fn change(at: usize, flow: &Flow, user: UserId) -> NewVersion {
    NewVersion {
        content: VersionContent::Flow(FlowSnapshot {
            id: flow.id,
            name: format!("Flow {}", flow.id),
            kind: FlowKind::Chatflow,
            category: None,
            canvas: stored(&flow.canvas),
            settings: json!({ "isPublic": false }).as_object().unwrap().clone(),
            references: None,
        }),
        kind: if at.is_multiple_of(3) { VersionKind::Publish } else { VersionKind::Save },
        author: Author::person("Ada Example", user),
        date: Timestamp::now(),
        title: format!("Published: prompt of card {at}"),
        details: vec!["Chat Model: prompt".into(), "Moved one card".into()],
        promoted_from: None,
        hidden_secrets: 0,
        intent: uuid::Uuid::new_v4(),
    }
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    println!("{what}: median {:.2?}, 99 of 100 {:.2?}, longest {:.2?}", at(50), at(99), at(100));
}

fn measure_time<T>(run: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = run();
    (start.elapsed(), value)
}

fn memory(when: &str) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let value = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
        line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
    };
    println!(
        "memory {when}: {} MB now ({} MB own), {} MB at most",
        value("VmRSS:"),
        value("RssAnon:"),
        value("VmHWM:")
    );
}

fn weight(folder: &Path) -> (u64, u64) {
    let (mut bytes, mut files) = (0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let data = entry.metadata().unwrap();
        let inner = if data.is_dir() { weight(&entry.path()) } else { (data.len(), 1) };
        (bytes, files) = (bytes + inner.0, files + inner.1);
    }
    (bytes, files)
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).unwrap();
        }
    }
}

fn grow(history: &History, flows: &mut [Flow], commits: usize, dice: &mut Rng, user: UserId) {
    history.faults().without_flushing(true);
    let (mut recording, mut upkeep, mut longest) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    for at in 0..commits {
        let chosen =
            if at % HOT_EVERY == 0 { 0 } else { (at.min(flows.len() - 1)).max(dice.below(flows.len())) };
        let chosen = if at < flows.len() { at } else { chosen };
        edit(dice, &mut flows[chosen].canvas);
        let change = change(at, &flows[chosen], user);
        recording += measure_time(|| history.recorder().record(&change).unwrap()).0;
        if at % 1000 == 999 {
            let time = measure_time(|| history.maintain(&CancelToken::new(None)).unwrap()).0;
            (upkeep, longest) = (upkeep + time, longest.max(time));
        }
    }
    history.faults().without_flushing(false);
    println!(
        "made in {recording:.1?} (not flushed) and {upkeep:.1?} of upkeep, the longest of which took {longest:.1?}"
    );
}

/// What keeping secrets out costs: the scan alone, at two sizes that show it linear, and a whole canvas.
fn measure_secrecy(dice: &mut Rng) {
    let text = stored(&canvas(dice)).repeat(8);
    for part in [text.len() / 8, text.len()] {
        let times: Vec<Duration> = (0..50).map(|_| measure_time(|| redact(&text[..part])).0).collect();
        let best = times.iter().min().unwrap();
        let rate = part as f64 / best.as_secs_f64() / f64::from(1 << 20);
        println!("scan {} kB for secrets: {best:.2?}, {rate:.0} MB a second", part >> 10);
    }
    let canvas = Canvas::parse(&canvas(dice).to_string()).unwrap();
    let keep = || secrets::redact(&canvas, &Registry, &|_| None).text();
    report("keep a canvas of ten cards without secrets", (0..200).map(|_| measure_time(keep).0).collect());
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let commits = numbers.next().unwrap_or(100_000);
    let flow_count = numbers.next().unwrap_or(10_000);
    let root = tempfile::tempdir().unwrap();
    let (mut dice, user) = (Rng(0x1234_5678_9abc), UserId::random());
    let mut flows: Vec<Flow> =
        (0..flow_count).map(|_| Flow { id: FlowId::random(), canvas: canvas(&mut dice) }).collect();
    measure_secrecy(&mut dice);
    memory("before");
    println!("{commits} commits over {flow_count} flows");
    // Made in memory where that can be, measured on the disk.
    let nursery = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let history = open(nursery.path());
    grow(&history, &mut flows, commits, &mut dice, user);
    history.flush_index().unwrap();
    drop(history);
    copy(nursery.path(), root.path());
    drop(nursery);
    memory("after making it");
    let history = open(root.path());
    measure_records(&history, &mut flows, &mut dice, user);
    history.flush_index().unwrap();
    drop(history);

    let (time, history) = measure_time(|| open(root.path()));
    let (first, list) = measure_time(|| history.list(&flows[0].id).unwrap());
    println!("open: {time:.2?}, the first list after it {first:.2?} ({} versions)", list.len());
    measure_reads(&history, &flows);
    memory("after reading");
    measure_copy(&history, &mut flows, &mut dice, user);
    let (time, ()) = measure_time(|| history.clear_index().unwrap());
    let (walk, _) = measure_time(|| history.list(&flows[0].id).unwrap());
    println!("a list of versions thrown away ({time:.2?}) and made anew from git: {walk:.2?}");
    let (time, found) = measure_time(|| history.verify(&CancelToken::new(None), &mut |_| {}).unwrap());
    println!("verify: {time:.1?}, {found:?}");
    memory("after all");
    let (bytes, files) = weight(&root.path().join("versions"));
    let index = std::fs::metadata(root.path().join("index.redb")).unwrap().len();
    println!("disk: {} MB in {files} files, list of versions {} MB", bytes >> 20, index >> 20);
}

fn measure_records(history: &History, flows: &mut [Flow], dice: &mut Rng, user: UserId) {
    let mut times = Vec::new();
    for at in 0..500 {
        let chosen = dice.below(flows.len());
        edit(dice, &mut flows[chosen].canvas);
        let change = change(at, &flows[chosen], user);
        times.push(measure_time(|| history.recorder().record(&change).unwrap()).0);
    }
    report("record, flushed to disk", times);
}

/// Copies all of it to a git host, and goes on recording meanwhile.
fn measure_copy(history: &History, flows: &mut [Flow], dice: &mut Rng, user: UserId) {
    let host = git_host::GitHost::start("token");
    host.create("owner/flows");
    let remote = Remote::Host {
        outgoing: Box::new(Outgoing::new(Vec::new(), true)),
        url: host.repository_url("owner/flows"),
        token: "token".into(),
    };
    let copy = || {
        // As the service does it, every text is looked through for secrets.
        let mut judge = |item: CopyItem<'_>| {
            let (CopyItem::Commit(_, bytes) | CopyItem::File(_, _, bytes)) = item;
            std::hint::black_box(redact(&String::from_utf8_lossy(bytes)));
            None
        };
        measure_time(|| history.push(&remote, &mut judge, &CancelToken::new(None)).unwrap())
    };
    // Makes the kernel forget how much memory there was before.
    let _not_linux = std::fs::write("/proc/self/clear_refs", "5");
    let is_copied = AtomicBool::new(false);
    let mut times = Vec::new();
    std::thread::scope(|scope| {
        let copying = scope.spawn(|| {
            let copied = copy();
            is_copied.store(true, Ordering::SeqCst);
            copied
        });
        for at in 0.. {
            if is_copied.load(Ordering::SeqCst) {
                break;
            }
            let chosen = dice.below(flows.len());
            edit(dice, &mut flows[chosen].canvas);
            let change = change(at, &flows[chosen], user);
            times.push(measure_time(|| history.recorder().record(&change).unwrap()).0);
            std::thread::sleep(Duration::from_millis(50));
        }
        let (time, copied) = copying.join().unwrap();
        let sent = host.requests().pop().and_then(|sent| sent.header("content-length")?.parse::<u64>().ok());
        println!(
            "copy {} versions to a git host: {time:.1?}, {} MB sent",
            copied.versions,
            sent.unwrap_or(0) >> 20
        );
    });
    memory("while copying");
    report("record, flushed to disk, while all is copied", times);
    let (time, copied) = copy();
    println!("copy the {} versions since: {time:.2?}", copied.versions);
}

fn measure_reads(history: &History, flows: &[Flow]) {
    let hot = &flows[0].id;
    let list = history.list(hot).unwrap();
    report("list 200 versions", (0..200).map(|_| measure_time(|| history.list(hot).unwrap()).0).collect());
    let mut found = Vec::new();
    let mut read = Vec::new();
    for version in &list {
        let prefix = ShaPrefix::parse(&version.sha.short()).unwrap();
        let (time, same) = measure_time(|| history.find(hot, &prefix).unwrap().unwrap());
        assert_eq!(same, *version);
        found.push(time);
        let (time, content) = measure_time(|| history.content(hot, version).unwrap());
        assert!(content.is_some());
        read.push(time);
    }
    report("find by 7 characters", found);
    report("read one version", read);
}
