/** Below this nobody reads; then the screen is wider than the device, and one moves it. */
export const readablePixels = 8
const widestPixels = 16
const most = { least: 5, largest: 32 }
/** One step of the buttons. */
const step = 1.12

export interface Fit {
  /** The room, in pixels. */
  readonly width: number
  readonly columns: number
  /** How wide a sign is, in parts of its size. */
  readonly ratio: number
  /** Steps by which somebody wants it larger, or smaller. */
  readonly zoom: number
}

/** The size of the signs with which all columns fit, if one can read them. @example fontSize({ width: 844, columns: 120, ratio: 0.6, zoom: 0 }) */
export function fontSize({ width, columns, ratio, zoom }: Fit): number {
  const fitting = width / (Math.max(1, columns) * ratio)
  const usual = Math.min(widestPixels, Math.max(readablePixels, fitting))
  const wanted = Math.min(most.largest, Math.max(most.least, usual * step ** zoom))
  // Down, since a part of a pixel too much in each column is a column that does not fit.
  return Math.floor(wanted * 20) / 20
}

/** How many steps two fingers have made. @example pinchSteps(100, 200) */
export function pinchSteps(before: number, now: number): number {
  return before > 0 && now > 0 ? Math.log(now / before) / Math.log(step) : 0
}

/** No further than one can read or see. */
export function boundedZoom(zoom: number): number {
  return Math.min(12, Math.max(-6, zoom))
}
