//! A patch and a text to place it in: see `mewcode_core::fuzzing::patch_parser`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| mewcode_core::fuzzing::patch_parser(input.0, input.1));
