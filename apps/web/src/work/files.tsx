import type { FileRecord, TaskRunRecord } from '@lab/api-client';
import { previewOf, tableOf } from '@lab/web-model';
import { useEffect, useState, type ReactNode } from 'react';
import { Button } from '../design/index.js';
import { client, reasonOf } from '../lab/index.js';
import { useWords } from '../settings/index.js';

/** How much of a file is read to show its beginning, in bytes. */
const mostBytes = 64 * 1024;
const mostRows = 50;
/** Larger images are offered for download alone, in bytes. */
const largestImage = 20 * 1024 * 1024;

type Owner = Pick<TaskRunRecord, 'name' | 'protocol_run'>;

function addressOf({ name, protocol_run: run }: Owner, file: string): string {
  const query = run === null ? '' : `?protocol_run_name=${encodeURIComponent(run)}`;
  return `/api/tasks/${encodeURIComponent(name)}/files/${encodeURIComponent(file)}${query}`;
}

/** The files that a task produced, each with a look inside. The page runs nothing that is in a file. */
export function Files({ task }: { task: TaskRunRecord }): ReactNode {
  const words = useWords();
  const { output_files: files, name, protocol_run: run } = task;
  if (files.length === 0) return <p className="hint">{words.say('task.none')}</p>;
  const query = run === null ? '' : `?protocol_run_name=${encodeURIComponent(run)}`;
  return (
    <>
      <ul className="rows">
        {files.map((file) => (
          <FileRow key={file.name} task={task} file={file} />
        ))}
      </ul>
      {files.length > 1 && (
        <p>
          <a href={`/api/tasks/${encodeURIComponent(name)}/files.zip${query}`} download>
            {words.say('file.all')}
          </a>
        </p>
      )}
    </>
  );
}

function FileRow({ task, file }: { task: Owner; file: FileRecord }): ReactNode {
  const words = useWords();
  const [isShown, setShown] = useState(false);
  return (
    <li className="row">
      <span className="name">{file.name}</span>
      <span className="hint">
        {words.size(file.size)}, {file.media_type}
      </span>
      <span className="end buttons">
        <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {words.say(isShown ? 'file.hide' : 'file.show')}
          <span className="hidden"> {file.name}</span>
        </Button>
        <a className="button" href={addressOf(task, file.name)} download={file.name}>
          {words.say('file.download')}
          <span className="hidden"> {file.name}</span>
        </a>
      </span>
      {isShown && <Preview task={task} file={file} />}
    </li>
  );
}

function Preview({ task, file }: { task: Owner; file: FileRecord }): ReactNode {
  const words = useWords();
  const kind = previewOf(file.media_type);
  const address = addressOf(task, file.name);
  if (kind === 'none' || (kind === 'image' && file.size > largestImage))
    return <p className="whole">{words.say('file.no_preview', { type: file.media_type })}</p>;
  if (kind === 'image')
    return <img className="preview" src={address} alt={words.say('file.image', { name: file.name })} />;
  return <Beginning task={task} file={file} isTable={kind === 'table'} />;
}

/** The beginning of a text or table, as text. */
function Beginning({
  task: { name, protocol_run: run },
  file,
  isTable,
}: {
  task: Owner;
  file: FileRecord;
  isTable: boolean;
}): ReactNode {
  const words = useWords();
  const [found, setFound] = useState<{ text: string } | { failure: string }>();
  useEffect(() => {
    const end = new AbortController();
    const read = async (): Promise<string> => {
      const response = await client.open('/api/tasks/{task_name}/files/{file_name}', {
        path: { task_name: name, file_name: file.name },
        ...(run === null ? {} : { query: { protocol_run_name: run } }),
        signal: end.signal,
      });
      return beginningOf(response);
    };
    read().then(
      (text) => setFound({ text }),
      (error: unknown) => {
        if (!end.signal.aborted) setFound({ failure: reasonOf(error) });
      },
    );
    return () => end.abort();
  }, [name, run, file.name]);
  if (found === undefined) return <p className="whole">{words.say('now.reading')}</p>;
  if ('failure' in found)
    return <p className="whole loud">{words.say('file.failed', { reason: found.failure })}</p>;
  return (
    <div className="whole">
      {isTable ? (
        <Table text={found.text} name={file.name} />
      ) : (
        <pre className="log" tabIndex={0} aria-label={file.name}>
          {found.text}
        </pre>
      )}
      {file.size > mostBytes && <p className="hint">{words.say('file.beginning')}</p>}
    </div>
  );
}

/** Reads no more than {@link mostBytes} of an answer, however long the file is. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  while (length < mostBytes) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    const part = value.subarray(0, mostBytes - length);
    length += part.length;
    text += decoder.decode(part, { stream: true });
  }
  await reader.cancel();
  return text;
}

function Table({ text, name }: { text: string; name: string }): ReactNode {
  const words = useWords();
  const [head = [], ...rows] = tableOf(text, mostRows + 1);
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label={name}>
        <table className="table">
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={at} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, line) => (
              <tr key={line}>
                {row.map((cell, at) => (
                  <td key={at}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === mostRows && <p className="hint">{words.say('file.rows', { count: mostRows })}</p>}
    </>
  );
}
