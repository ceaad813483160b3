--- @meta
-- The messages between server and plugin, as types only; nothing here runs.

--- A run of whole lines that the agent wrote or wants to write. Lines are 0-based and half open.
--- @class mewcode.Hunk
--- @field id string
--- @field proposal string
--- @field session string
--- @field call string
--- @field tool string
--- @field reason string
--- @field review 'before'|'after'
--- @field state 'proposed'|'conflicted'|'applied'
--- @field startLine integer
--- @field endLine integer
--- @field file? 'remove'|'move' set if it is about the file as a whole; then it names no lines
--- @field title? string of such a hunk: what happens or has happened to the file
--- @field oldLines string[]
--- @field newLines string[]
--- @field added integer
--- @field removed integer

--- @class mewcode.PendingHunk : mewcode.Hunk
--- @field uri string

--- @class mewcode.ReviewParams
--- @field uri string
--- @field version? integer
--- @field hunks mewcode.Hunk[]

--- @class mewcode.DocumentEdit
--- @field uri string
--- @field version? integer
--- @field sha256 string
--- @field edits lsp.TextEdit[]
--- @field file? mewcode.FileOperation

--- What happens to the file of a document.
--- @class mewcode.FileOperation
--- @field kind 'remove'|'move'
--- @field uri? string where to

--- @class mewcode.ApplyEditParams
--- @field label? string
--- @field documents mewcode.DocumentEdit[]

--- @class mewcode.ApplyEditResult
--- @field applied boolean
--- @field reason? 'stale'|'unavailable'|'not_open'|'failed'
--- @field message? string
--- @field documents? { uri: string, sha256: string }[]

--- @class mewcode.SaveParams
--- @field uri string
--- @field sha256 string
--- @field onDisk? { finalNewline: boolean } the disk has this text already, from elsewhere

--- @class mewcode.SaveResult
--- @field saved boolean
--- @field reason? string
--- @field sha256? string of what was saved, formatters included

--- @class mewcode.Status
--- @field mode string
--- @field session? string
--- @field running integer
--- @field pendingHunks integer
--- @field pendingApprovals? integer
--- @field sandbox? 'workspace_write'|'read_only'|'off'|'none' how commands are confined
--- @field trusted? boolean whether the project's files may grant
--- @field provider? string
--- @field model? string

--- A question that waits for an answer.
--- @class mewcode.Approval
--- @field id string
--- @field kind 'permission'|'choice'|'trust'
--- @field session? string
--- @field tool? string
--- @field title string
--- @field details string[] what will really happen
--- @field because string[] why it is asked
--- @field reason string the model's words; may be empty
--- @field answers { answer: string, title: string }[] the safe one first
--- @field asked integer milliseconds since 1970

--- @class mewcode.ApprovalsParams
--- @field approvals mewcode.Approval[]

--- What happened in a run; `event.kind` says what, the other fields depend on it.
--- @class mewcode.Envelope
--- @field session string
--- @field run string
--- @field sequence integer
--- @field event { kind: string, [string]: any }

--- @class mewcode.QueryParams
--- @field kind 'diagnostics'|'definition'|'references'|'hover'|'rename'
--- @field uri? string
--- @field version? integer
--- @field position? lsp.Position
--- @field newName? string
--- @field settleMilliseconds? integer
--- @field limit integer

--- @class mewcode.QueryResult
--- @field reason? 'stale'|'not_open'|'no_server'|'failed'
--- @field message? string
--- @field diagnostics? { uri: string, diagnostics: mewcode.QueryDiagnostic[] }[]
--- @field locations? mewcode.QueryLocation[]
--- @field hovers? string[]
--- @field documents? { uri: string, version?: integer, edits: lsp.TextEdit[] }[]
--- @field leftOut? integer

--- @class mewcode.QueryDiagnostic
--- @field line integer from 0
--- @field severity integer
--- @field message string
--- @field source? string
--- @field code? string

--- @class mewcode.QueryLocation
--- @field uri string
--- @field line integer from 0
