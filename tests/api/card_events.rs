//! What the test chat tells of the cards of a chatflow (manual 2.11).

use crate::agentflows::steps::{Steps, llm};
use crate::caches::cached;
use crate::chains::retrieval;
use crate::support::canvases::{Drawing, ProviderFormat, SECRET, scripted_flow, with_provider};
use crate::support::provider::{Behaviour, Provider, Reply};
use crate::support::{Answer, Server};
use serde_json::{Value, json};
use std::time::Duration;

fn test_chat(server: &Server, flow: &str, question: &str) -> Answer {
    let body = json!({"question": question, "streaming": true});
    server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).send()
}

/// What is told of cards.
fn told(answer: &Answer) -> Vec<Value> {
    answer.events().into_iter().filter(|(name, _)| name == "cardEvent").map(|(_, data)| data).collect()
}

/// The same in short: node and status.
fn short(told: &[Value]) -> Vec<String> {
    let line = |event: &Value| {
        format!("{} {}", event["nodeId"].as_str().unwrap(), event["status"].as_str().unwrap())
    };
    told.iter().map(line).collect()
}

/// What is told of the ends of a card, in their order.
fn ends(told: &[Value], node: &str) -> Vec<Value> {
    let of = |event: &&Value| event["nodeId"] == node && event["status"] != "INPROGRESS";
    told.iter().filter(of).cloned().collect()
}

fn end(told: &[Value], node: &str) -> Value {
    let [end] = ends(told, node).try_into().unwrap_or_else(|ends| panic!("{node}: {ends:?}"));
    end
}

