interface BadgeHolder {
  setAppBadge?: (count?: number) => Promise<void>
  clearAppBadge?: () => Promise<void>
}

/** Sets the number on the app icon, where supported. @example showBadge(navigator, 3) */
export function showBadge(holder: unknown, count: number): void {
  const { setAppBadge, clearAppBadge } = holder as BadgeHolder
  const done = count > 0 ? setAppBadge?.call(holder, count) : clearAppBadge?.call(holder)
  done?.catch(() => {
    // Not supported, or not permitted.
  })
}
