//! Files of conversations in a folder of their own: quotas, restarts, crashes and links.

use super::*;
use crate::durable::Access;
use std::fs;

const QUOTA: Quota = Quota { files_of_chat: 3, bytes_of_workspace: 100, bytes_free: 0 };

fn files(quota: Quota) -> (tempfile::TempDir, ChatFiles) {
    let folder = tempfile::tempdir().unwrap();
    let files =
        ChatFiles::new(Tree::new(folder.path().join("files"), Access::Owner), quota, RemovalLock::default());
    (folder, files)
}

fn ids() -> (WorkspaceId, FlowId, ChatId) {
    (WorkspaceId::random(), FlowId::random(), ChatId::random())
}

#[test]
fn a_file_is_kept_read_listed_and_removed() {
    let (folder, files) = files(QUOTA);
    let (workspace, flow, chat) = ids();
    let name = files.store(&workspace, &flow, &chat, "txt", b"hello").unwrap();
    assert_eq!(files.read(&workspace, &flow, &chat, &name).unwrap().unwrap(), b"hello");
    assert_eq!(files.list(&workspace, &flow, &chat).unwrap(), std::slice::from_ref(&name));
    assert_eq!(files.chats(&workspace, &flow).unwrap(), [chat]);
    let other = ids();
    for (workspace, flow, chat) in
        [(&other.0, &flow, &chat), (&workspace, &other.1, &chat), (&workspace, &flow, &other.2)]
    {
        assert!(files.open(workspace, flow, chat, &name).unwrap().is_none());
    }
    files.remove(&workspace, &flow, &chat, &name);
    files.remove(&workspace, &flow, &chat, &name);
    assert!(files.open(&workspace, &flow, &chat, &name).unwrap().is_none());
    files.store(&workspace, &flow, &chat, "txt", b"hello").unwrap();
    files.remove_flow(&workspace, &flow);
    let left = folder.path().join("files").join(workspace.to_string()).join(flow.to_string());
    assert_eq!(fs::read_dir(left).unwrap().count(), 0);
}

#[test]
fn a_conversation_holds_so_many_files_and_gives_its_room_back() {
    let (_folder, files) = files(QUOTA);
    let (workspace, flow, chat) = ids();
    let names: Vec<_> = (0..3).map(|_| files.store(&workspace, &flow, &chat, "txt", b"x").unwrap()).collect();
    let refused = files.store(&workspace, &flow, &chat, "txt", b"x").unwrap_err();
    assert!(matches!(refused, StoreFileError::Full(FullQuota::Conversation)), "{refused:?}");
    files.remove(&workspace, &flow, &chat, &names[0]);
    files.store(&workspace, &flow, &chat, "txt", b"x").unwrap();
}

#[test]
fn callers_at_the_same_time_share_the_room() {
    let (_folder, files) = files(QUOTA);
    let (workspace, flow, _) = ids();
    // Often enough that some are counted while others just get their names.
    for _ in 0..100 {
        let chat = ChatId::random();
        let kept = std::thread::scope(|scope| {
            let calls: Vec<_> =
                (0..8).map(|_| scope.spawn(|| files.store(&workspace, &flow, &chat, "txt", b""))).collect();
            calls.into_iter().map(|call| call.join().unwrap()).filter(Result::is_ok).count()
        });
        assert_eq!((kept, files.list(&workspace, &flow, &chat).unwrap().len()), (3, 3));
    }
}

#[test]
fn a_workspace_holds_so_many_bytes_also_after_a_restart() {
    let (folder, files) = files(QUOTA);
    let (workspace, flow, chat) = ids();
    let name = files.store(&workspace, &flow, &chat, "txt", &[0; 60]).unwrap();
    for files in [
        &files,
        &ChatFiles::new(Tree::new(folder.path().join("files"), Access::Owner), QUOTA, RemovalLock::default()),
    ] {
        let refused = files.store(&workspace, &FlowId::random(), &ChatId::random(), "txt", &[0; 41]);
        assert!(matches!(refused, Err(StoreFileError::Full(FullQuota::Workspace))), "{refused:?}");
    }
    files.store(&WorkspaceId::random(), &flow, &chat, "txt", &[0; 100]).unwrap();
    files.remove(&workspace, &flow, &chat, &name);
    files.store(&workspace, &flow, &chat, "txt", &[0; 100]).unwrap();
    files.remove_chat(&workspace, &flow, &chat);
    files.store(&workspace, &flow, &chat, "txt", &[0; 100]).unwrap();
}

#[cfg(unix)]
#[test]
fn nothing_is_written_while_the_disk_is_nearly_full() {
    let (_folder, files) = files(Quota { bytes_free: u64::MAX, ..QUOTA });
    let (workspace, flow, chat) = ids();
    let refused = files.store(&workspace, &flow, &chat, "txt", b"x");
    assert!(matches!(refused, Err(StoreFileError::Full(FullQuota::Disk))), "{refused:?}");
}

#[test]
fn what_a_crash_left_unfinished_is_removed_when_the_workspace_is_counted() {
    let (folder, files) = files(QUOTA);
    let (workspace, flow, chat) = ids();
    let path = folder.path().join("files").join(path_parts(&workspace, &flow, &chat).join("/"));
    fs::create_dir_all(&path).unwrap();
    for name in [".a", ".b", ".c"] {
        fs::write(path.join(name), [0; 100]).unwrap();
    }
    files.store(&workspace, &flow, &chat, "txt", b"x").unwrap();
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_is_never_followed() {
    use std::os::unix::fs::symlink;
    let (folder, files) = files(QUOTA);
    let (workspace, flow, chat) = ids();
    let name = files.store(&workspace, &flow, &chat, "txt", b"x").unwrap();
    let root = folder.path().join("files");
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join(name.as_str()), "secret").unwrap();
    let flow_folder = root.join(workspace.to_string()).join(flow.to_string());

    let linked = ChatFileName::generate("txt", 0);
    symlink(outside.join(name.as_str()), flow_folder.join(chat.to_string()).join(linked.as_str())).unwrap();
    assert!(files.open(&workspace, &flow, &chat, &linked).unwrap().is_none());
    assert_eq!(files.list(&workspace, &flow, &chat).unwrap(), std::slice::from_ref(&name));

    let elsewhere = ChatId::random();
    symlink(&outside, flow_folder.join(elsewhere.to_string())).unwrap();
    assert!(files.open(&workspace, &flow, &elsewhere, &name).unwrap().is_none());
    assert!(files.store(&workspace, &flow, &elsewhere, "txt", b"x").is_err());
    files.remove_chat(&workspace, &flow, &elsewhere);
    assert!(outside.join(name.as_str()).exists());
}