#[test]
fn the_cards_of_a_chain_tell_what_they_were_given_and_what_they_made() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.push_behaviour(Behaviour::Reply(Reply { input_tokens: Some(7), ..Reply::text("Good day.") }));
    let answer = test_chat(&server, &flow, "Hello");
    assert_eq!(answer.event_names(), ["start", "cardEvent", "token", "cardEvent", "metadata", "end"]);
    let told = told(&answer);
    let expected = [
        "conversationChain_0 INPROGRESS",
        "bufferMemory_0 INPROGRESS",
        "bufferMemory_0 FINISHED",
        "chatOpenAI_0 INPROGRESS",
        "chatOpenAI_0 FINISHED",
        "conversationChain_0 FINISHED",
    ];
    assert_eq!(short(&told), expected);
    assert_eq!(
        told[3],
        json!({"nodeId": "chatOpenAI_0", "nodeLabel": "OpenAI", "status": "INPROGRESS"}),
        "a beginning has no data"
    );
    let model = &told[4]["data"];
    let sent = json!([{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello"}]);
    assert_eq!((&model["name"], &model["input"]["messages"]), (&json!("chatOpenAI"), &sent));
    let output = &model["output"];
    assert_eq!(output["content"], "Good day.");
    assert_eq!(
        output["usageMetadata"],
        json!({"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}),
        "{model}"
    );
    let time = |name: &str| output["timeMetadata"][name].as_i64().unwrap();
    assert_eq!(time("end") - time("start"), time("delta"));
    let chain = &told[5]["data"];
    assert_eq!(
        (&chain["input"], &chain["output"]["content"]),
        (&json!({"question": "Hello"}), &json!("Good day."))
    );
    assert!(model.get("error").is_none() && told[4].get("cut").is_none(), "{model}");
}

#[test]
fn a_memory_tells_what_was_said_before() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let path = format!("/internal-prediction/{flow}");
    let first = server.post(&path, &json!({"question": "One"}));
    let body = json!({"question": "Two", "streaming": true, "chatId": first["chatId"]});
    let told = told(&server.owner("POST", &path).json(&body).send());
    let said = json!([{"role": "user", "content": "One"}, {"role": "assistant", "content": "You said: One"}]);
    assert_eq!(end(&told, "bufferMemory_0")["data"]["output"]["messages"], said);
}

#[test]
fn a_retriever_tells_its_query_and_what_it_found() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = retrieval(&server, &provider, json!({}));
    provider.push_behaviour(Behaviour::text("They purr."));
    let told = told(&test_chat(&server, &flow, "What do cats do?"));
    let expected = [
        "conversationalRetrievalQAChain_0 INPROGRESS",
        "bm25Retriever_0 INPROGRESS",
        "bm25Retriever_0 FINISHED",
        "chatOpenAI_0 INPROGRESS",
        "chatOpenAI_0 FINISHED",
        "conversationalRetrievalQAChain_0 FINISHED",
    ];
    assert_eq!(short(&told), expected);
    let retriever = &told[2]["data"];
    assert_eq!(retriever["input"], json!({"query": "What do cats do?"}));
    let found = &retriever["output"]["sourceDocuments"];
    assert_eq!((&found[0]["pageContent"], &found[1]), (&json!("Cats purr."), &Value::Null));
    let sent = told[4]["data"]["input"]["messages"].to_string();
    assert!(sent.contains("Cats purr."), "{sent}");
}

#[test]
fn a_vector_store_and_its_embeddings_tell_of_a_search() {
    let (server, mut drawing) = (Server::start(), Drawing::default());
    let text = drawing.card("plainText", json!({"text": "Cats purr."}));
    let store = drawing.card("memoryVectorStore", json!({}));
    drawing.wire(&text, &store, "document");
    drawing.answer_with_chunks(&store, json!({}));
    let told = told(&test_chat(&server, &server.flow(&drawing.text()), "cats"));
    let store = end(&told, "memoryVectorStore_0");
    assert_eq!(store["data"]["input"]["query"], "cats");
    let found = &store["data"]["output"]["sourceDocuments"][0];
    assert!(found["pageContent"] == "Cats purr." && found["score"].is_number(), "{store}");
    let embeddings = ends(&told, "hashingEmbeddings_0");
    let asked = embeddings.last().unwrap();
    assert_eq!(
        (&asked["data"]["input"], &asked["data"]["output"]["vectors"]),
        (&json!({"query": "cats"}), &json!(1))
    );
    let chain = end(&told, "retrievalQAChain_0");
    assert_eq!(chain["data"]["output"]["sourceDocuments"][0]["pageContent"], "Cats purr.");
}

#[test]
fn a_loader_and_its_splitter_tell_how_much_there_is_and_the_first_of_it() {
    let (server, mut drawing) = (Server::start(), Drawing::default());
    let sentences: Vec<String> = (0..12).map(|at| format!("Cat {at} purrs.")).collect();
    let text = drawing.card("plainText", json!({"text": sentences.join("\n\n")}));
    let splitter = drawing.card("characterTextSplitter", json!({"chunkSize": 14, "chunkOverlap": 0}));
    let store = drawing.card("memoryVectorStore", json!({}));
    drawing.wire(&splitter, &text, "textSplitter");
    drawing.wire(&text, &store, "document");
    drawing.answer_with_chunks(&store, json!({}));
    let told = told(&test_chat(&server, &server.flow(&drawing.text()), "cats"));
    let splitter = end(&told, "characterTextSplitter_0");
    assert_eq!(
        (&splitter["status"], &splitter["data"]["input"]),
        (&json!("FINISHED"), &json!({"documents": 1}))
    );
    assert_eq!(splitter["data"]["output"]["chunks"], 12);
    let loader = &end(&told, "plainText_0")["data"]["output"];
    assert_eq!(loader["documents"], 12);
    let shown = loader["sourceDocuments"].as_array().unwrap();
    assert_eq!((shown.len(), &shown[0]["pageContent"]), (10, &json!("Cat 0 purrs.")));
    let names = short(&told);
    let place = |line: &str| names.iter().position(|one| one == line).unwrap();
    assert!(place("characterTextSplitter_0 FINISHED") < place("plainText_0 FINISHED"));
    assert!(place("plainText_0 FINISHED") < place("memoryVectorStore_0 FINISHED"));
}

#[test]
fn a_cache_of_replies_tells_whether_it_had_one_and_which() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&cached(&server, &provider));
    let output = || {
        let told = told(&test_chat(&server, &flow, "What is tea?"));
        let model = end(&told, "chatOpenAI_0")["data"]["output"]["content"].clone();
        (end(&told, "inMemoryCache_0")["data"]["output"].clone(), model)
    };
    let (first, reply) = output();
    assert_eq!((&first["found"], &first["content"]), (&json!(false), &Value::Null), "{first}");
    let (second, replayed) = output();
    assert_eq!((&second["found"], &second["content"]), (&json!(true), &reply), "{second}");
    assert_eq!((replayed, provider.served_count()), (reply, 1));
}

