//! A disk that promises what disks promise and no more. What was flushed stays. Of the rest any part may be there after a
//! cut: each write or each sector of it, each name, in any order. What a failed flush was to keep is never kept by a later
//! one.

use std::collections::BTreeMap;
use std::path::Path;

/// A file or a folder, whatever its names.
pub type Node = usize;

/// The folder that the data folder is in. It is there from the beginning.
pub const HOME: Node = 0;

/// Bytes that a disk writes whole or not at all.
const SECTOR_BYTES: usize = 512;

/// Something the program did, in the order in which it was done.
#[derive(Debug, Clone)]
pub enum DiskOp {
    /// A new folder got its first name.
    MakeFolder(Node, String, Node),
    /// A new file got its first name.
    MakeFile(Node, String, Node),
    /// A file got another name.
    Link(Node, String, Node),
    /// A name was taken away.
    Unlink(Node, String),
    /// A name was changed: from, to.
    Rename((Node, String), (Node, String), Node),
    /// Bytes at a place; on disk at once when the file was opened so.
    Write(Node, usize, Vec<u8>, bool),
    /// The length was set.
    Resize(Node, usize),
    /// A flush that began when so many things were done, and whether it went well.
    Flush(Node, usize, bool),
}

/// What stands of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// Only memory is sure to have it; done at this place of the record.
    Pending(usize),
    /// A flush of it failed.
    Doubtful,
    /// The disk has it.
    Kept,
}

#[derive(Debug)]
enum DirectoryEntry {
    Put(String, Node),
    Take(String),
    /// Within one folder: all of it or nothing.
    Move(String, String, Node),
}

#[derive(Debug)]
enum Bytes {
    Write(usize, Vec<u8>),
    Resize(usize),
}

#[derive(Debug)]
enum Content {
    Folder(Vec<(Durability, DirectoryEntry)>),
    File(Vec<(Durability, Bytes)>),
}

/// Which flushes a control forgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForgottenFlushes {
    /// It forgets none.
    Nothing,
    /// Those of files, and the promise of files that are written through.
    Files,
    /// Those of folders.
    Folders,
}

/// What is left of what was not flushed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SurvivalPolicy {
    /// All of it: the process was killed, and the power stayed.
    All,
    /// Nothing.
    None,
    /// Names, and nothing that was written.
    Names,
    /// What was written, and no names.
    Writes,
    /// Each write and each name by chance.
    Chance,
    /// Each sector and each name by chance.
    Sectors,
    /// All but a few.
    Most,
    /// A few.
    Few,
}

pub const SURVIVALS: [SurvivalPolicy; 8] = [
    SurvivalPolicy::None,
    SurvivalPolicy::Chance,
    SurvivalPolicy::Sectors,
    SurvivalPolicy::Names,
    SurvivalPolicy::Writes,
    SurvivalPolicy::Most,
    SurvivalPolicy::Few,
    SurvivalPolicy::All,
];

/// Numbers by chance, the same for the same seed.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn random_below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % most.max(1)
    }
}

/// The disk after a part of a record.
pub struct Disk(BTreeMap<Node, Content>);

impl Disk {
    /// The disk when the first `cut` things of the record were done.
    pub fn after(record: &[DiskOp], cut: usize, forget: ForgottenFlushes) -> Self {
        let mut disk = Self(BTreeMap::from([(HOME, Content::Folder(Vec::new()))]));
        for (at, op) in record[..cut].iter().enumerate() {
            disk.apply(at, op, forget);
        }
        disk
    }

    fn apply(&mut self, at: usize, op: &DiskOp, forget: ForgottenFlushes) {
        let pending = Durability::Pending(at);
        match op {
            DiskOp::MakeFolder(folder, name, node) => {
                self.0.insert(*node, Content::Folder(Vec::new()));
                self.name(*folder, pending, DirectoryEntry::Put(name.clone(), *node));
            }
            DiskOp::MakeFile(folder, name, node) => {
                self.0.insert(*node, Content::File(Vec::new()));
                self.name(*folder, pending, DirectoryEntry::Put(name.clone(), *node));
            }
            DiskOp::Link(folder, name, node) => {
                self.name(*folder, pending, DirectoryEntry::Put(name.clone(), *node));
            }
            DiskOp::Unlink(folder, name) => self.name(*folder, pending, DirectoryEntry::Take(name.clone())),
            DiskOp::Rename((from, old), (to, new), node) if from == to => {
                self.name(*from, pending, DirectoryEntry::Move(old.clone(), new.clone(), *node));
            }
            DiskOp::Rename((from, old), (to, new), node) => {
                self.name(*to, pending, DirectoryEntry::Put(new.clone(), *node));
                self.name(*from, pending, DirectoryEntry::Take(old.clone()));
            }
            DiskOp::Write(node, place, bytes, through) => {
                let kept = *through && forget != ForgottenFlushes::Files;
                let standing = if kept { Durability::Kept } else { pending };
                self.change(*node, standing, Bytes::Write(*place, bytes.clone()));
            }
            DiskOp::Resize(node, length) => self.change(*node, pending, Bytes::Resize(*length)),
            DiskOp::Flush(node, begun, went_well) => self.flush(*node, *begun, *went_well, forget),
        }
    }

