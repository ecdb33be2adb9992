//! A terminal with a program on it.

use std::fs;
use std::process::Command;
use std::time::Duration;

use expectrl::session::OsSession;
use expectrl::{Eof, Expect as _, Session};

use super::server::Speaker;
use super::world::{World, until};

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const UP: &str = "\u{1b}[A";
/// The prompt of a conversation that waits for a message, as it is drawn.
pub(crate) const PROMPT: &str = "\u{1b}[1G\u{1b}[J\u{1b}[1m›";
pub(crate) const LEFT: &str = "\u{1b}[D";
/// Longer than anything takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal of some size with a program on it.
pub(crate) struct Terminal(pub(crate) OsSession);

impl Terminal {
    pub(crate) fn new(command: Command, size: (u16, u16)) -> Self {
        Self::sized(command, size, &[])
    }

    pub(crate) fn sized(
        mut command: Command,
        (columns, rows): (u16, u16),
        environment: &[(&str, &str)],
    ) -> Self {
        command.env_remove("PROVOST_CLOCK_MS").env_remove("PROVOST_SEED").env("TERM", "xterm-256color");
        command.envs(environment.iter().copied());
        // The size must be there before the program looks, and is set a moment after it was started.
        let wait = format!("until [ \"$(stty size)\" = \"{rows} {columns}\" ]; do :; done; exec \"$@\"");
        let mut sized = Command::new("sh");
        sized.arg("-c").arg(wait).arg("sh");
        sized.arg(command.get_program()).args(command.get_args()).env_clear();
        sized.envs(command.get_envs().filter_map(|(key, value)| Some((key, value?))));
        sized.current_dir(command.get_current_dir().unwrap());
        let mut session = Session::spawn(sized).unwrap();
        session.get_process_mut().set_window_size(columns, rows).unwrap();
        session.set_expect_timeout(Some(PATIENCE));
        Self(session)
    }

    /// Waits for some words, and gives everything up to them.
    #[track_caller]
    pub(crate) fn until(&mut self, words: &str) -> String {
        match self.0.expect(words) {
            Ok(found) => String::from_utf8_lossy(found.as_bytes()).into_owned(),
            Err(error) => {
                let mut rest = [0; 65_536];
                let bytes = self.0.try_read(&mut rest).unwrap_or(0);
                panic!("{error}: no {words:?} in {:?}", String::from_utf8_lossy(&rest[..bytes]));
            }
        }
    }

    /// Waits until the screen is so, given everything that was written before, and gives it.
    #[track_caller]
    pub(crate) fn until_screen(
        &mut self,
        written: &mut String,
        size: (u16, u16),
        is_so: impl Fn(&str) -> bool,
    ) -> String {
        let mut bytes = [0; 65_536];
        let mut shown = screen(written, size);
        until("the screen is so", || {
            if let Ok(read) = self.0.try_read(&mut bytes) {
                written.push_str(&String::from_utf8_lossy(&bytes[..read]));
                shown = screen(written, size);
            }
            is_so(&shown)
        });
        shown
    }

    pub(crate) fn types(&mut self, words: &str) {
        self.0.send(words).unwrap();
    }

    pub(crate) fn enters(&mut self, words: &str) {
        self.types(&format!("{words}\r"));
    }

    /// Asks the program to end.
    pub(crate) fn terminates(&mut self) {
        self.0.get_process_mut().kill(expectrl::process::unix::Signal::SIGTERM).unwrap();
    }

    /// Kills the program, as a crash would.
    pub(crate) fn kill(mut self) {
        self.0.get_process_mut().kill(expectrl::process::unix::Signal::SIGKILL).unwrap();
        self.0.get_process().wait().unwrap();
    }

    /// Everything to the end, and how the program ended.
    pub(crate) fn end(mut self) -> (String, i32) {
        let rest = self.0.expect(Eof).map(|rest| String::from_utf8_lossy(rest.as_bytes()).into_owned());
        let status = self.0.get_process().wait().unwrap();
        let code = match status {
            expectrl::process::unix::WaitStatus::Exited(_, code) => code,
            other => panic!("{other:?}"),
        };
        (rest.unwrap_or_default(), code)
    }
}

/// What a terminal of that size shows in the end.
pub(crate) fn screen(written: &str, (columns, rows): (u16, u16)) -> String {
    let mut terminal = vt100::Parser::new(rows, columns, 0);
    terminal.process(written.as_bytes());
    terminal.screen().contents()
}

pub(crate) fn uncoloured(written: &str) -> String {
    let mut parts = written.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';').get(1..).unwrap_or_default()
    })
}

impl World {
    pub(crate) fn on_terminal(&self, words: &[&str], model: &[String], size: (u16, u16)) -> Terminal {
        let mut command = self.command(words);
        command.args(model);
        Terminal::new(command, size)
    }

    pub(crate) fn chat_on_terminal(&self, words: &[&str], model: &[String]) -> Terminal {
        let words: Vec<&str> =
            ["chat", "--project", "examples/audit"].into_iter().chain(words.iter().copied()).collect();
        self.on_terminal(&words, model, (80, 24))
    }

    /// A project whose model is that server.
    pub(crate) fn served_by(&self, speaker: &Speaker) {
        fs::create_dir_all(self.path("talk/agents")).unwrap();
        let model = format!(
            "[models.here]\nprovider = \"openai_compatible\"\nbase_url = \"{}\"\nsettings = {{ model = \"m\" }}\n",
            speaker.url
        );
        fs::write(self.path("talk/provost.toml"), model).unwrap();
        fs::write(
            self.path("talk/agents/helper.md"),
            "---\nname: helper\ndescription: Helps.\n---\nYou help.\n",
        )
        .unwrap();
    }
}
