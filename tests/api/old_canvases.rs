//! Canvases of earlier years: names that were given up since, inputs that moved, what their owners left blank, and what
//! stands in a file beside the drawing.

use crate::agents::messages;
use crate::support::Server;
use crate::support::canvases::{
    Drawing, ProviderFormat, SECRET, prompted_chain, scripted_flow, scripted_flow_with,
};
use crate::support::provider::{Behaviour, Provider};
use crate::transfer::import;
use serde_json::{Value, json};

/// The canvas as it was drawn when `card` bore the name `former`.
fn with_former_name(drawing: &Drawing, card: &str, former: &str) -> String {
    let mut canvas: Value = serde_json::from_str(&drawing.text()).unwrap();
    for node in canvas["nodes"].as_array_mut().unwrap() {
        if node["data"]["name"] == card {
            node["data"]["name"] = former.into();
            node["data"]["outputs"] = json!({});
        }
    }
    canvas.to_string()
}

/// The canvas with an input of `card` under the name it had before.
fn with_input(canvas: &str, card: &str, now: &str, former: &str) -> String {
    let mut canvas: Value = serde_json::from_str(canvas).unwrap();
    let nodes = canvas["nodes"].as_array_mut().unwrap();
    let node = nodes.iter_mut().find(|node| node["data"]["name"] == card).unwrap();
    let inputs = node["data"]["inputs"].as_object_mut().unwrap();
    let value = inputs.shift_remove(now).unwrap();
    inputs.insert(former.to_owned(), value);
    canvas.to_string()
}

#[test]
fn agents_under_former_names_answer_and_stay_as_they_were_drawn() {
    let (server, provider) = (Server::start(), Provider::start());
    for (former, card) in [
        ("openAIFunctionAgent", "toolAgent"),
        ("openAIToolAgent", "toolAgent"),
        ("mistralAIToolAgent", "toolAgent"),
        ("conversationalRetrievalAgent", "conversationalRetrievalToolAgent"),
        ("mrklAgentChat", "reactAgentChat"),
        ("mrlkAgentChat", "reactAgentChat"),
        ("mrklAgentLLM", "reactAgentLLM"),
        ("mrlkAgentLLM", "reactAgentLLM"),
    ] {
        let mut drawing = Drawing::default();
        let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
        let calculator = drawing.card("calculator", json!({}));
        let agent = drawing.card(card, json!({}));
        drawing.wire(&model, &agent, "model");
        drawing.wire(&calculator, &agent, "tools");
        if !former.contains("mrlk") && !former.ends_with("LLM") {
            let memory = drawing.card("bufferMemory", json!({}));
            drawing.wire(&memory, &agent, "memory");
        }
        let canvas = with_former_name(&drawing, card, former);
        let flow = server.flow(&canvas);
        provider.push_behaviour(Behaviour::text("Thought: I know.\nFinal Answer: 42"));
        let answer = server.ask(&flow, &json!({"question": "Six times seven?"})).is(200).json();
        assert!(answer["text"].as_str().unwrap().ends_with("42"), "{former}: {answer}");
        assert_eq!(server.read(&format!("/chatflows/{flow}"))["flowData"], canvas, "{former}");
        let told = server.read(&format!("/validation/{flow}"));
        assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
        assert_eq!(told[0]["blocks"], false, "{told}");
        let issues = told[0]["issues"].as_array().unwrap();
        assert_eq!(issues.len(), 1, "{told}");
        assert!(issues[0].as_str().unwrap().starts_with(&format!("It was drawn as '{former}'")), "{told}");
    }
}

#[test]
fn a_store_of_the_first_years_is_filled_and_read() {
    let server = Server::start();
    for former in ["faissUpsert", "faissExistingIndex"] {
        let mut drawing = Drawing::default();
        let store = drawing.card("faiss", json!({"basePath": "animals", "topK": "1"}));
        let loader = drawing.card("plainText", json!({"text": "Cats purr."}));
        drawing.wire(&loader, &store, "document");
        drawing.answer_with_chunks(&store, json!({}));
        let flow = server.flow(&with_former_name(&drawing, "faiss", former));
        assert_eq!(server.post(&format!("/vector/upsert/{flow}"), &json!({}))["numAdded"], 1, "{former}");
        let answer = server.ask(&flow, &json!({"question": "What do cats do?"})).is(200).json();
        assert!(answer["text"].as_str().unwrap().contains("purr"), "{former}: {answer}");
    }
}

