//! From system calls to what they did with files below one folder.

use super::model::{DiskOp, HOME, Node};
use libc::user_regs_struct;
use nix::unistd::Pid;
use std::collections::HashMap;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// What a flush that is made to fail says.
const FAILURE: i64 = -libc::EIO as i64;

/// What was done, for the thread that talks with the service while it is recorded.
#[derive(Clone, Default)]
pub struct Record {
    ops: Arc<Mutex<Vec<DiskOp>>>,
    length: Arc<AtomicUsize>,
}

impl Record {
    /// How much was done. What an answer promises was done by the time it is read.
    pub fn length(&self) -> usize {
        self.length.load(Ordering::SeqCst)
    }

    /// All of it.
    pub fn ops(&self) -> Vec<DiskOp> {
        self.ops.lock().unwrap().clone()
    }

    fn push(&self, op: DiskOp) {
        let mut ops = self.ops.lock().unwrap();
        ops.push(op);
        self.length.store(ops.len(), Ordering::SeqCst);
    }
}

/// What was seen when a call began, to be told when it ended.
pub enum PendingCall {
    Open { folder: Node, name: String, path: PathBuf, was_there: bool, truncates: bool },
    MakeFolder { folder: Node, name: String, path: PathBuf },
    Link { from: Node, folder: Node, name: String },
    Unlink { folder: Node, name: String },
    Rename { from: (Node, String), to: (Node, String), node: Node },
    Write { node: Node, place: usize, bytes: Vec<u8>, through: bool, fails: bool },
    Resize { node: Node, path: PathBuf },
    Flush { node: Node, begun: usize, fails: bool },
}

/// Knows the files and folders below `home` by what the system calls them.
pub struct Recorder {
    pub record: Record,
    nodes: HashMap<(u64, u64), Node>,
    next: Node,
    flushes: usize,
    /// The flush that fails, counted from 0 since it was set.
    pub fails_at: Option<usize>,
}

impl Recorder {
    /// Nothing but the folder `home` is there.
    pub fn new(home: &Path) -> Self {
        let mut nodes = HashMap::new();
        nodes.insert(key(home).unwrap(), HOME);
        Self { record: Record::default(), nodes, next: HOME + 1, flushes: 0, fails_at: None }
    }

