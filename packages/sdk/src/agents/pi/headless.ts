import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { toSharedArguments } from './arguments.ts'
import { efforts } from './features.ts'
import { title } from './profile.ts'
import { streamReader } from './stream.ts'

/** One prompt, answered as a stream of JSON events. */
export const headless: HeadlessPart = {
  reader: streamReader,
  // A slash starts an extension's command, a skill or a template only as the first character.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  invocation(request, version) {
    refuse(request)
    const args = ['--mode', 'json', '--print', ...toSharedArguments(request, version)]
    if (request.systemPrompt !== undefined) args.push('--system-prompt', request.systemPrompt)
    args.push(...(request.extraArgs ?? []))
    // pi trims standard input, and with it the escape.
    return /^\s/.test(request.prompt) ? { args: [...args, request.prompt] } : { args, stdin: request.prompt }
  },
}

function refuse(request: HeadlessRequest): void {
  const { sessionId, resume, fork, effort, mcpServers, allow = [], media = [] } = request
  const options: readonly [isRefused: boolean, option: string, hint: string][] = [
    [sessionId !== undefined, 'sessionId', 'Leave it out: pi names the session in its output.'],
    [fork === true && resume === 'latest', 'fork of the latest session', 'Name the session by its id.'],
    [effort !== undefined && !efforts.includes(effort), `effort ${effort}`, `Choose ${efforts.join(', ')}.`],
    [mcpServers !== undefined, 'mcpServers', 'pi has no MCP client; an extension of pi can add tools.'],
    [allow.length > 0, 'allow', 'pi asks for no approval; choose a mode with fewer tools instead.'],
    [media.length > 0, 'media', 'Name the path in the prompt, and it can read images with its tools.'],
  ]
  for (const [isRefused, option, hint] of options)
    if (isRefused) throw createUnsupportedError(title, `the option ${option}`, hint)
}
