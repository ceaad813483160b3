//! The steps between a server and its commands as a program of their own, for the tests of this crate.

fn main() -> std::process::ExitCode {
    mewcode_tools::process::step().unwrap_or(std::process::ExitCode::from(2))
}
