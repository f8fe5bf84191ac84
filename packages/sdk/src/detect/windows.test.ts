import { describe, expect, it } from 'vitest'
import { gemini } from '../agents/gemini/index.ts'
import { commonFolders, listFolderCandidates, fileNames, listPathCandidates } from './folders.ts'
import { expandHome, getPathModule, variable } from './paths.ts'

const place = {
  platform: 'win32' as const,
  home: 'C:\\Users\\me',
  cwd: 'D:\\work',
  env: {
    Path: 'C:\\Tools;"C:\\Program Files\\nodejs";.',
    PATHEXT: '.EXE;.CMD',
    AppData: 'C:\\Users\\me\\AppData\\Roaming',
    LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local',
  },
}

describe('on Windows', () => {
  it('splits PATH at semicolons, removes quotes and tries every extension', () => {
    expect(listPathCandidates('gemini', place)).toEqual([
      'C:\\Tools\\gemini.exe',
      'C:\\Tools\\gemini.cmd',
      'C:\\Program Files\\nodejs\\gemini.exe',
      'C:\\Program Files\\nodejs\\gemini.cmd',
      'D:\\work\\gemini.exe',
      'D:\\work\\gemini.cmd',
    ])
  })

  it('uses default extensions without PATHEXT', () => {
    const names = fileNames('gemini', { ...place, env: {} })
    expect(names).toEqual(['gemini.com', 'gemini.exe', 'gemini.bat', 'gemini.cmd'])
  })

  it('finds the folder of npm in APPDATA', async () => {
    const candidates = await listFolderCandidates(gemini.detection, place)
    expect(candidates[0]).toBe('C:\\Users\\me\\AppData\\Roaming\\npm\\gemini.exe')
    expect(candidates[1]).toBe('C:\\Users\\me\\AppData\\Roaming\\npm\\gemini.cmd')
    expect(candidates).toContain('C:\\Users\\me\\AppData\\Local\\pnpm\\gemini.cmd')
    expect(candidates).toContain('C:\\Users\\me\\.bun\\bin\\gemini.exe')
    expect(candidates.some((candidate) => candidate.includes('*'))).toBe(false)
  })

  it('uses default folders without variables', () => {
    const folders = commonFolders(gemini.detection, { ...place, env: {} })
    expect(folders).toContain('~\\AppData\\Roaming\\npm')
    expect(folders).toContain('C:\\Program Files\\nodejs')
  })

  it('ignores the case of variable names', () => {
    expect(variable(place.env, 'PATH', 'win32')).toBe(place.env.Path)
    expect(variable(place.env, 'PATH', 'linux')).toBeUndefined()
    expect(variable(place.env, 'NOTHING', 'win32')).toBeUndefined()
  })

  it('expands ~ to the home folder', () => {
    expect(expandHome('~\\bin', place.home, 'win32')).toBe('C:\\Users\\me\\bin')
    expect(expandHome('~', '/home/me', 'linux')).toBe('/home/me')
    expect(expandHome('~other/bin', '/home/me', 'linux')).toBe('~other/bin')
    expect(getPathModule('win32').sep).toBe('\\')
  })
})

describe('on other systems', () => {
  const mac = { platform: 'darwin' as const, home: '/Users/me', cwd: '/w', env: { PATH: '/a::/b' } }

  it('reads an empty entry of PATH as the working directory', () => {
    expect(listPathCandidates('gemini', mac)).toEqual(['/a/gemini', '/w/gemini', '/b/gemini'])
    expect(listPathCandidates('gemini', { ...mac, env: {} })).toEqual([])
  })

  it('searches the folders of macOS and both of Homebrew', () => {
    const folders = commonFolders(gemini.detection, mac)
    expect(folders).toContain('~/Library/pnpm')
    expect(folders).toContain('~/Library/Application Support/fnm/node-versions/*/installation/bin')
    expect(folders).toContain('/opt/homebrew/bin')
    expect(folders).toContain('/home/linuxbrew/.linuxbrew/bin')
    expect(folders).toContain('/usr/local/bin')
  })

  it('reads the folders of version managers from their variables', () => {
    const env = {
      NVM_DIR: '/nvm',
      MISE_DATA_DIR: '/mise',
      FNM_DIR: '/fnm',
      BUN_INSTALL: '/bun',
      VOLTA_HOME: '/volta',
      PNPM_HOME: '/pnpm',
      npm_config_prefix: '/prefix',
    }
    const folders = commonFolders(gemini.detection, { ...mac, env })
    expect(folders).toEqual(
      expect.arrayContaining([
        '/nvm/versions/node/*/bin',
        '/mise/installs/node/*/bin',
        '/fnm/node-versions/*/installation/bin',
        '/bun/bin',
        '/volta/bin',
        '/pnpm',
        '/prefix/bin',
      ]),
    )
  })
})
