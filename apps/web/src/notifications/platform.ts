export interface Platform {
  readonly kind: 'apple' | 'android' | 'desktop'
  /** Runs as an installed app and not in a browser tab. */
  readonly isInstalled: boolean
}

/** The kind of device, which decides how to install the app and allow notifications. */
export function platform(): Platform {
  const { userAgent, maxTouchPoints } = navigator
  // An iPad reports itself as a Mac, but no Mac has a touch screen.
  const isApple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
  const { standalone } = navigator as { standalone?: boolean }
  return {
    kind: isApple ? 'apple' : /Android/.test(userAgent) ? 'android' : 'desktop',
    isInstalled: standalone === true || matchMedia('(display-mode: standalone)').matches,
  }
}

/** Whether silent pushes cost the permission, as in Apple's browsers. */
export function revokesOnSilentPush(userAgent: string): boolean {
  return /AppleWebKit/.test(userAgent) && !/Chrom(?:e|ium)|Android/.test(userAgent)
}
