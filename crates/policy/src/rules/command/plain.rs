//! The plain programs: the only ones whose calls are read.
//!
//! A plain program starts no other program, takes no orders from files, uses no network, and touches exactly
//! the places its words name. For each of them the options are listed that leave it so; any other option
//! makes the call unclear. The list is part of the documentation of rules.

use super::CommandLine;
use super::line::PATH_BYTES_MAX;
use crate::rules::call::Places;
use crate::rules::path::Place;

/// A call of a plain program, and everything it touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct PlainCall {
    pub(in crate::rules) touches: Vec<Touch>,
}

/// Something a program touches: as it is written, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rules) struct Touch {
    pub(in crate::rules) places: Vec<Place>,
    /// Whether everything below is touched as well.
    pub(in crate::rules) below: bool,
}

/// What a program does with its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    /// It looks at no place at all.
    Nothing,
    /// It shows the time; a word that is no format would set the clock.
    Time,
    /// It reads the files it is given.
    Reads,
    /// It reads the folders it is given, else the one it starts in.
    Lists,
    /// It makes what it is given, or changes its time.
    Makes,
    /// It removes what it is given; with `-r` also everything below.
    Removes,
    /// It reads the first ones and writes the last, or into the last.
    Copies,
    /// It moves the first ones, with everything below, to the last or into it.
    Moves,
}

struct Plain {
    name: &'static str,
    /// Options without a value.
    flags: &'static str,
    /// Options whose value is a number.
    counts: &'static str,
    does: Does,
}

const fn plain(name: &'static str, flags: &'static str, counts: &'static str, does: Does) -> Plain {
    Plain { name, flags, counts, does }
}

const PLAIN: [Plain; 20] = [
    plain("true", "", "", Does::Nothing),
    plain("false", "", "", Does::Nothing),
    plain("echo", "", "", Does::Nothing),
    plain("pwd", "", "", Does::Nothing),
    plain("sleep", "", "", Does::Nothing),
    plain("basename", "", "", Does::Nothing),
    plain("dirname", "", "", Does::Nothing),
    plain("date", "u", "", Does::Time),
    plain("cat", "AbEensTtuv", "", Does::Reads),
    plain("head", "qv", "nc", Does::Reads),
    plain("tail", "qv", "nc", Does::Reads),
    plain("wc", "clmwL", "", Does::Reads),
    plain("cmp", "bls", "", Does::Reads),
    plain("ls", "1AadFghilnoprSst", "", Does::Lists),
    plain("mkdir", "pv", "", Does::Makes),
    plain("touch", "acm", "", Does::Makes),
    plain("rmdir", "v", "", Does::Removes),
    plain("rm", "dfirRv", "", Does::Removes),
    plain("cp", "finpv", "", Does::Copies),
    plain("mv", "finv", "", Does::Moves),
];

impl PlainCall {
    /// Reads a call.
    ///
    /// # Errors
    /// Why it is unclear what the call does.
    pub(in crate::rules) fn read(line: &CommandLine<'_>, places: &dyn Places) -> Result<Self, String> {
        let CommandLine { program, words, folder } = line;
        let plain = PLAIN.iter().find(|plain| plain.name == *program);
        let plain = plain.ok_or_else(|| format!("`{program}` is not one of the plain programs"))?;
        places.program(program)?;
        if plain.does == Does::Nothing {
            return Ok(Self { touches: Vec::new() });
        }
        let (recursive, operands) = plain.split(words)?;
        let reach = Reach { folder, places };
        let touches = plain.touches(operands, recursive, &reach)?;
        Ok(Self { touches })
    }
}

impl Plain {
    /// Checks the options, and gives the words behind them. Says also whether everything below is meant.
    fn split<'w>(&self, words: &'w [&'w str]) -> Result<(bool, &'w [&'w str]), String> {
        let mut recursive = false;
        let mut rest = words;
        while let Some((option, after)) = rest.split_first().filter(|(word, _)| is_option(word)) {
            if *option == "--" {
                return Ok((recursive, after));
            }
            let takes_next = self.read_option(option, after.first().copied())?;
            recursive |= self.does == Does::Removes && option.contains(['r', 'R']);
            rest = after.get(usize::from(takes_next)..).unwrap_or_default();
        }
        match rest.iter().find(|word| is_option(word)) {
            // Some systems read it as an option, others as a name.
            Some(option) => Err(format!("the option `{option}` stands behind a name")),
            None => Ok((recursive, rest)),
        }
    }

    /// Checks one word with options; says whether the next word is its value.
    fn read_option(&self, option: &str, next: Option<&str>) -> Result<bool, String> {
        let unknown = || format!("the option `{option}` of `{}` is not one of the plain ones", self.name);
        let letters = option.strip_prefix('-').ok_or_else(unknown)?;
        if !self.counts.is_empty() && is_number(letters) {
            return Ok(false);
        }
        for (at, letter) in letters.char_indices() {
            if self.counts.contains(letter) {
                let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty());
                let value = attached.or(next).filter(|value| is_number(value.trim_start_matches(['+', '-'])));
                return value.map(|_| attached.is_none()).ok_or_else(unknown);
            }
            if !self.flags.contains(letter) {
                return Err(unknown());
            }
        }
        Ok(false)
    }

