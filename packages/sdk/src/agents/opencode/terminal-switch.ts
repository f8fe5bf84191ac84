import type { Mode, Screen, Step } from '../../contract/agent.ts'
import { askOn } from './terminal-dialogs.ts'
import { boxOn, cropConversation } from './terminal-layout.ts'

/** Tab cycles through the agents. Permissions are fixed at the start. */
export function switchMode(wanted: Mode, screen: Screen, step: number): Step | undefined {
  const name = wanted === 'default' ? 'Build' : wanted === 'plan' ? 'Plan' : undefined
  if (name === undefined) return undefined
  const box = boxOn(cropConversation(screen))
  if (!box) return { wait: true }
  if (box.agent === name) return { done: true }
  // Users may have more agents, but not this many.
  return step > 8 ? undefined : { keys: ['Tab'] }
}

/** Opens the list of models and filters it. */
export function switchModel(wanted: string, screen: Screen, step: number): Step | undefined {
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
