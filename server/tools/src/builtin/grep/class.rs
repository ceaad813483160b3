//! Which files a reader wants to see first, told by their paths: what people wrote comes before what was generated,
//! copied from elsewhere or locked by a package manager.

/// Folders of what was copied or made.
const FOLDERS: &[&str] = &[
    "node_modules",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "bower_components",
    "site-packages",
    "Pods",
    "dist",
    "generated",
    "__generated__",
    "__snapshots__",
];

/// Lock files that do not end in `.lock`.
const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "pnpm-lock.yaml",
    "bun.lockb",
    "packages.lock.json",
    "gradle.lockfile",
    "go.sum",
];

/// What the names of generated files end in.
const ENDINGS: &[&str] = &[
    ".lock",
    ".min.js",
    ".min.css",
    ".bundle.js",
    ".map",
    ".snap",
    ".pb.go",
    ".pb.cc",
    ".pb.h",
    "_pb2.py",
    "_pb2_grpc.py",
    ".g.dart",
    ".freezed.dart",
    ".g.cs",
    ".designer.cs",
];

/// What stands inside the names of generated files.
const INSIDE: &[&str] = &[".generated.", "_generated."];

/// Whether the file at a relative path, with `/`, comes after the sources.
pub(in crate::builtin) fn comes_last(relative: &str) -> bool {
    let (folders, name) = relative.rsplit_once('/').unwrap_or(("", relative));
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || LOCKS.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || INSIDE.iter().any(|inside| name.contains(inside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_first() {
        for path in [
            "src/main.rs",
            "lib/vendor.js",
            "distribution/a",
            "map",
            "lock.rs",
            "a.map.ts",
        ] {
            assert!(!comes_last(path), "{path}");
        }
        for path in [
            "Cargo.lock",
            "web/package-lock.json",
            "vendor/a/b.go",
            "a/node_modules/b/c.js",
            "app.min.js",
            "api.pb.go",
            "schema.generated.ts",
            "types_generated.go",
            "go.sum",
        ] {
            assert!(comes_last(path), "{path}");
        }
    }
}
