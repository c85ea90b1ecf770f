//! Flows of Langflow.

use super::*;

/// A flow of Langflow; wires are `from`, `to`, field.
fn langflow(name: &str, components: &[(&str, &str, Value)], wires: &[(&str, &str, &str)]) -> Value {
    let component = |(id, kind, values): &(&str, &str, Value)| {
        let fields: serde_json::Map<String, Value> = values
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name.clone(), json!({"value": value})))
            .collect();
        json!({"id": id, "type": "genericNode", "data": {"id": id, "type": kind, "node": {"display_name": kind, "template": fields}}})
    };
    let wire = |(from, to, field): &(&str, &str, &str)| {
        let handle = json!({"fieldName": field, "id": to}).to_string().replace('"', "œ");
        json!({"source": from, "target": to, "sourceHandle": "", "targetHandle": handle})
    };
    let nodes: Vec<Value> = components.iter().map(component).collect();
    let edges: Vec<Value> = wires.iter().map(wire).collect();
    json!({"name": name, "description": "", "data": {"nodes": nodes, "edges": edges, "viewport": {}}})
}

#[test]
fn a_prompt_of_langflow_is_said_in_its_words() {
    let (server, provider) = (Server::start(), Provider::start());
    let file = langflow(
        "Pirate",
        &[
            ("in", "ChatInput", json!({"input_value": "hi"})),
            ("p", "Prompt", json!({"template": "As a {who}: {user_input} {{x}}", "who": "pirate"})),
            (
                "m",
                "OpenAIModel",
                json!({"model_name": "gpt-4o-mini", "temperature": "0.1", "openai_api_key": "OPENAI_API_KEY", "openai_api_base": ""}),
            ),
            ("out", "ChatOutput", json!({})),
        ],
        &[("in", "p", "user_input"), ("p", "m", "input_value"), ("m", "out", "input_value")],
    );
    let flow = publish(&server, &provider, &file);
    assert_eq!(said(&server, &flow, "Ahoy"), "You said: As a pirate: Ahoy {x}");
    assert_eq!(messages(&provider.requests()[0]), told(&[("user", "As a pirate: Ahoy {x}")]));
}

#[test]
fn an_agent_of_langflow_has_its_tools_and_remembers() {
    let (server, provider) = (Server::start(), Provider::start());
    let agent = json!({"agent_llm": "OpenAI", "model_name": "gpt-4o-mini", "system_prompt": "Be exact.", "n_messages": 100,
        "add_current_date_tool": true, "max_iterations": 15, "api_key": "OPENAI_API_KEY"});
    let file = langflow(
        "Exact",
        &[
            ("in", "ChatInput", json!({})),
            ("c", "CalculatorComponent", json!({})),
            ("a", "Agent", agent),
            ("out", "ChatOutput", json!({})),
        ],
        &[("in", "a", "input_value"), ("c", "a", "tools"), ("a", "out", "input_value")],
    );
    let flow = publish(&server, &provider, &json!({"flows": [file]}));
    assert_eq!(said(&server, &flow, "Hi"), "You said: Hi");
    let request = &provider.requests()[0];
    assert_eq!(messages(request), told(&[("system", "Be exact."), ("user", "Hi")]));
    assert_eq!(request.body["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn a_history_in_a_prompt_of_langflow_stands_in_it_here() {
    let (server, provider) = (Server::start(), Provider::start());
    let file = langflow(
        "Memory",
        &[
            ("in", "ChatInput", json!({})),
            ("h", "Memory", json!({"n_messages": 100})),
            ("p", "Prompt", json!({"template": "History: {memory}."})),
            ("m", "LanguageModelComponent", json!({"provider": "OpenAI", "model_name": "gpt-4o-mini"})),
            ("out", "ChatOutput", json!({})),
        ],
        &[
            ("h", "p", "memory"),
            ("p", "m", "system_message"),
            ("in", "m", "input_value"),
            ("m", "out", "input_value"),
        ],
    );
    let flow = publish(&server, &provider, &file);
    assert_eq!(said(&server, &flow, "Hi"), "You said: Hi");
    assert_eq!(messages(&provider.requests()[0]), told(&[("system", "History: ."), ("user", "Hi")]));
}

#[test]
fn what_langflow_does_beside_is_refused_with_a_report() {
    let server = Server::start();
    let file = langflow(
        "Files",
        &[
            ("f", "File", json!({})),
            ("p", "Prompt", json!({"template": "{doc}"})),
            ("m", "OpenAIModel", json!({"model_name": "gpt-4o-mini"})),
            ("out", "ChatOutput", json!({})),
        ],
        &[("f", "p", "doc"), ("p", "m", "input_value"), ("m", "out", "input_value")],
    );
    let report = refusal(&server, &file);
    assert!(report.contains("1 × File ('File'): make a document store"), "{report}");
    let circle = langflow(
        "Circle",
        &[("p", "Prompt", json!({"template": "{x}"})), ("out", "ChatOutput", json!({}))],
        &[("p", "p", "x"), ("p", "out", "input_value")],
    );
    assert!(refusal(&server, &circle).contains("goes round in a circle"));
}

#[test]
fn a_wire_that_is_in_the_file_often_counts_once() {
    let (server, provider) = (Server::start(), Provider::start());
    let agent = json!({"agent_llm": "OpenAI", "model_name": "gpt-4o-mini", "n_messages": 0});
    let wires = [("in", "a", "input_value"), ("a", "out", "input_value")];
    let wires: Vec<_> = wires.into_iter().chain([("c", "a", "tools"); 5_000]).collect();
    let components = [
        ("in", "ChatInput", json!({})),
        ("c", "CalculatorComponent", json!({})),
        ("a", "Agent", agent),
        ("out", "ChatOutput", json!({})),
    ];
    let flow = publish(&server, &provider, &langflow("Often", &components, &wires));
    said(&server, &flow, "Hi");
    assert_eq!(provider.requests()[0].body["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn a_template_with_more_variables_than_a_person_writes_is_refused() {
    let server = Server::start();
    let file = langflow(
        "Long",
        &[
            ("p", "Prompt", json!({"template": "{a}".repeat(300_000)})),
            ("m", "OpenAIModel", json!({"model_name": "gpt-4o-mini"})),
            ("out", "ChatOutput", json!({})),
        ],
        &[("p", "m", "input_value"), ("m", "out", "input_value")],
    );
    let why = refusal(&server, &file);
    assert!(why.contains("too deep, too often or at too great a length"), "{why}");
}

#[test]
fn a_text_that_steps_would_take_for_a_value_is_refused() {
    let server = Server::start();
    let line = |text: &str| {
        langflow(
            "Braces",
            &[
                ("p", "Prompt", json!({"template": text})),
                ("m", "OpenAIModel", json!({"model_name": "gpt-4o-mini"})),
                ("q", "Prompt", json!({"template": "Again: {a}"})),
                ("n", "OpenAIModel", json!({"model_name": "gpt-4o-mini"})),
                ("out", "ChatOutput", json!({})),
            ],
            &[
                ("p", "m", "input_value"),
                ("m", "q", "a"),
                ("q", "n", "input_value"),
                ("n", "out", "input_value"),
            ],
        )
    };
    let why = refusal(&server, &line("Say {{{{$vars.secret}}}} aloud."));
    assert!(why.contains("a text in doubled braces"), "{why}");
    let told = import(&server, &line("Say {{this}} aloud."), "preview", &json!({}));
    assert_eq!(actions(&told), ["create"], "{told}");
}
