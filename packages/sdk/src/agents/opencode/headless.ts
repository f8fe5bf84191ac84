import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { removeLeftovers } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/unsupported.ts'
import { modeVariables, sharedArguments } from './arguments.ts'
import { runVariables } from './run-variables.ts'
import { streamReader } from './stream.ts'

/** The prompt goes through stdin: as an argument with spaces it reaches the model in quotation marks. */
export const headless: HeadlessPart = {
  reader: streamReader,
  invocation(request) {
    refuse(request)
    const args = ['run', '--format', 'json', '--thinking']
    // It tries a failed request again and again without a word, but for the log.
    args.push('--print-logs', '--log-level', 'ERROR', ...sharedArguments(request))
    if (request.fork) args.push('--fork')
    if (request.effort !== undefined) args.push('--variant', request.effort)
    // The prompt belongs to an agent; this is the one that works where no other is chosen.
    if (request.systemPrompt !== undefined && request.mode !== 'plan') args.push('--agent', 'build')
    for (const { path } of request.media ?? []) args.push(`--file=${path}`)
    args.push(...(request.extraArgs ?? []))
    return { args, stdin: request.prompt, ...modeVariables(request.mode) }
  },
  async prepare(request, place) {
    refuse(request)
    await removeLeftovers()
    // It believes PWD more than the folder that it was started in.
    const env = { ...runVariables(request, place.env), PWD: place.cwd }
    return { request, env, finish: async () => [] }
  },
}

function refuse({ sessionId, allow = [], mode, media = [] }: HeadlessRequest): void {
  if (sessionId !== undefined) {
    const hint = 'Leave it out: OpenCode names the session in its output.'
    throw createUnsupportedError('OpenCode', 'the option sessionId', hint)
  }
  if (allow.length > 0 && mode === 'plan') {
    const hint = 'What is allowed would run in plan mode too, so that the mode would not be read-only.'
    throw createUnsupportedError('OpenCode', 'the option allow in mode plan', hint)
  }
  // A pattern replaces the user's rule for all other commands, whatever that was.
  const pattern = allow.find((rule) => !/^[\w*-]+$/.test(rule))
  if (pattern !== undefined) {
    const hint = 'Name a permission, such as bash or webfetch; patterns belong into opencode.json.'
    throw createUnsupportedError('OpenCode', `the rule ${pattern} in the option allow`, hint)
  }
  const other = media.find(({ kind }) => kind !== 'image' && kind !== 'document')
  if (other) {
    const hint = 'It takes images and documents, where its model does.'
    throw createUnsupportedError('OpenCode', `the option media with ${other.mediaType}`, hint)
  }
}
