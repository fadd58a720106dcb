import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../../tools/shared/paths.js';
import type { Site } from './site.js';

const unpacked = join(root, '.cache', 'proxies');

/** The file of deploy/proxy, with the addresses and folders of a test in place of those of the example. */
function configuration(file: string, site: Site): string {
  const [a, b] = site.gateways;
  return readFileSync(join(root, 'deploy', 'proxy', file), 'utf8')
    .replaceAll('gateway-a:8070', `127.0.0.1:${a?.port}`)
    .replaceAll('gateway-b:8070', `127.0.0.1:${b?.port}`)
    .replaceAll('/etc/svc/proxy/', `${site.path('proxy')}/`)
    .replaceAll('/var/log/nginx/', `${site.path('nginx')}/`)
    .replaceAll('https://lab-server', `https://localhost:${site.port}`)
    .replaceAll('lab-server', 'localhost')
    .replace('listen 443', `listen 127.0.0.1:${site.port}`);
}

/** Starts the proxies of deploy/proxy with the configurations of deploy/proxy. */
export const proxies: Readonly<Record<string, (site: Site) => Promise<ChildProcess>>> = {
  async nginx(site) {
    const folder = site.path('nginx');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'svc.conf'), configuration('nginx.conf', site));
    const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    // Around the file stands what the package of Debian has in /etc/nginx/nginx.conf.
    const around = [
      ...['daemon off;', 'worker_processes 2;', `pid ${folder}/pid;`, 'error_log stderr;'],
      ...['events {}', 'http {', ...places.map((each) => `${each}_temp_path ${folder}/${each};`)],
      ...['include svc.conf;', '}', ''],
    ];
    // Without root, the user of a worker is that of nginx.
    if (process.getuid?.() === 0) around.unshift('user root;');
    writeFileSync(join(folder, 'nginx.conf'), around.join('\n'));
    const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')];
    return started(site, 'nginx', join(unpacked, 'usr', 'sbin', 'nginx'), args);
  },
  async caddy(site) {
    const path = site.path('Caddyfile');
    writeFileSync(path, configuration('Caddyfile', site));
    const args = ['run', '--adapter', 'caddyfile', '--config', path];
    return started(site, 'caddy', join(unpacked, 'usr', 'bin', 'caddy'), args);
  },
};

/** @throws Error when the program ends before it accepts connections */
async function started(site: Site, name: string, command: string, args: string[]): Promise<ChildProcess> {
  const child = spawn(command, args, {
    env: {
      PATH: process.env['PATH'],
      HOME: site.folder,
      LD_LIBRARY_PATH: join(unpacked, 'usr', 'lib', 'x86_64-linux-gnu'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  child.stderr.on('data', (text: Buffer) => site.printed.push(`${name}: ${text.toString().trim()}`));
  while (!(await accepts(site.port))) {
    if (child.exitCode !== null) throw new Error(`${name} ended:\n${site.printed.slice(-10).join('\n')}`);
    await delay(50);
  }
  return child;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(socket.destroy().destroyed)).once('error', () => resolve(false));
  });
}
