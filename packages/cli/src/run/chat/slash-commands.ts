import type { Ledger } from '@remora/ledger'
import { RemoraError, findMode } from '@remora/protocol/plain'
import type { Session } from '@remora/sdk'
import { headline } from '../../args/find-session.ts'
import { nearest } from '../../command/nearest.ts'
import type { Colors } from '../../output/colors.ts'
import { ago } from '../../output/format-time.ts'
import { oneLine } from '../../output/one-line.ts'
import { shortIds } from '../../output/short-ids.ts'
import { padTo } from '../../output/text-width.ts'
import { wrap } from '../../output/wrap-words.ts'
import type { Talk } from './talk.ts'

/** What slash commands can use. */
interface CommandPlace {
  readonly talk: Talk
  readonly ledger: Ledger
  readonly paint: Colors
  readonly commands: AgentCommands
  say(text: string): void
  leave(): void
}

/** The agent's own slash commands. */
export class AgentCommands {
  #list: readonly { readonly name: string; readonly description: string }[] = []

  /** Reads the announced commands, also malformed ones. */
  set(value: unknown): void {
    this.#list = (Array.isArray(value) ? (value as unknown[]) : []).flatMap((each) => {
      const { name, description } = (each ?? {}) as { name?: unknown; description?: unknown }
      if (typeof name !== 'string') return []
      return [{ name: oneLine(name, 60), description: typeof description === 'string' ? description : '' }]
    })
  }

  get list(): readonly { readonly name: string; readonly description: string }[] {
    return this.#list
  }

  /** Matches the first word; the rest are arguments. */
  has(name: string): boolean {
    return this.#list.some((each) => each.name.split(' ', 1)[0] === name)
  }
}

type Run = (place: CommandPlace, word: string) => void | Promise<void>

const own: Readonly<Record<string, { readonly about: string; readonly run: Run }>> = {
  help: { about: 'List commands', run: help },
  mode: { about: 'Show or change the permission mode: /mode plan', run: choice('mode') },
  model: { about: 'Show or change the model', run: choice('model') },
  cancel: { about: 'Stop the current turn, like Ctrl+C', run: cancel },
  sessions: { about: 'List recent sessions with this agent', run: sessions },
  quit: { about: 'Quit. You can resume the session later', run: ({ leave }) => leave() },
}

/**
 * Runs a slash command of the chat. Returns false if the agent must get the text.
 *
 * @example if (!(await slashCommand('/mode plan', place))) await talk.turn('/mode plan')
 */
export async function slashCommand(text: string, place: CommandPlace): Promise<boolean> {
  const [, name = '', word = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(text) ?? []
  const wanted = name === 'exit' ? 'quit' : name
  const found = Object.hasOwn(own, wanted) ? own[wanted] : undefined
  if (!found) {
    if (place.commands.has(name)) return false
    const known = [...Object.keys(own), ...place.commands.list.map((each) => each.name)]
    const near = nearest(name, known)
    place.say(`Unknown command /${oneLine(name, 40)}. ${near ? `Did you mean /${near}?` : 'See /help'}`)
    return true
  }
  try {
    await found.run(place, word.trim())
  } catch (error) {
    if (!RemoraError.is(error)) throw error
    place.say(`${error.message}${error.hint ? `\n  ${error.hint}` : ''}`)
  }
  return true
}

function help({ say, commands, paint }: CommandPlace): void {
  const lines = Object.entries(own).map(([name, { about }]) => `  ${padTo(`/${name}`, 10)}  ${about}`)
  const others = commands.list.map((each) => each.name.split(' ', 1)[0]!)
  const theirs = [...new Set(others)].filter((name) => !Object.hasOwn(own, name)).map((name) => `/${name}`)
  say(
    [
      ...lines,
      ...(theirs.length === 0
        ? []
        : ['', paint.dim('Commands of the agent:'), ...wrap(theirs.join(' '), 76, '  ')]),
      '',
      paint.dim('Alt+Enter: new line. Ctrl+C: stop the turn; twice: quit. Ctrl+D: quit.'),
    ].join('\n'),
  )
}

function choice(kind: 'mode' | 'model'): Run {
  return async ({ talk: { session }, say, paint }, word) => {
    if (word !== '') {
      await (kind === 'mode' ? session.setMode(word) : session.setModel(word))
      const { current } = listChoices(session, kind)
      say(`The ${kind} is now ${oneLine(current?.name ?? session.models.current ?? word, 60)}.`)
      return
    }
    const { offered, current } = listChoices(session, kind)
    if (offered.length === 0) {
      say(`The agent does not list its ${kind}s. Change it: /${kind} <${kind}>`)
      return
    }
    const width = Math.max(...offered.map(({ id }) => id.length))
    const lines = offered.map((choice) => {
      const { id, name } = choice
      const present = choice === current
      const line = `${present ? '●' : ' '} ${padTo(oneLine(id, 60), width)}${name === id ? '' : `  ${oneLine(name, 60)}`}`
      return present ? paint.bold(line.trimEnd()) : line.trimEnd()
    })
    say([...lines, paint.dim(`Change it: /${kind} <${kind}>`)].join('\n'))
  }
}

interface Listed {
  readonly offered: readonly { readonly id: string; readonly name: string }[]
  readonly current: { readonly id: string; readonly name: string } | undefined
}

/** The modes or models of a session, and the current one. An agent may list no modes. */
function listChoices({ modes, mode, permissionModes, models }: Session, kind: 'mode' | 'model'): Listed {
  if (kind === 'model')
    return { offered: models.offered, current: models.offered.find(({ id }) => id === models.current) }
  if (modes.offered.length === 0) return { offered: [], current: undefined }
  const offered = permissionModes.map(({ id, label }) => ({ id, name: label }))
  const found = findMode(permissionModes, mode)
  return { offered, current: offered[found ? permissionModes.indexOf(found) : -1] }
}

async function cancel({ talk, say }: CommandPlace): Promise<void> {
  if (talk.working) await talk.cancel()
  else say('No turn is running.')
}

async function sessions({ talk, ledger, say, paint }: CommandPlace): Promise<void> {
  const { session, connection } = talk
  const entries = await ledger.sessions({ agent: connection.agent, limit: 10 })
  const now = Date.now()
  const known = await ledger.sessions({ agent: connection.agent, hidden: true })
  const shortId = shortIds(known.map((entry) => entry.session))
  const lines = entries.map((entry) => {
    const mark = entry.session === session.id ? '●' : ' '
    const when = padTo(ago(entry.updatedAt, now), 10)
    return `${mark} ${shortId(entry.session)}  ${when}  ${oneLine(headline(entry), 50)}`
  })
  say(
    entries.length === 0
      ? 'No sessions yet.'
      : [...lines, paint.dim(`Resume another: remora chat ${connection.agent} --resume <id>`)].join('\n'),
  )
}
