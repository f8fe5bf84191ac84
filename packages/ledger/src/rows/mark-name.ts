/**
 * Marks are of one machine: two may have a file of the same path. Where one has the ledger alone, they have their plain
 * names.
 *
 * @example toMarkName('laptop', 'read/a') // '@laptop/read/a'
 */
export function toMarkName(node: string | undefined, name: string): string {
  return node === undefined ? name : `@${node}/${name}`
}