    fn name(&mut self, folder: Node, standing: Durability, naming: DirectoryEntry) {
        if let Some(Content::Folder(names)) = self.0.get_mut(&folder) {
            names.push((standing, naming));
        }
    }

    fn change(&mut self, file: Node, standing: Durability, bytes: Bytes) {
        if let Some(Content::File(changes)) = self.0.get_mut(&file) {
            changes.push((standing, bytes));
        }
    }

    fn flush(&mut self, node: Node, begun: usize, went_well: bool, forget: ForgottenFlushes) {
        let settle = |standing: &mut Durability| {
            if matches!(standing, Durability::Pending(at) if *at < begun) {
                *standing = if went_well { Durability::Kept } else { Durability::Doubtful };
            }
        };
        match self.0.get_mut(&node) {
            Some(Content::Folder(names)) if forget != ForgottenFlushes::Folders => {
                names.iter_mut().for_each(|(standing, _)| settle(standing));
            }
            Some(Content::File(changes)) if forget != ForgottenFlushes::Files => {
                changes.iter_mut().for_each(|(standing, _)| settle(standing));
            }
            _ => {}
        }
    }

    /// Writes below `target` what is there after the power comes back.
    pub fn restore(&self, target: &Path, survival: SurvivalPolicy, dice: &mut Rng) {
        self.restore_folder(HOME, target, survival, dice);
    }

    fn restore_folder(&self, folder: Node, target: &Path, survival: SurvivalPolicy, dice: &mut Rng) {
        let Some(Content::Folder(changes)) = self.0.get(&folder) else { return };
        let mut names: BTreeMap<&str, Node> = BTreeMap::new();
        for (standing, naming) in changes {
            let stays = match survival {
                SurvivalPolicy::Names => true,
                SurvivalPolicy::Writes => false,
                other => survives(other, dice),
            };
            if *standing != Durability::Kept && !stays {
                continue;
            }
            match naming {
                DirectoryEntry::Put(name, node) => {
                    names.insert(name, *node);
                }
                DirectoryEntry::Take(name) => {
                    names.remove(name.as_str());
                }
                DirectoryEntry::Move(from, to, node) => {
                    names.remove(from.as_str());
                    names.insert(to, *node);
                }
            }
        }
        for (name, node) in names {
            let path = target.join(name);
            match self.0.get(&node) {
                Some(Content::Folder(_)) => {
                    std::fs::create_dir(&path).unwrap();
                    self.restore_folder(node, &path, survival, dice);
                }
                Some(Content::File(changes)) => {
                    std::fs::write(path, content(changes, survival, dice)).unwrap();
                }
                None => {}
            }
        }
    }
}

fn survives(survival: SurvivalPolicy, dice: &mut Rng) -> bool {
    match survival {
        SurvivalPolicy::All => true,
        SurvivalPolicy::None => false,
        SurvivalPolicy::Most => dice.random_below(20) != 0,
        SurvivalPolicy::Few => dice.random_below(20) == 0,
        SurvivalPolicy::Names | SurvivalPolicy::Writes | SurvivalPolicy::Chance | SurvivalPolicy::Sectors => {
            dice.random_below(2) == 0
        }
    }
}

fn content(changes: &[(Durability, Bytes)], survival: SurvivalPolicy, dice: &mut Rng) -> Vec<u8> {
    let mut content = Vec::new();
    for (standing, bytes) in changes {
        let is_kept = *standing == Durability::Kept;
        let stays = match survival {
            SurvivalPolicy::Names => false,
            SurvivalPolicy::Writes => true,
            other => survives(other, dice),
        };
        match bytes {
            Bytes::Resize(length) if is_kept || stays => content.resize(*length, 0),
            Bytes::Write(place, written) if !is_kept && survival == SurvivalPolicy::Sectors => {
                for (at, sector) in sectors(*place, written) {
                    if dice.random_below(2) == 0 {
                        put(&mut content, at, sector);
                    }
                }
            }
            Bytes::Write(place, written) if is_kept || stays => put(&mut content, *place, written),
            Bytes::Resize(_) | Bytes::Write(..) => {}
        }
    }
    content
}

/// What is written into each sector, and where.
fn sectors(place: usize, bytes: &[u8]) -> Vec<(usize, &[u8])> {
    let first = (SECTOR_BYTES - place % SECTOR_BYTES).min(bytes.len());
    let (head, rest) = bytes.split_at(first);
    let rest = rest.chunks(SECTOR_BYTES).enumerate();
    std::iter::once((place, head))
        .chain(rest.map(|(at, sector)| (place + first + at * SECTOR_BYTES, sector)))
        .collect()
}

fn put(content: &mut Vec<u8>, place: usize, bytes: &[u8]) {
    if content.len() < place + bytes.len() {
        content.resize(place + bytes.len(), 0);
    }
    content[place..place + bytes.len()].copy_from_slice(bytes);
}
