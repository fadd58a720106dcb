import type { ErrorCode } from '@lab/contracts';
import { inPath, inQuery, type Description } from './description.js';

const ofRun = inQuery(
  'protocol_run_name',
  'Selects the task of that protocol run instead of an on-demand task.',
  { type: 'string' },
);
const taskName = inPath('task_name', 'Name of the task.', 'score_1');

const reading: ErrorCode[] = ['not_found', 'invalid', 'store_unavailable', 'service_unavailable'];

const bytes = { schema: { type: 'string', format: 'binary' } };
const header = (description: string, example: string): object => ({
  description,
  schema: { type: 'string' },
  example,
});
const contentRange = header('Which bytes of how many these are.', 'bytes 1000-1999/4096');
const savedAs = {
  'Content-Disposition': header(
    'The name to save it under: as every client reads it, and exactly where that is not the same.',
    'attachment; filename="image.png"',
  ),
  'Content-Length': header('How many bytes follow.', '4096'),
};

function archive(parameters: object[], what: string): Description {
  return {
    tag: 'Files',
    summary: `Download all files of ${what} as one zip`,
    description:
      'Stored, not compressed, and of any size (zip64). An archive that breaks off is shorter than its `Content-Length`.',
    parameters,
    success: {
      status: 200,
      description: 'The archive; an empty one when there are no files.',
      content: { 'application/zip': bytes },
      headers: savedAs,
    },
    problems: reading,
  };
}

export const fileOperations: Record<string, Description> = {
  'GET /api/tasks/{task_name}/files/{file_name}': {
    tag: 'Files',
    summary: 'Download a file of a task',
    description:
      'With `Range` a part of it, so that a download that broke off goes on; `If-Range` with the `ETag` makes sure that it goes on with the same file.',
    parameters: [
      taskName,
      inPath('file_name', 'Name of the file.', 'image.png'),
      ofRun,
      {
        name: 'Range',
        in: 'header',
        required: false,
        description: 'One range of bytes; several are answered with the whole.',
        schema: { type: 'string' },
        example: 'bytes=1000-1999',
      },
      {
        name: 'If-Range',
        in: 'header',
        required: false,
        description: '`ETag` of what the client has a part of; another file is sent whole.',
        schema: { type: 'string' },
      },
    ],
    success: {
      status: 200,
      description: 'The bytes, as the task produced them.',
      content: { '*/*': bytes },
      headers: {
        ...savedAs,
        'Accept-Ranges': header('Parts can be asked for.', 'bytes'),
        ETag: header('SHA-256 of the whole, in quotation marks.', `"${'0'.repeat(64)}"`),
      },
    },
    further: {
      '206': {
        description: 'The part that was asked for.',
        headers: { ...savedAs, 'Content-Range': contentRange },
        content: { '*/*': bytes },
      },
    },
    problems: [...reading, 'range_not_satisfiable'],
  },
  'GET /api/tasks/{task_name}/files.zip': archive([taskName, ofRun], 'a task'),
  'GET /api/protocols/{protocol_run_name}/files.zip': archive(
    [inPath('protocol_run_name', 'Name of the protocol run.', 'mix_1')],
    'a protocol run, a folder for each task,',
  ),
};
