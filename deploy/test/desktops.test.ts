import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../tools/shared/paths.js';

const text = (path: string): string => readFileSync(join(root, 'deploy', path), 'utf8');
const unit = text('systemd/svc.service');

/** The first element that is not closed as it was opened; undefined: a text is well-formed as far as its elements go. */
function unclosed(xml: string): string | undefined {
  const open: string[] = [];
  const elements = xml.replaceAll(/<[?!][^>]*>|<!--[\s\S]*?-->/g, '').matchAll(/<(\/?)([\w.]+)[^>]*?(\/?)>/g);
  for (const [, end, name = '', alone] of elements) {
    if (alone === '/') continue;
    if (end !== '/') open.push(name);
    else if (open.pop() !== name) return name;
  }
  return open.at(-1);
}

describe('a file in XML', () => {
  it.each(['launchd/svc.plist', 'windows/svc-task.xml'])('%s closes what it opens', (path) => {
    expect(unclosed(text(path))).toBeUndefined();
    expect(unclosed(text(path).replace(/<\/(dict|Settings)>/, ''))).toBeDefined();
  });
});

describe('the daemon of launchd', () => {
  const plist = text('launchd/svc.plist');
  const value = (key: string): string | undefined =>
    new RegExp(`<key>${key}</key>\\s*<(?:string|integer)>([^<]*)<`).exec(plist)?.[1];

  it('runs what the unit of systemd runs, and gives it the same time to stop', () => {
    const words = [...plist.matchAll(/^ {4}<string>([^<]*)<\/string>$/gm)].map(([, word]) => word);
    const [, started = ''] = /^ExecStart=\S+ (.*)$/m.exec(unit) ?? [];
    expect(words.slice(1).join(' ')).toBe(started);
    expect(value('ExitTimeOut')).toBe(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]);
    expect(value('UserName')).not.toBe('root');
  });
});

describe('the task of Windows', () => {
  it('starts the command file of this folder, which starts the command line, without an administrator', () => {
    const [, command = ''] = /<Command>C:\\svc\\([^<]*)</.exec(text('windows/svc-task.xml')) ?? [];
    expect(existsSync(join(root, ...command.split('\\')))).toBe(true);
    const [, program = ''] = /"C:\\svc\\(apps[^"]*)" start/.exec(text('windows/svc-start.cmd')) ?? [];
    expect(existsSync(join(root, ...program.split('\\')))).toBe(true);
    expect(text('windows/svc-task.xml')).toContain('<RunLevel>LeastPrivilege</RunLevel>');
  });
});