    /// Takes in what lies in `folder`, on disk as it is.
    pub fn load_folder(&mut self, folder: &Path) {
        let outer = self.nodes[&key(folder).unwrap()];
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
            let node = self.register(&path);
            if entry.file_type().unwrap().is_dir() {
                self.record.push(DiskOp::MakeFolder(outer, name, node));
                self.load_folder(&path);
            } else if entry.file_type().unwrap().is_file() {
                self.record.push(DiskOp::MakeFile(outer, name, node));
                self.record.push(DiskOp::Write(node, 0, fs::read(&path).unwrap(), false));
                self.record.push(DiskOp::Flush(node, usize::MAX, true));
            }
        }
        self.record.push(DiskOp::Flush(outer, usize::MAX, true));
    }

    /// Sets which flush fails, from now on.
    pub fn fail_at(&mut self, flush: Option<usize>) {
        self.flushes = 0;
        self.fails_at = flush;
    }

    /// How many flushes there were since [`Self::fail_at`].
    pub const fn flushes(&self) -> usize {
        self.flushes
    }

    fn register(&mut self, path: &Path) -> Node {
        let node = self.next;
        self.next += 1;
        self.nodes.insert(key(path).unwrap(), node);
        node
    }

    fn node(&self, path: &Path) -> Option<Node> {
        self.nodes.get(&key(path)?).copied()
    }

    fn of_descriptor(&self, thread: Pid, descriptor: u64) -> Option<Node> {
        self.node(&descriptor_path(thread, descriptor))
    }

    /// A name below `home`: its folder, itself and the path to it.
    fn resolve_path(&self, thread: Pid, folder: u64, text: u64) -> Option<(Node, String, PathBuf)> {
        let base = if folder as i32 == libc::AT_FDCWD {
            PathBuf::from(format!("/proc/{thread}/cwd"))
        } else {
            descriptor_path(thread, folder)
        };
        let path = base.join(read_text(thread, text)?);
        let node = self.node(path.parent()?)?;
        Some((node, path.file_name()?.to_str()?.to_owned(), path))
    }

    /// A call begins.
    ///
    /// # Panics
    /// When it changes files in a way that is not known here.
    pub fn begin(&mut self, thread: Pid, regs: &user_regs_struct) -> Option<PendingCall> {
        let cwd = libc::AT_FDCWD as u64;
        let (a, b, c, d) = (regs.rdi, regs.rsi, regs.rdx, regs.r10);
        match regs.orig_rax as i64 {
            libc::SYS_open => self.open(thread, cwd, a, b),
            libc::SYS_creat => self.open(thread, cwd, a, (libc::O_CREAT | libc::O_TRUNC) as u64),
            libc::SYS_openat => self.open(thread, a, b, c),
            libc::SYS_mkdir => self.make_folder(thread, cwd, a),
            libc::SYS_mkdirat => self.make_folder(thread, a, b),
            libc::SYS_link => self.link(thread, (cwd, a), (cwd, b)),
            libc::SYS_linkat => self.link(thread, (a, b), (c, d)),
            libc::SYS_unlink | libc::SYS_rmdir => self.unlink(thread, cwd, a),
            libc::SYS_unlinkat => self.unlink(thread, a, b),
            libc::SYS_rename => self.rename(thread, (cwd, a), (cwd, b), 0),
            libc::SYS_renameat => self.rename(thread, (a, b), (c, d), 0),
            libc::SYS_renameat2 => self.rename(thread, (a, b), (c, d), regs.r8),
            libc::SYS_write => self.write(thread, a, None, &[(b, c)]),
            libc::SYS_pwrite64 => self.write(thread, a, Some(d), &[(b, c)]),
            libc::SYS_writev => self.write(thread, a, None, &io_vectors(thread, b, c)),
            libc::SYS_pwritev => self.write(thread, a, Some(d), &io_vectors(thread, b, c)),
            libc::SYS_ftruncate | libc::SYS_fallocate => {
                let path = descriptor_path(thread, a);
                self.node(&path).map(|node| PendingCall::Resize { node, path })
            }
            libc::SYS_fsync | libc::SYS_fdatasync => {
                let node = self.of_descriptor(thread, a)?;
                Some(PendingCall::Flush {
                    node,
                    begun: self.record.length(),
                    fails: self.count_flush_and_fail(),
                })
            }
            other => {
                let target = match other {
                    libc::SYS_copy_file_range => c,
                    libc::SYS_sendfile | libc::SYS_pwritev2 | libc::SYS_syncfs => a,
                    libc::SYS_mmap if (c & 2) != 0 && (d & 1) != 0 => regs.r8,
                    _ => return None,
                };
                assert!(
                    self.of_descriptor(thread, target).is_none(),
                    "call {other} is not known to the recorder"
                );
                None
            }
        }
    }

    /// What the end of the call must tell the program instead of what happened; and whether it must not happen at all.
    pub const fn failure(begun: &PendingCall) -> Option<(i64, bool)> {
        match begun {
            PendingCall::Flush { fails: true, .. } => Some((FAILURE, true)),
            PendingCall::Write { fails: true, .. } => Some((FAILURE, false)),
            _ => None,
        }
    }

    /// A call ended.
    pub fn end(&mut self, thread: Pid, begun: PendingCall, result: i64) {
        if let PendingCall::Flush { node, begun, fails } = begun {
            self.record.push(DiskOp::Flush(node, begun, !fails && result == 0));
            return;
        }
        if result < 0 {
            return;
        }
        let op = match begun {
            PendingCall::Open { folder, name, path, was_there, truncates } => {
                if was_there {
                    let Some(node) = self.node(&path).filter(|_| truncates) else { return };
                    DiskOp::Resize(node, 0)
                } else {
                    let node = self.register(&descriptor_path(thread, result as u64));
                    DiskOp::MakeFile(folder, name, node)
                }
            }
            PendingCall::MakeFolder { folder, name, path } => {
                DiskOp::MakeFolder(folder, name, self.register(&path))
            }
            PendingCall::Link { from, folder, name } => DiskOp::Link(folder, name, from),
            PendingCall::Unlink { folder, name } => DiskOp::Unlink(folder, name),
            PendingCall::Rename { from, to, node } => DiskOp::Rename(from, to, node),
            PendingCall::Write { node, place, mut bytes, through, fails } => {
                bytes.truncate(usize::try_from(result).unwrap());
                let begun = self.record.length();
                self.record.push(DiskOp::Write(node, place, bytes, through && !fails));
                if fails {
                    self.record.push(DiskOp::Flush(node, begun + 1, false));
                }
                return;
            }
            PendingCall::Resize { node, path } => {
                DiskOp::Resize(node, usize::try_from(fs::metadata(path).unwrap().len()).unwrap())
            }
            PendingCall::Flush { .. } => return,
        };
        self.record.push(op);
    }

    fn count_flush_and_fail(&mut self) -> bool {
        let at = self.flushes;
        self.flushes += 1;
        self.fails_at == Some(at)
    }

    fn open(&self, thread: Pid, base: u64, text: u64, flags: u64) -> Option<PendingCall> {
        let flags = flags as i32;
        if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 || flags & libc::O_TMPFILE == libc::O_TMPFILE {
            return None;
        }
        let (folder, name, path) = self.resolve_path(thread, base, text)?;
        let was_there = fs::symlink_metadata(&path).is_ok();
        Some(PendingCall::Open { folder, name, path, was_there, truncates: flags & libc::O_TRUNC != 0 })
    }

    fn make_folder(&self, thread: Pid, base: u64, text: u64) -> Option<PendingCall> {
        let (folder, name, path) = self.resolve_path(thread, base, text)?;
        Some(PendingCall::MakeFolder { folder, name, path })
    }

    fn link(&self, thread: Pid, from: (u64, u64), to: (u64, u64)) -> Option<PendingCall> {
        let (_, _, path) = self.resolve_path(thread, from.0, from.1)?;
        let (folder, name, _) = self.resolve_path(thread, to.0, to.1)?;
        Some(PendingCall::Link { from: self.node(&path)?, folder, name })
    }

    fn unlink(&self, thread: Pid, base: u64, text: u64) -> Option<PendingCall> {
        let (folder, name, _) = self.resolve_path(thread, base, text)?;
        Some(PendingCall::Unlink { folder, name })
    }

    fn rename(&self, thread: Pid, from: (u64, u64), to: (u64, u64), flags: u64) -> Option<PendingCall> {
        let (from_folder, from_name, path) = self.resolve_path(thread, from.0, from.1)?;
        let (to_folder, to_name, _) = self.resolve_path(thread, to.0, to.1)?;
        assert!(
            flags & u64::from(libc::RENAME_EXCHANGE) == 0,
            "an exchange of names is not known to the recorder"
        );
        let node = self.node(&path)?;
        Some(PendingCall::Rename { from: (from_folder, from_name), to: (to_folder, to_name), node })
    }

    fn write(
        &mut self,
        thread: Pid,
        descriptor: u64,
        place: Option<u64>,
        parts: &[(u64, u64)],
    ) -> Option<PendingCall> {
        let node = self.of_descriptor(thread, descriptor)?;
        let (position, flags) = descriptor_state(thread, descriptor)?;
        assert!(flags & libc::O_APPEND == 0, "appending is not known to the recorder");
        let through = flags & libc::O_DSYNC != 0;
        let bytes = parts.iter().flat_map(|(at, length)| read(thread, *at, *length)).collect();
        let place = usize::try_from(place.unwrap_or(position)).unwrap();
        let fails = through && self.count_flush_and_fail();
        Some(PendingCall::Write { node, place, bytes, through, fails })
    }
}

