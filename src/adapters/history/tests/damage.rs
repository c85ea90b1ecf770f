//! Every file of a small repository is damaged in many ways, one at a time. What is read then is right, or an error that
//! says so; nothing panics, nothing is made up, and looking changes nothing.

use super::*;
use crate::domain::flows::history_mark::HistoryMark;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// All files below a folder with what is in them.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// The ways in which a file goes bad.
fn damages(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut damaged = vec![Vec::new(), vec![0; whole.len()], whole[..whole.len() / 2].to_vec()];
    let step = (whole.len() / 24).max(1);
    for at in (0..whole.len()).step_by(step) {
        for bit in [0x01, 0x20, 0x80] {
            let mut flipped = whole.to_vec();
            flipped[at] ^= bit;
            damaged.push(flipped);
        }
        let mut swapped = whole.to_vec();
        swapped.swap(at, (at + step) % whole.len());
        damaged.push(swapped);
    }
    damaged.push([whole, b"more"].concat());
    damaged.retain(|one| one != whole);
    damaged
}

/// What a sound history says of its flows.
struct Truth {
    mark: HistoryMark,
    flows: Vec<(FlowId, Vec<Version>, Vec<Option<VersionContent>>)>,
}

impl Truth {
    fn of(history: &History, flows: &[FlowId]) -> Self {
        let told = |flow: &FlowId| {
            let versions = history.list(flow).unwrap();
            let contents = versions.iter().map(|version| history.content(flow, version).unwrap()).collect();
            (*flow, versions, contents)
        };
        Self { mark: history.mark().unwrap(), flows: flows.iter().map(told).collect() }
    }

    /// Reads everything; how many reads failed. What was read must be true.
    fn faults_of(&self, folder: &Path, what: &dyn Fn() -> String) -> usize {
        let history = History::open_read_only(folder.to_owned(), true)
            .with_index(Box::<MemoryIndex>::default())
            .with_mark(None, Some(self.mark.clone()));
        let mut failed = 0;
        for (flow, versions, contents) in &self.flows {
            let prefix = ShaPrefix::parse(&versions[0].sha.short()).unwrap();
            match history.find(flow, &prefix) {
                Ok(found) => assert_eq!(found.as_ref(), versions.first(), "{}", what()),
                Err(_) => failed += 1,
            }
            for (version, content) in versions.iter().zip(contents) {
                match history.content(flow, version) {
                    Ok(found) => assert_eq!(&found, content, "{}", what()),
                    Err(fault) => {
                        assert!(!fault.to_string().contains('/'), "{fault}");
                        failed += 1;
                    }
                }
            }
        }
        match history.verify(&CancelToken::new(None), &mut |_| {}) {
            Ok(found) => assert!(failed == 0 || !found.faults.is_empty(), "{}", what()),
            Err(fault) => panic!("{}: {fault}", what()),
        }
        failed
    }
}

#[test]
fn whatever_file_is_damaged_what_is_read_is_right_or_an_error() {
    let ground = Ground::quick();
    let flows = [FlowId::random(), FlowId::random()];
    for text in ["one", "two", "three"] {
        for flow in flows {
            ground.record(&change(flow, VersionKind::Save, text));
        }
    }
    ground.history.maintain_from(1, &CancelToken::new(None)).unwrap();
    for flow in flows {
        ground.record(&change(flow, VersionKind::Publish, "four"));
    }
    let truth = Truth::of(&ground.history, &flows);
    let folder = ground.folder();
    let whole = files(&folder);
    assert_eq!(truth.faults_of(&folder, &|| "a sound history".to_owned()), 0);
    assert_eq!(files(&folder), whole, "looking changes nothing");
    let mut failed = 0;
    for (path, bytes) in &whole {
        for (number, damaged) in damages(bytes).into_iter().enumerate() {
            fs::remove_file(path).unwrap();
            fs::write(path, &damaged).unwrap();
            let what = || format!("damage {number} of {}", path.display());
            failed += usize::from(truth.faults_of(&folder, &what) > 0);
            assert_eq!(fs::read(path).unwrap(), damaged);
        }
        fs::remove_file(path).unwrap();
        failed += usize::from(truth.faults_of(&folder, &|| format!("no {}", path.display())) > 0);
        assert!(!path.exists(), "looking makes nothing");
        fs::write(path, bytes).unwrap();
    }
    assert!(failed > whole.len(), "only {failed} damages were seen");
    assert_eq!(truth.faults_of(&folder, &|| "put back".to_owned()), 0);
}

