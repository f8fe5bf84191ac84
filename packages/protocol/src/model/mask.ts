/** A range of a text; the end is exclusive. */
export type Range = readonly [start: number, end: number]

/** Replaces a secret. */
export const masked = '[secret]'

/**
 * Secrets of known shape. A group named `keep` before a secret stays. In JSON, the letter before a secret may belong to an
 * escape: `\nsk-…`.
 */
const shapes: readonly RegExp[] = [
  // Private keys, also if the text contains only their start or end.
  /-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g,
  /^[A-Za-z0-9+/=\s\\]*-----END [A-Z0-9 ]*PRIVATE KEY-----/g,
  // JSON Web Tokens.
  /(?:\b|(?<=\\[nrt]))eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // OpenAI, Anthropic and providers with the same prefix.
  /(?:\b|(?<=\\[nrt]))sk-[A-Za-z0-9][\w-]{14,}/g,
  // Google: API keys, OAuth tokens and secrets.
  /(?:\b|(?<=\\[nrt]))AIza[\w-]{30,}/g,
  /(?:\b|(?<=\\[nrt]))ya29\.[\w-]{20,}/g,
  /(?:\b|(?<=\\[nrt]))GOCSPX-[\w-]{20,}/g,
  // GitHub and GitLab.
  /(?:\b|(?<=\\[nrt]))gh[pousr]_[A-Za-z0-9]{20,}/g,
  /(?:\b|(?<=\\[nrt]))github_pat_\w{20,}/g,
  /(?:\b|(?<=\\[nrt]))glpat-[\w-]{16,}/g,
  // AWS key ids, and the secret after its name.
  /(?:\b|(?<=\\[nrt]))(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /(?<keep>aws_secret_access_key["']?\s*[:=]\s*["']?)[A-Za-z0-9/+=]{30,}/gi,
  // Slack, npm, Stripe, Hugging Face.
  /(?:\b|(?<=\\[nrt]))xox[abeoprs]-[\w-]{10,}/g,
  /(?:\b|(?<=\\[nrt]))npm_[A-Za-z0-9]{30,}/g,
  /(?:\b|(?<=\\[nrt]))[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
  /(?:\b|(?<=\\[nrt]))hf_[A-Za-z0-9]{20,}/g,
  // HTTP headers, and passwords in URLs.
  /(?<keep>(?:\b|(?<=\\[nrt]))Bearer\s+)[\w.~+/=-]{12,}/gi,
  /(?<keep>(?:\b|(?<=\\[nrt]))Basic\s+)[A-Za-z0-9+/=]{16,}/g,
  /(?<keep>(?:\b|(?<=\\[nrt]))[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]+(?=@)/gi,
]

/**
 * Hides secrets of known shape: API keys, tokens, private keys.
 *
 * @example mask('key: sk-ant-api03-abcdefghijklmnop') // 'key: [secret]'
 */
export function mask(text: string): string {
  let result = ''
  let from = 0
  for (const [start, end] of secretsIn(text)) {
    result += text.slice(from, start) + masked
    from = end
  }
  return result + text.slice(from)
}

/** The positions of secrets in a text, in order and without overlaps. @example secretsIn('key sk-ant-…') */
export function secretsIn(text: string): Range[] {
  const found: [number, number][] = []
  for (const shape of shapes)
    for (const match of text.matchAll(shape))
      found.push([match.index + (match.groups?.['keep']?.length ?? 0), match.index + match[0].length])
  found.sort(([a], [b]) => a - b)
  const ranges: [number, number][] = []
  for (const [start, end] of found) {
    const last = ranges.at(-1)
    if (last && start < last[1]) last[1] = Math.max(last[1], end)
    else ranges.push([start, end])
  }
  return ranges
}

/** The shortest secret of known shape: `a://b:c@`. */
const shortest = 8

/**
 * Hides secrets in every text of a value, including names of fields. Each text is masked separately, because a secret
 * without an end would hide all following texts.
 *
 * @example maskAll({ env: { KEY: 'sk-ant-api03-abcdefghijklmnop' } })
 */
export function maskAll<T>(value: T): T
export function maskAll(value: unknown): unknown {
  if (typeof value === 'string') return value.length < shortest ? value : mask(value)
  if (Array.isArray(value)) return value.map(maskAll)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, each]) => [maskAll(name), maskAll(each)])
  return Object.fromEntries(fields) as unknown
}
