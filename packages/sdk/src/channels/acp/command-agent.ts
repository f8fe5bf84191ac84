import { type AcpPart, type Agent, defineAgent } from '../../contract/agent.ts'
import { leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'

/** An agent that is known only by the command that speaks ACP. */
export interface AcpAgentOptions {
  readonly id: string
  readonly title?: string | undefined
  /** A command in PATH, or an absolute path. */
  readonly command: string
  readonly args?: readonly string[] | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
}

/**
 * Defines an agent that is known only by its ACP command: a definition with one part.
 *
 * @example createAcpAgent({ id: 'mine', command: 'my-agent', args: ['--acp'] })
 */
export function createAcpAgent({ id, title = id, command, args, env }: AcpAgentOptions): Agent {
  return defineAgent({
    id,
    title,
    detection: {
      variable: `${id.toUpperCase().replaceAll('-', '_')}_CLI_PATH`,
      command,
      // The command may be a runner such as npx, whose version says nothing about the agent.
      unversioned: true,
      install: `install ${command}, or change the command: remora agents add --acp ${id} -- <command>`,
    },
    // Its modes and models are known only once a session is open.
    features: () => ({
      interrupt: true,
      resume: true,
      fork: false,
      attach: false,
      statusLine: false,
      images: true,
      streaming: true,
      webSearch: false,
      thinking: true,
      slashCommands: true,
      models: [],
      effortLevels: [],
    }),
    acp: createCommandPart(args, env),
  })
}

/** The ACP part of an agent of which nothing but its command is known. @example acp: createCommandPart(['--acp']) */
export function createCommandPart(
  args: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
): AcpPart {
  return {
    invocation: () => ({ args, ...(env ? { env } : {}) }),
    // It is unknown how such an agent recognizes slash commands, but none does after a word joiner.
    escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: wordJoiner }],
    toClaude: (native, input) => ({ name: native, input }),
    // An unknown agent may send its last chunks after its response.
    quirks: () => ({ lateMs: 150 }),
  }
}
