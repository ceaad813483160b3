//! Text, needles and new texts: see `mewcode_core::fuzzing::edit_matcher`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| mewcode_core::fuzzing::edit_matcher(input));
