//! Links, altered in every way that can be thought of.

use super::*;
use proptest::prelude::*;

const NOW: i64 = 1_790_000_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn file() -> ChatFile {
    ChatFile { flow: FlowId::random(), chat: ChatId::random(), name: ChatFileName::generate("png", 0) }
}

fn links() -> FileLinks {
    FileLinks::new([7; 32])
}

/// The query of a link made at [`NOW`].
fn query(file: &ChatFile) -> String {
    links().sign(file, at(NOW)).strip_prefix(PATH).unwrap().strip_prefix('?').unwrap().to_owned()
}

fn opens(query: &str) -> bool {
    links().verify(query, at(NOW + 1)).is_some()
}

/// Every text below differs from the link and must not open anything.
#[track_caller]
fn closed(texts: impl IntoIterator<Item = String>) {
    for text in texts {
        assert!(!opens(&text), "{text}");
    }
}

#[test]
fn a_link_opens_its_file_for_fifteen_minutes() {
    let file = file();
    let query = query(&file);
    for (second, open) in
        [(NOW, true), (NOW + 899, true), (NOW + 900, false), (NOW + 86_400, false), (NOW - 1, false)]
    {
        let opened = links().verify(&query, at(second));
        assert_eq!(opened, open.then(|| file.clone()), "at {second}");
    }
}

#[test]
fn another_secret_makes_other_links() {
    assert_eq!(FileLinks::new([8; 32]).verify(&query(&file()), at(NOW)), None);
}

#[test]
fn no_byte_of_a_link_can_be_changed_left_out_or_added() {
    let query = query(&file());
    for place in 0..query.len() {
        closed((0..=u8::MAX).filter(|byte| *byte != query.as_bytes()[place]).filter_map(|byte| {
            let mut bytes = query.clone().into_bytes();
            bytes[place] = byte;
            String::from_utf8(bytes).ok()
        }));
        closed([query[..place].to_owned(), format!("{}{}", &query[..place], &query[place + 1..])]);
        closed(
            ["&", "=", "0", "a", "%", "+", " ", "\0", "é"]
                .map(|more| format!("{}{more}{}", &query[..place], &query[place..])),
        );
        // The same letter, written as an escape.
        let escape = format!("%{:02x}", query.as_bytes()[place]);
        closed([format!("{}{escape}{}", &query[..place], &query[place + 1..])]);
    }
    closed(["&", "=", "0", "a", "%00", "#", "?", "\n"].map(|more| format!("{query}{more}")));
    closed([query.to_uppercase(), query.to_lowercase(), format!("?{query}"), String::new()]);
}

#[test]
fn no_parameter_can_be_doubled_moved_left_out_or_added() {
    let query = query(&file());
    let pairs: Vec<&str> = query.split('&').collect();
    for (place, pair) in pairs.iter().enumerate() {
        for other in 0..=pairs.len() {
            let mut doubled = pairs.clone();
            doubled.insert(other, pair);
            closed([doubled.join("&")]);
        }
        for other in (0..pairs.len()).filter(|other| *other != place) {
            let mut moved = pairs.clone();
            moved.swap(place, other);
            closed([moved.join("&")]);
        }
        let mut without = pairs.clone();
        without.remove(place);
        closed([without.join("&")]);
    }
    for more in ["sessionToken=x", "download=false", "chatflowid=x", "=", ""] {
        closed([format!("{query}&{more}"), format!("{more}&{query}")]);
    }
}

#[test]
fn a_signature_fits_no_other_file() {
    let (file, other) = (file(), file());
    let signature = query(&file).split_once("&signature=").unwrap().1.to_owned();
    for wanted in [
        ChatFile { flow: other.flow, ..file.clone() },
        ChatFile { chat: other.chat, ..file.clone() },
        ChatFile { name: other.name.clone(), ..file.clone() },
        ChatFile {
            flow: FlowId::from_bytes(*file.chat.bytes()),
            chat: ChatId::from_bytes(*file.flow.bytes()),
            ..file.clone()
        },
    ] {
        closed([format!("{}&signature={signature}", canonical_text(&wanted, NOW + 900))]);
    }
    for expires in [NOW + 899, NOW + 901, NOW + 9_000, i64::MAX, 0, -1] {
        closed([format!("{}&signature={signature}", canonical_text(&file, expires))]);
    }
}

#[test]
fn a_link_for_longer_than_fifteen_minutes_opens_nothing_though_its_signature_is_good() {
    let file = file();
    for (expires, open) in [
        (NOW + 2, true),
        (NOW + 901, true),
        (NOW + 902, false),
        (NOW + 1, false),
        (i64::MAX, false),
        (i64::MIN, false),
    ] {
        let signed = canonical_text(&file, expires);
        assert_eq!(opens(&format!("{signed}&signature={}", links().signature(&signed))), open, "{expires}");
    }
}

#[test]
fn other_spellings_of_the_same_values_open_nothing() {
    let file = file();
    let query = query(&file);
    let (flow, name) = (file.flow.to_string(), file.name.to_string());
    let signature = query.split_once("&signature=").unwrap().1;
    closed(
        [
            query.replace(&flow, &flow.to_uppercase()),
            query.replace(&flow, &format!("{{{flow}}}")),
            query.replace(&name, &name.to_uppercase()),
            query.replace("expires=", "expires=+"),
            query.replace("expires=", "expires=0"),
            query.replace(signature, &signature.to_uppercase()),
            query.replace(signature, &format!("{signature}00")),
            query.replace(signature, &signature[..62]),
            query.replace('&', ";"),
            query.replace('&', "&amp;"),
        ]
        .into_iter()
        .filter(|text| *text != query),
    );
}

proptest! {
    #[test]
    fn a_link_gives_back_what_it_was_made_of(
        secret: [u8; 32], flow: [u8; 16], chat: [u8; 16], extension in ".{0,12}", now in 0..4_000_000_000_i64,
    ) {
        let links = FileLinks::new(secret);
        let (flow, chat) = (FlowId::from_bytes(flow), ChatId::from_bytes(chat));
        let file = ChatFile { flow, chat, name: ChatFileName::generate(&extension, 0) };
        let link = links.sign(&file, at(now));
        let query = link.split_once('?').unwrap().1;
        prop_assert_eq!(links.verify(query, at(now)), Some(file));
        prop_assert_eq!(links.verify(query, at(now + FILE_LINK_SECONDS)), None);
    }

    #[test]
    fn no_text_is_a_link_by_chance(text in any::<String>()) {
        prop_assert!(!opens(&text));
    }

    #[test]
    fn no_signature_but_the_right_one_opens_a_file(signature: [u8; 32]) {
        let file = file();
        let signature: String = signature.iter().map(|byte| format!("{byte:02x}")).collect();
        let forged = format!("{}&signature={signature}", canonical_text(&file, NOW + 900));
        prop_assert!(forged == query(&file) || !opens(&forged));
    }
}
