//! Flows of the kinds that people start from: a translator, a router, a letter that somebody approves, and so on.

use super::steps::{START, Steps, Talk, ask, endings, labels, output, record, reply, ruled_llm, told, with};
use crate::support::Server;
use crate::support::provider::{Behaviour, Provider};
use serde_json::{Value, json};

/// A mention as the editor writes it.
fn mention(reference: &str) -> String {
    format!(
        "<span class=\"variable\" data-type=\"mention\" data-id=\"{reference}\" data-label=\"{reference}\">{{{{ \
         {reference} }}}}</span>"
    )
}

/// The inputs of an Agent that answers by these rules.
fn agent(rules: &Value, tools: Value) -> Value {
    json!({
        "agentModel": "chatScripted", "agentModelConfig": {"rules": rules.to_string(), "fallback": "Nothing fits."},
        "agentTools": tools, "agentEnableMemory": true, "agentMemoryType": "allMessages",
        "agentMessages": [{"role": "system", "content": "<p>You are kind.</p>"}],
    })
}

#[test]
fn a_translator_puts_the_question_into_its_own_words() {
    let server = Server::start();
    let rules = json!([{"match": "(?s)^English:\\s+Good morning\\s+Norwegian:", "reply": "God morgen"}]);
    let text = format!("<p>English:</p><p>{} </p><p>Norwegian:</p><p></p>", mention("question"));
    let steps = Steps::begin()
        .card("llmAgentflow_0", "Translator", told(ruled_llm(&rules), &text))
        .edge(START, "llmAgentflow_0");
    assert_eq!(ask(&server, &steps.flow(&server), "Good morning")["text"], "God morgen");
}

#[test]
fn a_router_hands_the_conversation_to_one_of_several_agents() {
    let server = Server::start();
    let sorting = json!([
        {"match": "\"input\": *\"[^\"]*refund", "reply": "{\"output\": \"Wants a refund\"}"},
        {"match": "\"input\": *\"[^\"]*buy", "reply": "```json\n{\"output\": \"Wants to buy\"}\n```"},
        {"reply": "{\"output\": \"Only chats\"}"},
    ]);
    let says = |text: &str| agent(&json!([{ "reply": text }]), json!([]));
    let steps = Steps::begin()
        .card(
            "conditionAgentAgentflow_0",
            "Sort",
            json!({
                "conditionAgentModel": "chatScripted", "conditionAgentModelConfig": {"rules": sorting.to_string()},
                "conditionAgentInstructions": "<p>Find out what they want.</p>",
                "conditionAgentInput": format!("<p>{} </p>", mention("question")),
                "conditionAgentScenarios": [
                    {"scenario": "Wants a refund"}, {"scenario": "Wants to buy"}, {"scenario": "Only chats"},
                ],
            }),
        )
        .card("agentAgentflow_0", "Refunds", says("Refunded."))
        .card("agentAgentflow_1", "Sales", says("Sold."))
        .card("agentAgentflow_2", "Chat", says("Nice weather."))
        .card("stickyNoteAgentflow_0", "Note", json!({"note": "Give them tools."}))
        .edge(START, "conditionAgentAgentflow_0")
        .choice("conditionAgentAgentflow_0", 0, "agentAgentflow_0")
        .choice("conditionAgentAgentflow_0", 1, "agentAgentflow_1")
        .choice("conditionAgentAgentflow_0", 2, "agentAgentflow_2");
    let flow = steps.flow(&server);
    for (question, text, card) in [
        ("I want a refund", "Refunded.", "Refunds"),
        ("I want to buy it", "Sold.", "Sales"),
        ("Hello", "Nice weather.", "Chat"),
    ] {
        let answer = ask(&server, &flow, question);
        assert_eq!((&answer["text"], labels(&answer)), (&json!(text), vec!["Start", "Sort", card]));
    }
}

