//! References of agentflows, resolved for a run that is made up.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::collections::HashMap;

/// Knows what it is given.
#[derive(Default)]
struct KnownValues {
    texts: HashMap<RunText, String>,
    values: HashMap<RunValue, Value>,
    documents: String,
}

impl Scope for KnownValues {
    fn text(&self, name: &RunText) -> Option<Cow<'_, str>> {
        self.texts.get(name).map(|text| Cow::Borrowed(text.as_str()))
    }

    fn value(&self, name: &RunValue) -> Option<Cow<'_, Value>> {
        self.values.get(name).map(Cow::Borrowed)
    }

    fn documents(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.documents)
    }
}

fn known() -> KnownValues {
    let node = |id: &str| RunValue::NodeOutput(id.to_owned());
    KnownValues {
        texts: HashMap::from([
            (RunText::Question, "What's \"up\"? $& {{ loop_count }} <b>".to_owned()),
            (RunText::LoopCount, "2".to_owned()),
            (RunText::Variable("tone".to_owned()), "kind".to_owned()),
            (RunText::NodeContent("llm_0".to_owned()), "{\"a\": 1}".to_owned()),
        ]),
        values: HashMap::from([
            (node("llm_0"), json!({"content": "{\"a\": [1, 2]}", "n": 3, "ok": true, "none": null})),
            (RunValue::Iteration, json!(0)),
            (RunValue::Form, json!({"name": "Ann", "tags": ["x", "y"]})),
            (RunValue::State, json!({"deep": {"list": [{"k": "v"}]}})),
            (RunValue::OwnOutput, json!("done")),
        ]),
        documents: String::new(),
    }
}

fn resolve(value: Value) -> Value {
    ValueSource::from_saved(&value).resolve(&known())
}

#[test]
fn a_part_that_is_the_whole_value_keeps_its_type() {
    for (text, value) in [
        ("{{ llm_0.output.n }}", json!(3)),
        ("{{llm_0.output.ok}}", json!(true)),
        ("{{ llm_0.output.none }}", Value::Null),
        ("{{ llm_0.output.content.a }}", json!([1, 2])),
        ("{{ $iteration }}", json!(0)),
        ("{{ $form.tags }}", json!(["x", "y"])),
        ("{{ $flow.state.deep.list[0] }}", json!({"k": "v"})),
        ("{{ output }}", json!("done")),
        ("<p><span data-type=\"mention\" data-id=\"x\">{{ llm_0.output.n }}</span> </p>", json!(3)),
    ] {
        assert_eq!(resolve(json!(text)), value, "{text}");
    }
}

#[test]
fn the_output_of_the_step_itself_is_its_text_and_paths_go_into_what_it_made_first() {
    let mut scope = known();
    let made = json!({"content": "{\"n\": 1, \"m\": [2]}", "n": 7});
    scope.values.insert(RunValue::OwnOutput, made.clone());
    for (text, value) in [
        ("{{ output }}", made["content"].clone()),
        ("{{output}}!", json!("{\"n\": 1, \"m\": [2]}!")),
        ("{{ output.content }}", made["content"].clone()),
        ("{{ output.n }}", json!(7)),
        ("{{ output.m[0] }}", json!(2)),
        ("{{ output.content.n }}", json!(1)),
        ("{{ output.other }}", json!("{{ output.other }}")),
    ] {
        assert_eq!(ValueSource::from_saved(&json!(text)).resolve(&scope), value, "{text}");
    }
}

#[test]
fn the_output_of_a_step_without_a_text_is_all_that_it_made() {
    let mut scope = known();
    scope.values.insert(RunValue::OwnOutput, json!({"http": {"status": 200}}));
    let resolve = |text: &str| ValueSource::from_saved(&json!(text)).resolve(&scope);
    assert_eq!(resolve("{{ output }}"), json!({"http": {"status": 200}}));
    assert_eq!(resolve("{{ output.http.status }}"), json!(200));
}

