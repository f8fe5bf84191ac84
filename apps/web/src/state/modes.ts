/** Whether tools run without approval in this mode. */
export function isSelfApproving(mode: string | undefined): boolean {
  return mode === 'auto' || mode === 'bypassPermissions'
}
