import { findMode } from '@remora/protocol/plain'
import type { Invocation, TerminalPart, TerminalStart, Mode, Screen, Step } from '../../contract/agent.ts'
import { exitWord, leadingBang, leadingSlash, wordJoiner } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { modeVariables, sharedArguments } from './arguments.ts'
import { modes } from './modes.ts'
import { guardPlan } from './run-variables.ts'
import { readScreen } from './terminal-screen.ts'
import { askOn } from './terminal-dialogs.ts'
import { boxOn, cropConversation } from './terminal-layout.ts'

export const terminal: TerminalPart = {
  // Tab switches between the agents build and plan.
  modeSwitch: 'toggle',
  choosesSession: () => false,
  invocation,
  guardPlan,
  read: readScreen,
  // A slash counts only as the first character, and only a typed exclamation mark opens the shell mode. Exit commands
  // are compared trimmed.
  escapes: [
    { kind: 'slash', pattern: leadingSlash, prefix: ' ' },
    { kind: 'shell', pattern: leadingBang, prefix: ' ' },
    { kind: 'slash', pattern: exitWord, prefix: wordJoiner },
  ],
  switchMode,
  switchModel,
  // The key has to be pressed twice, with a pause, or both count as one.
  interrupt: ['Escape', 'Escape'],
  quit: '/exit',
  // The screen loads everything from the server, which is a thread. Requests before that thread listens are lost, most
  // often on a busy machine, and the screen then stays empty.
  hangsAfterMs: 20_000,
  mention: (path) => `@${path}`,
  findSessionId,
}

function invocation(request: TerminalStart, version: string | undefined): Invocation {
  if (request.sessionId !== undefined) {
    const hint = 'Omit it: OpenCode chooses the id, and Remora reads it from its database.'
    throw createUnsupportedError('OpenCode', 'the option sessionId', hint)
  }
  if (request.effort !== undefined) {
    const hint = 'On its terminal it is chosen with ctrl+t, where the model has any.'
    throw createUnsupportedError('OpenCode', 'the option effort on a terminal', hint)
  }
  const args = sharedArguments(request, version)
  if (request.fork) args.push('--fork')
  // One argument, so that a prompt is not parsed as an option. It is sent at once.
  if (request.prompt !== undefined) args.push(`--prompt=${request.prompt}`)
  args.push(...(request.extraArgs ?? []))
  return { args, ...modeVariables(request.mode) }
}

/** A fork continues in another session, whose id is not in the command line. */
function findSessionId(args: readonly string[]): string | undefined {
  if (args.includes('--fork')) return undefined
  for (const [index, word] of args.entries()) {
    if (word === '-s' || word === '--session') return args[index + 1]
    const [, id] = /^(?:-s|--session)=(.+)$/.exec(word) ?? []
    if (id !== undefined) return id
  }
  return undefined
}

/** Tab cycles through the agents. Permissions are fixed at the start. */
function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const mode = findMode(modes, wanted)
  // Others have the same agent with other permissions.
  if (!mode || modes.find(({ agent }) => agent === mode.agent) !== mode) return undefined
  const box = boxOn(cropConversation(screen))
  if (!box) return { wait: true }
  if (box.agent === mode.agent) return { done: true }
  // Users may have more agents, but not this many.
  return step > 8 ? undefined : { keys: ['Tab'] }
}

/** Opens the list of models and filters it. */
function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
  const box = boxOn(cropConversation(screen))
  const open = askOn(screen)?.title === 'Select model'
  if (open) {
    const name = wanted.slice(wanted.indexOf('/') + 1)
    // Its search uses titles, which have spaces where ids have dashes.
    if (step === 1) return { keys: [name.replaceAll(/[-_/]/g, ' ')] }
    const click = findRow(wanted, screen)
    return step === 2 && click !== undefined ? { keys: [click] } : { keys: ['Escape'] }
  }
  if (box && shows(box.model, wanted)) return { done: true }
  if (step === 0) return { submit: '/models' }
  return step === 1 || !box ? { wait: true } : undefined
}

/** Finds the row of a model. The provider's title is at its right end. */
function findRow(wanted: string, { lines, columns }: Screen): string | undefined {
  const left = Math.floor((columns - 60) / 2)
  const right = left + 60
  for (const [row, line] of lines.entries()) {
    const inner = line.slice(left, right)
    const [, title, provider = ''] = /^ {2}[● ] (\S.*?)(?: {2,}(\S.*?))?\s*$/.exec(inner) ?? []
    if (title !== undefined && shows(`${title} ${provider}`, wanted) && !/ {2,}esc$/.test(inner.trimEnd())) {
      return `Click:${left + 6},${row + 1}`
    }
  }
  return undefined
}

/** @example shows('Claude Sonnet 4.5 Anthropic', 'anthropic/claude-sonnet-4-5') // true */
function shows(label: string, wanted: string): boolean {
  const cut = wanted.indexOf('/')
  const model = plain(wanted.slice(cut + 1))
  const provider = cut === -1 ? undefined : plain(wanted.slice(0, cut))
  const text = plain(label)
  if (provider === undefined)
    return text === model || (text.startsWith(model) && /^[a-z]+$/.test(text.slice(model.length)))
  return text === `${model}${provider}`
}

function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^\da-z]/g, '')
}
