//! Apps of Dify.

use super::*;

const DIFY_CHAT: &str = r"
app:
  mode: chat
  name: 'Sock adviser'
kind: app
version: 0.1.5
model_config:
  pre_prompt: 'You sell socks. Speak of {wool} in braces.'
  opening_statement: 'Which socks?'
  suggested_questions: ['Warm ones?', 'Thin ones?']
  user_input_form: []
  model:
    provider: langgenius/openai/openai
    name: gpt-4o-mini
    mode: chat
    completion_params: {temperature: 0.3, max_tokens: 300, stop: []}
  agent_mode: {enabled: false, tools: []}
  dataset_configs: {datasets: {datasets: []}}
";

const DIFY_LINE: &str = r#"
app: {mode: workflow, name: 'Two steps'}
kind: app
version: 0.3.0
workflow:
  features: {}
  graph:
    edges:
    - {source: 's', target: 'a'}
    - {source: 'a', target: 'b'}
    - {source: 'b', target: 'e'}
    nodes:
    - id: 's'
      type: custom
      data: {type: start, title: Start, variables: [{variable: topic, label: Topic, type: text-input, required: true}]}
    - id: 'a'
      type: custom
      data:
        type: llm
        title: Writer
        model: {provider: openai, name: gpt-4o-mini, mode: chat, completion_params: {temperature: 0}}
        prompt_template:
        - {role: system, text: 'You write.'}
        - {role: user, text: 'Write of {{#s.topic#}}.'}
    - id: 'b'
      type: custom
      data:
        type: llm
        title: Critic
        model: {provider: openai, name: gpt-4o-mini, mode: chat, completion_params: {}}
        prompt_template:
        - {role: system, text: 'You judge.'}
        - {role: user, text: 'Judge this: {{#a.text#}}'}
    - id: 'e'
      type: custom
      data: {type: end, title: End, outputs: [{variable: out, value_selector: ['b', text]}]}
    - id: 'n'
      type: custom-note
      data: {text: '{"root":{"children":[{"children":[{"text":"Two heads.","type":"text"}],"type":"paragraph"}]}}'}
"#;

#[test]
fn a_chat_of_dify_comes_in_as_yaml_and_as_json() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = publish(&server, &provider, &of_text(DIFY_CHAT));
    assert_eq!(said(&server, &flow, "Warm?"), "You said: Warm?");
    let request = &provider.requests()[0];
    let expected = told(&[("system", "You sell socks. Speak of {wool} in braces."), ("user", "Warm?")]);
    assert_eq!(messages(request), expected);
    assert_eq!(request.body["temperature"], 0.3);
    let chat = server.read(&format!("/chatflows/{flow}"))["chatbotConfig"].to_string();
    assert!(chat.contains("Which socks?") && chat.contains("Thin ones?"), "{chat}");
    let json = json!({"app": {"mode": "chat", "name": "As JSON"}, "kind": "app",
        "model_config": {"pre_prompt": "Hi.", "model": {"provider": "openai", "name": "gpt-4o"}}});
    assert_eq!(actions(&import(&server, &json, "preview", &json!({}))), ["create"]);
}

#[test]
fn a_line_of_steps_of_dify_becomes_an_agentflow() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = publish(&server, &provider, &of_text(DIFY_LINE));
    for step in [Behaviour::text("A poem."), Behaviour::text("Fine.")] {
        provider.push_behaviour(step);
    }
    assert_eq!(said(&server, &flow, "socks"), "Fine.");
    let requests = provider.requests();
    assert_eq!(messages(&requests[0]), told(&[("system", "You write."), ("user", "Write of socks.")]));
    assert_eq!(messages(&requests[1]), told(&[("system", "You judge."), ("user", "Judge this: A poem.")]));
    let record = server.read(&format!("/chatflows/{flow}"));
    assert_eq!(record["type"], "AGENTFLOW");
    assert!(drawn(&server, &flow).contains("Two heads."));
}

#[test]
fn knowledge_of_dify_waits_for_a_document_store() {
    let server = Server::start();
    let text = DIFY_CHAT.replace("datasets: []", "datasets: [{dataset: {enabled: true, id: x}}]");
    let preview = import(&server, &of_text(&text), "preview", &json!({}));
    let item = &preview["items"][0];
    assert!(item["notes"].to_string().contains("make one document store"), "{preview}");
    assert!(item["problems"].to_string().contains("Document Store"), "{preview}");
}

#[test]
fn branches_and_moderations_of_dify_are_refused_with_a_report() {
    let server = Server::start();
    let branched =
        DIFY_LINE.replace("type: llm\n        title: Critic", "type: if-else\n        title: Critic");
    assert!(
        refusal(&server, &of_text(&branched)).contains("1 × if-else ('Critic'): draw it as a Condition step")
    );
    let moderated = format!("{DIFY_CHAT}  sensitive_word_avoidance: {{enabled: true}}\n");
    assert!(refusal(&server, &of_text(&moderated)).contains("a moderation"));
    let foreign = DIFY_LINE.replace("{{#a.text#}}", "{{#env.SECRET#}}");
    assert!(refusal(&server, &of_text(&foreign)).contains("the value {{#env.SECRET#}}"));
}

#[test]
fn an_answer_that_quotes_what_was_found_is_refused() {
    let server = Server::start();
    let app = r#"
app: {mode: advanced-chat, name: 'Quote'}
kind: app
version: 0.3.0
workflow:
  features: {}
  graph:
    edges:
    - {source: 's', target: 'k'}
    - {source: 'k', target: 'a'}
    - {source: 'a', target: 'e'}
    nodes:
    - {id: 's', data: {type: start, title: Start, variables: []}}
    - {id: 'k', data: {type: knowledge-retrieval, title: Find, dataset_ids: ['x'], query_variable_selector: ['sys', 'query']}}
    - id: 'a'
      data:
        type: llm
        title: Say
        model: {provider: openai, name: gpt-4o-mini, mode: chat, completion_params: {}}
        context: {enabled: true, variable_selector: ['k', 'result']}
        prompt_template: [{role: system, text: 'Read {{#context#}}.'}]
    - {id: 'e', data: {type: answer, title: Answer, answer: '{{#a.text#}} {{#k.result#}}'}}
"#;
    let why = refusal(&server, &of_text(app));
    assert!(why.contains("an answer that quotes what was found"), "{why}");
}
