//! End-to-end tests: the real binary over its real protocol, and real editors.
