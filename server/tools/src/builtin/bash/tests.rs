//! What of a command is decided before it runs. Commands that really run are in `tests/commands`.
