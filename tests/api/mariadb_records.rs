//! The MySQL Record Manager, before a real MariaDB, which `.ci/mariadb` starts.

use super::code_databases::Fixture;
use crate::support::canvases::Drawing;
use serde_json::{Value, json};

const MONDAY: &str = "Parcels leave the house on Mondays.";
const FRIDAY: &str = "Parcels leave the house on Fridays.";
const OFFICE: &str = "The office is in Oslo, near the harbour.";

fn house() -> Option<Fixture> {
    Fixture::open("FLOWKEEP_MARIADB", &[])
}

/// A store of these texts whose records are in the database; `more` are further inputs of the record manager.
fn canvas(house: &Fixture, credential: &str, texts: &[(&str, &str)], more: &Value) -> String {
    let mut drawing = Drawing::default();
    let store = drawing.card("faiss", json!({"basePath": "handbook"}));
    for (source, text) in texts {
        let metadata = json!({"source": source}).to_string();
        let loader = drawing.card("plainText", json!({"text": text, "metadata": metadata}));
        drawing.wire(&loader, &store, "document");
    }
    let fields = house.fields();
    let mut inputs = json!({
        "host": fields["host"], "port": fields["port"], "database": fields["database"],
        "tableName": format!("{}_r", house.table),
    });
    for (name, value) in more.as_object().unwrap() {
        inputs[name] = value.clone();
    }
    let records = drawing.card("MySQLRecordManager", inputs);
    drawing.credential(&records, credential);
    drawing.wire(&records, &store, "recordManager");
    drawing.answer_with_chunks(&store, json!({"dimensions": "16"}));
    drawing.text()
}

fn save(house: &Fixture, flow: &str, canvas: &str) {
    let call = house.server.owner("PUT", &format!("/chatflows/{flow}"));
    call.json(&json!({ "flowData": canvas })).send().is(200);
}

/// Added, removed and skipped chunks.
fn filled(house: &Fixture, flow: &str) -> [u64; 3] {
    let call = house.server.owner("POST", &format!("/vector/upsert/{flow}"));
    let counts = call.json(&json!({})).send().is(200).json();
    ["numAdded", "numDeleted", "numSkipped"].map(|name| counts[name].as_u64().unwrap())
}

fn rows(house: &Fixture, sql: &str) -> Value {
    house.run_query(&sql.replace("TBL", &format!("{}_r", house.table)))
}

#[test]
fn records_on_the_server_tell_what_is_new_and_what_is_gone() {
    let Some(house) = house() else { return };
    let credential = house.credential("Records", &json!({}));
    let both = [("a", MONDAY), ("b", OFFICE)];
    let flow = house.server.flow(&canvas(&house, &credential, &both, &json!({})));
    for (cleanup, texts, counts) in [
        ("none", &both[..], [2, 0, 0]),
        ("none", &both[..], [0, 0, 2]),
        ("incremental", &[("a", FRIDAY)][..], [1, 1, 0]),
        ("full", &[("b", OFFICE)][..], [0, 1, 1]),
        ("none", &[("a", MONDAY)][..], [1, 0, 0]),
    ] {
        save(&house, &flow, &canvas(&house, &credential, texts, &json!({ "cleanup": cleanup })));
        assert_eq!(filled(&house, &flow), counts, "{cleanup} {texts:?}");
    }
    let sql =
        "SELECT `namespace`, `group_id` FROM TBL WHERE `updated_at` > 1e9 AND `uuid` IS NOT NULL ORDER BY 2";
    let namespace = format!("{flow}_handbook");
    assert_eq!(
        rows(&house, sql),
        json!([{"namespace": namespace, "group_id": "a"}, {"namespace": namespace, "group_id": "b"}])
    );
}

