//! Secrets of every family at random places of a canvas: none leaves by any way out, and nothing harmless is lost.

use super::*;
use crate::canvas::NoSchemas;
use crate::canvas::describe::{self, Description, FlowChanges};
use crate::domain::flows::version_diff::{Diff, NameChange};
use crate::domain::secrets::samples::{Sample, harmless, samples};
use crate::domain::secrets::{first_match, redact as hide_text};
use proptest::prelude::*;
use serde_json::json;

/// The ways a text can get into a canvas, by number.
const PLACES_COUNT: usize = 14;

/// A canvas with `text` at one place.
fn canvas_with(text: &str, place: usize) -> Canvas {
    let wrapped = |levels: usize| {
        (0..levels).fold(
            json!({ "inner": text, "list": [1, text] }),
            |inner, _| json!({ "deeper": inner.to_string() }),
        )
    };
    let mut node = json!({
        "id": "llm_0", "type": "customNode", "position": { "x": 0, "y": 0 },
        "data": { "id": "llm_0", "name": "llm", "label": "LLM", "inputs": { "prompt": "Be kind.", "code": "return 1" }, "inputParams": [] },
    });
    let inputs = &mut node["data"]["inputs"];
    match place {
        0 => inputs["prompt"] = json!(text),
        1 => inputs["prompt"] = json!(format!("Be kind.\nUse this: {text} .\nThank you")),
        2 => inputs[text] = json!(1),
        3 => inputs["body"] = json!(wrapped(0).to_string()),
        4 => inputs["body"] = wrapped(7),
        5 => inputs["rows"] = json!([{ "key": "X-Other", "value": text }, { "header": text, "value": 1 }]),
        6 => inputs["code"] = json!(format!("const a = `{text}`; // \"{text}\"")),
        7 => node["data"]["label"] = json!(text),
        8 => {
            inputs["agentModelConfig"] =
                json!({ "basepath": text, "headers": json!({ "x": text }).to_string() });
        }
        9 => node["data"]["inputParams"] = json!([{ "name": "a", "placeholder": text, "default": text }]),
        10 => {
            node[text] = json!({ "note": text });
            node["described"] = json!(text);
        }
        11 => inputs["broken"] = json!(format!("{{\"a\": \"{text}\", {{{{x}}}} }}")),
        12 => inputs["messages"] = json!([[{ "role": "user", "content": [{ "text": text }] }]]),
        _ => inputs["prompt"] = json!(format!("{text}\n{text}")),
    }
    let edges = if place == 7 {
        json!([{ "id": text, "source": text, "target": text, "data": { "label": text } }])
    } else {
        json!([])
    };
    Canvas::parse(&json!({ "nodes": [node], "edges": edges }).to_string()).unwrap()
}

fn as_json_holds(text: &str) -> String {
    serde_json::to_string(text).unwrap().trim_matches('"').to_owned()
}

fn assert_absent(sample: &Sample, written: &str) -> Result<(), TestCaseError> {
    for form in [sample.secret.clone(), as_json_holds(&sample.secret)] {
        prop_assert!(!written.contains(&form), "{} leaves in {}", sample.secret, written);
    }
    Ok(())
}

/// All that a difference says, as it is.
fn texts_of(diff: &Diff) -> String {
    let Diff { added, removed, changed, moved, renamed, .. } = diff;
    let mut texts: Vec<&str> = moved.iter().map(String::as_str).collect();
    for card in added.iter().chain(removed) {
        texts.extend([card.id.as_str(), &card.label, &card.name]);
    }
    for card in changed {
        texts.extend([card.id.as_str(), &card.label]);
        texts.extend(card.fields.iter().map(String::as_str));
    }
    texts.extend(renamed.iter().flat_map(|names| [names.from.as_str(), &names.to]));
    texts.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_leaves_a_canvas_by_any_way(sample in samples(), place in 0..PLACES_COUNT) {
        let text = sample.text();
        let canvas = canvas_with(&text, place);
        let version = redact(&canvas, &NoSchemas, &|_| Some(CredentialName { name: text.clone(), credential_name: "openAIApi".into() }));
        let written = version.text();
        assert_absent(&sample, &written)?;
        prop_assert_eq!(first_match(written.as_bytes()), None, "{}", written);

        let empty = canvas_with("", 0);
        let empty = redact(&empty, &NoSchemas, &|_| None);
        let diff = Diff { renamed: NameChange::between("a", &hide_text(&text).text), ..Diff::between(&empty, &version) };
        assert_absent(&sample, &texts_of(&diff))?;

        let raw = Diff { renamed: NameChange::between(&text, "b"), ..diff };
        let settings = [text.clone()];
        let described = Description::from_changes(&FlowChanges { diff: &raw, canvas: &version, cards: &NoSchemas, kind: Some(&text), category: true, settings: &settings }, Some(&empty));
        let titles = [described.save_title(), described.publish_title(), describe::create_title(&text), describe::delete_title(&text), describe::restore_title(&text, "0123abc"), described.details.join("\n")];
        for title in titles {
            assert_absent(&sample, &title)?;
            prop_assert_eq!(first_match(title.as_bytes()), None, "{}", title);
        }

        let again = Canvas::parse(&version.text()).unwrap();
        prop_assert_eq!(redact(&again, &NoSchemas, &|_| None), version);
    }

    #[test]
    fn nothing_harmless_is_lost_from_a_canvas(text in harmless(), place in 0..PLACES_COUNT) {
        let canvas = canvas_with(&text, place);
        let version = redact(&canvas, &NoSchemas, &|_| None);
        let Value::Object(mut raw) = Value::Object(canvas.raw().clone()) else { unreachable!("it is one") };
        raw.shift_remove("viewport");
        prop_assert_eq!(Value::Object(version.raw().clone()), Value::Object(raw));
    }

    #[test]
    fn what_is_never_stored_never_is(secret in "[a-z]{3,10}[0-9]{0,3}", place in 0_usize..9) {
        let held = format!("zq{secret}qz");
        let inputs = match place {
            0 => json!({ "apiKey": held }),
            1 => json!({ "My Db-Password": held }),
            2 => json!({ "pin": held }),
            3 => json!({ "headers": { "authorization": held } }),
            4 => json!({ "headers": json!({ "X-Auth-Token": held }).to_string() }),
            5 => json!({ "headers": json!([{ "key": "Proxy-Authorization", "value": held }]).to_string() }),
            6 => json!({ "FLOWISE_CREDENTIAL_ID": held, "agentModelConfig": { "credential": held, "credentialId": held } }),
            7 => json!({ "chatModel": "chatOpenAI", "chatModelConfig": json!({ "openAIApiKey": held }).to_string() }),
            _ => json!({ "file": format!("data:text/plain;base64,{held}"), "files": [format!("data:text/plain;base64,{held}")] }),
        };
        let node = json!({ "id": "a", "data": { "name": "x", "inputs": inputs, "credential": held, "inputParams": [{ "name": "pin", "type": "password" }] } });
        let canvas = Canvas::parse(&json!({ "nodes": [node], "edges": [] }).to_string()).unwrap();
        let written = redact(&canvas, &NoSchemas, &|_| None).text();
        prop_assert!(!written.contains(&held), "{}", written);
    }
}
