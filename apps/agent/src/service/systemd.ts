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
    text: unitText({ launcher, data, wantedBy: 'default.target', hardening: forAnyUser }),
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

/** A service of the computer, under an account that systemd invents. It needs root to install, and runs without. */
export function systemdSystemUnit({ launcher }: Pick<Installation, 'launcher'>): ServicePlan {
  return {
    path: posix.join('/etc/systemd/system', unit),
    text: unitText({
      launcher,
      data: systemDataFolder,
      wantedBy: 'multi-user.target',
      hardening: [...forAnyUser, ...forRoot],
    }),
    encoding: 'utf8',
    install: [
      ['systemctl', 'daemon-reload'],
      ['systemctl', 'enable', '--now', unit],
    ],
    uninstall: [['systemctl', 'disable', '--now', unit]],
    status: ['systemctl', '--no-pager', 'status', unit],
    notes: [
      `Its data folder is ${systemDataFolder}.`,
      'It may use serial ports and USB devices. For other devices add a line DeviceAllow= with "systemctl edit svc-agent".',
    ],
  };
}

/** Settings that a service manager of a user may apply as well. MemoryDenyWriteExecute would stop the compiler of Node. */
const forAnyUser = [
  'NoNewPrivileges=yes',
  'UMask=0077',
  'LockPersonality=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
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
  'DynamicUser=yes',
  'StateDirectory=svc-agent',
  'StateDirectoryMode=0700',
  'WorkingDirectory=/var/lib/svc-agent',
  // The owner of serial ports.
  'SupplementaryGroups=dialout',
  'CapabilityBoundingSet=',
  'AmbientCapabilities=',
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
  'ProtectProc=invisible',
  'RemoveIPC=yes',
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
