import { describe, expect, it } from 'vitest'
import { boundedZoom, fontSize, pinchSteps, readablePixels } from './fit.ts'

const at = (width: number, columns: number, zoom = 0): number =>
  fontSize({ width, columns, ratio: 0.6, zoom })

describe('font size', () => {
  it('fits all columns if they are readable', () => {
    for (const [width, columns] of [
      [828, 120],
      [374, 60],
      [1000, 180],
    ] as const) {
      const size = at(width, columns)
      expect(size * 0.6 * columns).toBeLessThanOrEqual(width)
      expect(size * 0.6 * columns).toBeGreaterThan(width - columns * 0.1)
    }
  })

  it('stays between readable and large', () => {
    expect(at(374, 200)).toBe(readablePixels)
    expect(at(2_000, 80)).toBe(16)
  })

  it('follows the zoom steps', () => {
    expect(at(828, 120, 1)).toBeGreaterThan(at(828, 120))
    expect(at(374, 200, -3)).toBeLessThan(readablePixels)
    expect(at(374, 200, -99)).toBe(5)
    expect(at(374, 1, 99)).toBe(32)
  })

  it('is valid for an invalid screen', () => {
    expect(at(374, 0)).toBe(16)
    expect(boundedZoom(1_000)).toBe(12)
    expect(boundedZoom(-1_000)).toBe(-6)
  })

  it('doubles when a pinch doubles', () => {
    expect(1.12 ** pinchSteps(100, 200)).toBeCloseTo(2)
    expect(pinchSteps(0, 200)).toBe(0)
  })
})