#[test]
fn a_part_within_a_text_becomes_text() {
    for (text, value) in [
        ("n={{ llm_0.output.n }}", "n=3"),
        ("{{ $iteration }}{{ $iteration }}", "00"),
        ("{{ $form.tags }}!", "[\"x\",\"y\"]!"),
        ("{{ $form.name }}, {{ $vars.tone }}", "Ann, kind"),
        ("[{{ llm_0.output.none }}]", "[]"),
        ("{{ loop_count }}", "2"),
        ("{{ llm_0 }}", "{\"a\": 1}"),
    ] {
        assert_eq!(resolve(json!(text)), json!(value), "{text}");
    }
}

#[test]
fn what_is_not_known_stays_as_it_is_written() {
    for text in [
        "{{ other_0 }}",
        "{{other_0.output.x}} and {{ $vars.none }}",
        "{{ llm_0.output.missing }}",
        "{{ $webhook.body }}",
        "{{ llm_0.data.instance }}",
    ] {
        assert_eq!(resolve(json!(text)), json!(text));
    }
}

#[test]
fn a_value_that_looks_like_a_reference_or_a_mark_is_put_in_as_it_is() {
    assert_eq!(
        resolve(json!("<p>Q: {{ question }}</p>")),
        json!("Q: What's \"up\"? $& {{ loop_count }} <b>")
    );
}

#[test]
fn html_that_comes_in_is_not_converted() {
    let mut scope = known();
    scope.texts.insert(RunText::Question, "<p>&amp;</p>".to_owned());
    let source = ValueSource::from_saved(&json!("{{ question }}"));
    assert_eq!(source.resolve(&scope), json!("<p>&amp;</p>"));
}

#[test]
fn rows_are_resolved_at_any_depth() {
    let rows = json!([{"key": "{{ question }}", "value": {"n": "{{ llm_0.output.n }}", "k": 1}}, "<p>a</p>"]);
    let resolved = resolve(rows);
    assert_eq!(resolved[0]["value"], json!({"n": 3, "k": 1}));
    assert_eq!(resolved[1], "a");
}

#[test]
fn texts_of_files_stand_before_a_value_that_holds_the_question() {
    let mut scope = known();
    scope.texts.insert(RunText::Question, "Q".to_owned());
    scope.texts.insert(RunText::FileAttachment, "F".to_owned());
    scope.documents = "F".to_owned();
    let resolve = |text: &str| ValueSource::from_saved(&json!(text)).resolve(&scope);
    assert_eq!(resolve("Say: {{ question }} {{ question }}"), json!("F\n\nSay: Q Q"));
    assert_eq!(resolve("{{ question }} {{ file_attachment }}"), json!("Q F"));
    assert_eq!(resolve("{{ loop_count }}"), json!("2"));
}

#[test]
fn values_go_into_the_strings_of_json_and_not_into_its_grammar() {
    let source = ValueSource::from_saved_json(&json!(
        "{\"q\": \"Q: {{ question }}\", \"n\": \"{{ llm_0.output.n }}\"}"
    ));
    assert_eq!(source.resolve(&known()), json!({"q": "Q: What's \"up\"? $& {{ loop_count }} <b>", "n": 3}));
}

#[test]
fn a_reference_without_quotation_marks_becomes_a_part_of_the_json() {
    let text = "{\"n\": {{ llm_0.output.n }}, \"all\": [{{ llm_0 }}], \"q\": {{ question }}, \"t\": \"\\\"{{ loop_count }}\"}";
    let resolved = ValueSource::from_saved_json(&json!(text)).resolve(&known());
    assert_eq!(resolved["n"], 3);
    assert_eq!(resolved["all"], json!([{"a": 1}]));
    assert_eq!(resolved["q"], "What's \"up\"? $& {{ loop_count }} <b>");
    assert_eq!(resolved["t"], "\"2");
}

