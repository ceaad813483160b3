//! The language server: what it can do, and for each method the one call that does it.
//!
//! Handlers convert in, call one function, convert out. None of them waits for the client or the model.

use crate::client::Profile;
use crate::code_actions;
use crate::commands::{self, refused};
use crate::config::{self, Settings};
use crate::definitions::Definitions;
use crate::documents::Documents;
use crate::lenses;
use crate::peer::Peer;
use crate::progress;
use crate::protocol::{
    Approval, HELD, HeldParams, PendingResult, SessionsResult, TranscriptParams, TranscriptResult,
};
use crate::review::book::FileView;
use crate::review::landing::Target;
use crate::state::State;
use crate::transport::{self, End, Transport};
use crate::uri::{path_of, real_path};
use mewcode_core::position::LineIndex;
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::mpsc;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, CodeActionResponse, CodeLens, CodeLensOptions, CodeLensParams,
    DidChangeConfigurationParams, DidChangeWorkspaceFoldersParams, ExecuteCommandOptions,
    ExecuteCommandParams, FileOperationFilter, FileOperationPattern,
    FileOperationRegistrationOptions, InitializeParams, InitializeResult, InitializedParams,
    MessageType, OneOf, RenameFilesParams, SaveOptions, ServerCapabilities, ServerInfo,
    ShowMessageParams, TextDocumentSyncCapability, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressCancelParams, WorkDoneProgressOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};
use tower_lsp::{LanguageServer, LspService};

/// The version of MewCode's own methods.
const PROTOCOL_VERSION: u32 = 1;

