import type { AgentMode } from './modes.ts'

/** What surfaces show and accept of an agent. Plain data: the command reads it without loading the agent. */
export interface Profile {
  /** Lower-case letters, digits and hyphens. It is stored in ledgers, so it never changes. */
  readonly id: string
  /** The full name. @example 'Gemini CLI' */
  readonly title: string
  /** The short name for lists and headings; the title by default. @example 'Gemini' */
  readonly name?: string
  /** Other names that users and other recorders write for it. @example ['gemini-cli'] */
  readonly aliases?: readonly string[]
  /** Without a brand, surfaces use a neutral one. */
  readonly brand?: Brand
  /** The file with instructions that it reads at the start of a session; `AGENTS.md` by default. */
  readonly memoryFile?: string
  /** What its environment variables start with; the id in capitals by default. @example ['GEMINI_', 'GOOGLE_'] */
  readonly variables?: readonly string[]
  /** Its permission modes, in the order in which surfaces list them. Without them, those of each session are used. */
  readonly modes?: readonly AgentMode[]
  /** How a prompt mentions a path with spaces: in double quotes, which is the default, or with backslashes. */
  readonly mention?: 'quotes' | 'backslashes'
}

/** How an agent looks in the app. */
export interface Brand {
  /** CSS colors with a contrast of at least 4.5 to the app's light and dark backgrounds. */
  readonly hue: { readonly light: string; readonly dark: string }
  readonly icon: Icon
}

/** One path in a box of 24 × 24. */
export interface Icon {
  /** The `d` attribute of the path. */
  readonly path: string
  /** The width of its lines; without it the path is filled. */
  readonly stroke?: number
}

/** The short name of an agent. @example getShortName(gemini) // 'Gemini' */
export function getShortName({ name, title }: Pick<Profile, 'name' | 'title'>): string {
  return name ?? title
}

/** The file with instructions that an agent reads at the start. @example getMemoryFile(gemini) // 'GEMINI.md' */
export function getMemoryFile({ memoryFile }: Pick<Profile, 'memoryFile'>): string {
  return memoryFile ?? 'AGENTS.md'
}
