/** Loaded separately, because the session list does not need its Markdown and diff code. */
export function loadAskDialog() {
  return import('./ask-dialog.tsx')
}