fn key(path: &Path) -> Option<(u64, u64)> {
    fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

fn descriptor_path(thread: Pid, descriptor: u64) -> PathBuf {
    PathBuf::from(format!("/proc/{thread}/fd/{}", descriptor as i32))
}

/// Where a descriptor stands in its file, and how it was opened.
fn descriptor_state(thread: Pid, descriptor: u64) -> Option<(u64, i32)> {
    let text = fs::read_to_string(format!("/proc/{thread}/fdinfo/{}", descriptor as i32)).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    Some((field("pos:")?.parse().ok()?, i32::from_str_radix(field("flags:")?, 8).ok()?))
}

fn read(thread: Pid, address: u64, length: u64) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(length).unwrap()];
    let memory = File::open(format!("/proc/{thread}/mem")).unwrap();
    memory.read_exact_at(&mut bytes, address).unwrap();
    bytes
}

/// A text of the program's, up to its zero.
fn read_text(thread: Pid, address: u64) -> Option<PathBuf> {
    let memory = File::open(format!("/proc/{thread}/mem")).ok()?;
    let mut text = Vec::new();
    let mut piece = [0; 64];
    while text.len() < 8_192 {
        // A page is read to its end and not beyond: the next one may not be there.
        let at = address + text.len() as u64;
        let most = usize::try_from(4_096 - at % 4_096).unwrap().min(piece.len());
        let count = memory.read_at(&mut piece[..most], at).ok().filter(|count| *count > 0)?;
        match piece[..count].iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.extend(&piece[..end]);
                return Some(PathBuf::from(std::ffi::OsStr::from_bytes(&text)));
            }
            None => text.extend(&piece[..count]),
        }
    }
    None
}

/// The parts of a write of many: where each is, and how long.
fn io_vectors(thread: Pid, address: u64, count: u64) -> Vec<(u64, u64)> {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let table = read(thread, address, count.min(1_024) * 16);
    table.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect()
}
