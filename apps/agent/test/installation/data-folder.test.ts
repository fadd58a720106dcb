import { expect, it } from 'vitest';
import { dataFolder, type Surroundings } from '../../src/installation/index.js';

const at = (platform: NodeJS.Platform, env: Record<string, string> = {}): Surroundings => ({
  platform,
  env,
  home: '/home/ann',
  cwd: '/work',
});

it.each([
  ['the option', 'data', at('linux', { SVC_DATA_DIR: '/elsewhere' }), '/work/data'],
  ['SVC_DATA_DIR', undefined, at('linux', { SVC_DATA_DIR: 'here', XDG_STATE_HOME: '/state' }), '/work/here'],
  [
    'XDG_STATE_HOME',
    undefined,
    at('linux', { SVC_DATA_DIR: '', XDG_STATE_HOME: '/state' }),
    '/state/svc-agent',
  ],
  ['the home folder on Linux', undefined, at('linux'), '/home/ann/.local/state/svc-agent'],
  ['the home folder on macOS', undefined, at('darwin'), '/home/ann/Library/Application Support/svc-agent'],
  ['LOCALAPPDATA', undefined, at('win32', { LOCALAPPDATA: '/local' }), '/local/svc-agent'],
  ['the home folder on Windows', undefined, at('win32'), '/home/ann/AppData/Local/svc-agent'],
])('the data folder follows from %s', (_, option, surroundings, expected) => {
  expect(dataFolder(option, surroundings)).toBe(expected);
});
