import type { Finding, WrapperFinding } from './survey.ts'

/**
 * Describes how an agent is reached over ACP.
 *
 * @example 'ACP through codex-acp 0.16.0, with a Codex 0.137.0 of its own'
 */
export function describeWrapper(
  { name, path, version, drives, install }: WrapperFinding,
  title: string,
): string {
  if (path === null) return `ACP needs ${name}: ${install}`
  const agent = [title, ...(drives?.version ? [drives.version] : [])].join(' ')
  const behind = drives?.own ? `which drives your ${agent}` : `with ${article(agent)} ${agent} of its own`
  return `ACP through ${named(name, version)}, ${behind}  ${path}`
}

/** Lists the channels, with the wrapper of ACP. @example 'headless, acp (codex-acp 0.16.0), hooks' */
export function describeChannels({ channels, wrapper }: Pick<Finding, 'channels' | 'wrapper'>): string {
  return channels
    .map((channel) => {
      if (channel !== 'acp' || !wrapper) return channel
      return `acp (${wrapper.path === null ? `needs ${wrapper.name}` : named(wrapper.name, wrapper.version)})`
    })
    .join(', ')
}

function named(name: string, version: string | null): string {
  return version === null ? name : `${name} ${version}`
}

function article(word: string): string {
  return /^[aeiou]/i.test(word) ? 'an' : 'a'
}