#[test]
fn a_letter_is_written_anew_until_a_person_approves_it_and_then_sent_with_its_parts() {
    let server = Server::start();
    let fields = json!([
        {"type": "string", "label": "Subject", "name": "subject", "addOptions": ""},
        {"type": "string", "label": "From", "name": "from", "addOptions": ""},
    ]);
    let start = json!({"startInputType": "formInput", "formTitle": "Inquiry", "formInputTypes": fields});
    let writing = json!([{"match": "(?i)shorter", "reply": "Short letter"}, {"reply": "Long letter"}]);
    let parts = with(
        ruled_llm(&json!([{"reply": "{\"subject\": \"Re: Hello\", \"sum\": \"40+2\"}"}])),
        json!({"llmStructuredOutput": [
            {"key": "subject", "type": "string", "enumValues": "", "jsonSchema": "", "description": "Subject"},
            {"key": "sum", "type": "string", "enumValues": "", "jsonSchema": "", "description": "Sum"},
        ]}),
    );
    let steps = Steps::begin_with(start)
        .card("agentAgentflow_0", "Writer", agent(&writing, json!([])))
        .card(
            "humanInputAgentflow_0",
            "Approve",
            json!({
                "humanInputDescriptionType": "fixed", "humanInputDescription": "<p>Send it?</p>",
                "humanInputEnableFeedback": true,
            }),
        )
        .card("loopAgentflow_0", "Again", json!({"loopBackToNode": "agentAgentflow_0-Writer", "maxLoopCount": 5}))
        .card("llmAgentflow_0", "Parts", parts)
        .card(
            "toolAgentflow_0",
            "Send",
            json!({
                "toolAgentflowSelectedTool": "calculator",
                "toolAgentflowSelectedToolConfig": {"toolAgentflowSelectedTool": "calculator"},
                "toolInputArgs": [{"inputArgName": "input", "inputArgValue": "<p>{{ llmAgentflow_0.output.sum }}</p>"}],
            }),
        )
        .chain(&[START, "agentAgentflow_0", "humanInputAgentflow_0"])
        .choice("humanInputAgentflow_0", 0, "llmAgentflow_0")
        .choice("humanInputAgentflow_0", 1, "loopAgentflow_0")
        .edge("llmAgentflow_0", "toolAgentflow_0");
    let flow = steps.flow(&server);
    let path = format!("/internal-prediction/{flow}");
    let form = json!({"form": {"subject": "Hello", "from": "ada@example.org"}});
    let first = server.post(&path, &form);
    assert_eq!(first["text"], "Long letter\n\nSend it?");
    let answer = |input: Value| server.post(&path, &json!({"chatId": first["chatId"], "humanInput": input}));
    let second = answer(json!({"type": "reject", "feedback": "Shorter, please"}));
    assert_eq!(second["text"], "Short letter\n\nSend it?");
    let third = answer(json!({"type": "proceed"}));
    assert_eq!(third["text"], "42");
    assert_eq!(output(&third, "Parts")["subject"], "Re: Hello");
    assert_eq!(record(&server, &third)["state"], "FINISHED");
}

#[test]
fn an_agent_after_an_iteration_reads_what_each_item_came_to() {
    let server = Server::start();
    let echo = |model: &str| {
        let config =
            json!({"rules": json!([{"match": "(?s).*only:\\s+(\\w+)$", "reply": "{1}"}]).to_string()});
        json!({
            "llmModel": model, "llmModelConfig": config, "llmEnableMemory": true, "llmMemoryType": "allMessages",
            "llmUserMessage": "<p>Reply only:</p><p>{{$iteration.item}}</p>",
        })
    };
    let last = with(
        agent(&json!([{"match": "(?s)^Found: (.+)$", "reply": "Summary of {1}"}]), json!([])),
        json!({"agentUserMessage": "Found: {{ iterationAgentflow_0 }}"}),
    );
    let steps = Steps::begin()
        .card(
            "iterationAgentflow_0",
            "Each",
            json!({"iterationInput": "<p>[{\"item\": \"abc\"}, {\"item\": \"def\"}]</p>"}),
        )
        .card("llmAgentflow_0", "One", echo("chatScripted"))
        .inside("iterationAgentflow_0")
        .card("llmAgentflow_1", "Two", echo("chatScripted"))
        .inside("iterationAgentflow_0")
        .card("agentAgentflow_0", "Last", last)
        .chain(&[START, "iterationAgentflow_0", "agentAgentflow_0"])
        .edge("llmAgentflow_0", "llmAgentflow_1");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"], "Summary of abc\ndef");
    assert_eq!(labels(&answer), ["Start", "One", "Two", "One", "Two", "Each", "Last"]);
}

