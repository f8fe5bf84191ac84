/** The address, if it leads somewhere that a page may lead to. @example toSafeLink('javascript:alert(1)') // undefined */
export function toSafeLink(href: unknown): string | undefined {
  if (typeof href !== 'string' || href.length > 4_000) return undefined
  // By what the browser makes of it, since it ignores tabs and line ends within.
  const url = parsed(href)
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined
}

function parsed(href: string): URL | undefined {
  try {
    return new URL(href)
  } catch {
    return undefined
  }
}
