//! A command as one would type it.

/// The arguments in one line, quoted where a shell would read them otherwise.
pub(crate) fn command_line(argv: &[String]) -> String {
    argv.iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
}

fn quoted(argument: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@+%".contains(&byte);
    if !argument.is_empty() && argument.bytes().all(is_plain) {
        return argument.to_owned();
    }
    // A line break or an escape sequence must not pass for something else on a terminal.
    if argument.contains(|character: char| character.is_control()) {
        return format!("$'{}'", argument.escape_default());
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_it_matters() {
        let line =
            |argv: &[&str]| command_line(&argv.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(line(&["cargo", "test", "-p", "a_b"]), "cargo test -p a_b");
        assert_eq!(line(&["sh", "-c", "rm -rf ~", ""]), "sh -c 'rm -rf ~' ''");
        assert_eq!(line(&["echo", "it's"]), r"echo 'it'\''s'");
        assert_eq!(line(&["echo", "a\n\u{1b}[2Kb"]), r"echo $'a\n\u{1b}[2Kb'");
    }
}
