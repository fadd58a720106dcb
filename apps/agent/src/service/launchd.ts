import { posix } from 'node:path';
import { stopSeconds, type Installation, type ServicePlan } from './plan.js';
import { escaped } from './xml.js';

const label = 'svc-agent';

/** A launch agent of one user of macOS. It runs while the user is logged in. @param uid number of the user */
export function launchdAgent({ launcher, data, home }: Installation, uid: number): ServicePlan {
  const path = posix.join(home, 'Library', 'LaunchAgents', `${label}.plist`);
  const log = posix.join(home, 'Library', 'Logs', `${label}.log`);
  const text = (value: string): string => `<string>${escaped(value)}</string>`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '<dict>',
    `  <key>Label</key>${text(label)}`,
    '  <key>ProgramArguments</key>',
    `  <array>${[launcher, 'run', '--data', data].map(text).join('')}</array>`,
    '  <key>RunAtLoad</key><true/>',
    '  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '  <key>ThrottleInterval</key><integer>5</integer>',
    `  <key>ExitTimeOut</key><integer>${stopSeconds}</integer>`,
    // launchd would otherwise kill what is left of the process group as soon as the agent ends.
    '  <key>AbandonProcessGroup</key><true/>',
    '  <key>Umask</key><integer>63</integer>',
    `  <key>StandardOutPath</key>${text(log)}`,
    `  <key>StandardErrorPath</key>${text(log)}`,
    '</dict>',
    '</plist>',
  ];
  return {
    path,
    text: `${lines.join('\n')}\n`,
    encoding: 'utf8',
    install: [['launchctl', 'bootstrap', `gui/${uid}`, path]],
    uninstall: [['launchctl', 'bootout', `gui/${uid}/${label}`]],
    status: ['launchctl', 'print', `gui/${uid}/${label}`],
    notes: [`The service runs while you are logged in. Its log is ${log}.`],
  };
}
