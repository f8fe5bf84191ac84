import { z } from 'zod'

/**
 * How far a version of an agent is known to work on one channel: `tested` is in the range that Remora's own tests cover,
 * `probed` passed `remora doctor --probe` on this machine, `failed` did not pass it, and the rest is `untested`.
 */
export const ChannelSupport = z.enum(['tested', 'probed', 'failed', 'untested'])
export type ChannelSupport = z.infer<typeof ChannelSupport>

/** The oldest and the newest version on which a channel was tested. */
export const VersionRange = z.object({ oldest: z.string(), newest: z.string() })
export type VersionRange = z.infer<typeof VersionRange>

/** How far the installed version of an agent is known to work. */
export const Support = z.object({
  version: z.string(),
  channels: z.record(z.string(), ChannelSupport),
  /** The tested ranges, by channel; empty for agents that Remora does not test. */
  tested: z.record(z.string(), VersionRange),
})
export type Support = z.infer<typeof Support>
