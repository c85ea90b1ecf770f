//! A host that answers and closes while the pack is still on its way: what it said counts, and not that it closed.

use super::*;
use crate::history::remote::RemoteError::{Broken, Declined, Net, Status, TokenRefused};
use crate::net::NetError;

/// More than connections hold on their way, so that the host is gone before all is sent.
const PACK_BYTES_MIN: usize = 8 * 1024 * 1024;
/// Of the pack, the host reads so much.
const READ_BYTES: usize = 1_000;
/// What packs badly.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// A host that has one version, and a history that has so much more.
fn much_to_copy() -> Pair {
    let pair = Pair::copied();
    let mut number = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..5 {
        let id = FlowId::random();
        let text: String = (0..3_000_000)
            .map(|_| {
                number ^= number << 13;
                number ^= number >> 7;
                number ^= number << 17;
                char::from(LETTERS[(number % 64) as usize])
            })
            .collect();
        let content = VersionContent::Flow(snapshot(id, &text));
        pair.ground.record(&NewVersion { content, ..change(id, VersionKind::Save, "much") });
    }
    pair
}

/// What a push comes to where the host answers so.
fn push_meets(pair: &Pair, behavior: Behavior) -> RemoteError {
    pair.host.behave_well();
    pair.host.behave(Requests::PackUpload, behavior);
    let (there, copied) = (pair.there(), pair.ground.history.copied().unwrap());
    let fault = pair.push().unwrap_err();
    let requests = pair.host.requests();
    let upload = requests.iter().rfind(|request| request.target.ends_with("/git-receive-pack")).unwrap();
    let length: usize = upload.header("content-length").unwrap().parse().unwrap();
    assert!(length >= PACK_BYTES_MIN, "{length}");
    assert_eq!((pair.there(), pair.ground.history.copied().unwrap()), (there, copied), "{fault:?}");
    fault
}

fn packet(bytes: &[u8]) -> Vec<u8> {
    [format!("{:04x}", bytes.len() + 4).as_bytes(), bytes].concat()
}

/// A report of the host with this line about `main`, on the band that reports have.
fn report(line: &str) -> Behavior {
    let lines = [packet(b"unpack ok\n"), packet(line.as_bytes()), b"0000".to_vec()].concat();
    let banded = [packet(&[&[1], lines.as_slice()].concat()), b"0000".to_vec()].concat();
    Behavior::EarlyAnswer(READ_BYTES, 200, "application/x-git-receive-pack-result", banded)
}

#[test]
fn a_host_that_answers_and_closes_while_the_pack_goes_out_is_heard() {
    let pair = much_to_copy();
    let refused =
        |status| Behavior::EarlyAnswer(READ_BYTES, status, "text/plain", b"The host says no.\n".to_vec());
    let large = push_meets(&pair, refused(413));
    assert!(matches!(large, Status(413)), "{large:?}");
    for status in [401, 403] {
        let token = push_meets(&pair, refused(status));
        assert!(matches!(token, TokenRefused), "{status}: {token:?}");
    }
    let declined = push_meets(&pair, report("ng refs/heads/main too large\n"));
    assert!(matches!(&declined, Declined(reason) if reason == "too large"), "{declined:?}");

    let untrue = push_meets(&pair, report("ok refs/heads/main\n"));
    assert!(matches!(untrue, Broken), "nobody has a pack of which the end is missing: {untrue:?}");
    let silent = push_meets(&pair, Behavior::CutRequest(READ_BYTES));
    let closed = NetError::Broken("the other side closed the connection".into());
    assert!(matches!(&silent, Net(fault) if *fault == closed), "{silent:?}");

    pair.host.behave_well();
    pair.push().unwrap();
    assert_eq!(pair.there(), Some(pair.here()));
    pair.assert_sound();
}
