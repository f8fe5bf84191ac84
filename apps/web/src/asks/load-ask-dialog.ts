/** It can show plans and changes, which the list of sessions needs nothing of. */
export function loadAskDialog() {
  return import('./ask-dialog.tsx')
}
