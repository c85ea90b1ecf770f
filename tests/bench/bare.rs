//! What the service is measured against: a bare warp handler that makes the same provider call with ureq on a blocking
//! thread and keeps nothing.

use crate::model;
use crate::program::RoleProcess;
use serde_json::{Value, json};
use std::io::Write as _;
use warp::Filter as _;

/// Starts the handler's process.
pub fn start(provider: &str) -> RoleProcess {
    RoleProcess::start(&["--bare", provider])
}

/// The role: prints its address and serves until it is killed.
pub fn serve(provider: &str) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let url = format!("{provider}/v1/chat/completions");
    runtime.block_on(async move {
        let config = ureq::Agent::config_builder().max_idle_connections_per_host(64).max_idle_connections(64);
        let agent = ureq::Agent::new_with_config(config.build());
        let ask = warp::post().and(warp::path("ask")).and(warp::body::json()).then(move |question: Value| {
            let (agent, url) = (agent.clone(), url.clone());
            async move {
                let answer = tokio::task::spawn_blocking(move || {
                    let model = question["model"].as_str().unwrap();
                    let sent =
                        agent.post(&url).content_type("application/json").send(model::body(model, false));
                    let text = sent.unwrap().body_mut().read_to_string().unwrap();
                    let answer: Value = serde_json::from_str(&text).unwrap();
                    json!({"text": answer["choices"][0]["message"]["content"]})
                });
                warp::reply::json(&answer.await.unwrap())
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("http://{}", listener.local_addr().unwrap());
        std::io::stdout().flush().unwrap();
        warp::serve(ask).incoming(listener).run().await;
    });
}
