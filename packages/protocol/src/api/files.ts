import { z } from 'zod'

const common = { path: z.string(), name: z.string(), parent: z.string().optional(), modifiedAt: z.number() }

/** The entries of a folder, or some lines of a file. */
export const FileView = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('folder'),
    entries: z.array(
      z.object({
        name: z.string(),
        kind: z.enum(['folder', 'file', 'other']),
        link: z.literal(true).optional(),
        size: z.number().optional(),
        modifiedAt: z.number().optional(),
      }),
    ),
    more: z.number(),
  }),
  z.object({
    ...common,
    kind: z.literal('text'),
    size: z.number(),
    language: z.string().optional(),
    from: z.number(),
    text: z.string(),
    lines: z.number(),
    cut: z.literal(true).optional(),
  }),
  z.object({
    ...common,
    kind: z.enum(['image', 'binary']),
    size: z.number(),
    mediaType: z.string().optional(),
  }),
])

export type FileView = z.infer<typeof FileView>

/** A file that was uploaded for a prompt. */
export const UploadInfo = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(['image', 'document']),
  mediaType: z.string(),
  size: z.number(),
  path: z.string(),
  at: z.number(),
  /** The block that a prompt contains for it. */
  block: z.object({
    type: z.enum(['image', 'document']),
    source: z.object({ type: z.literal('file'), media_type: z.string(), path: z.string() }),
    name: z.string(),
  }),
})
export type UploadInfo = z.infer<typeof UploadInfo>
