//! What a disk changes by itself: no read takes it for data, and the check of everything finds it.

use crate::domain::ids::{UserId, VariableId};
use crate::domain::workspace::variable::{Variable, VariableKind};
use crate::store::tables::{MESSAGES, USERS, VARIABLES};
use crate::store::*;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;

fn open(folder: &Path) -> std::result::Result<Store, OpenError> {
    Store::open(&folder.join("test.redb"))
}

fn variable(workspace: WorkspaceId, number: u32) -> Variable {
    let now = Timestamp::from_second(1).unwrap();
    let (name, value) = (format!("name {number}"), "a value that fills some of a page ".repeat(20));
    Variable {
        id: VariableId::random(),
        workspace,
        name,
        value,
        kind: VariableKind::Static,
        created: now,
        updated: now,
    }
}

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// All messages, as far as they can be read; `false` when one could not.
fn messages(store: &Store) -> (Rows, bool) {
    let mut found = Rows::new();
    let mut keys = Vec::new();
    let listed = store.read_messages(|tx| {
        tx.scan_keys(MESSAGES, &KeyRange::all(), Order::Ascending, |key| {
            keys.push(key.to_vec());
            Ok(ControlFlow::Continue(()))
        })
    });
    let mut is_whole = listed.is_ok();
    for key in keys {
        match store.read_messages(|tx| tx.get_with(MESSAGES, &key, |value| Ok(value.to_vec()))) {
            Ok(Some(value)) => drop(found.insert(key, value)),
            Ok(None) => is_whole = false,
            Err(error) => {
                assert!(matches!(error, Error::Damaged(_) | Error::Internal(_)), "{error:?}");
                is_whole = false;
            }
        }
    }
    (found, is_whole)
}

#[test]
fn whatever_bit_a_disk_changes_is_never_read_as_data() {
    let folder = tempfile::tempdir().unwrap();
    let row = |number: u32| (number.to_be_bytes(), format!("message {number} ").repeat(20).into_bytes());
    let store = open(folder.path()).unwrap();
    store.write(|tx| tx.put_all(MESSAGES, (0..300).map(row))).unwrap();
    drop(store);
    let stored: Rows = (0..300).map(row).map(|(key, value)| (key.to_vec(), value)).collect();
    let whole = fs::read(folder.path().join("test.redb")).unwrap();
    let used: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] != 0).collect();
    let (mut found_out, mut unopened) = (0, 0);
    for round in 0..70 {
        let at = used[round * used.len() / 70];
        let copy = tempfile::tempdir().unwrap();
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (round % 8);
        fs::write(copy.path().join("test.redb"), bytes).unwrap();
        let Ok(store) = open(copy.path()) else {
            unopened += 1;
            continue;
        };
        let (found, is_whole) = messages(&store);
        for (key, value) in &found {
            assert_eq!(stored.get(key), Some(value), "byte {at}");
        }
        let is_sound = store.verify(&|| false).unwrap().damages.is_empty();
        assert!(!is_sound || (is_whole && found.len() == stored.len()), "byte {at} was not found out");
        found_out += usize::from(!is_sound);
    }
    assert!(found_out > 10 && unopened < 60, "{found_out} found out, {unopened} not opened");
}

#[test]
fn a_damaged_row_harms_itself_alone_and_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    let here = WorkspaceId::random();
    let all: Vec<Variable> = (0..5).map(|number| variable(here, number)).collect();
    let store = open(folder.path()).unwrap();
    store.write(|tx| all.iter().try_for_each(|one| VARIABLES.put(tx, &here, &one.id, one))).unwrap();
    drop(store);
    let path = folder.path().join("test.redb");
    let mut bytes = fs::read(&path).unwrap();
    for at in memchr::memmem::find_iter(&bytes.clone(), b"name 3") {
        bytes[at + 5] = b'9';
    }
    fs::write(&path, bytes).unwrap();
    let store = open(folder.path()).unwrap();
    for (number, one) in all.iter().enumerate() {
        let read = store.read(|tx| VARIABLES.get(tx, &here, &one.id));
        match (number, read) {
            (3, Err(Error::Damaged(damage))) => {
                assert_eq!(damage.place(), format!("variable, workspace {here}, variable {}", one.id));
                assert!(damage.to_string().contains("flowkeep data verify"), "{damage}");
            }
            (_, read) => assert_eq!(read.unwrap().as_ref(), Some(one)),
        }
    }
    assert!(matches!(store.read(|tx| VARIABLES.list(tx, &here)), Err(Error::Damaged(_))), "never left out");
    let intact = store.read(|tx| VARIABLES.list_intact(tx, &here)).unwrap();
    assert!(
        intact.len() == 4 && intact.iter().all(|one| one.id != all[3].id),
        "but for who asks for the others"
    );
    assert_eq!(store.read(|tx| VARIABLES.count(tx, &here)).unwrap(), 5);
    assert_eq!(store.read(|tx| USERS.get(tx, &UserId::random())).unwrap(), None);
    let damages = store.verify(&|| false).unwrap().damages;
    assert_eq!(damages.len(), 1, "{damages:?}");
    assert!(store.write(|tx| VARIABLES.remove(tx, &here, &all[3].id)).unwrap());
    assert_eq!(store.read(|tx| VARIABLES.list(tx, &here)).unwrap().len(), 4);
    assert_eq!(store.verify(&|| false).unwrap().damages, []);
    assert!(matches!(store.verify(&|| true), Err(Error::Cancelled)));
}
