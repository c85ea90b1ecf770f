//! The stop (manual 13.6).

use crate::support::{Server, read_answer, reason, request, wait_for_note};
use flowkeep::base::cancel::CancelReason;
use flowkeep::http::connection::timeouts::Timeouts;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn quick() -> Timeouts {
    Timeouts { drain: Duration::from_secs(3), drain_cancelled: Duration::from_secs(1), ..Timeouts::default() }
}

fn open(server: &Server, path: &str) -> TcpStream {
    let mut socket = server.connect();
    socket.write_all(request("GET", path, &[], "").as_bytes()).unwrap();
    socket
}

#[test]
fn an_idle_service_stops_at_once() {
    let mut server = Server::start();
    let mut idle = open(&server, "/api/v1/ok");
    assert_eq!(read_answer(&mut idle).unwrap().status, 200);
    server.tell_to_stop();
    assert!(server.wait_for_end() < Duration::from_secs(4));
    assert_eq!(idle.read(&mut [0; 10]).unwrap_or(0), 0);
}

#[test]
fn answers_and_streams_get_their_time_and_then_an_end() {
    let mut server = Server::start_with_timeouts(quick());
    let mut stream = open(&server, "/api/v1/stream?ms=60000&probe=cut");
    let mut ending = open(&server, "/api/v1/stream?tokens=3&ms=500&probe=ending");
    let mut finishing = open(&server, "/api/v1/block?ms=1500&probe=finishing");
    let mut endless = open(&server, "/api/v1/block?probe=endless");
    let mut idle = open(&server, "/api/v1/ok");
    assert_eq!(read_answer(&mut idle).unwrap().status, 200);
    for probe in ["finishing", "endless"] {
        assert_eq!(wait_for_note(probe, Duration::from_secs(5)).as_deref(), Some("started"));
    }
    let mut slow_body = server.connect();
    slow_body
        .write_all(b"POST /api/v1/echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n[")
        .unwrap();
    std::thread::sleep(Duration::from_millis(100));
    server.tell_to_stop();
    // On a busy machine some time passes until the service hears of it.
    let begun = Instant::now();
    while server.get("/api/v1/ok", &[]).status == 200 && begun.elapsed() < Duration::from_secs(1) {}
    // New requests are refused, on old connections and on new ones, and so is one whose body is not there yet.
    idle.write_all(request("GET", "/api/v1/ok", &[], "").as_bytes()).unwrap();
    let refused = [
        read_answer(&mut idle).expect("on an old connection"),
        server.get("/api/v1/ok", &[]),
        read_answer(&mut slow_body).expect("with half a body"),
    ];
    for answer in refused {
        answer.is_error(503);
        assert_eq!(
            (answer.json()["code"].as_str(), answer.header("retry-after")),
            (Some("UNAVAILABLE"), Some("60"))
        );
        assert_eq!(answer.header("connection"), Some("close"));
    }
    assert_eq!(read_answer(&mut finishing).unwrap().json()["done"], true);
    let body = read_answer(&mut ending).unwrap().body;
    assert_eq!((body.matches("\"token\"").count(), body.matches("\"error\"").count()), (3, 0), "{body}");
    assert!(wait_for_note("ending", Duration::from_secs(5)).unwrap().ends_with("None"));
    // What does not end by itself is told why it is ended.
    let body = read_answer(&mut stream).unwrap().body;
    assert!(body.ends_with(
        "message:\ndata:{\"event\":\"error\",\"data\":{\"status\":503,\"code\":\"UNAVAILABLE\",\"message\":\
         \"The service is restarting. Try again in a minute.\"}}\n\nmessage:\ndata:{\"event\":\"end\",\"data\":\"[DONE]\"}\n\n"
    ), "{body}");
    assert!(wait_for_note("cut", Duration::from_secs(5)).unwrap().ends_with("Some(Shutdown)"));
    read_answer(&mut endless).unwrap().is_error(503);
    assert_eq!(wait_for_note("endless", Duration::from_secs(5)), Some(reason(CancelReason::Shutdown)));
    let took = server.wait_for_end();
    assert!(took > Duration::from_millis(2_900) && took < Duration::from_secs(8), "{took:?}");
}

#[test]
fn a_run_that_does_not_listen_does_not_hold_the_stop() {
    let mut server = Server::start_with_timeouts(Timeouts {
        drain: Duration::from_millis(100),
        drain_cancelled: Duration::from_millis(100),
        run: Duration::from_secs(60),
        ..Timeouts::default()
    });
    let mut stubborn = open(&server, "/api/v1/stubborn");
    std::thread::sleep(Duration::from_millis(50));
    server.tell_to_stop();
    read_answer(&mut stubborn).unwrap().is_error(503);
    assert!(server.wait_for_end() < Duration::from_secs(1));
}
