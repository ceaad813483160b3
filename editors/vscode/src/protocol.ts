// MewCode's own methods and commands, as docs/protocol.md tells them. Types only.

import type { Position, Range, TextEdit } from 'vscode-languageclient';

/** The version of the own methods that this extension speaks; the server says its own in `initialize`. */
export const PROTOCOL_VERSION = 1;

/** `capabilities.experimental.mewcode` of this client. */
export const FEATURES = {
  applyEdit: true,
  save: true,
  review: true,
  event: true,
  status: true,
  checksum: true,
  transcript: true,
  files: true,
  approvals: true,
  reloadsItself: true,
  query: true,
} as const;

/** Server to client: hash-checked edits of open documents, all or none. */
export const APPLY_EDIT = 'mewcode/applyEdit';
/** Server to client: save a document if it holds exactly this text. */
export const SAVE = 'mewcode/save';
/** Server to client: what do the other language servers know? */
export const QUERY = 'mewcode/query';
/** Server to client: all undecided hunks of a document. */
export const REVIEW = 'mewcode/review';
/** Server to client: all questions that wait. */
export const APPROVAL = 'mewcode/approval';
/** Server to client: an event of a session. */
export const EVENT = 'mewcode/event';
/** Server to client: whenever something of it changes. */
export const STATUS = 'mewcode/status';
/** Client to server: does the server hold the text that the document holds? */
export const CHECKSUM = 'mewcode/checksum';
/** Client to server: the files that are held in another form than a document. */
export const HELD = 'mewcode/held';
/** Client to server: a session's transcript so far. */
export const TRANSCRIPT = 'mewcode/transcript';
/** Client to server: every undecided hunk and every question. */
export const PENDING = 'mewcode/pending';
/** Client to server: the sessions of this server, the newest first. */
export const SESSIONS = 'mewcode/sessions';

export interface ApplyEditParams {
  label: string;
  documents: DocumentEdits[];
}

export interface DocumentEdits {
  uri: string;
  version: number;
  /** Of the logical text that the edits were made for. */
  sha256: string;
  /** Ascending and disjoint. */
  edits: TextEdit[];
  file?: FileOperation;
}

export type FileOperation = { kind: 'remove' } | { kind: 'move'; uri: string };

export interface ApplyEditResult {
  applied: boolean;
  reason?: 'stale' | 'unavailable' | 'not_open' | 'failed';
  message?: string;
  documents?: { uri: string; sha256: string }[];
}

export interface SaveParams {
  uri: string;
  sha256: string;
}

export interface SaveResult {
  saved: boolean;
  reason?: string;
  /** Of what was saved, which formatters may have changed. */
  sha256?: string;
}

export interface ChecksumParams {
  uri: string;
  version: number;
  sha256: string;
  /** The whole text in wire form, after a mismatch. */
  text?: string;
}

export interface ChecksumResult {
  match: boolean;
}

export interface HeldParams {
  /** All of them. */
  files: HeldFile[];
}

export interface HeldFile {
  uri: string;
  /** Unsynchronised: a text that is too large to be shared with the server, or has unsaved changes that are not. */
  kind: 'notebook' | 'custom' | 'unsynchronised';
}

export type HunkState = 'proposed' | 'conflicted' | 'applied';

/** A run of whole lines that the agent wants to change, or has changed. */
export interface Hunk {
  id: string;
  proposal: string;
  session: string;
  call: string;
  tool: string;
  reason: string;
  /** `before`: the old lines stand in the document and the new ones wait. `after`: the reverse. */
  review: 'before' | 'after';
  state: HunkState;
  /** From 0. */
  startLine: number;
  /** The line after the last. */
  endLine: number;
  oldLines: string[];
  newLines: string[];
  added: number;
  removed: number;
  /** Set if the hunk is about the file as a whole: then it names no lines. */
  file?: 'remove' | 'move';
  /** Of such a hunk: what happens or has happened to the file. */
  title?: string;
}

export interface ReviewParams {
  uri: string;
  /** The version that the lines speak of; null while the document is not open. */
  version: number | null;
  hunks: Hunk[];
}

export interface Approval {
  id: string;
  kind: 'permission' | 'choice' | 'trust';
  session?: string;
  tool?: string;
  /** The question in one line. */
  title: string;
  /** What will really happen, line by line. */
  details: string[];
  /** Why it is asked, a sentence each. */
  because: string[];
  /** Why the model wants it, in its own words. Not to be trusted. */
  reason: string;
  /** The safe one first. */
  answers: { answer: string; title: string }[];
  /** Milliseconds since 1970. */
  asked: number;
}

export interface ApprovalParams {
  approvals: Approval[];
}

