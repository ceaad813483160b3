//! What a command line would run, told from its text alone: a strict proof that it is safe, and a permissive search for
//! danger. Runs nothing, reads no file.
