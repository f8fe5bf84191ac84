import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { HookKind, HookTarget, OurHook } from '../../contract/agent.ts'
import { readJsonSettings } from '../../dialects/settings.ts'

const settings = ['fetch-retries=0', 'fetch-timeout=5000']
const mark =
  '# remora: with a plugin OpenCode waits at its start for npm to install its own helpers in this folder.'
const more =
  '# Without a network npm would try again for more than a minute each time; so it gives up at once.'

/** The name of these settings in a status, beside the events of the plugin. */
const name = 'npm install'

/**
 * The npm settings in a folder of OpenCode. With any plugin OpenCode waits for npm, which takes more than a minute
 * without a network, at every start until it succeeds once. These settings make npm give up early; it still installs
 * when it can. A user who already has plugins already waits and may need the packages, so nothing is added.
 *
 * @example await npmTarget('/home/me/.config/opencode')
 */
export async function npmTarget(folder: string): Promise<HookTarget> {
  const file = join(folder, '.npmrc')
  // Plugins that were added after ours do not matter.
  const present = blockIn(await readFile(file, 'utf8').catch(() => '')) !== undefined
  const plugins = !present && (await hasPlugins(folder))
  return {
    file,
    entries: (text) =>
      blockIn(text) ? [{ event: name, command: settings.join(' '), kind: 'record' as const }] : [],
    added: (text, hooks) => (plugins || blockIn(text) || !hooks.some(isRecord) ? text : withBlock(text)),
    removed,
  }
}

function isRecord({ kind }: OurHook): boolean {
  return kind === 'record'
}

/** Inserted at the start, where it is visible; the user's settings below take precedence. */
function withBlock(text: string): string {
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n'
  return [mark, more, ...settings, ''].join(eol) + text
}

function removed(text: string, kind?: HookKind): string {
  const found = kind === 'pave' ? undefined : blockIn(text)
  return found ? text.slice(0, found.index) + text.slice(found.index + found[0].length) : text
}

// At most once per setting, because the user may have set the same right below.
const block = /^# remora: [^\n]*\n(?:# [^\n]*\n)?(?:fetch-retries=\d+\r?\n)?(?:fetch-timeout=\d+\r?\n)?/m

function blockIn(text: string): RegExpExecArray | undefined {
  return block.exec(text) ?? undefined
}

async function hasPlugins(folder: string): Promise<boolean> {
  for (const each of ['plugin', 'plugins']) {
    const names = await readdir(join(folder, each)).catch(() => [])
    if (names.some((file) => /\.[jt]s$/.test(file) && file !== pluginName)) return true
  }
  for (const each of ['opencode.json', 'opencode.jsonc', 'config.json']) {
    const plugins = (await readJsonSettings(join(folder, each))).get('plugin')
    if (Array.isArray(plugins) && plugins.length > 0) return true
  }
  return false
}

/** The name of our plugin in any folder. */
export const pluginName = 'remora.js'
