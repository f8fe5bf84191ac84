/** What tmux tells when something happened to a window, which may have been ours. */
export const windowNotices: ReadonlySet<string> = new Set([
  'window-close',
  'unlinked-window-close',
  'window-renamed',
  'unlinked-window-renamed',
  'window-pane-changed',
  'session-changed',
])
