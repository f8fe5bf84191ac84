/** @example timeText(250) // '4:10' */
export function timeText(seconds: number): string {
  const rest = (count: number): string => String(count).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const tail = rest(seconds % 60)
  return minutes < 60 ? `${minutes}:${tail}` : `${Math.floor(minutes / 60)}:${rest(minutes % 60)}:${tail}`
}
