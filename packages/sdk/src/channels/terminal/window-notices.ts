/** Notices of tmux about a change of a window, which may be ours. */
export const windowNotices: ReadonlySet<string> = new Set([
  'window-close',
  'unlinked-window-close',
  'window-renamed',
  'unlinked-window-renamed',
  'window-pane-changed',
  'session-changed',
])