export interface PendingResult {
  hunks: (Hunk & { uri: string })[];
  approvals: Approval[];
}

export const MODES = ['default', 'accept_edits', 'plan', 'bypass', 'dont_ask'] as const;
export type Mode = (typeof MODES)[number];

export interface Status {
  mode: Mode;
  session: string | null;
  running: number;
  pendingHunks: number;
  pendingApprovals: number;
  sandbox: 'workspace_write' | 'read_only' | 'off' | 'none';
  /** Nothing is held back that the workspace's files would grant. */
  trusted: boolean;
  provider: string;
  model: string | null;
}

export interface TranscriptResult {
  session: string;
  markdown: string;
  /** Of the last event in the text. */
  sequence: number;
}

/** An event of a session with its place in it. */
export interface Envelope {
  session: string;
  run: string;
  /** From 1, without gaps. */
  sequence: number;
  /** Milliseconds since 1970. */
  time: number;
  event: SessionEvent;
}

export type CallStatus = 'ok' | 'failed' | 'denied' | 'interrupted' | 'unknown_outcome';

/** What a call did to a file. */
export interface FileChange {
  path: string;
  moved_to?: string;
  /** Absent: there was no file. */
  sha256_before?: string;
  /** Absent: there is none any more. */
  sha256_after?: string;
  /** Unified, without the lines that name the file. */
  diff: string;
}

export type SessionEvent =
  | { kind: 'run_started'; prompt: string }
  | { kind: 'text'; delta: string }
  | { kind: 'thinking'; delta: string }
  | {
      kind: 'call_started';
      call: string;
      tool: string;
      arguments: unknown;
      title: string;
      /** What it is for, in the model's words. */
      purpose?: string;
    }
  | { kind: 'approval_asked'; call: string; title: string }
  | { kind: 'approval_answered'; call: string; title: string; answer: string }
  | { kind: 'rule_added'; call: string; rule: string; place?: string }
  | {
      kind: 'plan';
      call: string;
      steps: { step: string; status: 'pending' | 'in_progress' | 'completed' }[];
    }
  | { kind: 'output'; call: string; tail: string }
  | {
      kind: 'call_ended';
      call: string;
      tool: string;
      status: CallStatus;
      error_kind?: string;
      summary: string;
      /** What a command printed. */
      output?: string;
      files?: FileChange[];
    }
  | { kind: 'retrying'; attempt: number; attempts: number; delay_ms: number; reason: string }
  | { kind: 'usage' }
  | { kind: 'run_ended'; outcome: 'done' | 'failed' | 'cancelled' | 'limit'; message?: string };

/** Argument of `mewcode.prompt`. */
export interface PromptArguments {
  text: string;
  uri?: string;
  range?: Range;
  session?: string;
}

/** Argument of the review commands. */
export type ReviewArguments = ({ hunk: string } | { uri: string } | { all: true }) & {
  feedback?: string;
  take?: 'mine' | 'agent' | 'both';
};

export interface DecisionResult {
  /** How many were decided. */
  hunks: number;
  /** How many were left, for the user must choose between two texts. */
  conflicts?: number;
}

export interface SessionsResult {
  sessions: SessionEntry[];
}

export interface SessionEntry {
  session: string;
  /** The first line of its first prompt; empty before that. */
  title: string;
  running: boolean;
  mode: string;
  /** Milliseconds since 1970. */
  started: number;
  /** Whether a prompt that names no session goes to it. */
  current: boolean;
}

export interface QueryParams {
  kind: 'diagnostics' | 'definition' | 'references' | 'hover' | 'rename';
  /** Absent: everywhere, which only diagnostics can be asked for. */
  uri?: string;
  /** For which the position is meant, if the document is open. */
  version?: number;
  position?: Position;
  /** For `rename`. */
  newName?: string;
  /** For `diagnostics` of one document: how long to wait for somebody to speak of its present text. */
  settleMilliseconds?: number;
  /** No list is to have more entries. */
  limit: number;
}

/** Of its lists the one that was asked for; or why there is none. */
export interface QueryResult {
  reason?: 'stale' | 'not_open' | 'no_server' | 'failed';
  message?: string;
  diagnostics?: { uri: string; diagnostics: QueryDiagnostic[] }[];
  locations?: QueryLocation[];
  hovers?: string[];
  documents?: { uri: string; version?: number; edits: TextEdit[] }[];
  /** How many entries there are beyond the limit. */
  leftOut?: number;
}

export interface QueryDiagnostic {
  /** From 0. */
  line: number;
  /** 1 error, 2 warning, 3 information, 4 hint. */
  severity: number;
  message: string;
  source?: string;
  code?: string;
}

export interface QueryLocation {
  uri: string;
  /** From 0. */
  line: number;
}
