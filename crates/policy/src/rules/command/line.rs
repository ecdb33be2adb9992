//! A call that starts a program the model chose.

use provost_contract::json::Object;

use super::super::path::Place;

/// Bounds of what is judged at all. A longer command is unclear: every word may cost a look at the disk.
pub(in crate::rules) const WORDS_MAX: usize = 512;
const BYTES_MAX: usize = 32 * 1024;
/// No system opens a longer path.
pub(in crate::rules) const PATH_BYTES_MAX: usize = 4_096;

const COMMAND: &str = "argv";
const FOLDER: &str = "cwd";

/// The words of a command, and the folder it starts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct CommandLine<'a> {
    pub(in crate::rules) program: &'a str,
    pub(in crate::rules) words: Vec<&'a str>,
    /// Absolute, as it is written.
    pub(in crate::rules) folder: Place,
}

impl<'a> CommandLine<'a> {
    /// Reads the command among the arguments of a call; none when there is none.
    ///
    /// # Errors
    /// Why it cannot be judged.
    pub(in crate::rules) fn read(arguments: &'a Object, root: &str) -> Option<Result<Self, String>> {
        arguments.get(COMMAND).map(|_| Self::of(arguments, root))
    }

    fn of(arguments: &'a Object, root: &str) -> Result<Self, String> {
        let argv = arguments.get(COMMAND).and_then(|argv| argv.as_array());
        let argv = argv.ok_or("`argv` is not a list of words")?;
        if argv.len() > WORDS_MAX {
            return Err(format!("it has more than {WORDS_MAX} words"));
        }
        let words: Option<Vec<&str>> = argv.iter().map(|word| word.as_str()).collect();
        let words = words.ok_or("`argv` is not a list of words")?;
        if words.iter().map(|word| word.len()).sum::<usize>() > BYTES_MAX {
            return Err(format!("it is longer than {BYTES_MAX} bytes"));
        }
        let (program, words) = words.split_first().ok_or("`argv` is empty")?;
        let cwd = match arguments.get(FOLDER) {
            None => "",
            Some(cwd) => {
                cwd.as_str().filter(|cwd| cwd.len() <= PATH_BYTES_MAX).ok_or("`cwd` is not a path")?
            }
        };
        Ok(Self { program, words: words.to_vec(), folder: Place::read(cwd, root) })
    }

    /// The name of the program without its folder.
    pub(super) fn name(&self) -> &'a str {
        self.program.rsplit('/').next().unwrap_or(self.program)
    }
}