#[test]
fn anchors_that_were_renamed_and_values_that_moved_are_found() {
    let server = Server::start();
    let canvas =
        with_input(&prompted_chain("Say {a}", r#"{"a": "{{question}}!"}"#), "llmChain", "model", "llm");
    let mut canvas: Value = serde_json::from_str(&canvas).unwrap();
    let values = canvas["nodes"][1]["data"]["inputs"]["promptValues"].take();
    canvas["nodes"][1]["data"]["inputs"]["promptValues"] = "".into();
    canvas["nodes"][2]["data"]["inputs"]["promptValues"] = values;
    let flow = server.flow(&canvas.to_string());
    assert_eq!(server.ask(&flow, &json!({"question": "Hi"})).is(200).json()["text"], "Say Hi!");
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
}

#[test]
fn an_import_tells_what_was_left_out_and_what_was_drawn_under_a_former_name() {
    let server = Server::start();
    let mut drawing = Drawing::default();
    let model = drawing.card("chatOpenAI", json!({"modelName": "m", "openAIApiKey": SECRET}));
    let agent = drawing.card("reactAgentLLM", json!({}));
    drawing.wire(&model, &agent, "model");
    let mut file: Value =
        serde_json::from_str(&with_former_name(&drawing, "reactAgentLLM", "mrklAgentLLM")).unwrap();
    file["description"] = "Thinks in lines.".into();
    file["title"] = "Thinker".into();
    file["usecases"] = json!(["Agent"]);
    file["framework"] = json!(["Langchain"]);
    file["chatbotConfig"] = json!({"title": "Shop"}).to_string().into();
    file["credentialRecords"] = json!([{"id": "1", "name": "Theirs", "encryptedData": "U2FsdGVkX18="}]);
    let answer = import(&server, &file, "import", &json!({}));
    let item = &answer["items"][0];
    assert_eq!(item["name"], "Thinker");
    let notes = item["notes"].as_array().unwrap();
    let says = |text: &str| notes.iter().any(|note| note.as_str().unwrap().contains(text));
    for text in [
        "The file says of it: Thinks in lines.",
        "What stood beside the drawing was left out: usecases, framework.",
        "Credentials of another server",
        "OpenAI (openAIApiKey)",
        "'mrklAgentLLM' runs as 'ReAct Agent for LLMs'",
    ] {
        assert!(says(text), "{text}: {notes:?}");
    }
    assert!(!answer.to_string().contains(SECRET) && !answer.to_string().contains("U2FsdGVkX18"), "{answer}");
    let flows = server.read("/chatflows?full=true");
    let stored: Value = serde_json::from_str(flows[0]["flowData"].as_str().unwrap()).unwrap();
    let keys: Vec<&String> = stored.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["nodes", "edges"]);
    assert!(flows[0]["chatbotConfig"].as_str().unwrap().contains("Shop"));
    assert_eq!(server.files_with(SECRET), Vec::<String>::new());
    let again = import(&server, &file, "import", &json!({}));
    assert_eq!(again["items"][0]["action"], "skip", "it is known again: {again}");
}

#[test]
fn a_drawing_whose_record_is_bound_to_a_key_comes_in_closed() {
    let server = Server::start();
    for place in ["beside", "in the record"] {
        let mut file: Value = serde_json::from_str(&scripted_flow_with(json!({"fallback": place}))).unwrap();
        let binding = json!({"name": place, "apikeyid": "7c0f5a3e-0c57-4d0e-8f37-6f3f1a1f6c11"});
        if place == "beside" {
            file.as_object_mut().unwrap().extend(binding.as_object().unwrap().clone());
        } else {
            file["chatflow"] = binding;
        }
        let answer = import(&server, &file, "import", &json!({}));
        assert!(answer["items"][0]["notes"].to_string().contains("it answers nobody (401)"), "{answer}");
    }
}

#[test]
fn a_prompt_without_a_human_message_sends_the_question() {
    let (server, provider) = (Server::start(), Provider::start());
    for chain in ["llmChain", "conversationChain"] {
        let mut drawing = Drawing::default();
        let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
        let inputs = json!({"systemMessagePrompt": "About {topic}: {asked}",
            "promptValues": json!({"topic": "cats", "asked": "{{question}}"}).to_string()});
        let prompt = drawing.card("chatPromptTemplate", inputs);
        let chain = drawing.card(chain, json!({}));
        drawing.wire(&model, &chain, "model");
        let input = if chain.starts_with("llm") { "prompt" } else { "chatPromptTemplate" };
        drawing.wire(&prompt, &chain, input);
        if !chain.starts_with("llm") {
            let memory = drawing.card("bufferMemory", json!({}));
            drawing.wire(&memory, &chain, "memory");
        }
        provider.push_behaviour(Behaviour::text("They purr."));
        let flow = server.flow(&drawing.text());
        server.ask(&flow, &json!({"question": "What do they do?"})).is(200);
        let sent = messages(&provider);
        assert_eq!(sent[0].1, "About cats: What do they do?");
        assert_eq!((sent[1].0.as_str(), sent[1].1.as_str()), ("user", "What do they do?"), "{sent:?}");
        assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    }
}

/// A Multi Retrieval QA Chain with stores wired straight into it, one for each text.
fn over_stores(server: &Server, provider: &Provider, texts: &[&str]) -> String {
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, server, &provider.base_url(), json!({}));
    let chain = drawing.card("multiRetrievalQAChain", json!({"returnSourceDocuments": true}));
    drawing.wire(&model, &chain, "model");
    for (at, text) in texts.iter().enumerate() {
        let store = drawing.card("memoryVectorStore", json!({"topK": "1"}));
        drawing.choose_output(&store, if at % 2 == 0 { "retriever" } else { "vectorStore" });
        let loader = drawing.card("plainText", json!({"text": text}));
        let embeddings = drawing.card("hashingEmbeddings", json!({}));
        drawing.wire(&loader, &store, "document");
        drawing.wire(&embeddings, &store, "embeddings");
        drawing.wire(&store, &chain, "vectorStoreRetriever");
    }
    server.flow(&drawing.text())
}

