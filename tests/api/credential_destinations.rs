//! A stored credential is sent to its provider, or where somebody let it be sent who may change it (manual 8.9).

use crate::conversation_uploads::workspace;
use crate::support::canvases::Drawing;
use crate::support::client::Answer;
use crate::support::provider::Provider;
use crate::support::steps::{START, Steps};
use crate::support::{Server, id};
use flowkeep::domain::ids::CredentialId;
use flowkeep::store::tables::CREDENTIALS;
use serde_json::{Value, json};

const SECRET: &str = "sk-proj-Zx81kQp0aVb7Lm3Nc5Rt9Yw2Ue4Io6Ps8Df";
const ELSEWHERE: &str = "https://else.example/v1";
const GATEWAY: &str = "https://gateway.example/v1";
/// All that builds flows and stores, and nothing of credentials.
const BUILDER: &[&str] = &[
    "chatflows:view",
    "chatflows:create",
    "chatflows:update",
    "chatflows:import",
    "agentflows:view",
    "agentflows:create",
    "agentflows:update",
    "agentflows:import",
    "documentStores:view",
    "documentStores:create",
    "documentStores:update",
    "documentStores:add-loader",
    "documentStores:preview-process",
    "documentStores:upsert-config",
    "variables:create",
    "variables:update",
    "variables:view",
];

struct CredentialFixture {
    server: Server,
    credential: String,
    key: String,
}

