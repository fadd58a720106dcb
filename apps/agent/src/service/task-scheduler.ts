import { win32 } from 'node:path';
import type { Installation, ServicePlan } from './plan.js';
import { escaped } from './xml.js';

const task = 'svc-agent';

/**
 * A task of the Task Scheduler of Windows that starts the agent when its user logs in. It needs no administrator.
 *
 * @param user `DOMAIN\name`
 */
export function scheduledTask({ launcher, data }: Omit<Installation, 'home'>, user: string): ServicePlan {
  const path = win32.join(data, `${task}.xml`);
  const element = (name: string, value: string): string => `<${name}>${escaped(value)}</${name}>`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">',
    `  <RegistrationInfo>${element('Description', 'Agent of the laboratory service')}</RegistrationInfo>`,
    `  <Triggers><LogonTrigger>${element('Enabled', 'true')}${element('UserId', user)}</LogonTrigger></Triggers>`,
    '  <Principals>',
    '    <Principal id="Author">',
    `      ${element('UserId', user)}`,
    '      <LogonType>InteractiveToken</LogonType>',
    '      <RunLevel>LeastPrivilege</RunLevel>',
    '    </Principal>',
    '  </Principals>',
    '  <Settings>',
    '    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>',
    '    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>',
    '    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>',
    // The scheduler would end the agent without letting its devices clean up.
    '    <AllowHardTerminate>false</AllowHardTerminate>',
    '    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>',
    '    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>',
    '  </Settings>',
    '  <Actions Context="Author">',
    '    <Exec>',
    `      ${element('Command', launcher)}`,
    `      ${element('Arguments', `run --data "${data}"`)}`,
    '    </Exec>',
    '  </Actions>',
    '</Task>',
  ];
  return {
    path,
    text: `${lines.join('\r\n')}\r\n`,
    encoding: 'utf16le',
    install: [
      ['schtasks', '/create', '/tn', task, '/xml', path, '/f'],
      ['schtasks', '/run', '/tn', task],
    ],
    uninstall: [
      // The scheduler can only kill. This lets tasks end and devices clean up.
      [launcher, 'stop', '--data', data],
      ['schtasks', '/delete', '/tn', task, '/f'],
    ],
    status: ['schtasks', '/query', '/tn', task, '/v', '/fo', 'list'],
    notes: [
      'The agent runs while you are logged in, in a window of its own. "svc-agent stop" stops it in order.',
    ],
  };
}
