/** The remora, a small fish that travels with large ones. */
export function Logo({ className = 'size-10' }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 64 64" className={className} aria-hidden="true">
      <rect width="64" height="64" rx="15" className="fill-accent" />
      <path
        d="M12 33c7-12 24-15 35-6l7-5c-1.5 4-1.5 11 0 17l-7-4c-11 8-28 8-35-2z"
        className="fill-on-accent"
      />
      <path
        d="M20 27c6-4.5 14-5.5 21-3"
        className="stroke-accent"
        strokeWidth="2.5"
        strokeLinecap="round"
        fill="none"
      />
      <circle cx="20" cy="34" r="2" className="fill-accent" />
    </svg>
  )
}