#[test]
fn an_output_parser_tells_what_it_read_and_what_does_not_fit() {
    let (server, provider) = (Server::start(), Provider::start());
    let mut drawing = Drawing::default();
    let base = provider.base_url();
    let model = ProviderFormat::OpenAi.model(&mut drawing, &server, &base, json!({"streaming": false}));
    let prompt = drawing.card("promptTemplate", json!({"template": "{question}"}));
    let parser = drawing
        .card("customListOutputParser", json!({"length": "2", "separator": ";", "autofixParser": true}));
    let chain = drawing.card("llmChain", json!({}));
    for (from, input) in [(&model, "model"), (&prompt, "prompt"), (&parser, "outputParser")] {
        drawing.wire(from, &chain, input);
    }
    provider.push_behaviour(Behaviour::text("M"));
    provider.push_behaviour(Behaviour::text("M; Metropolis"));
    let told = told(&test_chat(&server, &server.flow(&drawing.text()), "Which films?"));
    let read = ends(&told, "customListOutputParser_0");
    assert_eq!((&read[0]["status"], &read[0]["data"]["input"]), (&json!("ERROR"), &json!({"text": "M"})));
    assert!(read[0]["data"]["error"].as_str().unwrap().contains("1 values instead of 2"), "{read:?}");
    assert_eq!(
        (&read[1]["status"], &read[1]["data"]["output"]["content"]),
        (&json!("FINISHED"), &json!(["M", "Metropolis"]))
    );
    assert_eq!(read.len(), 2);
}

#[test]
fn a_tool_tells_its_arguments_and_its_result_and_a_model_that_is_asked_twice_tells_both_times() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.agent(&server, &provider.base_url()));
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "6 * 7"})));
    provider.push_behaviour(Behaviour::text("It is 42."));
    let told = told(&test_chat(&server, &flow, "6 * 7?"));
    let without_memory: Vec<String> =
        short(&told).into_iter().filter(|line| !line.starts_with("bufferMemory")).collect();
    let expected = [
        "toolAgent_0 INPROGRESS",
        "chatOpenAI_0 INPROGRESS",
        "chatOpenAI_0 FINISHED",
        "calculator_0 INPROGRESS",
        "calculator_0 FINISHED",
        "chatOpenAI_0 INPROGRESS",
        "chatOpenAI_0 FINISHED",
        "toolAgent_0 FINISHED",
    ];
    assert_eq!(without_memory, expected);
    let asked = ends(&told, "chatOpenAI_0");
    let call = json!([{"tool": "calculator", "toolInput": {"input": "6 * 7"}, "toolOutput": ""}]);
    assert_eq!(asked[0]["data"]["output"]["calledTools"], call);
    assert_eq!(asked[0]["data"]["input"]["tools"], json!(["calculator"]));
    let tool = &end(&told, "calculator_0")["data"];
    assert_eq!(tool["input"], json!({"selectedTool": "calculator", "toolInputArgs": {"input": "6 * 7"}}));
    assert_eq!(tool["output"]["content"], "42");
    let last = asked[1]["data"]["input"]["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["role"], &last["name"]), (&json!("tool"), &json!("calculator")));
    let agent = &end(&told, "toolAgent_0")["data"]["output"];
    assert_eq!(
        (&agent["content"], &agent["usedTools"][0]["toolOutput"]),
        (&json!("It is 42."), &json!("42"))
    );
}

