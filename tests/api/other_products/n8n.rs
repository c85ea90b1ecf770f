//! Workflows of n8n.

use super::*;

fn node(name: &str, kind: &str, parameters: Value) -> Value {
    let package = if ["if", "code", "noOp", "stickyNote", "webhook"].contains(&kind) {
        "n8n-nodes-base"
    } else {
        "@n8n/n8n-nodes-langchain"
    };
    json!({"name": name, "type": format!("{package}.{kind}"), "typeVersion": 1, "position": [0, 0], "parameters": parameters})
}

/// A workflow of n8n; connections are `from`, kind, `to`.
fn workflow(name: &str, nodes: &[Value], connections: &[(&str, &str, &str)]) -> Value {
    let mut wired = json!({});
    for (from, kind, to) in connections {
        let target = json!({"node": to, "type": kind, "index": 0});
        match &mut wired[from][kind] {
            Value::Array(outputs) => outputs[0].as_array_mut().unwrap().push(target),
            slot => *slot = json!([[target]]),
        }
    }
    json!({"name": name, "nodes": nodes, "connections": wired, "pinData": {}, "active": false})
}

fn openai() -> Value {
    let mut model = node(
        "Model",
        "lmChatOpenAi",
        json!({"model": {"__rl": true, "mode": "list", "value": "gpt-4o-mini"}, "options": {"temperature": 0.2, "timeout": 1000}}),
    );
    model["credentials"] = json!({"openAiApi": {"id": "1", "name": "mine"}});
    model
}

/// An agent with a memory and a calculator.
fn n8n_agent(agent: Value) -> Value {
    workflow(
        "Shop desk",
        &[
            node(
                "Chat",
                "chatTrigger",
                json!({"public": true, "initialMessages": "Good day!", "options": {}}),
            ),
            node("Agent", "agent", agent),
            openai(),
            node("Memory", "memoryBufferWindow", json!({"contextWindowLength": 3})),
            node("Sums", "toolCalculator", json!({})),
            node("Note", "stickyNote", json!({"content": "Ask me about socks."})),
        ],
        &[
            ("Chat", "main", "Agent"),
            ("Model", "ai_languageModel", "Agent"),
            ("Memory", "ai_memory", "Agent"),
            ("Sums", "ai_tool", "Agent"),
        ],
    )
}

#[test]
fn an_agent_of_n8n_answers_with_its_words_its_tool_and_its_memory() {
    let (server, provider) = (Server::start(), Provider::start());
    let agent = json!({"options": {"systemMessage": "You sell socks. JSON is {\"a\": 1}."}});
    let flow = publish(&server, &provider, &n8n_agent(agent));
    for step in [Behaviour::call("calculator", json!({"input": "2+3"})), Behaviour::text("Five.")] {
        provider.push_behaviour(step);
    }
    assert_eq!(said(&server, &flow, "How many?"), "Five.");
    let requests = provider.requests();
    let expected = told(&[("system", "You sell socks. JSON is {\"a\": 1}."), ("user", "How many?")]);
    assert_eq!(messages(&requests[0]), expected);
    assert_eq!(
        (&requests[0].body["model"], &requests[0].body["temperature"]),
        (&json!("gpt-4o-mini"), &json!(0.2))
    );
    assert_eq!(requests[0].body["tools"][0]["function"]["name"], "calculator");
    let record = server.read(&format!("/chatflows/{flow}"));
    assert!(record["chatbotConfig"].to_string().contains("Good day!"), "{record}");
    assert!(drawn(&server, &flow).contains("Ask me about socks."));
    assert_eq!((&record["name"], &record["type"]), (&json!("Shop desk"), &json!("CHATFLOW")));
}

#[test]
fn a_preview_of_a_foreign_file_changes_nothing_and_says_what_differs() {
    let server = Server::start();
    let preview = import(&server, &n8n_agent(json!({"options": {}})), "preview", &json!({}));
    assert_eq!(actions(&preview), ["create"], "{preview}");
    let notes = preview["items"][0]["notes"].to_string();
    for part in ["export of n8n", "Choose a credential for 'Model' (openAiApi there)", "left out: timeout"] {
        assert!(notes.contains(part), "{part}: {notes}");
    }
    assert_eq!(server.read("/chatflows"), json!([]));
    import(&server, &n8n_agent(json!({"options": {}})), "import", &json!({}));
    let again = import(&server, &n8n_agent(json!({"options": {}})), "import", &json!({}));
    assert_eq!(actions(&again), ["skip"], "once is enough: {again}");
}

