//! Running commands: each under a supervisor that ends with the server and leaves no process behind. Knows no tool, no
//! permission and no shell syntax.
