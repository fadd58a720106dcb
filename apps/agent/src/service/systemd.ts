import { posix } from 'node:path';
import { stopSeconds, type Installation, type ServicePlan } from './plan.js';

const unit = 'svc-agent.service';

/** Folder of the data of a system service, which systemd makes for the account that it invents. */
export const systemDataFolder = '/var/lib/svc-agent';

/** A service of one user. It runs while the user is logged in, or always when the user may linger. */
export function systemdUserUnit(
  { launcher, data, home }: Installation,
  configHome = posix.join(home, '.config'),
): ServicePlan {
  return {
    path: posix.join(configHome, 'systemd', 'user', unit),
    text: unitText({
      ...{ launcher, data, wantedBy: 'default.target' },
      hardening: [...forAnyUser, 'RestrictSUIDSGID=yes'],
    }),
    encoding: 'utf8',
    install: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', '--now', unit],
    ],
    uninstall: [['systemctl', '--user', 'disable', '--now', unit]],
    status: ['systemctl', '--user', '--no-pager', 'status', unit],
    notes: ['The service runs while you are logged in. To let it run always: loginctl enable-linger'],
  };
}

/** Accounts of a service whose author code runs as another user. */
export interface CodeAccount {
  /** User of the code. */
  user: string;
  /** Its primary group, in which the agent is too. */
  group: string;
}

/** User of an agent with a {@link CodeAccount}. systemd cannot invent it, because it must keep its files and its group. */
export const agentUser = 'svc-agent';

/**
 * A service of the computer. It needs root to install, and runs without.
 *
 * @param code undefined: author code runs as the agent, under an account that systemd invents
 */
export function systemdSystemUnit(
  { launcher }: Pick<Installation, 'launcher'>,
  code?: CodeAccount,
): ServicePlan {
  const ofAccount = code === undefined ? ownAccount : twoAccounts(code);
  return {
    path: posix.join('/etc/systemd/system', unit),
    text: unitText({
      launcher,
      data: systemDataFolder,
      wantedBy: 'multi-user.target',
      hardening: [...forAnyUser, ...forRoot, ...ofAccount],
    }),
    encoding: 'utf8',
    install: [
      ...(code === undefined ? [] : giveFolder(code)),
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', '--now', unit],
    ],
    uninstall: [['systemctl', 'disable', '--now', unit]],
    status: ['systemctl', '--no-pager', 'status', unit],
    notes: [
      `Its data folder is ${systemDataFolder}.`,
      ...(code === undefined ? [] : [`The code of devices and tasks runs as ${code.user}.`]),
      'It may use serial ports and USB devices. For other devices add a line DeviceAllow= with "systemctl edit svc-agent".',
    ],
  };
}

/** Where systemd keeps the folder of an account that it invents; then {@link systemDataFolder} is a link to it. */
const privateDataFolder = '/var/lib/private/svc-agent';

/**
 * Makes the data folder, or hands over what is there: what root has put there by joining, or what an agent under an account of
 * systemd has left. The service is stopped before, so that no author code exchanges files meanwhile. `-h`: links are not
 * followed.
 */
const giveFolder = ({ user, group }: CodeAccount): string[][] => [
  ['sh', '-c', `systemctl stop ${unit} 2>/dev/null || true`],
  [
    ...['sh', '-c', 'if test -L "$1"; then rm "$1" && mv "$2" "$1"; fi'],
    ...['sh', systemDataFolder, privateDataFolder],
  ],
  ['install', '-d', '-o', agentUser, '-g', group, '-m', '0710', systemDataFolder],
  [
    ...['find', systemDataFolder, '!', '-user', agentUser, '!', '-user', user],
    ...['-exec', 'chown', '-h', `${agentUser}:${agentUser}`, '{}', '+'],
  ],
  ['chgrp', group, systemDataFolder],
  // What devices keep belongs to their code.
  [
    ...['find', systemDataFolder, '-mindepth', '4', '-path', `${systemDataFolder}/agents/*/devices/*`],
    ...['-exec', 'chown', '-h', `${user}:${group}`, '{}', '+'],
  ],
];

/** Settings that a service manager of a user may apply as well. MemoryDenyWriteExecute would stop the compiler of Node. */
const forAnyUser = [
  'NoNewPrivileges=yes',
  'UMask=0077',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictNamespaces=yes',
  // AF_NETLINK: the list of network interfaces.
  'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
  'SystemCallArchitectures=native',
  'SystemCallFilter=@system-service',
  'SystemCallFilter=~@privileged @resources',
  // An optimizer or a driver may lower its own priority.
  'SystemCallFilter=setpriority sched_setaffinity',
  'SystemCallErrorNumber=EPERM',
];

const forRoot = [
  'WorkingDirectory=/var/lib/svc-agent',
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateMounts=yes',
  // Instruments are devices, so PrivateDevices= is not set.
  'DevicePolicy=closed',
  'DeviceAllow=char-ttyS rw',
  'DeviceAllow=char-ttyUSB rw',
  'DeviceAllow=char-ttyACM rw',
  'DeviceAllow=char-usb_device rw',
  'ProtectClock=yes',
  'ProtectHostname=yes',
  'ProtectKernelLogs=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectControlGroups=yes',
  'RemoveIPC=yes',
];

const ownAccount = [
  'DynamicUser=yes',
  'StateDirectory=svc-agent',
  'StateDirectoryMode=0700',
  // The owner of serial ports.
  'SupplementaryGroups=dialout',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
  'ProtectProc=invisible',
  'RestrictSUIDSGID=yes',
];

/**
 * The agent may become other users and end their processes. It must see them, so /proc is not restricted, and it gives
 * folders the group of both, so setgid is not either. setpriv takes the capabilities from the code.
 */
const twoAccounts = ({ user, group }: CodeAccount): string[] => [
  `User=${agentUser}`,
  `SupplementaryGroups=${group}`,
  `ReadWritePaths=${systemDataFolder}`,
  'CapabilityBoundingSet=CAP_SETUID CAP_SETGID CAP_KILL',
  'AmbientCapabilities=CAP_SETUID CAP_SETGID CAP_KILL',
  // setpriv sets user, groups and capabilities, and the agent gives folders to the group of the code.
  'SystemCallFilter=@setuid @chown capset',
  `Environment=SVC_CODE_USER=${user}`,
];

function unitText({
  launcher,
  data,
  wantedBy,
  hardening,
}: {
  launcher: string;
  data: string;
  wantedBy: string;
  hardening: readonly string[];
}): string {
  const lines = [
    '[Unit]',
    'Description=Agent of the laboratory service',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `ExecStart=${[launcher, 'run', '--data', data].map(word).join(' ')}`,
    'Restart=on-failure',
    'RestartSec=5',
    // The agent alone gets SIGTERM: it lets its tasks end and its devices clean up.
    'KillMode=mixed',
    `TimeoutStopSec=${stopSeconds}`,
    ...hardening,
    '',
    '[Install]',
    `WantedBy=${wantedBy}`,
  ];
  return `${lines.join('\n')}\n`;
}

/** A word of a command line of systemd, in which quotes, backslashes, `%` and `$` have a meaning. */
function word(text: string): string {
  const plain = text.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&')}"`;
}
