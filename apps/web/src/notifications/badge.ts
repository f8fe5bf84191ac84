interface BadgeHolder {
  setAppBadge?: (count?: number) => Promise<void>
  clearAppBadge?: () => Promise<void>
}

/** The number on the icon, where there is such a thing. @example showBadge(navigator, 3) */
export function showBadge(holder: unknown, count: number): void {
  const { setAppBadge, clearAppBadge } = holder as BadgeHolder
  const done = count > 0 ? setAppBadge?.call(holder, count) : clearAppBadge?.call(holder)
  done?.catch(() => {
    // Not on this device, or not without the permission.
  })
}
