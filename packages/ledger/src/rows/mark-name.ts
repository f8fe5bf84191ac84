/**
 * Marks belong to a machine, since two machines may have files of the same path. A ledger of one machine uses plain
 * names.
 *
 * @example toMarkName('laptop', 'read/a') // '@laptop/read/a'
 */
export function toMarkName(node: string | undefined, name: string): string {
  return node === undefined ? name : `@${node}/${name}`
}
