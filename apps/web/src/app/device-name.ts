/** What a person would call this device. @example deviceName(navigator.userAgent) // 'iPhone, Safari' */
export function deviceName(userAgent: string): string {
  const machine =
    /iPhone|iPad|Android|Macintosh|Windows|CrOS|Linux/
      .exec(userAgent)?.[0]
      .replace('Macintosh', 'Mac')
      .replace('CrOS', 'Chromebook') ?? ''
  const browser = /Edg|OPR|Firefox|SamsungBrowser|Chrome|Safari/
    .exec(userAgent)?.[0]
    .replace('Edg', 'Edge')
    .replace('OPR', 'Opera')
    .replace('SamsungBrowser', 'Samsung')
  return [machine, browser].filter(Boolean).join(', ') || 'Browser'
}
