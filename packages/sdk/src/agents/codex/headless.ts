import type { HeadlessPart, HeadlessRequest } from '../../contract/agent.ts'
import { requireMode } from '../../contract/modes.ts'
import { removeLeftovers, writeRunFiles } from '../../files/run-files.ts'
import { createUnsupportedError } from '../../versions/version.ts'
import { toMcpSettings } from './mcp-settings.ts'
import { modes } from './modes.ts'
import { streamReader } from './stream.ts'

const title = 'Codex'

export const headless: HeadlessPart = {
  // A custom provider uses the variable of its `env_key` instead.
  keyVariable: 'CODEX_API_KEY',
  reader: streamReader,
  invocation(request, version) {
    refuse(request)
    const args = ['exec', '--json']
    if (request.mode !== undefined)
      args.push(...requireMode({ title, modes }, request.mode, version).headless)
    if (request.model !== undefined) args.push('--model', request.model)
    if (request.effort !== undefined)
      args.push('-c', `model_reasoning_effort=${JSON.stringify(request.effort)}`)
    // Outside a git repository and outside a trusted folder, `exec` refuses to run without it.
    if (request.skipTrust) args.push('--skip-git-repo-check')
    const mcp = toMcpSettings(request.mcpServers ?? {})
    args.push(...mcp.args)
    // With `=`, since the option would otherwise take the following arguments as images too.
    for (const { path } of request.media ?? []) args.push(`--image=${path}`)
    args.push(...(request.extraArgs ?? []))
    // `resume` takes no sandbox option, so it follows the options of `exec`.
    if (request.resume !== undefined) {
      args.push(request.fork ? 'fork' : 'resume', request.resume === 'latest' ? '--last' : request.resume)
    }
    const env = Object.keys(mcp.env).length > 0 ? { env: mcp.env } : {}
    return { args: [...args, '-'], stdin: request.prompt, ...env }
  },
  async prepare(request) {
    refuse(request)
    await removeLeftovers()
    const { systemPrompt, extraArgs = [], ...rest } = request
    if (systemPrompt === undefined) return { request, finish: async () => [] }
    const files = await writeRunFiles({ 'instructions.md': systemPrompt })
    const setting = `model_instructions_file=${JSON.stringify(files.path('instructions.md'))}`
    return {
      // The setting must precede `resume`, since it is an argument of `exec`.
      request: { ...rest, extraArgs: ['-c', setting, ...extraArgs] },
      async finish() {
        await files.remove()
        return []
      },
    }
  },
}

function refuse({ sessionId, fork, resume, media = [], allow = [] }: HeadlessRequest): void {
  if (sessionId !== undefined) {
    throw createUnsupportedError(
      title,
      'the option sessionId',
      'Leave it out: Codex names the session in its first line.',
    )
  }
  if (fork && resume === 'latest') {
    throw createUnsupportedError(
      title,
      'the option fork with the latest session',
      'Name the session that shall be forked.',
    )
  }
  if (allow.length > 0) {
    throw createUnsupportedError(
      title,
      'the option allow',
      'Choose a mode, or write rules into its own configuration.',
    )
  }
  const other = media.find(({ kind }) => kind !== 'image')
  if (other) {
    const hint = 'It takes images. Name the path in the prompt, and it can look at the file with its tools.'
    throw createUnsupportedError(title, `the option media with ${other.mediaType}`, hint)
  }
}
