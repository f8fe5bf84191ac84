/** Smaller text is not readable. Then the screen is wider than the device and scrolls. */
export const readablePixels = 8
const widestPixels = 16
const most = { least: 5, largest: 32 }
/** The zoom factor per step. */
const step = 1.12

export interface Fit {
  /** The available width in pixels. */
  readonly width: number
  readonly columns: number
  /** The character width relative to the font size. */
  readonly ratio: number
  /** Zoom steps chosen by the user. */
  readonly zoom: number
}

/** The font size at which all columns fit, if readable. @example fontSize({ width: 844, columns: 120, ratio: 0.6, zoom: 0 }) */
export function fontSize({ width, columns, ratio, zoom }: Fit): number {
  const fitting = width / (Math.max(1, columns) * ratio)
  const usual = Math.min(widestPixels, Math.max(readablePixels, fitting))
  const wanted = Math.min(most.largest, Math.max(most.least, usual * step ** zoom))
  // Rounded down, because a fraction of a pixel per column adds up to a column.
  return Math.floor(wanted * 20) / 20
}

/** The zoom steps of a pinch. @example pinchSteps(100, 200) */
export function pinchSteps(before: number, now: number): number {
  return before > 0 && now > 0 ? Math.log(now / before) / Math.log(step) : 0
}

/** Limits the zoom to a usable range. */
export function boundedZoom(zoom: number): number {
  return Math.min(12, Math.max(-6, zoom))
}
