//! What is known of programs by their name.

use super::understand::Word;

/// What a program does with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing that is known to start others.
    Plain,
    /// It reads a script in the language of shells.
    Shell,
    /// It starts the command in its words.
    Wrapper(Wrapper),
    /// It starts the commands behind some of its words.
    Find,
    /// It runs what nobody can look through.
    Opaque,
}

/// Where the command begins in the words of a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrapper {
    /// Letters of options that take the next word.
    pub(super) valued: &'static str,
    /// How many words that are no options come before the command.
    pub(super) before: usize,
}

const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "rbash"];

const WRAPPERS: [(&str, &str, usize); 31] = [
    ("-", "", 0),
    ("env", "uCS", 0),
    ("nice", "n", 0),
    ("ionice", "cnpPu", 0),
    ("nohup", "", 0),
    ("setsid", "", 0),
    ("timeout", "ks", 1),
    ("gtimeout", "ks", 1),
    ("time", "fo", 0),
    ("stdbuf", "ioe", 0),
    ("unbuffer", "", 0),
    ("sudo", "CDghpRrTtUu", 0),
    ("doas", "Cu", 0),
    ("pkexec", "", 0),
    ("xargs", "adEILlnPs", 0),
    ("command", "", 0),
    ("builtin", "", 0),
    ("exec", "a", 0),
    ("coproc", "", 0),
    ("noglob", "", 0),
    ("busybox", "", 0),
    ("toybox", "", 0),
    ("chroot", "", 1),
    ("flock", "wE", 1),
    ("taskset", "", 1),
    ("chrt", "TPD", 1),
    ("setpriv", "", 0),
    ("prlimit", "", 0),
    ("catchsegv", "", 0),
    ("caffeinate", "tw", 0),
    ("arch", "", 0),
];

/// Interpreters, editors, debuggers, runners of recipes, and whatever else runs code it is given.
const OPAQUE: &[&str] = &[
    ".",
    "alias",
    "ansible",
    "ant",
    "at",
    "awk",
    "batch",
    "bind",
    "bun",
    "bunx",
    "busctl",
    "bwrap",
    "capsh",
    "cgexec",
    "choom",
    "chpst",
    "compgen",
    "complete",
    "composer",
    "coreutils",
    "cpulimit",
    "crontab",
    "crun",
    "csh",
    "dbus-launch",
    "dbus-run-session",
    "dbus-send",
    "deno",
    "docker",
    "dumb-init",
    "eatmydata",
    "ed",
    "elixir",
    "elvish",
    "emacs",
    "enable",
    "entr",
    "erl",
    "eval",
    "ex",
    "expect",
    "fakechroot",
    "fakeroot",
    "faketime",
    "fc",
    "fd",
    "fdfind",
    "firejail",
    "fish",
    "ftp",
    "gawk",
    "gdb",
    "ghci",
    "gmake",
    "gnuplot",
    "gosu",
    "groovy",
    "gsed",
    "guile",
    "history",
    "hyperfine",
    "iex",
    "ip",
    "irb",
    "java",
    "jjs",
    "jshell",
    "julia",
    "just",
    "kubectl",
    "less",
    "lftp",
    "linux32",
    "linux64",
    "lldb",
    "logsave",
    "ltrace",
    "lua",
    "luajit",
    "m4",
    "mail",
    "make",
    "man",
    "mapfile",
    "mawk",
    "more",
    "mutt",
    "mysql",
    "nawk",
    "nc",
    "ncat",
    "nerdctl",
    "netcat",
    "newgrp",
    "node",
    "nodejs",
    "npm",
    "npx",
    "nsenter",
    "nu",
    "numactl",
    "nvim",
    "ocaml",
    "octave",
    "osascript",
    "parallel",
    "perf",
    "perl",
    "php",
    "pnpm",
    "podman",
    "proot",
    "proxychains",
    "psql",
    "pwsh",
    "pypy",
    "python",
    "r",
    "racket",
    "rake",
    "readarray",
    "rlwrap",
    "rscript",
    "ruby",
    "run-parts",
    "runc",
    "runcon",
    "runuser",
    "sbcl",
    "scala",
    "screen",
    "script",
    "sed",
    "setarch",
    "sg",
    "socat",
    "softlimit",
    "source",
    "sqlite",
    "ssh",
    "ssh-agent",
    "start-stop-daemon",
    "strace",
    "su",
    "systemd-cat",
    "systemd-inhibit",
    "systemd-run",
    "task",
    "tclsh",
    "tcsh",
    "tini",
    "tmux",
    "torsocks",
    "trap",
    "tsp",
    "uclampset",
    "unshare",
    "uv",
    "uvx",
    "valgrind",
    "vi",
    "vim",
    "vimdiff",
    "watch",
    "wish",
    "xonsh",
    "xvfb-run",
    "yarn",
];

