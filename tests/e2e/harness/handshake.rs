//! How an editor and a server begin: what each says that it can do, and what they agree on.

use serde_json::{Value, json};

use super::uri::uri;
use super::{Client, Encoding, Server, Sync, Workspace};

/// What the two agreed on.
pub(super) struct Agreed {
    pub(super) encoding: Encoding,
    pub(super) sync: Sync,
    pub(super) capabilities: Value,
}

/// The handshake with a server.
pub(super) fn shake(
    server: &mut Server,
    workspace: &Workspace,
    client: &Client,
    options: &Value,
    parent: u32,
) -> Agreed {
    let result = server
        .call(
            "initialize",
            json!({
                "processId": parent,
                "clientInfo": {"name": client.name, "version": "1"},
                "rootUri": uri(workspace.root()),
                "workspaceFolders": [{"uri": uri(workspace.root()), "name": "work"}],
                "capabilities": client.capabilities(),
                "initializationOptions": options,
            }),
        )
        .expect("initialize succeeds");
    let capabilities = result["capabilities"].clone();
    let encoding = capabilities["positionEncoding"]
        .as_str()
        .map_or(Encoding::Utf16, Encoding::named);
    let offered = if client.encodings.is_empty() {
        vec![Encoding::Utf16]
    } else {
        client.encodings.clone()
    };
    assert!(offered.contains(&encoding), "{encoding:?} was not offered");
    let synchronisation = &capabilities["textDocumentSync"];
    assert_eq!(synchronisation["openClose"], true, "{synchronisation}");
    let sync = match synchronisation["change"].as_u64() {
        Some(1) => Sync::Full,
        Some(2) => client.sync,
        _ => panic!("the server wants no changes: {synchronisation}"),
    };
    server.notify("initialized", json!({}));
    Agreed {
        encoding,
        sync,
        capabilities,
    }
}