fn credential_fixture() -> CredentialFixture {
    let server = Server::start();
    let body =
        json!({"name": "Main", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let credential = id(&server.post("/credentials", &body));
    let key = server.key(BUILDER)["apiKey"].as_str().unwrap().to_owned();
    CredentialFixture { server, credential, key }
}

impl CredentialFixture {
    fn canvas(&self, address: &str) -> String {
        let mut drawing = Drawing::default();
        let model = drawing.card("chatOpenAI", json!({"modelName": "gpt-4o-mini", "basepath": address}));
        drawing.credential(&model, &self.credential);
        let chain = drawing.card("conversationChain", json!({}));
        let memory = drawing.card("bufferMemory", json!({}));
        drawing.wire(&model, &chain, "model");
        drawing.wire(&memory, &chain, "memory");
        drawing.text()
    }

    /// Canvases in each of which a card that is picked inside of another one sends the credential to this address.
    fn picking_canvases(&self, address: &str) -> Vec<String> {
        let model = json!({
            "modelName": "gpt-4o-mini", "basepath": address, "FLOWISE_CREDENTIAL_ID": self.credential,
        });
        let tool = json!({"jiraHost": address, "FLOWISE_CREDENTIAL_ID": self.credential});
        let row = json!({"agentSelectedTool": "jiraTool", "agentSelectedToolConfig": tool});
        let knowledge = json!({
            "vectorStore": "memoryVectorStore", "vectorStoreConfig": {},
            "embeddingModel": "openAIEmbeddings", "embeddingModelConfig": model,
        });
        let cards = [
            ("llmAgentflow_0", json!({"llmModel": "chatOpenAI", "llmModelConfig": model})),
            ("agentAgentflow_0", json!({"agentModel": "chatOpenAI", "agentModelConfig": model})),
            ("agentAgentflow_0", json!({"agentTools": [row]})),
            ("agentAgentflow_0", json!({"agentKnowledgeVSEmbeddings": [knowledge]})),
            (
                "toolAgentflow_0",
                json!({"toolAgentflowSelectedTool": "jiraTool", "toolAgentflowSelectedToolConfig": tool}),
            ),
        ];
        let draw = |(id, inputs): (&str, Value)| {
            Steps::begin().card(id, "Ask OpenAI", inputs).edge(START, id).text()
        };
        cards.into_iter().map(draw).collect()
    }

    /// A flow of the owner's whose draft is this canvas of steps.
    fn agentflow(&self, canvas: &str) -> String {
        id(&self.server.post("/chatflows", &json!({"name": "Flow", "type": "AGENTFLOW", "flowData": canvas})))
    }

    /// A call of somebody who builds flows.
    fn builder(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.server.call(method, path).bearer(&self.key).json(body).send()
    }

    /// A flow of the owner's in draft mode.
    fn flow(&self, address: &str) -> String {
        let body = json!({"name": "Flow", "type": "CHATFLOW", "flowData": self.canvas(address)});
        id(&self.server.post("/chatflows", &body))
    }

    fn forget_addresses(&self) {
        let (home, id) = (workspace(&self.server), CredentialId::parse(&self.credential).unwrap());
        let forget = |tx: &_| {
            let mut stored = CREDENTIALS.get(tx, &home, &id)?.unwrap();
            stored.addresses.clear();
            CREDENTIALS.put(tx, &home, &id, &stored)
        };
        self.server.app.store.write(forget).unwrap();
    }

    #[track_caller]
    fn assert_refused(answer: &Answer) {
        let said = answer.is_error(403);
        assert!(said.contains("OpenAI") && said.contains("credentials:update"), "{said}");
        assert!(!said.contains("example"), "{said}");
    }
}

#[test]
fn every_door_refuses_an_address_of_ones_own() {
    let staged = credential_fixture();
    let made = |address: &str, at_once: bool| {
        let body = json!({
            "name": "Mine", "type": "CHATFLOW", "flowData": staged.canvas(address), "publishInstantly": at_once,
        });
        staged.builder("POST", "/chatflows", &body)
    };
    for at_once in [false, true] {
        CredentialFixture::assert_refused(&made(ELSEWHERE, at_once));
        made("", at_once).is(200);
        made("https://api.openai.com/v1", at_once).is(200);
    }
    let flow = staged.flow("");
    let canvas = json!({ "flowData": staged.canvas(ELSEWHERE) });
    CredentialFixture::assert_refused(&staged.builder("PUT", &format!("/flow-drafts/{flow}"), &canvas));
    CredentialFixture::assert_refused(&staged.builder("PUT", &format!("/chatflows/{flow}"), &canvas));
    let file = json!({"name": "Mine", "type": "CHATFLOW", "flowData": staged.canvas(ELSEWHERE)});
    let told = staged.builder("POST", "/export-import/import", &file).is(200).json();
    assert_eq!(told["items"][0]["action"], "refused", "{told}");
    let speech =
        json!({"localAISTT": {"status": true, "credentialId": staged.credential, "baseUrl": ELSEWHERE}});
    let settings = json!({"speechToText": speech.to_string()});
    assert!(
        staged.builder("PUT", &format!("/chatflows/{flow}"), &settings).is_error(403).contains("localAISTT")
    );
    let list = json!({
        "loadMethod": "listModels", "credential": staged.credential, "inputs": {"basepath": ELSEWHERE},
    });
    CredentialFixture::assert_refused(&staged.builder("POST", "/node-load-method/chatOpenAI", &list));
    let shown = staged.server.read(&format!("/flow-drafts/{flow}"));
    assert!(!shown.to_string().contains("else.example"), "{shown}");
}

#[test]
fn document_stores_refuse_it_too() {
    let staged = credential_fixture();
    let store = id(&staged.server.post("/document-store/store", &json!({"name": "Shelf"})));
    let config = json!({"credential": staged.credential, "basepath": ELSEWHERE});
    let vectors = json!({"storeId": store, "embeddingName": "openAIEmbeddings", "embeddingConfig": config});
    for path in ["/document-store/vectorstore/save", "/document-store/vectorstore/insert"] {
        CredentialFixture::assert_refused(&staged.builder("POST", path, &vectors));
    }
    let upsert = json!({
        "loader": {"name": "plainText", "config": {"text": "Some text."}},
        "embedding": {"name": "openAIEmbeddings", "config": config},
    });
    CredentialFixture::assert_refused(&staged.builder(
        "POST",
        &format!("/document-store/upsert/{store}"),
        &upsert,
    ));
    let model = json!({"selectedChatModel": {
        "name": "chatOpenAI", "credential": staged.credential, "inputs": {"basepath": ELSEWHERE},
    }});
    staged.server.post(
        &format!("/document-store/upsert/{store}"),
        &json!({"loader": {"name": "plainText", "config": {"text": "Some text."}}}),
    );
    CredentialFixture::assert_refused(&staged.builder(
        "POST",
        &format!("/document-store/generate-tool-desc/{store}"),
        &model,
    ));
    let body =
        json!({"name": "Hub", "credentialName": "githubApi", "plainDataObj": {"accessToken": "ghp_1"}});
    let hub = id(&staged.server.post("/credentials", &body));
    let loader = json!({"storeId": store, "loaderId": "github", "credential": hub, "loaderConfig": {
        "repoLink": "https://else.example/a/b", "branch": "main", "githubBaseUrl": "https://else.example",
        "githubInstanceApi": "https://api.else.example",
    }});
    for path in ["/document-store/loader/preview", "/document-store/loader/save"] {
        assert!(staged.builder("POST", path, &loader).is_error(403).contains("Github"), "{path}");
    }
    staged.server.owner("POST", "/document-store/loader/save").json(&loader).send().is(200);
    staged.builder("POST", "/document-store/loader/save", &loader).is(200);
}

#[test]
fn an_address_that_was_saved_by_who_may_is_everybodys() {
    let staged = credential_fixture();
    let flow = staged.flow(GATEWAY);
    let other = json!({"name": "Mine", "type": "CHATFLOW", "flowData": staged.canvas(" https://GATEWAY.example:443/v1/")});
    staged.builder("POST", "/chatflows", &other).is(200);
    // With another credential it is another matter.
    let body =
        json!({"name": "Second", "credentialName": "openAIApi", "plainDataObj": {"openAIApiKey": SECRET}});
    let second = id(&staged.server.post("/credentials", &body));
    let swapped = staged.canvas(GATEWAY).replace(&staged.credential, &second);
    CredentialFixture::assert_refused(&staged.builder(
        "PUT",
        &format!("/flow-drafts/{flow}"),
        &json!({ "flowData": swapped }),
    ));
    // What is published and rolled back was saved before.
    staged.builder("POST", &format!("/flow-drafts/{flow}/publish"), &json!({})).is(200);
    let versions = staged.server.read(&format!("/flow-versions/{flow}"));
    let sha = versions["versions"][0]["sha"].as_str().unwrap();
    staged.builder("POST", &format!("/flow-versions/{flow}/{sha}/restore"), &json!({})).is(200);
}

#[test]
fn a_flow_saved_before_goes_on_and_can_be_saved_again() {
    let staged = credential_fixture();
    let flow = staged.flow(GATEWAY);
    staged.builder("POST", &format!("/flow-drafts/{flow}/publish"), &json!({})).is(200);
    let versions = staged.server.read(&format!("/flow-versions/{flow}"));
    let sha = versions["versions"][0]["sha"].as_str().unwrap().to_owned();
    // As it was before addresses were remembered.
    staged.forget_addresses();
    let moved = staged.canvas(GATEWAY).replace("gpt-4o-mini", "gpt-4o");
    staged.builder("PUT", &format!("/flow-drafts/{flow}"), &json!({ "flowData": moved })).is(200);
    staged.builder("POST", &format!("/flow-drafts/{flow}/publish"), &json!({})).is(200);
    staged.builder("PUT", &format!("/chatflows/{flow}"), &json!({"name": "Renamed"})).is(200);
    let own = json!({"name": "Mine", "type": "CHATFLOW", "flowData": staged.canvas(GATEWAY)});
    CredentialFixture::assert_refused(&staged.builder("POST", "/chatflows", &own));
    // Once it is gone from the flow, an old version does not bring it back.
    let home = json!({ "flowData": staged.canvas("") });
    staged.builder("PUT", &format!("/flow-drafts/{flow}"), &home).is(200);
    staged.builder("POST", &format!("/flow-drafts/{flow}/publish"), &json!({})).is(200);
    let restored = format!("/flow-versions/{flow}/{sha}/restore");
    CredentialFixture::assert_refused(&staged.builder("POST", &restored, &json!({})));
    CredentialFixture::assert_refused(&staged.builder(
        "POST",
        &format!("/flow-drafts/{flow}/rollback"),
        &json!({ "sha": sha }),
    ));
    staged.server.owner("POST", &restored).json(&json!({})).send().is(200);
    staged.builder("POST", "/chatflows", &own).is(200);
}

#[test]
fn a_variable_in_an_address_moves_with_the_credentials_permission_only() {
    let staged = credential_fixture();
    let made =
        staged.server.post("/variables", &json!({"name": "where", "value": GATEWAY, "type": "static"}));
    let other = staged.server.post("/variables", &json!({"name": "other", "value": "x", "type": "static"}));
    staged.flow("{{$vars.where}}");
    let path = |variable: &Value| format!("/variables/{}", id(variable));
    CredentialFixture::assert_refused(&staged.builder("PUT", &path(&made), &json!({ "value": ELSEWHERE })));
    CredentialFixture::assert_refused(&staged.builder("PUT", &path(&made), &json!({"name": "renamed"})));
    CredentialFixture::assert_refused(&staged.builder("PUT", &path(&other), &json!({"name": "where"})));
    staged.builder("PUT", &path(&other), &json!({"value": "y"})).is(200);
    staged.builder("PUT", &path(&made), &json!({ "value": GATEWAY })).is(200);
    staged.server.put(&path(&made), &json!({ "value": ELSEWHERE }));
}

#[test]
fn every_door_refuses_an_address_of_a_card_that_is_picked_inside_of_another() {
    let staged = credential_fixture();
    let made = |canvas: &str| json!({"name": "Mine", "type": "AGENTFLOW", "flowData": canvas});
    for canvas in staged.picking_canvases("") {
        staged.builder("POST", "/chatflows", &made(&canvas)).is(200);
    }
    let flow = staged.agentflow(&Steps::begin().text());
    for canvas in staged.picking_canvases(ELSEWHERE) {
        CredentialFixture::assert_refused(&staged.builder("POST", "/chatflows", &made(&canvas)));
        let change = json!({ "flowData": canvas });
        CredentialFixture::assert_refused(&staged.builder("PUT", &format!("/flow-drafts/{flow}"), &change));
        CredentialFixture::assert_refused(&staged.builder("PUT", &format!("/chatflows/{flow}"), &change));
        let told = staged.builder("POST", "/export-import/import", &made(&canvas)).is(200).json();
        assert_eq!(told["items"][0]["action"], "refused", "{told}");
    }
}

#[test]
fn an_address_of_a_picked_card_that_was_saved_before_can_be_saved_again() {
    let staged = credential_fixture();
    for (saved, other) in staged.picking_canvases(GATEWAY).into_iter().zip(staged.picking_canvases(ELSEWHERE))
    {
        let path = format!("/flow-drafts/{}", staged.agentflow(&saved));
        staged.forget_addresses();
        staged.builder("PUT", &path, &json!({ "flowData": saved })).is(200);
        CredentialFixture::assert_refused(&staged.builder("PUT", &path, &json!({ "flowData": other })));
    }
}

#[test]
fn a_variable_in_the_address_of_a_picked_card_moves_with_the_credentials_permission_only() {
    let staged = credential_fixture();
    let variable = json!({"name": "where", "value": GATEWAY, "type": "static"});
    let path = format!("/variables/{}", id(&staged.server.post("/variables", &variable)));
    for canvas in staged.picking_canvases("{{$vars.where}}") {
        let flow = staged.agentflow(&canvas);
        CredentialFixture::assert_refused(&staged.builder("PUT", &path, &json!({ "value": ELSEWHERE })));
        staged.server.owner("DELETE", &format!("/chatflows/{flow}")).send().is(200);
        for value in [ELSEWHERE, GATEWAY] {
            staged.builder("PUT", &path, &json!({ "value": value })).is(200);
        }
    }
}

#[test]
fn no_request_moves_a_credential() {
    let (ours, theirs) = (Provider::start(), Provider::start());
    let staged = credential_fixture();
    let variable = json!({"name": "where", "value": ours.base_url(), "type": "static"});
    staged.server.post("/variables", &variable);
    let flow = staged.flow("{{$vars.where}}");
    let listed = json!({"overrideConfig": {"status": true,
        "nodes": {"ChatOpenAI": [{"name": "basepath", "enabled": true}]},
        "variables": [{"name": "where", "enabled": true}],
    }});
    let open = json!({"apiConfig": listed.to_string()});
    staged.builder("PUT", &format!("/chatflows/{flow}"), &open).is(200);
    staged.builder("POST", &format!("/flow-drafts/{flow}/publish"), &json!({})).is(200);
    let asked = json!({"question": "Hi", "overrideConfig": {
        "basepath": theirs.base_url(), "vars": {"where": theirs.base_url()},
    }});
    staged.server.ask(&flow, &asked);
    assert_eq!((theirs.served_count(), ours.served_count()), (0, 1));
}
