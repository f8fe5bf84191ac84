import type { HeadlessRequest } from './headless.ts'
import type { Mode } from './modes.ts'

/**
 * How to try the CLI without a key and without a network. The test suites and `remora doctor --probe` use it. It ships
 * with the product, so it is data: what only the fixture recorder needs is in `recorder.test-data.ts` beside it, which
 * the build leaves out.
 */
export interface TestkitPart {
  readonly home: HomeRecipe
  /** How its screens are told apart, for agents with a terminal. */
  readonly screen?: ScreenMarkers
  /** What the contract suites expect of a version, one field for each part that the agent has. */
  suites(version: string): SuiteFacts
}

/** What a CLI needs in an empty home to run offline against the scripted model. */
export interface HomeRecipe {
  /** Files by their path below the home. An object is written as JSON. */
  files(place: RecipePlace): Readonly<Record<string, string | object>>
  /** JSON merged into such files for a session on a terminal, so that it starts without questions. */
  terminal?(place: RecipePlace): Readonly<Record<string, object>>
  env(place: RecipePlace): Readonly<Record<string, string>>
  /** Options that every headless run in such a home needs. */
  readonly headless?: Partial<HeadlessRequest>
  /** Arguments that make a headless run trust the hooks installed there. */
  readonly hookArguments?: readonly string[]
  /** Text to append to files below the home when the user trusts the hooks that are installed there. */
  trustHooks?(place: RecipePlace): Promise<Readonly<Record<string, string>>>
}

/** The place for which a recipe writes files and variables. */
export interface RecipePlace {
  readonly home: string
  readonly cwd: string
  readonly version: string
  /** The scripted model. @example 'http://127.0.0.1:4711' */
  readonly url: string
  /** A folder that several homes share, for programs that unpack themselves at their first start. */
  readonly cache?: string
}

/** Patterns of the screen, good enough to know when to look at it. */
export interface ScreenMarkers {
  readonly idle: RegExp
  readonly busy: RegExp
  readonly asking: RegExp
}

/** What the suites expect. What the agent cannot do is listed in `cannot`, and the suites verify that too. */
export interface SuiteFacts {
  /** The tool that writes a file, by its own name. */
  readonly writeTool: string
  /** Subcommands whose `--help` lists the flags of its runs; the command itself if absent. */
  readonly helps?: readonly (readonly string[])[]
  readonly headless?: HeadlessFacts
  /** One for each way to speak ACP: the CLI's own, or each wrapper. */
  readonly acp?: readonly AcpFacts[]
  /** `own`: it has no settings file for hooks, and `<id>.hooks.real.test.ts` tests its own way. */
  readonly hooks?: HookFacts | 'own'
  readonly transcripts?: TranscriptFacts
  readonly terminal?: LiveFacts
  /** For an agent that a session can be started with, if another channel observes it. */
  readonly joined?: JoinedFacts
}

/** What `testHeadless` expects. */
export interface HeadlessFacts {
  readonly cannot: readonly (
    | 'stream text'
    | 'report a denial'
    | 'continue after a denial'
    // It sometimes waits without output; only a timeout ends such a run.
    | 'always notice a cut connection'
    // It retries these for more than a minute without output; only a timeout ends such a run.
    | 'report an overload'
  )[]
  /** The mode in which it denies writing a file; `default` if absent. */
  readonly denialMode?: Mode
}

/** What `testAcp` expects of one way to speak ACP. */
export interface AcpFacts {
  /** The package of the wrapper, for an agent that needs one. */
  readonly wrapper?: string
  readonly cannot: readonly AcpSkill[]
  /** The user's settings, below the home; no byte of them may change. */
  readonly settings: string
  /** The way to sign in that must be among those that it offers, if it offers any. */
  readonly authMethod?: string
  /** The mode in which it runs commands here, if its default one cannot. */
  readonly commandMode?: string
  /** It uses no tools in an untrusted folder, and does not say so. */
  readonly distrusts?: boolean
  /** It writes files through the client that offers to. */
  readonly writesThroughUs?: boolean
  /** It retries a rate limit until the turn is cancelled. */
  readonly keepsRetrying?: boolean
  /** What it offers to always allow: a kind of command if absent, all edits, or edits of one file. */
  readonly always?: 'command' | 'edit' | 'file'
  /** How many prompts one session gets: fifty, or fewer if each takes long. */
  readonly prompts?: number
  /** Only what every version must do: for versions that take long to start. */
  readonly core?: boolean
}

/** What an agent may not be able to do over ACP. */
export type AcpSkill =
  /** Sends what the model thinks. */
  | 'thoughts'
  /** Sends tokens of a turn. */
  | 'usage'
  /** Offers to always allow a kind of call. */
  | 'always'
  /** Takes an image in a prompt. */
  | 'image'
  /** Lists its modes and changes them in a session. */
  | 'modes'
  /** Lists its models and changes them in a session. */
  | 'models'
  /** Lists its models; without a list it takes any. */
  | 'list models'
  /** Resumes an earlier session. */
  | 'load'
  /** Resumes in a copy of an earlier session. */
  | 'fork'
  /** Continues its turn after a call was refused. */
  | 'go on after a refusal'
  /** Sends the prompt of a failed turn only once. Otherwise it is sent again as a part of the next prompt. */
  | 'forget a failed prompt'
  /** Ends the commands of a turn that is cancelled. */
  | 'end commands'
  /** Is one process: another one that outlives it cancels the turn when it is stopped. */
  | 'crash at once'

/** What `testInstalledHooks` expects. */
export interface HookFacts {
  /** `comments`: read settings with comments. `project`: read hooks of a project. */
  readonly cannot: readonly ('comments' | 'project')[]
  /** An event for which another tool has a hook. */
  readonly event: string
  /** The events that a turn with one failing call reports. */
  readonly reported: readonly string[]
}

/** What `testTranscripts` expects: everything, of every agent so far. */
export interface TranscriptFacts {
  readonly cannot: readonly never[]
}

/** What `testLive` expects of a session on a terminal. */
export interface LiveFacts {
  /** `question`: it has no tool that asks the user. */
  readonly cannot: readonly 'question'[]
  /** A line that makes the scripted model run a command for which this agent asks. */
  run(command: string): string
  /** A command that creates `always.txt`, for agents whose "always" does not apply to `touch`. */
  readonly always?: string
  /** The file below the home to which "always" adds a rule, if that rule also allows commands in plan mode. */
  readonly rules?: string
  /** A line that makes it ask a question with the options Red and Blue. */
  readonly question?: string
  /** The only mode in which it can ask a question. */
  readonly questionMode?: string
  /** Modes to switch to, one after the other, and one that it cannot reach. */
  readonly modes: readonly string[]
  readonly unreachable?: string
  /** A model to switch to, by the name in its own list, and how its screen shows it. */
  readonly model: { readonly id: string; readonly shown: RegExp }
  readonly missingModel?: string
  /** It retries a rate limit for minutes, or until it is cancelled. */
  readonly keepsRetrying?: boolean
  /** JSON to merge into its session files before a session is resumed. */
  readonly beforeResume?: { readonly folder: string; readonly file: RegExp; readonly add: object }
}

/** What `testJoined` expects of a session on several channels. */
export interface JoinedFacts {
  /** `remember an interrupted turn`: it drops such a turn from its memory, so all texts of the turn are marked. */
  readonly cannot: readonly 'remember an interrupted turn'[]
}