/// Words that let an otherwise plain program start others.
const STARTERS: [(&str, &[&str]); 7] = [
    ("tar", &["--to-command", "--checkpoint-action", "--use-compress-program", "-I", "-F", "--info-script"]),
    (
        "git",
        &[
            "-c",
            "--config-env",
            "--exec-path",
            "foreach",
            "--exec",
            "-x",
            "filter-branch",
            "bisect",
            "--upload-pack",
            "--receive-pack",
            "--ext-diff",
            "difftool",
            "mergetool",
            "config",
            "--open-files-in-pager",
            "-O",
        ],
    ),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("rg", &["--pre", "--hostname-bin"]),
];

/// Where the programs of a system are; one elsewhere may have been put there by anybody.
const FOLDERS: [&str; 8] = [
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
];

/// Variables that decide which code a program runs.
const VARIABLES: [&str; 14] = [
    "PATH",
    "ENV",
    "BASH_ENV",
    "SHELL",
    "IFS",
    "PS4",
    "PROMPT_COMMAND",
    "PAGER",
    "EDITOR",
    "VISUAL",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "NODE_OPTIONS",
];
const VARIABLE_BEGINNINGS: [&str; 6] = ["LD_", "DYLD_", "GIT_", "BASH_FUNC_", "PYTHON", "RUSTC_"];

/// The name a program is known by: without its folder, its version, and the case of its letters.
pub(super) fn name_of(program: &str) -> String {
    program.rsplit('/').next().unwrap_or(program).to_lowercase()
}

/// What the program of a command does with its words.
pub(super) fn kind_of(words: &[Word]) -> Kind {
    let Some(program) = words.first() else { return Kind::Plain };
    let name = name_of(&program.text);
    let unversioned = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let unversioned = if unversioned.is_empty() { name.as_str() } else { unversioned };
    let is = |known: &str| known == name || known == unversioned.trim_end_matches('-');
    if SHELLS.iter().copied().any(is) {
        return Kind::Shell;
    }
    if let Some((_, valued, before)) = WRAPPERS.iter().find(|(known, _, _)| is(known)) {
        return Kind::Wrapper(Wrapper { valued, before: *before });
    }
    if matches!(name.as_str(), "find" | "gfind" | "bfs") {
        return Kind::Find;
    }
    // `=name` is a program to some shells.
    if name.starts_with('=')
        || OPAQUE.iter().copied().any(is)
        || starts_others(&name, words)
        || is_elsewhere(&program.text)
    {
        return Kind::Opaque;
    }
    Kind::Plain
}

fn starts_others(name: &str, words: &[Word]) -> bool {
    let Some((_, starters)) = STARTERS.iter().find(|(known, _)| *known == name) else { return false };
    let begins = |word: &Word| {
        starters.iter().any(|starter| match word.text.strip_prefix(starter) {
            Some(rest) => {
                rest.is_empty() || rest.starts_with('=') || !starter.starts_with("--") && starter.len() == 2
            }
            // Long options may be cut short.
            None => {
                word.text.len() > 3
                    && starter.starts_with("--")
                    && starter.starts_with(without_value(&word.text))
            }
        })
    };
    words.iter().skip(1).any(begins)
}

fn without_value(option: &str) -> &str {
    option.split_once('=').map_or(option, |(name, _)| name)
}

/// A program named by a path that is no folder of the system's programs.
fn is_elsewhere(program: &str) -> bool {
    let Some((folder, _)) = program.rsplit_once('/') else { return false };
    !FOLDERS.iter().any(|known| known.trim_end_matches('/') == folder)
}

/// Whether a word sets a variable; and whether that decides which code runs.
pub(super) fn assignment(word: &str) -> Option<bool> {
    let (name, _) = word.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let is_name = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let decides =
        VARIABLES.contains(&name) || VARIABLE_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
    is_name.then_some(decides)
}
