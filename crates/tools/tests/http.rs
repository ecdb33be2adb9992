//! Reading addresses: what is refused before, at and after the lookup, each beside what is not.

use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::Arc;

use provost_tools::{Bounds, HttpAccess, HttpLimits, Preview, Tools};
use serde_json::{Value, json};

use crate::bench::{call, code_of, preview};

/// A server on an address of this machine, which answers by the path that is asked for.
fn serve(address: &str, answer: impl Fn(&str) -> String + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((address, 0)).unwrap();
    let bound = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let asked = lines.next().unwrap_or_default();
            let _ = lines.find(String::is_empty);
            let path = asked.split(' ').nth(1).unwrap_or_default().to_owned();
            let _ = stream.write_all(answer(&path).as_bytes());
        }
    });
    bound
}

fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn to(url: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {url}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

/// May ask these hosts, and of the addresses of this machine these.
fn access(hosts: &[String], private: &[&str]) -> HttpAccess {
    HttpAccess {
        hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
        private: private.iter().map(|address| address.parse::<IpAddr>().unwrap()).collect(),
        limits: HttpLimits { body_bytes_max: 100, redirects_max: 3, ms_max: 10_000 },
    }
}

async fn get(access: &HttpAccess, url: &str) -> Value {
    let tools = Tools::default().with_http(access.clone()).unwrap();
    call(&tools, "http/get", json!({ "url": url })).await
}

async fn code(access: &HttpAccess, url: &str) -> String {
    code_of(&get(access, url).await)
}

#[tokio::test]
async fn what_the_model_reads() {
    let server = serve("127.0.0.1", |_| ok("hello"));
    let access = access(&[server.to_string()], &["127.0.0.1"]);
    let mut reply = get(&access, &format!("http://{server}/a?b#c")).await;
    reply["result"]["url"] = "<address>".into();
    insta::assert_snapshot!(reply, @r#"{"success":true,"result":{"url":"<address>","status":200,"content_type":"text/plain","text":"hello","truncated":false},"metadata":{"summary":"HTTP 200, 5 bytes"}}"#);
}

#[tokio::test]
async fn a_host_must_be_on_the_list() {
    let server = serve("127.0.0.1", |_| ok("hello"));
    let url = format!("http://{server}/");
    assert_eq!(code(&access(&[], &["127.0.0.1"]), &url).await, "host_not_allowed");
    assert_eq!(code(&access(&["127.0.0.1".to_owned()], &["127.0.0.1"]), &url).await, "host_not_allowed");
    assert_eq!(code(&access(&[server.to_string()], &["127.0.0.1"]), &url).await, "ok");
}

#[tokio::test]
async fn a_private_address_is_refused_however_it_is_written() {
    let server = serve("127.0.0.1", |_| ok("hello"));
    let port = server.port();
    for host in ["127.0.0.1", "127.1", "2130706433", "0x7f.0.0.1", "[::ffff:127.0.0.1]", "localhost"] {
        let url = format!("http://{host}:{port}/");
        let hosts = ["127.0.0.1", "[::ffff:127.0.0.1]", "localhost"].map(|host| format!("{host}:{port}"));
        assert_eq!(code(&access(&hosts, &[]), &url).await, "private_address", "{url}");
        let control = access(&hosts, &["127.0.0.1", "::ffff:127.0.0.1"]);
        assert_eq!(code(&control, &url).await, "ok", "{url}");
    }
}

#[tokio::test]
async fn a_redirect_is_checked_like_an_address() {
    let inner = serve("127.0.0.2", |_| ok("inner secret"));
    let public = serve("127.0.0.1", move |path| match path {
        "/address" => to(&format!("http://{inner}/")),
        "/name" => to(&format!("http://localhost:{}/", inner.port())),
        "/file" => to("file:///etc/passwd"),
        "/round" => to("/round"),
        "/here" => to("/"),
        _ => ok("public"),
    });
    let hosts = [public.to_string(), inner.to_string()];
    let only_public = access(&hosts, &["127.0.0.1"]);
    for (path, refused) in [
        ("address", "private_address"),
        ("name", "host_not_allowed"),
        ("file", "scheme_not_allowed"),
        ("round", "too_many_redirects"),
        ("here", "ok"),
    ] {
        assert_eq!(code(&only_public, &format!("http://{public}/{path}")).await, refused, "{path}");
    }
    let both = access(&hosts, &["127.0.0.1", "127.0.0.2"]);
    assert_eq!(get(&both, &format!("http://{public}/address")).await["result"]["text"], "inner secret");
}

/// Follows no redirect to one place.
#[derive(Debug)]
struct NotThere(String);

impl Bounds for NotThere {
    fn hides(&self, _tool: &str, _path: &str) -> bool {
        false
    }

    fn closes(&self, tool: &str, url: &str) -> bool {
        assert_eq!(tool, "http/get");
        url.starts_with(&self.0)
    }
}

#[tokio::test]
async fn a_redirect_stays_within_bounds() {
    let inner = serve("127.0.0.2", |_| ok("inner secret"));
    let public = serve("127.0.0.1", move |_| to(&format!("http://{inner}/")));
    let access = access(&[public.to_string(), inner.to_string()], &["127.0.0.1", "127.0.0.2"]);
    for (closed, told) in [(format!("http://{inner}"), "redirect_not_allowed"), ("http://x".to_owned(), "ok")]
    {
        let tools = Tools::default().with_http_within(access.clone(), Arc::new(NotThere(closed))).unwrap();
        let reply = call(&tools, "http/get", json!({ "url": format!("http://{public}/") })).await;
        assert_eq!(code_of(&reply), told);
    }
}

#[tokio::test]
async fn a_body_is_cut_and_a_silence_ends() {
    let server = serve("127.0.0.1", |path| match path {
        "/silence" => {
            std::thread::park();
            String::new()
        }
        "/binary" => ok("a\0b"),
        _ => ok(&"x".repeat(101)),
    });
    let mut access = access(&[server.to_string()], &["127.0.0.1"]);
    let reply = get(&access, &format!("http://{server}/")).await;
    assert_eq!(
        (&reply["result"]["text"], &reply["result"]["truncated"]),
        (&json!("x".repeat(100)), &json!(true))
    );
    assert_eq!(code(&access, &format!("http://{server}/binary")).await, "binary");
    access.limits.ms_max = 50;
    assert_eq!(code(&access, &format!("http://{server}/silence")).await, "timed_out");
}

#[tokio::test]
async fn what_a_person_sees_before_approving() {
    let tools = Tools::default().with_http(access(&["example.com".to_owned()], &[])).unwrap();
    let shown = async |url: &str| preview(&tools, "http/get", json!({ "url": url })).await.unwrap();
    let url = "https://example.com/?q=what+leaves".to_owned();
    assert_eq!(shown(&url).await, Preview::Request { url: url.clone() });
    for (url, code) in [
        ("https://example.org/", "host_not_allowed"),
        ("https://ana:pass@example.com/", "credentials_in_url"),
        ("ftp://example.com/", "scheme_not_allowed"),
        ("example.com", "not_a_url"),
    ] {
        assert!(matches!(shown(url).await, Preview::Refused { code: told, .. } if told == code), "{url}");
    }
}
