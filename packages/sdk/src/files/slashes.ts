/** A relative path with forward slashes, so that one pattern serves every platform. */
export function toSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
