/** The URL if its scheme is safe to link to. @example toSafeLink('javascript:alert(1)') // undefined */
export function toSafeLink(href: unknown): string | undefined {
  if (typeof href !== 'string' || href.length > 4_000) return undefined
  // Parsed by the browser, because it ignores tabs and line breaks inside URLs.
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
