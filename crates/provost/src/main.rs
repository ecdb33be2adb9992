//! The `provost` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    provost::cli::main()
}