#[test]
fn a_flipped_bit_is_never_a_version_that_somebody_else_wrote() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let version = ground.record(&change(flow, VersionKind::Save, "text"));
    let id = version.sha.to_string();
    let place = ground.folder().join("objects").join(&id[..2]).join(&id[2..]);
    // As a disk does it that keeps a file readable: another committer, well packed.
    let text = ground.git(&["cat-file", "commit", &id]).replace("Flowkeep <", "Flowkeeq <") + "\n";
    let bytes = [format!("commit {}\0", text.len()).as_bytes(), text.as_bytes()].concat();
    let mut out = gix::zlib::stream::deflate::Write::new(Vec::new(), gix::zlib::Compression::BEST_SPEED);
    std::io::Write::write_all(&mut out, &bytes).unwrap();
    std::io::Write::flush(&mut out).unwrap();
    fs::remove_file(&place).unwrap();
    fs::write(&place, out.into_inner()).unwrap();
    ground.history.clear_index().unwrap();
    ground.history.repository.close();
    let refused = ground.history.list(&flow).unwrap_err();
    assert!(refused.to_string().contains(&id), "{refused}");
    assert!(ground.history.content(&flow, &version).is_err());
    assert!(ground.faults().iter().any(|fault| fault.contains(&id)), "{:?}", ground.faults());
    let next = ground.history.recorder().record(&change(flow, VersionKind::Save, "next"));
    assert!(next.is_err(), "nothing is built on what cannot be read");
}

#[test]
fn verify_says_what_is_missing_and_makes_nothing() {
    let ground = Ground::new();
    let flow = FlowId::random();
    let [_, second] = ["a", "b"].map(|text| ground.record(&change(flow, VersionKind::Save, text)));
    ground.assert_sound();
    ground.history.flush_index().unwrap();
    let (folder, away) = (ground.folder(), ground.root.path().join("away"));
    let says = |words: &str| {
        let looked = History::open_read_only(folder.clone(), true)
            .with_index(Box::new(Arc::clone(&ground.store)))
            .with_mark(None, ground.history.mark());
        let before = folder.is_dir().then(|| files(&folder));
        for history in [&looked, &ground.history] {
            let faults = history.verify(&CancelToken::new(None), &mut |_| {}).unwrap().faults.join("\n");
            assert!(faults.contains(words) && faults.contains(&second.sha.to_string()), "{words}: {faults}");
            assert!(faults.contains("was recorded and is not in the history"), "{faults}");
        }
        assert_eq!(folder.is_dir().then(|| files(&folder)), before);
    };
    fs::rename(&folder, &away).unwrap();
    says("the folder of the history is not there");
    fs::write(&folder, "a file").unwrap();
    says("a file lies where the folder of the history should be");
    fs::remove_file(&folder).unwrap();
    fs::rename(&away, &folder).unwrap();
    ground.assert_sound();
    let main = folder.join("refs/heads/main");
    let kept = fs::read(&main).unwrap();
    fs::remove_file(&main).unwrap();
    says("the history has no branch main");
    fs::write(&main, "").unwrap();
    says("could not be read");
    fs::write(&main, format!("{}\n", ground.git(&["rev-parse", &format!("{}~1", second.sha)]))).unwrap();
    says("");
    fs::write(&main, kept).unwrap();
    ground.assert_sound();
    fs::rename(folder.join("HEAD"), &away).unwrap();
    says("the folder of the history has no file HEAD");
    // Nothing else is missing: the next use makes it again.
    ground.history.repository.close();
    assert_eq!(ground.history.list(&flow).unwrap().len(), 2);
    ground.assert_sound();
}