#[test]
fn a_model_gives_a_list_of_objects_of_the_owners_shape() {
    let server = Server::start();
    let reply = "{\"output\": [{\"answer\": \"Oslo\", \"reason\": \"It is the capital.\"}]}";
    let shape = "{\"answer\": {\"type\": \"string\", \"description\": \"The answer\"}, \
                  \"reason\": {\"type\": \"string\", \"description\": \"Why\"}}";
    let keys = json!([{
        "key": "output", "type": "jsonArray", "enumValues": "", "jsonSchema": shape, "description": "Answers",
    }]);
    let steps = Steps::begin()
        .card(
            "llmAgentflow_0",
            "Facts",
            with(ruled_llm(&json!([{ "reply": reply }])), json!({ "llmStructuredOutput": keys })),
        )
        .edge(START, "llmAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "What is the capital of Norway?");
    assert_eq!(output(&answer, "Facts")["output"][0]["answer"], "Oslo");
}

#[test]
fn an_answer_is_sent_to_two_tools_and_to_the_chat() {
    let server = Server::start();
    let send = |expression: &str| {
        json!({
            "toolAgentflowSelectedTool": "calculator",
            "toolAgentflowSelectedToolConfig": {"toolAgentflowSelectedTool": "calculator"},
            "toolInputArgs": [{"inputArgName": "input", "inputArgValue": format!("<p>{expression}</p>")}],
        })
    };
    let steps = Steps::begin()
        .card("llmAgentflow_0", "General", ruled_llm(&json!([{"reply": "6*7"}])))
        .card("toolAgentflow_0", "One", send(&mention("llmAgentflow_0")))
        .card("toolAgentflow_1", "Two", send("2+2"))
        .card("directReplyAgentflow_0", "Reply", reply(&format!("<p>{} </p>", mention("llmAgentflow_0"))))
        .edge(START, "llmAgentflow_0")
        .edge("llmAgentflow_0", "toolAgentflow_0")
        .edge("llmAgentflow_0", "toolAgentflow_1")
        .edge("llmAgentflow_0", "directReplyAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"].as_str().unwrap().trim_end(), "42\n\n4\n\n6*7");
    assert_eq!(labels(&answer), ["Start", "General", "One", "Two", "Reply"]);
}

#[test]
fn an_agent_calls_an_api_through_a_tool_of_its_row() {
    let provider = Provider::start();
    let host = provider.base_url().trim_start_matches("http://").to_owned();
    let server = Server::with(&[("SERVICE_HTTP_ALLOW", &host)]);
    let body = b"[\"Concert\"]".to_vec();
    provider.push_behaviour(Behaviour::Bytes { kind: "application/json", body, piece: 100 });
    let rules = json!([
        {"after": "tool", "match": "Concert", "reply": "There is a concert."},
        {"after": "user", "reply": "", "toolCalls": [{"name": "get_events", "arguments": {}}]},
    ]);
    let tools = json!([{
        "agentSelectedTool": "requestsGet", "agentSelectedToolRequiresHumanInput": "",
        "agentSelectedToolConfig": {
            "requestsGetUrl": format!("<p>{}/events</p>", provider.base_url()), "requestsGetName": "get_events",
            "requestsGetDescription": "Tells events", "requestsGetHeaders": "", "agentSelectedTool": "requestsGet",
        },
    }]);
    let steps = Steps::begin()
        .card("agentAgentflow_0", "Requests", agent(&rules, tools))
        .edge(START, "agentAgentflow_0");
    let answer = ask(&server, &steps.flow(&server), "What is on?");
    assert_eq!(answer["text"], "There is a concert.");
    assert_eq!(provider.last_request().path.trim_end_matches('?'), "/events");
}

#[test]
fn a_flow_of_steps_asks_another_one() {
    let server = Server::start();
    let inner = Steps::begin()
        .card("directReplyAgentflow_0", "Inner", reply("inner heard {{ question }}"))
        .edge(START, "directReplyAgentflow_0")
        .flow(&server);
    let steps = Steps::begin()
        .card(
            "executeFlowAgentflow_0",
            "Ask",
            json!({"executeFlowSelectedFlow": inner, "executeFlowInput": "<{{ question }}>"}),
        )
        .card("directReplyAgentflow_0", "Reply", reply("[{{ executeFlowAgentflow_0 }}]"))
        .chain(&[START, "executeFlowAgentflow_0", "directReplyAgentflow_0"]);
    let answer = ask(&server, &steps.flow(&server), "Hi");
    assert_eq!(answer["text"], "[inner heard <Hi>]");
    assert_eq!(endings(&answer)[1], ("Ask", "FINISHED"));
}

#[test]
fn a_flow_of_steps_asks_a_chatflow() {
    let server = Server::start();
    let chat = server.flow(&crate::support::canvases::scripted_flow());
    let steps = Steps::begin()
        .card(
            "executeFlowAgentflow_0",
            "Ask",
            json!({"executeFlowSelectedFlow": chat, "executeFlowInput": "{{ question }}"}),
        )
        .edge(START, "executeFlowAgentflow_0");
    assert_eq!(ask(&server, &steps.flow(&server), "Hi")["text"], "You said: Hi");
}

#[test]
fn the_chat_of_a_flow_of_steps_goes_on_over_several_questions() {
    let server = Server::start();
    let rules = json!([{"match": "name", "reply": "{history}"}, {"reply": "Hello."}]);
    let steps = Steps::begin()
        .card("agentAgentflow_0", "Chat", agent(&rules, json!([])))
        .edge(START, "agentAgentflow_0");
    let (talk, _) = Talk::begin(&server, &steps, "I am Ada.");
    assert_eq!(talk.ask("What is my name?")["text"], "Human: I am Ada.\nAssistant: Hello.");
}
