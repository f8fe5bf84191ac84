import { LineSplitter } from './line-splitter.ts'

/**
 * The lines of a stream, cut at LF and nowhere else: U+2028 and a lone CR stay inside their line, where JSON may have
 * them, and a CR before the LF is kept (JSON.parse takes it for a space). A last line without LF counts. Nothing is
 * read ahead of the consumer.
 *
 * @example for await (const line of lines(tree.stdout)) handle(JSON.parse(line))
 */
export async function* lines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  options: { limit?: number } = {},
): AsyncGenerator<string, void, undefined> {
  const splitter = new LineSplitter(options.limit)
  for await (const chunk of chunks) {
    yield* splitter.push(
      typeof chunk === 'string' ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
    )
  }
  yield* splitter.end()
}
