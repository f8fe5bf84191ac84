import type { Event } from '@remora/protocol/plain'
import type { Place, Problem } from './agent.ts'
import type { EventMaker } from '../events/event-maker.ts'
import type { AgentRecord } from '../events/read-record.ts'

/** Where a CLI configures hooks, and what it sends to them. */
export interface HooksPart {
  /** All hook events, by the CLI's names. */
  readonly events: readonly string[]
  /** The events that are installed by default: complete and cheap. */
  readonly defaultEvents: readonly string[]
  /** The events before a tool call that can change or deny the call. */
  readonly gates: readonly string[]
  /**
   * The event whose hook may wait for a decision while the CLI shows its own dialog: the first answer wins. Without it, requests
   * are answered on the screen.
   */
  readonly approval?: string
  /** Whether the CLI shows its model whatever a hook prints, so that ours prints nothing. By default it prints `{}`. */
  readonly showsOutput?: boolean
  /** The files to which our hooks are added. */
  targets(place: Place, scope: HookScope): Promise<HookTarget[]>
  /** The names of other hook files that the CLI reads from the same folders. */
  readonly otherFiles?: RegExp
  /** Finds reasons why the CLI would not run installed hooks, if possible without starting it. */
  obstacles?(place: Place, files: readonly string[]): Promise<Problem[]>
  /** Reads the payloads that the CLI sends to hooks. The caller begins each record. */
  reader?(maker: EventMaker, state?: unknown): HookPayloadReader
}

/** Where to install hooks: for the user (the default), for the project in `place.cwd`, or in a named file. */
export type HookScope = 'user' | 'project' | { readonly file: string }

/** One settings file, and how hooks are added to its text and removed. Pure functions without disk access. */
export interface HookTarget {
  readonly file: string
  /** All hooks in the text, ours and others. Throws `config` for an invalid text. */
  entries(text: string): HookEntry[]
  /** Adds our hooks to a text without any of ours. The text of a missing file is empty. */
  added(text: string, hooks: readonly OurHook[]): string
  /** Removes our hooks. `original` is the text before the first install, if known. */
  removed(text: string, kind?: HookKind, original?: string): string
}

/** The purpose of our hook: to record events, or to correct tool calls before they run. */
export type HookKind = 'record' | 'pave'

/** A hook to be installed. */
export interface OurHook {
  readonly kind: HookKind
  readonly event: string
  /** The program and its arguments, unquoted. */
  readonly command: readonly string[]
}

/** A hook found in a settings file. */
export interface HookEntry {
  readonly event: string
  /** The command line, as written in the file. */
  readonly command: string
  /** The kind, if the hook is ours. */
  readonly kind?: HookKind
}

/** Turns hook payloads into events. */
export interface HookPayloadReader {
  /** Returns the events of one payload, or undefined for an unknown payload. */
  read(payload: AgentRecord): Event[] | undefined
  /** What the reader needs to continue later, as JSON of bounded size. */
  state?(): unknown
}
