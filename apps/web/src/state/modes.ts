/** Whether tools run without a person's decision in this mode. */
export function isSelfApproving(mode: string | undefined): boolean {
  return mode === 'auto' || mode === 'bypassPermissions'
}
