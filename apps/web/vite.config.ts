import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { VitePWA } from 'vite-plugin-pwa'

/** Grammars are separate chunks, loaded by the highlighting worker on demand. */
const output = {
  chunkFileNames: ({ moduleIds }: { moduleIds: string[] }) =>
    moduleIds.some((id) => id.includes('@shikijs/langs'))
      ? 'assets/grammars/[name]-[hash].js'
      : 'assets/[name]-[hash].js',
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    tailwind(),
    VitePWA({
      // The worker is our own: it shows notifications and answers from them.
      strategies: 'injectManifest',
      srcDir: 'src/worker',
      filename: 'sw.ts',
      injectRegister: false,
      injectManifest: {
        globPatterns: ['**/*.{js,css,html,svg,png,woff2}'],
        // Hundreds of grammars are loaded on demand.
        globIgnores: ['assets/grammars/**', 'icon-*.png'],
        rollupFormat: 'iife',
        maximumFileSizeToCacheInBytes: 1_000_000,
      },
      manifest: {
        name: 'Remora',
        short_name: 'Remora',
        description: 'Control your coding agents from your phone.',
        id: '/',
        start_url: '/',
        display: 'standalone',
        background_color: '#121314',
        theme_color: '#121314',
        icons: [
          { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
          { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
          { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
          { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml' },
        ],
      },
    }),
  ],
  build: {
    target: 'es2023',
    // Everything is precached, so chunk sizes do not matter.
    chunkSizeWarningLimit: 1_000,
    modulePreload: { polyfill: false },
    rolldownOptions: { output },
  },
  worker: { format: 'es', rolldownOptions: { output } },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:4750', ws: true }, '/health': 'http://127.0.0.1:4750' },
  },
})
