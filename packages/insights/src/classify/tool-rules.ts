import { type Rule, editTools } from './rule.ts'

/** Unknown tools, as the CLIs and MCP servers report them. */
const unknown: readonly Omit<Rule, 'refused'>[] = [
  // Gemini: Tool "x" not found [in registry]; Claude: No such tool available; Codex: unsupported call;
  // OpenCode: Model tried to call unavailable tool 'x'; MCP servers: Unknown tool / Tool x not found (-32602).
  {
    id: 'tool-not-found',
    class: 'unknown-tool',
    pattern: /^(?:Error: )?Tool ["'`]?(?<what>[\w.:@/-]+)["'`]? not found(?: in registry|\b)/m,
  },
  {
    id: 'no-such-tool',
    class: 'unknown-tool',
    pattern: /\bNo such tool(?: available)?: ?["'`]?(?<what>[\w.:@/-]+)/i,
  },
  {
    id: 'unavailable-tool',
    class: 'unknown-tool',
    pattern: /\btried to call unavailable tool ["'`]?(?<what>[\w.:@/-]+)/i,
  },
  {
    id: 'unsupported-call',
    class: 'unknown-tool',
    pattern: /^unsupported (?:custom tool )?call: ?(?<what>[\w.:@/-]+)/im,
  },
  {
    id: 'unknown-mcp-tool',
    class: 'unknown-tool',
    pattern:
      /(?:\bUnknown tool:? ?["'`]?(?<what>[\w.:@/-]+)|\bMCP error -3260[12]: (?:Tool|Method) .{0,60}not found)/i,
  },
]

/** Errors of the CLIs themselves, before or instead of running a call. */
const refusals: readonly Omit<Rule, 'refused'>[] = [
  // Refusals reported as plain errors: Claude without a user, Codex's sandbox and policy, OpenCode's rules.
  {
    id: 'permission-not-granted',
    class: 'permission-denied',
    pattern:
      /requested permissions? to .{1,300}(?:haven't granted|which is a sensitive file|requires manual)/s,
  },
  {
    id: 'refused-by-person',
    class: 'permission-denied',
    pattern:
      /(?:^The user (?:doesn't want to proceed|does not want this to be done|rejected permission|denied|has denied)|\brejected by (?:the )?user\b|^User denied execution|^(?:Error: )?User refused permission to run tool|^\[Request interrupted by user for tool use\])/m,
  },
  {
    id: 'refused-by-policy',
    class: 'permission-denied',
    pattern:
      /(?:denied by policy|^Permission to use .{1,200}has been (?:auto-)?denied|denied by your permission settings|has specified a rule which prevents|blocked by policy|rejected: blocked|^Tool execution blocked|\bhook (?:error\b|.{0,80}(?:denied|blocked))|rejected by (?:user )?approval settings|exec command rejected|patch rejected|approval policy is|not allowed in (?:plan|read-only) mode|Plan mode .{0,80}(?:prohibit|not allowed|restrict))/im,
  },
  {
    id: 'sandbox',
    class: 'permission-denied',
    pattern:
      /(?:\bsandbox(?:ed)?\b.{0,80}\b(?:denied|blocked|not permitted|violation|error)|failed in sandbox)/i,
  },

  // Edits that do not fit the file.
  {
    id: 'edit-not-found',
    class: 'edit-mismatch',
    pattern:
      /(?:String to replace not found|Could not find an exact match for|\b0 occurrences found for old_string|could not find the string to replace|Could not find oldString|oldString not found|No replacement was performed|Failed to find expected lines|Failed to find context|no match found for (?:the )?(?:old|search))/i,
  },
  {
    id: 'edit-ambiguous',
    class: 'edit-mismatch',
    pattern:
      /(?:Found \d+ matches of the string to replace|expected \d+ occurrences? but found \d+|Found multiple matches for oldString|Multiple occurrences of old_str)/i,
  },
  {
    id: 'edit-same',
    class: 'edit-mismatch',
    pattern:
      /(?:No changes to (?:make|apply)|(?:old_string|oldString) and (?:new_string|newString) are (?:exactly the same|identical))/i,
  },
  {
    id: 'edit-stale',
    class: 'edit-mismatch',
    pattern:
      /(?:has been (?:unexpectedly )?modified since (?:it was last )?read|File has not been read yet|must read (?:the )?file .{0,200}before)/i,
  },
  {
    id: 'edit-exists',
    class: 'edit-mismatch',
    tools: editTools,
    pattern: /(?:File already exists, cannot create|Attempted to create a file that already exists)/i,
  },

  // Arguments that do not fit the tool.
  {
    id: 'input-schema',
    class: 'wrong-argument',
    pattern:
      /(?:InputValidationError|called with invalid arguments|arguments provided to the tool are invalid|Invalid (?:tool )?(?:parameters?|arguments?|input)\b(?: provided)?|failed to parse function arguments|Input validation error)(?:[\s\S]{0,200}?(?:required (?:parameter|property) [`'"]?|must have required property ['"`]|missing field [`'"]?|unexpected parameter [`'"]?|parameter [`'"])(?<what>[\w.-]+))?/i,
  },
  {
    id: 'input-property',
    class: 'wrong-argument',
    pattern:
      /(?:(?:^params(?:\/\w+)? )?must have required property ['"`](?<what>[\w.-]+)|^params(?:\/\w+)? must |The ['"`](?<parameter>[\w.-]+)['"`] parameter (?:must|cannot|is)|^(?:[\w'"`]+ )?parameter ['"`]?[\w.-]+['"`]? (?:must|is required|cannot)|required parameter)/im,
  },
  {
    id: 'input-range',
    class: 'wrong-argument',
    pattern:
      /(?:^Offset \S+ is out of range|\b(?:start_line|end_line|offset|limit)\b.{0,40}\b(?:must be|cannot be|beyond|exceeds)|^(?:Command|Query) cannot be empty|Invalid regular expression|regex parse error|Invalid patch\b|invalid patch|no hunks found|must be an absolute path|Path (?:is not|must be) absolute|is not absolute|URL must start with|Invalid URL|must contain at least one valid URL|No URL provided|exceeds maximum allowed (?:tokens|size)|Unknown skill)/im,
  },

  // Wrong paths, as file tools report them.
  {
    id: 'file-not-found',
    class: 'wrong-path',
    pattern:
      /(?:^(?:Error: )?(?:File|Directory|Path|Folder)(?: path)? (?:not found|does not exist|doesn't exist)(?:: ?(?<what>\S.*?))?(?:[.,]? |$)|Search path does not exist|^File \S+ not found$|\bNotFound: FileSystem\.\w+ |^ENOENT|Failed to read file to update|File path .{1,300}does not exist)/im,
  },
  {
    id: 'path-kind',
    class: 'wrong-path',
    pattern:
      /(?:(?:Path|Search path|Target) is (?:a directory|not a (?:valid )?(?:directory|file))|EISDIR|ENOTDIR|illegal operation on a directory)/i,
  },
  {
    id: 'path-outside',
    class: 'wrong-path',
    pattern:
      /(?:Path not in workspace|outside (?:of )?(?:the )?(?:allowed )?(?:workspace|working) director)/i,
  },
]

export const unknownToolRules: readonly Rule[] = unknown.map((rule) => ({ ...rule, refused: true }))
export const toolRules: readonly Rule[] = refusals.map((rule) => ({ ...rule, refused: true }))
