//! Commits and folders of strangers, as strictly as `git fsck --strict` reads them: what it would complain about is never
//! taken in.

use gix::ObjectId;
use gix::objs::CommitRef;
use std::collections::HashSet;

/// What an entry of a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    /// A commit of another repository, which is not looked for here.
    Submodule,
}

/// The longest name in a folder.
const NAME_BYTES_MAX: usize = 255;
const ID_BYTES: usize = 20;

/// Reads a folder; why it is refused.
pub(super) fn read_tree(mut bytes: &[u8]) -> Result<Vec<(EntryKind, ObjectId)>, &'static str> {
    const DAMAGED: &str = "it has a folder that cannot be read";
    let mut entries = Vec::new();
    let mut names = HashSet::new();
    let mut last: Option<Vec<u8>> = None;
    while !bytes.is_empty() {
        let space = bytes.iter().position(|byte| *byte == b' ').ok_or(DAMAGED)?;
        let (mode, rest) = (&bytes[..space], &bytes[space + 1..]);
        let end = rest.iter().position(|byte| *byte == 0).ok_or(DAMAGED)?;
        let (name, rest) = (&rest[..end], &rest[end + 1..]);
        let (id, rest) = rest.split_at_checked(ID_BYTES).ok_or(DAMAGED)?;
        let id = ObjectId::from_bytes_or_panic(id);
        bytes = rest;
        let kind = match mode {
            b"100644" | b"100755" => EntryKind::File,
            // A link is a file that holds where it leads; here it leads nowhere.
            b"120000" if !name.starts_with(b".git") => EntryKind::File,
            b"40000" => EntryKind::Folder,
            b"160000" => EntryKind::Submodule,
            _ => return Err("it has an entry of a kind that git does not know"),
        };
        if id.is_null() || !is_plain_name(name) || !names.insert(name) {
            return Err("it has a name that is not allowed");
        }
        // Git's order: the name of a folder sorts as if it ended in a slash.
        let sorted = [name, if kind == EntryKind::Folder { b"/" } else { b"" }].concat();
        if last.as_ref().is_some_and(|last| *last >= sorted) {
            return Err("it has a folder that is not in order");
        }
        last = Some(sorted);
        entries.push((kind, id));
    }
    Ok(entries)
}

/// True for a name that means itself on every system, and nothing to git.
fn is_plain_name(name: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(name) else { return false };
    // Some file systems pass over these.
    let is_ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let has_bad = text.chars().any(|c| c.is_control() || matches!(c, '/' | '\\' | ':'));
    let folded: String = text.chars().filter(|c| !is_ignored(c)).collect::<String>().to_lowercase();
    let folded = folded.trim_end_matches(['.', ' ']);
    let is_gits = matches!(folded, "" | ".git" | ".gitmodules" | ".gitattributes")
        || folded.starts_with("git~")
        || folded.starts_with("gitmod~")
        || folded.starts_with("gi7eba~")
        || folded.starts_with("gi7d29~");
    name.len() <= NAME_BYTES_MAX && !has_bad && !is_gits
}

/// Reads a commit: its folder and its parents; why it is refused.
pub(super) fn read_commit(
    bytes: &[u8],
    message_bytes_max: usize,
) -> Result<(ObjectId, Vec<ObjectId>), &'static str> {
    const DAMAGED: &str = "it has a commit that cannot be read";
    if bytes.contains(&0) {
        return Err(DAMAGED);
    }
    let commit = CommitRef::from_bytes(bytes, gix::hash::Kind::Sha1).map_err(|_| DAMAGED)?;
    if commit.message.len() > message_bytes_max {
        return Err("it has a message that is too long");
    }
    let head = bytes.windows(2).position(|two| two == b"\n\n").map_or(bytes, |end| &bytes[..=end]);
    if head.len() > message_bytes_max {
        return Err("it has a message that is too long");
    }
    let mut lines = head.split(|byte| *byte == b'\n');
    let mut line = lines.next();
    let mut expect = |prefix: &[u8], many: bool| {
        let mut found = Vec::new();
        while let Some(rest) = line.and_then(|line| line.strip_prefix(prefix)) {
            found.push(rest);
            line = lines.next();
            if !many {
                break;
            }
        }
        found
    };
    let (tree, _) = (expect(b"tree ", false), expect(b"parent ", true));
    let people = [expect(b"author ", false), expect(b"committer ", false)].concat();
    if tree.len() != 1 || people.len() != 2 || !people.into_iter().all(is_identity) {
        return Err(DAMAGED);
    }
    if line.is_some_and(|line| line.starts_with(b"author ")) {
        return Err(DAMAGED);
    }
    Ok((commit.tree(), commit.parents().collect()))
}

