import type { DeviceFileRecord } from '@lab/api-client';
import type { ReactNode } from 'react';
import { useNow } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** The last files that the instrument wrote, each with the task that it belongs to. */
export function DeviceFiles({ files }: { files: readonly DeviceFileRecord[] }): ReactNode {
  const words = useWords();
  const now = useNow(60_000);
  return (
    <ul className="rows">
      {files.map((file) => (
        <li key={file.id} className="row">
          <span className="name">{file.path}</span>
          <span className="hint">{words.size(file.size)}</span>
          <span className="hint">{words.time(Date.parse(file.made_at), now)}</span>
          <span className="hint">
            {file.task === null
              ? words.say('device.files.loose')
              : words.say('device.by.task', { task: taskOf(file) })}
          </span>
          <span className="end buttons">
            <a className="button" href={addressOf(file)} download={file.name}>
              {words.say('file.download')}
              <span className="hidden"> {file.path}</span>
            </a>
          </span>
        </li>
      ))}
    </ul>
  );
}

function taskOf({ task, protocol_run: run }: DeviceFileRecord): string {
  return run === null ? (task ?? '') : `${run}/${task ?? ''}`;
}

function addressOf({ lab, device, id }: DeviceFileRecord): string {
  return `/api/labs/${encodeURIComponent(lab)}/devices/${encodeURIComponent(device)}/files/${id}/content`;
}
