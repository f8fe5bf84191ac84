import type { Channel, VersionRange } from '@remora/protocol/plain'

/** The oldest and the newest version on which each channel was recorded and tested. Written by `npm run fixtures`. */
export type TestedRanges = Readonly<Partial<Record<Channel, VersionRange>>>
