/** Allows only same-origin resources, no inline scripts or styles, and no framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

/**
 * Headers of every response, including errors. `Strict-Transport-Security` is missing on purpose: it applies to all ports
 * of a name, and would break other servers on `localhost`.
 */
export const safeHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), payment=(), usb=(), display-capture=()',
  'x-robots-tag': 'noindex',
  'cache-control': 'no-store',
}