/// Serves the protocol on standard input and output until the client leaves.
pub fn serve(overrides: Settings) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(converse(overrides)),
        Err(error) => Err(error),
    };
    match ended {
        Ok(End::Clean) => std::process::exit(0),
        Ok(End::Abrupt) => std::process::exit(1),
        Err(error) => {
            eprintln!("mewcode: standard input and output cannot be used: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn converse(overrides: Settings) -> std::io::Result<End> {
    let (out, outgoing) = mpsc::unbounded_channel();
    let documents = Arc::new(Documents::default());
    let peer = Arc::new(Peer::new(out));
    let state = Arc::new(State::new(
        Arc::clone(&documents),
        Arc::clone(&peer),
        overrides,
    ));
    let parent = state.parent.subscribe();
    // The framework's own socket is not used: `Peer` sends in order, with time-outs and withdrawal.
    let (service, _socket) = LspService::build(|_| Server(Arc::clone(&state)))
        .custom_method(HELD, Server::held)
        .custom_method("mewcode/pending", Server::pending)
        .custom_method("mewcode/transcript", Server::transcript)
        .custom_method("mewcode/sessions", Server::sessions)
        .custom_method("window/workDoneProgress/cancel", Server::cancel_progress)
        .finish();
    let transport = Transport {
        service,
        documents,
        peer,
        outgoing,
        parent,
    };
    let (input, output) = (transport::input()?, transport::output()?);
    Ok(transport.serve(input, output, || state.end_work()).await)
}

/// The server's face to the framework.
#[derive(Debug)]
pub struct Server(Arc<State>);

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let profile = Profile::new(&params);
        let capabilities = capabilities(&profile);
        self.0.set_profile(profile);
        self.0.parent.send_replace(params.process_id);
        let roots = roots(&params);
        self.0.keeper.set_roots(roots.clone());
        self.0
            .sessions
            .set_workspace(roots, params.initialization_options);
        Ok(InitializeResult {
            capabilities,
            server_info: Some(ServerInfo {
                name: "mewcode".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..InitializeResult::default()
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        match self.0.sessions.reload_config() {
            Ok(config) => {
                for warning in &config.warnings {
                    self.say(MessageType::WARNING, warning);
                }
            }
            Err(error) => self.say(MessageType::ERROR, error),
        }
        for told in config::recover() {
            self.say(MessageType::WARNING, told);
        }
        self.0.restore();
        self.0.show_status();
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // Clients send this with anybody's settings, or with none.
        let Some(options) = params.settings.get("mewcode").filter(|it| !it.is_null()) else {
            return;
        };
        match self.0.sessions.change_options(options.clone()) {
            Ok(warnings) => {
                for warning in warnings {
                    self.say(MessageType::WARNING, warning);
                }
            }
            Err(error) => {
                let message = format!("{error}; the settings from before stay in force");
                self.say(MessageType::ERROR, message);
            }
        }
        self.0.show_status();
    }

    async fn shutdown(&self) -> Result<()> {
        self.0.end_work();
        Ok(())
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        commands::execute(&self.0, &params.command, params.arguments)
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let uri = params.text_document.uri.as_str();
        let file = self.file(uri);
        let sessions = self.0.sessions.summary();
        let path = self.0.documents.path(uri);
        let guard = self.0.sessions.runtime(&self.0).workspace().guard();
        let display = path.as_deref().map(|path| guard.display(path));
        let display = display.unwrap_or_else(|| uri.to_owned());
        let line = LineIndex(params.range.start.line as usize);
        let around = path
            .filter(|_| params.range.start == params.range.end)
            .and_then(|path| Definitions::around(&self.0, &path, line));
        let actions = code_actions::actions(&code_actions::Context {
            uri,
            display: &display,
            file: file.as_ref(),
            range: params.range,
            definition: around.map(|around| code_actions::prompts::Definition {
                name: format!("{} `{}`", around.kind, around.name),
                lines: around.lines,
            }),
            only: params.context.only.as_deref(),
            pending: self.0.book.count(),
            running: sessions.running,
            waits_for_command: self.0.sessions.waits_for_command(),
            session: sessions.current.is_some(),
            trust: self.0.sessions.offers_trust(),
            approvals: &self.0.approvals.waiting(),
        });
        let lazily = self.0.profile().resolves_commands;
        let actions = actions
            .into_iter()
            .map(|action| {
                if lazily {
                    action
                } else {
                    code_actions::resolve(action)
                }
            })
            .map(CodeActionOrCommand::CodeAction)
            .collect();
        Ok(Some(actions))
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        Ok(code_actions::resolve(action))
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let file = self.file(params.text_document.uri.as_str());
        let mut shown = file.map(|file| lenses::lenses(&file)).unwrap_or_default();
        // A plugin shows questions itself.
        if !self.0.profile().features.approvals {
            shown.extend(lenses::of_approvals(&self.0.approvals.waiting()));
        }
        Ok(Some(shown))
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        let paths = |folders: Vec<tower_lsp::ls_types::WorkspaceFolder>| -> Vec<PathBuf> {
            folders
                .iter()
                .filter_map(|folder| path_of(folder.uri.as_str()))
                .collect()
        };
        self.0
            .sessions
            .change_roots(paths(params.event.added), &paths(params.event.removed));
        self.0.keeper.set_roots(self.0.sessions.roots());
    }

    async fn did_rename_files(&self, params: RenameFilesParams) {
        for file in params.files {
            if let (Some(from), Some(to)) = (path_of(&file.old_uri), path_of(&file.new_uri)) {
                self.0.rename(&from, &to);
            }
        }
    }
}

impl Server {
    fn say(&self, typ: MessageType, message: impl Display) {
        let message = format!("MewCode: {message}");
        self.0
            .peer
            .notify::<ShowMessage>(&ShowMessageParams { typ, message });
    }

    async fn held(&self, params: HeldParams) {
        self.0.held.set(&params);
    }

    async fn pending(&self, _: Value) -> Result<PendingResult> {
        let waiting = self.0.approvals.waiting();
        let approvals = waiting.iter().map(|it| Approval::clone(it)).collect();
        if self.0.book.count() == 0 {
            return Ok(PendingResult {
                hunks: Vec::new(),
                approvals,
            });
        }
        let hunks = self.0.ask(|state| {
            for path in state.book.paths() {
                state.look(&path);
            }
            state.publisher.pending()
        });
        match hunks.await {
            Some(hunks) => Ok(PendingResult { hunks, approvals }),
            None => Err(Error::internal_error()),
        }
    }

    async fn sessions(&self, _: Value) -> Result<SessionsResult> {
        let sessions = self.0.sessions.list();
        Ok(SessionsResult { sessions })
    }

    async fn cancel_progress(&self, params: WorkDoneProgressCancelParams) {
        if let Some(run) = progress::run_of(&params.token) {
            self.0.cancel_run(run);
        }
    }

    async fn transcript(&self, params: TranscriptParams) -> Result<TranscriptResult> {
        self.0
            .sessions
            .transcript(params.session.as_deref())
            .map_err(refused)
    }

    /// A document's hunks, carried to its present text.
    fn file(&self, uri: &str) -> Option<FileView> {
        if self.0.book.count() == 0 {
            return None;
        }
        let path = self.0.documents.path(uri).or_else(|| path_of(uri))?;
        self.0.look(&path);
        self.0.book.file(&path)
    }
}

impl State {
    /// The user renamed a file or a folder: the hunks go with it.
    fn rename(self: &Arc<Self>, from: &Path, to: &Path) {
        for path in self.book.paths() {
            let (Ok(rest), Some(file)) = (path.strip_prefix(from), self.book.file(&path)) else {
                continue;
            };
            // Joined with nothing, a file's path would end in a slash.
            let to = to
                .components()
                .chain(rest.components())
                .collect::<PathBuf>();
            let target = Target {
                display: self.sessions.display(&to),
                path: to.clone(),
                ..file.target
            };
            self.book.rename(&path, target);
            self.publisher.publish(&path);
            self.follow(&to);
        }
    }
}

/// The workspace's roots: its folders, or the root of older clients, or the folder that the server was started in.
fn roots(params: &InitializeParams) -> Vec<PathBuf> {
    let folders = params.workspace_folders.iter().flatten();
    let mut roots: Vec<PathBuf> = folders
        .filter_map(|folder| path_of(folder.uri.as_str()))
        .collect();
    #[allow(deprecated)]
    if roots.is_empty() {
        let root = params
            .root_uri
            .as_ref()
            .and_then(|uri| path_of(uri.as_str()));
        roots.extend(root.or_else(|| Some(real_path(params.root_path.as_ref()?.as_ref()))));
    }
    if roots.is_empty() {
        roots.extend(std::env::current_dir().ok());
    }
    roots
}

fn capabilities(profile: &Profile) -> ServerCapabilities {
    let kinds = [
        code_actions::ACCEPT_KIND,
        code_actions::REJECT_KIND,
        code_actions::DIFF_KIND,
        code_actions::SOURCE_KIND,
        code_actions::approvals::DENY_KIND,
        code_actions::approvals::ALLOW_KIND,
        code_actions::approvals::SHOW_KIND,
        code_actions::prompts::KIND,
    ];
    ServerCapabilities {
        position_encoding: Some(profile.encoding_kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(profile.sync_kind()),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(kinds.into_iter().map(CodeActionKind::from).collect()),
            resolve_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        code_lens_provider: Some(CodeLensOptions {
            resolve_provider: Some(false),
        }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::ALL
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                did_rename: Some(FileOperationRegistrationOptions {
                    filters: vec![FileOperationFilter {
                        scheme: Some("file".to_owned()),
                        pattern: FileOperationPattern {
                            glob: "**/*".to_owned(),
                            ..FileOperationPattern::default()
                        },
                    }],
                }),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
        }),
        experimental: Some(json!({"mewcode": {"version": PROTOCOL_VERSION}})),
        ..ServerCapabilities::default()
    }
}
