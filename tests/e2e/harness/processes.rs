//! The processes of this machine, as Linux lists them.

/// Processes whose command line holds these words.
pub fn processes(words: &str) -> Vec<String> {
    let all = std::fs::read_dir("/proc")
        .expect("a list of processes")
        .flatten();
    let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(words))
        .collect()
}

/// Waits until a condition on the processes of this machine holds, which no event tells.
pub fn until(what: &str, met: impl Fn() -> bool) {
    let deadline = std::time::Instant::now() + super::PATIENCE;
    while !met() {
        assert!(
            std::time::Instant::now() < deadline,
            "waited in vain for {what}"
        );
        std::thread::yield_now();
    }
}
