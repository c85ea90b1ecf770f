//! Frames against written ones, in every cut, and damaged.

use super::test_frames::encode_frame;
use super::*;
use proptest::collection::vec;
use proptest::prelude::*;

/// All frames of a stream that comes in these pieces.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<(Vec<EventFrame>, bool), FrameError> {
    let (mut frames, mut found) = (FrameDecoder::default(), Vec::new());
    for piece in pieces {
        frames.push(piece);
        while let Some(frame) = frames.next_frame()? {
            found.push(frame);
        }
    }
    Ok((found, frames.is_empty()))
}

#[test]
fn a_frame_known_from_elsewhere_is_read() {
    // The empty frame of AWS's own test vectors, and one with a header of type 4 and the payload {'foo':'bar'}.
    let empty = b"\0\0\0\x10\0\0\0\0\x05\xc2\x48\xeb\x7d\x98\xc8\xff";
    let (found, whole) = read([&empty[..]].into_iter()).unwrap();
    assert!(whole && found == [EventFrame { headers: Vec::new(), payload: Vec::new() }]);
    let mut number = b"\0\0\0\x2d\0\0\0\x10\x41\xc4\x24\xb8\x0aevent-type\x04\0\0\xa0\x0c".to_vec();
    number.extend_from_slice(b"{'foo':'bar'}\x36\xf4\x80\xa0");
    let (found, whole) = read([&number[..]].into_iter()).unwrap();
    assert!(whole && found[0].payload == b"{'foo':'bar'}" && found[0].header("event-type").is_none());
}

#[test]
fn headers_of_every_kind_are_read_over() {
    let long = [b'x'; 300];
    let frame = encode_frame(
        &[
            ("yes", 0, b""),
            ("no", 1, b""),
            ("byte", 2, b"1"),
            ("short", 3, b"12"),
            ("int", 4, b"1234"),
            ("long", 5, b"12345678"),
            ("bytes", 6, &long),
            ("date", 8, b"12345678"),
            ("id", 9, b"1234567812345678"),
            (":event-type", 7, b"messageStop"),
        ],
        b"{}",
    );
    let (found, _) = read([&frame[..]].into_iter()).unwrap();
    assert_eq!(found[0].header(":event-type"), Some("messageStop"));
    assert_eq!(found[0].header("bytes"), None);
}

#[test]
fn what_is_no_frame_is_refused_before_more_of_it_is_held() {
    let prelude = |total: u32, headers: u32| {
        let mut bytes = [total.to_be_bytes(), headers.to_be_bytes()].concat();
        bytes.extend_from_slice(&u32::try_from(checksum_of(&bytes)).unwrap().to_be_bytes());
        bytes
    };
    for (bytes, damage) in [
        (prelude(u32::MAX, 0), FrameError::TooLarge),
        (prelude(1024, u32::MAX), FrameError::TooLarge),
        (prelude(15, 0), FrameError::Form),
        (prelude(40, 30), FrameError::Form),
        (b"HTTP/1.1 200".to_vec(), FrameError::Sum),
    ] {
        assert_eq!(read([&bytes[..]].into_iter()), Err(damage), "{bytes:?}");
    }
    for headers in [&[("kind", 10, &b""[..])][..], &[("text", 7, b"\xff")]] {
        assert_eq!(read([&encode_frame(headers, b"")[..]].into_iter()), Err(FrameError::Form));
    }
}

#[test]
fn a_changed_byte_is_noticed_wherever_it_is() {
    let frame = encode_frame(&[(":event-type", 7, b"contentBlockDelta")], b"{\"delta\":{\"text\":\"Hi\"}}");
    for at in 0..frame.len() {
        let mut damaged = frame.clone();
        damaged[at] ^= 1;
        assert_eq!(read([&damaged[..]].into_iter()), Err(FrameError::Sum), "{at}");
    }
}

proptest! {
    #[test]
    fn frames_are_the_same_however_they_are_cut(
        payloads in vec(vec(any::<u8>(), 0..200), 0..6),
        cuts in vec(0..1_000_usize, 0..20),
    ) {
        let bytes: Vec<u8> =
            payloads.iter().flat_map(|payload| encode_frame(&[("name", 7, b"text")], payload)).collect();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let (found, whole) = read(cuts.windows(2).map(|ends| &bytes[ends[0]..ends[1]])).unwrap();
        prop_assert!(whole);
        prop_assert!(found.iter().all(|frame| frame.header("name") == Some("text")));
        let read: Vec<Vec<u8>> = found.into_iter().map(|frame| frame.payload).collect();
        prop_assert_eq!(read, payloads);
    }

    #[test]
    fn any_bytes_end_in_frames_or_in_damage(bytes in vec(any::<u8>(), 0..400)) {
        let _ = read(bytes.chunks(7));
    }
}