#[test]
fn namespaces_are_told_apart_by_every_character() {
    let Some(house) = house() else { return };
    let credential = house.credential("Records", &json!({}));
    let drawn = |namespace: &str, text| {
        let more = json!({"namespace": namespace, "cleanup": "full"});
        canvas(&house, &credential, &[("a", text)], &more)
    };
    let flow = house.server.flow(&drawn("one", MONDAY));
    assert_eq!(filled(&house, &flow), [1, 0, 0]);
    for (at, namespace) in ["One", "it's \"another\" `one`; --", "öne"].into_iter().enumerate() {
        save(&house, &flow, &drawn(namespace, OFFICE));
        assert_eq!(filled(&house, &flow)[1], 0, "{namespace}");
        assert_eq!(rows(&house, "SELECT CAST(count(*) AS CHAR) AS n FROM TBL")[0]["n"], (at + 2).to_string());
    }
}

#[test]
fn thousands_of_records_are_stored_and_removed_in_pieces() {
    let Some(house) = house() else { return };
    let credential = house.credential("Records", &json!({}));
    let texts: Vec<String> =
        (0..6_001).map(|number| format!("Parcel {number} 'left' \\ the ? house.")).collect();
    let all: Vec<(&str, &str)> = texts.iter().map(|text| ("a", text.as_str())).collect();
    let long = all.iter().map(|(_, text)| *text).collect::<Vec<_>>().join("\n");
    let mut drawn: Value =
        serde_json::from_str(&canvas(&house, &credential, &[("a", &long)], &json!({}))).unwrap();
    let mut drawing = Drawing::default();
    let splitter = drawing
        .card("characterTextSplitter", json!({"separator": "\n", "chunkSize": "1", "chunkOverlap": "0"}));
    let more: Value = serde_json::from_str(&drawing.text()).unwrap();
    let loader =
        drawn["nodes"].as_array_mut().unwrap().iter_mut().find(|node| node["data"]["name"] == "plainText");
    loader.unwrap()["data"]["inputs"]["textSplitter"] = json!(format!("{{{{{splitter}.data.instance}}}}"));
    drawn["nodes"].as_array_mut().unwrap().extend(more["nodes"].as_array().unwrap().iter().cloned());
    let flow = house.server.flow(&drawn.to_string());
    assert_eq!(filled(&house, &flow), [6_001, 0, 0]);
    assert_eq!(filled(&house, &flow), [0, 0, 6_001]);
    save(&house, &flow, &canvas(&house, &credential, &[("a", MONDAY)], &json!({"cleanup": "full"})));
    assert_eq!(filled(&house, &flow), [1, 6_001, 0]);
}

#[test]
fn what_fails_names_the_card_and_says_what_to_do() {
    let Some(house) = house() else { return };
    let good = house.credential("Records", &json!({}));
    let bad = house.credential("Wrong", &json!({"password": "not-this-one"}));
    let long = "x".repeat(256);
    for (credential, more, says) in [
        (&bad, json!({}), "check the credential"),
        (&good, json!({"database": "nowhere"}), "no such database"),
        (&good, json!({"tableName": "a; DROP TABLE b"}), "letters, digits and underscores"),
        (&good, json!({"namespace": long}), "at most 255 characters"),
        (
            &good,
            json!({"additionalConfig": "{\"ssl\": {\"rejectUnauthorized\": false}}"}),
            "has to prove who it is",
        ),
        (&good, json!({"additionalConfig": "{\"socketPath\": \"/x\"}"}), "'socketPath' cannot be set"),
        (&good, json!({"port": "1"}), "MySQL Record Manager"),
    ] {
        let flow = house.server.flow(&canvas(&house, credential, &[("a", MONDAY)], &more));
        let call = house.server.owner("POST", &format!("/vector/upsert/{flow}"));
        let text = call.json(&json!({})).send().text();
        assert!(text.contains("MySQL Record Manager") && text.contains(says), "{more}: {text}");
        assert!(!text.contains(house.url.password().unwrap()) && !text.contains("not-this-one"), "{text}");
        house.server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
    }
}
