import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { leadingSlash } from '../../contract/prompt-escapes.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { efforts } from './features.ts'
import { modes } from './modes.ts'
import { title } from './profile.ts'
import { streamReader } from './stream.ts'

/** One prompt, answered as a stream of JSON events. */
export const headless: HeadlessPart = {
  reader: streamReader,
  // A slash starts an extension's command, a skill or a template only as the first character.
  escapes: [{ kind: 'slash', pattern: leadingSlash, prefix: ' ' }],
  invocation(request, version) {
    refuse(request)
    const { prompt, mode, model, effort, resume, fork, systemPrompt, extraArgs = [] } = request
    const args = ['--mode', 'json', '--print']
    if (mode !== undefined) args.push(...requireMode({ title, modes }, mode, version).args)
    if (model !== undefined) args.push('--model', model)
    if (effort !== undefined) args.push('--thinking', effort)
    if (resume === 'latest') args.push('--continue')
    else if (resume !== undefined) args.push(fork ? '--fork' : '--session', resume)
    if (systemPrompt !== undefined) args.push('--system-prompt', systemPrompt)
    args.push(...extraArgs)
    // pi trims standard input, and with it the escape.
    return /^\s+\//.test(prompt) ? { args: [...args, prompt] } : { args, stdin: prompt }
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
