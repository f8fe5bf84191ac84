export const installCss = `:root { font: 16px/1.45 system-ui, sans-serif; color-scheme: light dark; }
body { margin: 0 auto; max-width: 44rem; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0; }
li { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3rem 0; font-size: 0.85rem; }
.quiet { opacity: 0.7; font-size: 0.9rem; }
`