#[test]
fn a_store_that_is_wired_straight_into_a_multi_retrieval_chain_is_searched() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = over_stores(&server, &provider, &["Cats purr."]);
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    provider.push_behaviour(Behaviour::text("They purr."));
    let answer = server.ask(&flow, &json!({"question": "What do cats do?"})).is(200).json();
    assert_eq!(
        (&answer["text"], provider.served_count()),
        (&json!("They purr."), 1),
        "nothing was to be chosen"
    );
    assert_eq!(answer["sourceDocuments"][0]["pageContent"], "Cats purr.");
    let flow = over_stores(&server, &provider, &["Cats purr.", "Dogs bark."]);
    provider.push_behaviour(Behaviour::text("In-Memory Vector Store 2"));
    provider.push_behaviour(Behaviour::text("They bark."));
    let answer = server.ask(&flow, &json!({"question": "What do dogs do?"})).is(200).json();
    assert_eq!(answer["sourceDocuments"][0]["pageContent"], "Dogs bark.");
}

#[test]
fn a_template_says_itself_where_the_instructions_of_its_parser_belong() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let prompt =
        drawing.card("promptTemplate", json!({"template": "{format_instructions}\nThree {things}."}));
    let parser = drawing.card("csvOutputParser", json!({}));
    let chain = drawing.card("llmChain", json!({}));
    drawing.wire(&model, &chain, "model");
    drawing.wire(&prompt, &chain, "prompt");
    drawing.wire(&parser, &chain, "outputParser");
    let flow = server.flow(&drawing.text());
    provider.push_behaviour(Behaviour::text("red, green, blue"));
    let answer = server.ask(&flow, &json!({"question": "colours"})).is(200).json();
    assert_eq!(answer["json"], json!(["red", "green", "blue"]));
    let sent = messages(&provider);
    assert!(sent[0].1.ends_with("\nThree colours."), "{sent:?}");
    assert!(sent[0].1.len() > "\nThree colours.".len() + 10, "the instructions stand before it: {sent:?}");
}

