import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { removeLeftovers } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { modeVariables, sharedArguments } from './arguments.ts'
import { runVariables } from './run-variables.ts'
import { streamReader } from './stream.ts'

/** The prompt goes through stdin, because OpenCode puts quotation marks around an argument with spaces. */
export const headless: HeadlessPart = {
  reader: streamReader,
  invocation(request, version) {
    refuse(request)
    const args = ['run', '--format', 'json', '--thinking']
    // It retries failed requests without end, and only its log shows it.
    args.push('--print-logs', '--log-level', 'ERROR', ...sharedArguments(request, version))
    if (request.fork) args.push('--fork')
    if (request.effort !== undefined) args.push('--variant', request.effort)
    // A prompt belongs to an agent; this is the default agent.
    if (request.systemPrompt !== undefined && request.mode !== 'plan') args.push('--agent', 'build')
    for (const { path } of request.media ?? []) args.push(`--file=${path}`)
    args.push(...(request.extraArgs ?? []))
    return { args, stdin: request.prompt, ...modeVariables(request.mode) }
  },
  async prepare(request, place) {
    refuse(request)
    await removeLeftovers()
    // OpenCode uses PWD instead of the folder in which it was started.
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
  // A pattern replaces the user's rule for all other commands.
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
