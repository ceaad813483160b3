//! A text and a change of it from an editor: see `mewcode_core::fuzzing::range_conversion`.
#![no_main]

use libfuzzer_sys::fuzz_target;

type Place = (u32, u32);

fuzz_target!(|input: (&str, &str, Place, Place)| {
    let (text, new, start, end) = input;
    mewcode_core::fuzzing::range_conversion(text, new, start, end);
});
