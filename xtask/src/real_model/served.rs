//! The model while it is served.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Failure;

const SCRIPT: &str = include_str!("serve.py");

/// A server that ends with this value.
pub(super) struct Served {
    child: Child,
    /// Where the model answers as it is.
    pub(super) plain: String,
    /// Where it is made to call tools.
    pub(super) calls: String,
}

impl Served {
    /// Starts the server, and waits until it says that it is ready.
    pub(super) fn start(python: &Path) -> Result<Self, Failure> {
        let [plain, calls] = [free_port()?, free_port()?];
        let mut child = Command::new(python)
            .args(["-c", SCRIPT, &plain.to_string(), &calls.to_string()])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = child.stdout.take().ok_or("the server has no output")?;
        let url = |port: u16| format!("http://127.0.0.1:{port}/v1");
        let served = Self { child, plain: url(plain), calls: url(calls) };
        let ready = BufReader::new(output).lines().map_while(Result::ok).any(|line| line == "READY");
        if ready { Ok(served) } else { Err("the server of the model did not start".into()) }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // When it is gone already, that is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