#[test]
fn a_tool_that_fails_tells_why_and_the_agent_goes_on() {
    let (server, provider) = (Server::start(), Provider::start());
    let flow = server.flow(&ProviderFormat::OpenAi.agent(&server, &provider.base_url()));
    provider.push_behaviour(Behaviour::call("calculator", json!({"input": "six"})));
    provider.push_behaviour(Behaviour::text("I cannot say."));
    let told = told(&test_chat(&server, &flow, "Six?"));
    let tool = end(&told, "calculator_0");
    assert_eq!(tool["status"], "ERROR");
    assert!(tool["data"]["error"].as_str().unwrap().starts_with("Calculator: "), "{tool}");
    assert_eq!(end(&told, "toolAgent_0")["status"], "FINISHED");
}

#[test]
fn a_provider_that_refuses_is_told_with_the_card_that_asked_it_and_no_credential() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    provider.push_behaviour(Behaviour::status(400, r#"{"error": {"message": "The model is asleep"}}"#));
    let answer = test_chat(&server, &flow, "Hello");
    let told = told(&answer);
    for node in ["chatOpenAI_0", "conversationChain_0"] {
        let failed = end(&told, node);
        assert_eq!(failed["status"], "ERROR");
        let why = failed["data"]["error"].as_str().unwrap();
        assert!(why.starts_with("OpenAI: ") && why.contains("The model is asleep"), "{why}");
    }
    let model = end(&told, "chatOpenAI_0");
    assert_eq!(model["data"]["input"]["messages"][1]["content"], "Hello");
    assert!(!answer.text().contains(SECRET), "{answer:?}");
}

#[test]
fn a_card_that_cannot_be_made_tells_why() {
    let (server, mut drawing) = (Server::start(), Drawing::default());
    let model = drawing.card("chatOpenAI", json!({}));
    let chain = drawing.card("conversationChain", json!({}));
    drawing.wire(&model, &chain, "model");
    let told = told(&test_chat(&server, &server.flow(&drawing.text()), "Hello"));
    assert_eq!(short(&told), ["chatOpenAI_0 INPROGRESS", "chatOpenAI_0 ERROR"]);
    assert!(told[1]["data"]["error"].as_str().unwrap().contains("credential"), "{told:?}");
}

#[test]
fn cards_of_an_answer_that_is_stopped_are_terminated() {
    let server = Server::start();
    let (provider, flow) = with_provider(&server);
    let slow = Reply { token_delay: Duration::from_millis(100), ..Reply::text(&"one two three ".repeat(40)) };
    provider.push_behaviour(Behaviour::Reply(slow));
    let body = json!({"question": "Tell me", "streaming": true});
    let mut stream = server.owner("POST", &format!("/internal-prediction/{flow}")).json(&body).open();
    stream.read_until("three");
    let chat = stream.answer.header("x-service-chat-id").unwrap().to_owned();
    server.owner("PUT", &format!("/chatmessage/abort/{flow}/{chat}")).send().is(200);
    let answer = stream.finish();
    let told = told(&answer);
    for node in ["chatOpenAI_0", "conversationChain_0"] {
        let stopped = end(&told, node);
        assert_eq!(
            (&stopped["status"], stopped["data"].get("error")),
            (&json!("TERMINATED"), None),
            "{stopped}"
        );
    }
    assert!(answer.event_names().ends_with(&["metadata".to_owned(), "abort".to_owned(), "end".to_owned()]));
}

#[test]
fn nobody_outside_is_told_of_cards() {
    let server = Server::start();
    let flow = server.flow(&scripted_flow());
    let outside = server.ask(&flow, &json!({"question": "Hi", "streaming": true}));
    assert_eq!(outside.event_names(), ["start", "token", "metadata", "end"]);
    let whole = server.post(&format!("/internal-prediction/{flow}"), &json!({"question": "Hi"}));
    assert!(whole["text"] == "You said: Hi" && whole.get("cardEvent").is_none(), "{whole}");
}

#[test]
fn an_agentflow_tells_of_its_steps_and_not_of_the_models_they_pick() {
    let server = Server::start();
    let flow = Steps::begin()
        .card("llmAgentflow_0", "Writer", llm("Dear {question}"))
        .chain(&["startAgentflow_0", "llmAgentflow_0"])
        .flow(&server);
    let answer = test_chat(&server, &flow, "Ada");
    assert!(answer.event_names().contains(&"nextAgentFlow".to_owned()));
    assert_eq!(told(&answer), Vec::<Value>::new());
}
