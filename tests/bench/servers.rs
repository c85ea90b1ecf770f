//! Several servers that share a copy: how long a version is on its way from Dev to whoever asks a Prod, and what a Prod costs
//! (manual 13.16).

use crate::canvases;
use crate::connected::{ConnectedServer, REPOSITORY, TOKEN};
use crate::figures::{Latencies, figure, heading};
use crate::git_host::GitHost;
use crate::memory::resident_kib;
use serde_json::json;
use std::time::{Duration, Instant};

const PRODS: usize = 3;
const VERSIONS: usize = 20;
/// So many other flows are in the copy.
const OTHER_FLOWS: usize = 100;

/// A version from Dev to three Prods, step by step.
pub fn report() {
    heading("Several servers: one Dev, three Prods, a git host, 100 flows");
    let host = GitHost::start(TOKEN);
    host.create(REPOSITORY);
    let dev = ConnectedServer::start(&host, "dev");
    let key = dev.home.key("bench");
    let canvas = canvases::scripted(&json!([]), "first");
    for number in 0..OTHER_FLOWS {
        dev.program.make_flow(&key, &format!("Flow {number}"), &canvas);
    }
    let flow = dev.program.make_flow(&key, "Support", &canvas);
    dev.push();
    let prods: Vec<ConnectedServer> = (0..PRODS).map(|_| ConnectedServer::start(&host, "prod")).collect();
    prods.iter().for_each(|prod| prod.promote(&flow));
    let (mut recorded, mut copied, mut read, mut promoted) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for version in 0..VERSIONS {
        let text = format!("version {version}");
        recorded.push(time(|| dev.set_live(&flow, &text)));
        copied.push(time(|| dev.push()));
        for prod in &prods {
            read.push(time(|| prod.push()));
            promoted.push(time(|| prod.promote_read(&flow)));
            assert_eq!(prod.ask(&flow).as_ref(), Ok(&text));
        }
    }
    for (name, times) in [
        ("Publish on Dev", recorded),
        ("copy to the git host, when told to", copied),
        ("read by a Prod, when told to", read),
        ("promote on a Prod, with the look at what it changes", promoted),
    ] {
        let times = Latencies::new(times);
        figure(
            name,
            &format!("{:.0} ms", times.percentile(0.5)),
            &format!("(worst {:.0} ms)", times.percentile(1.0)),
        );
    }
    let memory: Vec<u64> = prods.iter().map(|prod| resident_kib(prod.program.process_id()) / 1024).collect();
    figure("memory of each Prod", &format!("{memory:?} MB"), "");
}

fn time(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}
