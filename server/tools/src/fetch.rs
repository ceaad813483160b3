//! Fetching pages from the web: only from public addresses, checked and pinned at every hop. Knows no tool.
