//! How many streams one client address may hold open (manual 12.2 r4).

use crate::support::canvases::{ProviderFormat, with_provider};
use crate::support::client::Stream;
use crate::support::provider::{Behaviour, Provider};
use crate::support::{Server, client::Call};
use serde_json::json;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(10);

struct StreamFixture {
    server: Server,
    flow: String,
    /// Kept, because it is who the flow waits for.
    _provider: Provider,
}

/// A service on which an address may hold two streams open, and a flow whose provider stays silent.
fn start_with_two_per_address() -> StreamFixture {
    let provider = Provider::start();
    let settings = [("SERVICE_STREAMS_PER_ADDRESS", "2"), ("SERVICE_TRUSTED_PROXIES", "127.0.0.1")];
    let server = Server::with(&settings);
    let flow = server.flow(&ProviderFormat::OpenAi.conversation(&server, &provider.base_url(), json!({})));
    provider.set_decision(|_| Behaviour::Hang);
    StreamFixture { server, flow, _provider: provider }
}

impl StreamFixture {
    fn call(&self, address: &str, streaming: bool) -> Call {
        let body = json!({"question": "Hi", "streaming": streaming});
        let call = self.server.call("POST", &format!("/prediction/{}", self.flow));
        call.header("X-Forwarded-For", address).json(&body)
    }

    /// A stream that has begun and does not end by itself.
    fn open(&self, address: &str) -> Stream {
        let mut stream = self.call(address, true).open();
        assert_eq!(stream.answer.status, 200, "{:?}", stream.answer);
        stream.read_until("start");
        stream
    }
}

#[test]
fn one_stream_more_than_an_address_may_hold_is_refused_before_the_first_byte() {
    let bench = start_with_two_per_address();
    let _held = [bench.open("192.0.2.1"), bench.open("192.0.2.1")];
    let refused = bench.call("192.0.2.1", true).send();
    assert!(refused.is_error(429).contains("streams"), "{refused:?}");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!((refused.header("set-cookie"), refused.header("x-service-session-token")), (None, None));
}

#[test]
fn streams_of_one_address_take_nothing_from_another() {
    let bench = start_with_two_per_address();
    let _held = [bench.open("192.0.2.1"), bench.open("192.0.2.1")];
    let _other = bench.open("192.0.2.2");
}

#[test]
fn a_stream_that_ends_makes_room_for_the_next() {
    let bench = start_with_two_per_address();
    let _held = bench.open("192.0.2.1");
    drop(bench.open("192.0.2.1"));
    let end = Instant::now() + SOON;
    while bench.call("192.0.2.1", true).open().answer.status == 429 {
        assert!(Instant::now() < end, "the place of an ended stream did not come back");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn whole_answers_are_not_counted_as_streams() {
    let server = Server::with(&[("SERVICE_STREAMS_PER_ADDRESS", "1")]);
    let (_provider, flow) = with_provider(&server);
    for _ in 0..3 {
        server.ask(&flow, &json!({"question": "Hi"})).is(200);
    }
}