#[test]
fn the_text_of_an_object_or_a_list_stays_one_and_is_kept_as_it_is_written() {
    let resolve = |text: &str| ValueSource::from_saved_json_text(&json!(text)).resolve(&known());
    assert_eq!(
        resolve(
            "{ \"q\": \"Q: {{ question }}\",\n  \"n\": {{ llm_0.output.n }}, \"big\": 12345678901234567890123, \"x\": {{ question }} }"
        ),
        json!(
            "{ \"q\": \"Q: What's \\\"up\\\"? $& {{ loop_count }} <b>\",\n  \"n\": 3, \"big\": 12345678901234567890123, \"x\": \"What's \\\"up\\\"? $& {{ loop_count }} <b>\" }"
        )
    );
    assert_eq!(
        resolve("[{{ llm_0 }}, {{ $form.tags }}, \"{{ $form.tags }}\"]"),
        json!("[{\"a\": 1}, [\"x\",\"y\"], \"[\\\"x\\\",\\\"y\\\"]\"]")
    );
    for (text, value) in [
        ("{{ llm_0.output.n }}", json!(3)),
        ("{{ question }}, b", json!("What's \"up\"? $& {{ loop_count }} <b>, b")),
        ("{broken {{ loop_count }}", json!("{broken 2")),
        ("007", json!("007")),
    ] {
        assert_eq!(resolve(text), value, "{text}");
    }
}

#[test]
fn texts_of_files_stand_within_the_string_that_holds_the_question() {
    let mut scope = known();
    scope.texts.insert(RunText::Question, "Q".to_owned());
    scope.documents = "F \"1\"".to_owned();
    let source = ValueSource::from_saved_json_text(&json!("{\"q\": \"Say: {{ question }}\"}"));
    assert_eq!(source.resolve(&scope), json!("{\"q\": \"Say: F \\\"1\\\"\\n\\nQ\"}"));
}

#[test]
fn text_that_is_no_json_stays_text() {
    let resolve = |text: &str| ValueSource::from_saved_json(&json!(text)).resolve(&known());
    assert_eq!(resolve("plain {{ loop_count }}"), json!("plain 2"));
    assert_eq!(resolve("{broken {{ loop_count }}"), json!("{broken 2"));
    assert_eq!(resolve("{{ llm_0.output.n }}"), json!(3));
}

#[test]
fn the_nodes_that_a_value_needs_are_told() {
    let source =
        ValueSource::from_saved(&json!([{"a": "{{ b_1 }} {{ a_0.output.x }}"}, "{{ question }} {{ a_0 }}"]));
    assert_eq!(source.node_ids().into_iter().collect::<Vec<_>>(), ["a_0", "b_1"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_is_never_searched_again(question in "(\\{\\{|\\}\\}| |loop_count|\\$&|\\$vars.tone|<p>|\"|\\\\){0,12}") {
        let mut scope = known();
        scope.texts.insert(RunText::Question, question.clone());
        let source = ValueSource::from_saved(&json!("{{ {{ question }} }} {{loop_count}}"));
        prop_assert_eq!(source.resolve(&scope), json!(format!("{{{{ {question} }}}} 2")));
    }

    #[test]
    fn a_text_whose_references_are_unknown_stays(text in "(\\{\\{|\\}\\}|\\{|\\}| |question|\\$form.a|n_1.output.b|\\$vars.x|\\\\_){0,16}") {
        let source = ValueSource::from_saved(&json!(text));
        prop_assert_eq!(source.resolve(&KnownValues::default()), json!(text));
    }

    #[test]
    fn no_value_changes_the_keys_of_json(question in ".{0,20}|\", \"admin\": true, \"x\": \"") {
        let mut scope = known();
        scope.texts.insert(RunText::Question, question.clone());
        let source = ValueSource::from_saved_json(&json!("{\"q\": \"{{ question }}\", \"n\": {{ llm_0.output.n }}}"));
        prop_assert_eq!(source.resolve(&scope), json!({"q": question, "n": 3}));
        let source = ValueSource::from_saved_json_text(&json!("{\"q\": \"{{ question }}\", \"n\": {{ llm_0.output.n }}}"));
        let resolved = source.resolve(&scope);
        let read: Value = serde_json::from_str(resolved.as_str().unwrap()).unwrap();
        prop_assert_eq!(read, json!({"q": question, "n": 3}));
    }
}