#[test]
fn a_chain_of_n8n_says_its_prompt_and_reads_its_answer_into_an_object() {
    let (server, provider) = (Server::start(), Provider::start());
    let schema =
        json!({"type": "object", "properties": {"city": {"type": "string"}, "size": {"type": "integer"}}});
    let file = workflow(
        "Cities",
        &[
            node("Chat", "manualChatTrigger", json!({})),
            node(
                "Reader",
                "chainLlm",
                json!({"promptType": "define", "text": "=Read {{ $json.chatInput }} {now}", "hasOutputParser": true,
                    "messages": {"messageValues": [{"message": "You read."}]}}),
            ),
            openai(),
            node(
                "Parser",
                "outputParserStructured",
                json!({"schemaType": "manual", "inputSchema": schema.to_string()}),
            ),
        ],
        &[
            ("Chat", "main", "Reader"),
            ("Model", "ai_languageModel", "Reader"),
            ("Parser", "ai_outputParser", "Reader"),
        ],
    );
    let flow = publish(&server, &provider, &file);
    provider.push_behaviour(Behaviour::text("{\"city\": \"Oslo\", \"size\": 7}"));
    let answer = server.ask(&flow, &json!({"question": "it"})).is(200).json();
    assert_eq!(answer["json"], json!({"city": "Oslo", "size": 7}), "{answer}");
    let sent = messages(&provider.requests()[0]);
    assert_eq!(sent[0], ("system".to_owned(), "You read.".to_owned()));
    assert!(sent[1].1.starts_with("Read it {now}"), "{sent:?}");
}

#[test]
fn a_row_of_agents_of_n8n_becomes_steps() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut second = openai();
    second["name"] = "Model 2".into();
    let file = workflow(
        "Row",
        &[
            node("Chat", "chatTrigger", json!({})),
            node("Writer", "agent", json!({"options": {"systemMessage": "=You write."}})),
            node(
                "Critic",
                "agent",
                json!({"promptType": "define", "text": "=Judge: {{ $json.output }}", "options": {"systemMessage": "You judge."}}),
            ),
            openai(),
            second,
        ],
        &[
            ("Chat", "main", "Writer"),
            ("Writer", "main", "Critic"),
            ("Model", "ai_languageModel", "Writer"),
            ("Model 2", "ai_languageModel", "Critic"),
        ],
    );
    let flow = publish(&server, &provider, &file);
    for step in [Behaviour::text("A poem."), Behaviour::text("Fine.")] {
        provider.push_behaviour(step);
    }
    assert_eq!(said(&server, &flow, "socks"), "Fine.");
    let requests = provider.requests();
    assert_eq!(messages(&requests[0]), told(&[("system", "You write."), ("user", "socks")]));
    assert_eq!(messages(&requests[1]), told(&[("system", "You judge."), ("user", "Judge: A poem.")]));
}

#[test]
fn what_n8n_does_beside_a_chat_is_refused_with_a_report() {
    let server = Server::start();
    let mut file =
        n8n_agent(json!({"promptType": "define", "text": "={{ $json.body.secret }}", "options": {}}));
    let nodes = file["nodes"].as_array_mut().unwrap();
    nodes.push(node("Branch", "if", json!({})));
    nodes.push(node("Branch 2", "if", json!({})));
    nodes.push(node("Script", "code", json!({"jsCode": "throw 1"})));
    let report = refusal(&server, &file);
    for part in [
        "This flow of n8n (9 nodes) does not come in",
        "1 × the expression {{ $json.body.secret }} ('Agent'): nothing stands for it here.",
        "2 × if ('Branch', 'Branch 2'): draw it as a Condition step of an agentflow.",
        "1 × code ('Script')",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert_eq!(server.read("/chatflows"), json!([]), "nothing of it came in");
}

#[test]
fn circles_strangers_and_a_missing_model_are_named() {
    let server = Server::start();
    let chat = || node("Chat", "chatTrigger", json!({}));
    let agent = |name: &str| node(name, "agent", json!({"promptType": "define", "text": "x", "options": {}}));
    let mut second = openai();
    second["name"] = "Model 2".into();
    let wires = [
        ("Chat", "main", "A"),
        ("A", "main", "B"),
        ("B", "main", "A"),
        ("Model", "ai_languageModel", "A"),
        ("Model 2", "ai_languageModel", "B"),
    ];
    let circle = workflow("Circle", &[chat(), agent("A"), agent("B"), openai(), second], &wires);
    assert!(refusal(&server, &circle).contains("goes round in a circle"));
    let lonely = workflow("Lonely", &[chat(), agent("A")], &[("Chat", "main", "A")]);
    assert!(refusal(&server, &lonely).contains("it needs one model"));
    let hook = workflow("Hook", &[node("In", "webhook", json!({}))], &[]);
    assert!(refusal(&server, &hook).contains("no chat trigger"));
    let many: Vec<Value> = (0..10_000).map(|at| node(&at.to_string(), "code", json!({}))).collect();
    let many = refusal(&server, &workflow("Many", &many, &[]));
    assert!(many.contains("10000 nodes") && many.contains("a flow may have 1000"), "{many}");
    for (field, value) in [("name", json!(7)), ("type", json!({})), ("name", Value::Null)] {
        let mut odd = n8n_agent(json!({}));
        odd["nodes"][1][field] = value;
        assert!(refusal(&server, &odd).contains("the file is damaged"));
    }
    let mut odd = n8n_agent(json!({}));
    odd["connections"]["Chat"] = json!({"main": 7});
    odd["nodes"][1]["parameters"] = json!([1]);
    odd["nodes"][2]["parameters"] = json!({"model": 7, "options": []});
    assert!(refusal(&server, &odd).contains("n8n"));
}
