export interface Platform {
  readonly kind: 'apple' | 'android' | 'desktop'
  /** Runs as an app of its own and not in a tab of the browser. */
  readonly isInstalled: boolean
}

/** What a device is like, for what differs between them: where an app is installed from, and where a no is undone. */
export function platform(): Platform {
  const { userAgent, maxTouchPoints } = navigator
  // An iPad says that it is a Mac; no Mac has a screen to touch.
  const isApple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
  const { standalone } = navigator as { standalone?: boolean }
  return {
    kind: isApple ? 'apple' : /Android/.test(userAgent) ? 'android' : 'desktop',
    isInstalled: standalone === true || matchMedia('(display-mode: standalone)').matches,
  }
}

/** Whether pushes that show nothing cost the permission here, as they do in every browser of Apple's making. */
export function revokesOnSilentPush(userAgent: string): boolean {
  return /AppleWebKit/.test(userAgent) && !/Chrom(?:e|ium)|Android/.test(userAgent)
}
