import type { Event } from '@remora/protocol/plain'
import type { Place, Problem } from './agent.ts'
import type { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** How a CLI is told of hooks, and what it tells them. */
export interface HooksPart {
  /** The events this CLI can tell about, by its own names. */
  readonly events: readonly string[]
  /** Those that lose nothing and cost little: what is installed unless a person chooses. */
  readonly usual: readonly string[]
  /** The events before a tool runs at which a call can be corrected or refused; none where that cannot be done. */
  readonly gates: readonly string[]
  /** The files into which entries of ours go. */
  targets(place: Place, scope: HookScope): Promise<HookTarget[]>
  /** The names of other files that the CLI reads beside those, each in the same folder. */
  readonly alsoRead?: RegExp
  /** What keeps the CLI from running hooks that are installed, found without starting it where that can be. */
  obstacles?(place: Place, files: readonly string[]): Promise<Problem[]>
  /** Reads what hooks of this CLI are given. The caller begins each record. */
  reader?(maker: EventMaker, state?: unknown): HookPayloadReader
}

/** Where hooks are wanted: for the user (the default), for the project in `place.cwd`, or in a file that was named. */
export type HookScope = 'user' | 'project' | { readonly file: string }

/** One file of the CLI, and how entries of ours are put into its text and taken out again. Pure: no disk is touched. */
export interface HookTarget {
  readonly file: string
  /** Every hook in the text, whoever it belongs to. Throws `config` for a text that cannot be read. */
  entries(text: string): HookEntry[]
  /** The text with our hooks, of one that has none of ours; an empty text is a file that is not there. */
  added(text: string, hooks: readonly OurHook[]): string
  /** The text without those of our hooks; `original` is what it was before we ever came, where that is known. */
  removed(text: string, kind?: HookKind, original?: string): string
}

/** What a hook of ours is for: to record what happens, or to correct calls before they run. */
export type HookKind = 'record' | 'pave'

export interface OurHook {
  readonly kind: HookKind
  readonly event: string
  /** The words of the command: a program and its arguments, not quoted yet. */
  readonly command: readonly string[]
}

export interface HookEntry {
  readonly event: string
  /** The command line, as it stands there. */
  readonly command: string
  /** Which of our hooks it is; undefined for one of somebody else. */
  readonly kind?: HookKind
}

export interface HookPayloadReader {
  /** The events of one payload; undefined for a payload it does not know. */
  read(payload: AgentRecord): Event[] | undefined
  /** What it must remember to go on later, as JSON: small, whatever it has read. */
  state?(): unknown
}