    fn touches(&self, operands: &[&str], recursive: bool, reach: &Reach<'_>) -> Result<Vec<Touch>, String> {
        let reads = |path: &&str| reach.reads(path);
        match self.does {
            Does::Nothing => Ok(Vec::new()),
            Does::Time if operands.iter().all(|word| word.starts_with('+')) => Ok(Vec::new()),
            Does::Time => Err("`date` may set the clock".to_owned()),
            Does::Reads => operands.iter().map(reads).collect(),
            Does::Lists if operands.is_empty() => Ok(vec![reach.reads(".")?]),
            Does::Lists => operands.iter().map(reads).collect(),
            Does::Makes => operands.iter().map(|path| reach.makes(path)).collect(),
            Does::Removes => operands.iter().map(|path| reach.writes(path, recursive)).collect(),
            Does::Copies => reach.carries(operands, false),
            Does::Moves => reach.carries(operands, true),
        }
    }
}

/// Where the words of a call lead.
struct Reach<'a> {
    folder: &'a Place,
    places: &'a dyn Places,
}

impl Reach<'_> {
    fn reads(&self, path: &str) -> Result<Touch, String> {
        self.touch(path, false)
    }

    /// Something written stays in the workspace: elsewhere lie the programs that are found by name, and the
    /// files that they read.
    fn writes(&self, path: &str, below: bool) -> Result<Touch, String> {
        let touch = self.touch(path, below)?;
        let root = Place::read(self.places.root(), "");
        match touch.places.iter().all(|place| place.below(&root).is_some()) {
            true => Ok(touch),
            false => Err(format!("it writes `{path}`, outside the workspace")),
        }
    }

    /// `mkdir -p a/b/..` makes what its last place does not show.
    fn makes(&self, path: &str) -> Result<Touch, String> {
        match path.split('/').any(|name| name == "..") {
            true => Err(format!("`{path}` makes places on its way")),
            false => self.writes(path, false),
        }
    }

    /// What is carried from the first ones to the last, or into it when it is a folder.
    fn carries(&self, operands: &[&str], moves: bool) -> Result<Vec<Touch>, String> {
        let Some((target, sources)) = operands.split_last() else { return Ok(Vec::new()) };
        let mut touches = vec![self.writes(target, moves)?];
        for source in sources {
            touches.push(if moves { self.writes(source, true)? } else { self.reads(source)? });
            let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or(source);
            touches.push(self.writes(&format!("{target}/{name}"), moves)?);
        }
        Ok(touches)
    }

    fn touch(&self, path: &str, below: bool) -> Result<Touch, String> {
        if path.contains(|letter: char| letter.is_control()) || path.len() > PATH_BYTES_MAX {
            return Err("a word is no usual path".to_owned());
        }
        let folder = self.folder.text();
        let written = if path.starts_with('/') { path.to_owned() } else { format!("{folder}/{path}") };
        let place = Place::read(path, &folder);
        // `..` behind a link leads elsewhere than it is written: where the disk says counts as well.
        let real = [self.places.real(&place.text()), self.places.real(&written)];
        let real = real.into_iter().flatten().map(|real| Place::read(&real, ""));
        let places: Vec<Place> = [place].into_iter().chain(real).collect();
        match places.iter().find(|place| is_of_process(place)) {
            Some(_) => Err(format!("what `{path}` is depends on the process that looks")),
            None => Ok(Touch { places, below }),
        }
    }
}

/// `/proc/self/cwd`, `/dev/fd/3`: other names of places, for the program other ones than for us.
fn is_of_process(place: &Place) -> bool {
    let names: Vec<&str> = place.0.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["dev", "null"] => false,
        ["proc" | "dev", ..] => true,
        _ => false,
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