/// True for `name <address> seconds +hhmm`, as git writes it.
fn is_identity(line: &[u8]) -> bool {
    let Some(open) = line.iter().position(|byte| *byte == b'<') else { return false };
    let Some(close) = line.iter().position(|byte| *byte == b'>') else { return false };
    let (name, time) = (&line[..open], &line[close + 1..]);
    let has_space = name.last().is_some_and(|byte| *byte == b' ');
    let is_address = open < close && !line[open + 1..close].contains(&b'<');
    let Some(time) = str::from_utf8(time).ok().and_then(|time| time.strip_prefix(' ')) else { return false };
    let Some((seconds, zone)) = time.split_once(' ') else { return false };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = is_number(seconds) && (seconds == "0" || !seconds.starts_with('0')) && seconds.len() < 18;
    let is_zone = zone.len() == 5 && zone.starts_with(['+', '-']) && is_number(&zone[1..]);
    has_space && is_address && is_date && is_zone
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: &str, name: &str) -> Vec<u8> {
        [mode.as_bytes(), b" ", name.as_bytes(), b"\0", &[7; ID_BYTES]].concat()
    }

    #[test]
    fn folders_are_read_as_git_orders_them() {
        let tree = [entry("100644", "a.b"), entry("40000", "a"), entry("120000", "b"), entry("160000", "c")]
            .concat();
        let kinds: Vec<EntryKind> = read_tree(&tree).unwrap().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [EntryKind::File, EntryKind::Folder, EntryKind::File, EntryKind::Submodule]);
        assert!(read_tree(b"").unwrap().is_empty());
    }

    #[test]
    fn folders_that_git_would_complain_about_are_refused() {
        for (mode, name) in [
            ("100664", "a"),
            ("0100644", "a"),
            ("040000", "a"),
            ("100644", ""),
            ("100644", "."),
            ("40000", ".."),
            ("40000", ".GIT"),
            ("40000", ".g\u{200c}it"),
            ("40000", ".git. ."),
            ("100644", "git~1"),
            ("100644", ".gitmodules"),
            ("120000", ".gitignore"),
            ("100644", "a/b"),
            ("100644", "a\\b"),
            ("100644", "a\nb"),
        ] {
            assert!(read_tree(&entry(mode, name)).is_err(), "{mode} {name:?}");
        }
        let long = "x".repeat(NAME_BYTES_MAX + 1);
        assert!(read_tree(&entry("100644", &long)).is_err());
        for names in [["b", "a"], ["a", "a"]] {
            assert!(read_tree(&names.map(|name| entry("100644", name)).concat()).is_err(), "{names:?}");
        }
        assert!(
            read_tree(&[entry("100644", "a"), entry("100644", "a.b"), entry("40000", "a")].concat()).is_err()
        );
        let mut cut = entry("100644", "a");
        cut.pop();
        assert!(read_tree(&cut).is_err());
        let null = [b"100644 a\0".as_slice(), &[0; ID_BYTES]].concat();
        assert!(read_tree(&null).is_err());
    }

    fn commit(author: &str, message: &str) -> Vec<u8> {
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        format!("tree {tree}\nparent {tree}\nauthor {author}\ncommitter A <a@b> 1 +0000\n\n{message}").into()
    }

    #[test]
    fn commits_are_read_and_those_that_git_would_complain_about_are_refused() {
        let good = "Ada <a@b> 86400 +0530";
        let (_, parents) = read_commit(&commit(good, "x\n"), 4096).unwrap();
        assert_eq!(parents.len(), 1);
        for author in [
            "Ada a@b 86400 +0530",
            "Ada<a@b> 86400 +0530",
            "<a@b> 86400 +0530",
            "Ada <a<b> 86400 +0530",
            "Ada <a@b> 086400 +0530",
            "Ada <a@b>86400 +0530",
            "Ada <a@b> 86400",
            "Ada <a@b> 86400 0530",
            "Ada <a@b> 99999999999999999999 +0530",
            "Ada <a@b> 1 +0000\nauthor Ada <a@b> 1 +0000",
        ] {
            assert!(read_commit(&commit(author, "x\n"), 4096).is_err(), "{author}");
        }
        assert!(read_commit(&commit(good, &"x".repeat(5000)), 4096).is_err());
        assert!(read_commit(&commit(good, "a\0b"), 4096).is_err());
        assert!(read_commit(b"", 4096).is_err());
        assert!(read_commit(&commit(good, "x\n").split_off(5), 4096).is_err());
    }
}