#[test]
fn tools_without_a_description_are_offered_under_the_label_of_their_card() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    let store = drawing.card("memoryVectorStore", json!({}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let blank = drawing.card("plainText", json!({"text": ""}));
    let searching = drawing.card("retrieverTool", json!({"name": "notes"}));
    let chain = drawing.card("conversationChain", json!({}));
    let asking = drawing.card("chainTool", json!({}));
    drawing.wire(&embeddings, &store, "embeddings");
    drawing.wire(&blank, &store, "document");
    drawing.wire(&store, &searching, "retriever");
    drawing.wire(&model, &chain, "model");
    let memory = drawing.card("bufferMemory", json!({}));
    drawing.wire(&memory, &chain, "memory");
    drawing.wire(&chain, &asking, "baseChain");
    drawing.wire(&searching, &agent, "tools");
    drawing.wire(&asking, &agent, "tools");
    drawing.wire(&model, &agent, "model");
    let flow = server.flow(&drawing.text());
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    provider.push_behaviour(Behaviour::text("Done."));
    server.ask(&flow, &json!({"question": "Hi"})).is(200);
    let tools = provider.requests()[0].body["tools"].clone();
    let of =
        |at: usize| (tools[at]["function"]["name"].clone(), tools[at]["function"]["description"].clone());
    assert_eq!(of(0), (json!("notes"), json!("Searches 'notes'.")));
    assert_eq!(of(1), (json!("Chain_Tool"), json!("Asks 'Chain Tool'.")));
}

#[test]
fn tools_that_nobody_named_are_numbered_and_each_can_be_called() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let agent = drawing.card("toolAgent", json!({}));
    drawing.wire(&model, &agent, "model");
    for reply in ["One.", "Two.", "Three."] {
        let talks = drawing.card("chatScripted", json!({"fallback": reply}));
        let memory = drawing.card("bufferMemory", json!({}));
        let chain = drawing.card("conversationChain", json!({}));
        let tool = drawing.card("chainTool", json!({}));
        drawing.wire(&talks, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        drawing.wire(&chain, &tool, "baseChain");
        drawing.wire(&tool, &agent, "tools");
    }
    let flow = server.flow(&drawing.text());
    assert_eq!(server.read(&format!("/validation/{flow}")), json!([]));
    provider.push_behaviour(Behaviour::call("Chain_Tool_2", json!({"input": "Go"})));
    provider.push_behaviour(Behaviour::text("Done."));
    let answer = server.ask(&flow, &json!({"question": "Hi"})).is(200).json();
    let tools = provider.requests()[0].body["tools"].clone();
    let names: Vec<&Value> = tools.as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["Chain_Tool", "Chain_Tool_2", "Chain_Tool_3"]);
    assert_eq!(answer["usedTools"][0]["toolOutput"], "Two.", "{answer}");
    // Names that people gave are theirs to change.
    drawing.set("chainTool_0", "name", json!("ask"));
    drawing.set("chainTool_1", "name", json!("ask"));
    let told = server.ask(&server.flow(&drawing.text()), &json!({"question": "Hi"})).is_error(500);
    assert!(told.contains("two tools are named 'ask'"), "{told}");
}

#[test]
fn an_input_that_was_renamed_is_overridden_under_either_name() {
    let (server, provider) = (Server::start(), Provider::start());
    provider.set_decision(|_| Behaviour::text("Yes."));
    let mut drawing = Drawing::default();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &provider.base_url(), json!({}));
    let store = drawing.card("memoryVectorStore", json!({}));
    let loader = drawing.card("plainText", json!({"text": "Cats purr."}));
    let embeddings = drawing.card("hashingEmbeddings", json!({}));
    let chain = drawing.card("conversationalRetrievalQAChain", json!({"responsePrompt": "Old {context}"}));
    drawing.wire(&loader, &store, "document");
    drawing.wire(&embeddings, &store, "embeddings");
    drawing.wire(&store, &chain, "vectorStoreRetriever");
    drawing.wire(&model, &chain, "model");
    let (now, former) = ("responsePrompt", "systemMessagePrompt");
    let canvas = with_input(&drawing.text(), "conversationalRetrievalQAChain", now, former);
    let label = "Conversational Retrieval QA Chain";
    let said = |listed: &str, sent: Value| {
        let flow =
            server.flow_with(&canvas, &crate::overrides::override_settings(&[(label, &[listed])], &[]));
        server.ask(&flow, &json!({"question": "What do cats do?", "overrideConfig": sent})).is(200);
        messages(&provider)[0].1.clone()
    };
    for listed in [now, former] {
        for sent in [now, former] {
            assert!(said(listed, json!({ sent: "New {context}" })).starts_with("New "), "{listed} {sent}");
        }
        let both = json!({now: "Today {context}", former: "Then {context}"});
        assert!(said(listed, both).starts_with("Today "), "{listed}");
    }
    assert!(said("memory", json!({ former: "New {context}" })).starts_with("Old "), "what nobody listed");
}

#[test]
fn a_form_in_place_of_a_question_is_judged_by_what_the_flow_begins_with() {
    let server = Server::start();
    let body = json!({"form": {"city": "Oslo"}});
    let chat = server.flow(&scripted_flow());
    let fault = server.ask(&chat, &body).is_error(400);
    assert!(fault.contains("begins with a question"), "{fault}");
    let team = server.flow_with(&scripted_flow(), &json!({"type": "MULTIAGENT"}));
    let fault = server.ask(&team, &body).is_error(400);
    assert!(fault.contains("Supervisor"), "{fault}");
    let fault = server.ask(&chat, &json!({"form": "Oslo"})).is_error(400);
    assert!(fault.contains("'form' must be an object"), "{fault}");
    server.ask(&chat, &json!({"form": null})).is_error(400);
    server.ask(&chat, &json!({"form": {"city": "Oslo"}, "question": "Hi"})).is(200);
}
