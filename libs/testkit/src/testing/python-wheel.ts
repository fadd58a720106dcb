import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A library that a test makes. */
export interface TestLibrary {
  name: string;
  version: string;
  /** Texts of its modules, by path, such as `greeter/__init__.py`. */
  files: Record<string, string>;
  /** Requirements of the library. */
  requires?: string[];
  /** Tags in the name of the wheel; default: `py3-none-any`. */
  tags?: string;
}

export interface TestWheel {
  name: string;
  path: string;
  sha256: string;
  size: number;
  content: Buffer;
}

/** A wheel is a zip archive with metadata. Each entry has the same time, so that the same library gives the same bytes. */
const packing = `
import base64, hashlib, json, sys, zipfile
given = json.load(sys.stdin)
info = "%s-%s.dist-info" % (given["name"], given["version"])
files = dict(given["files"])
requires = "".join("Requires-Dist: %s\\n" % each for each in given.get("requires", []))
files[info + "/METADATA"] = "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n%s" % (given["name"], given["version"], requires)
files[info + "/WHEEL"] = "Wheel-Version: 1.0\\nGenerator: a test\\nRoot-Is-Purelib: true\\nTag: %s\\n" % given["tags"]
def line(path, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\\n" % (path, digest, len(text.encode()))
record = info + "/RECORD"
files[record] = "".join(line(path, text) for path, text in files.items()) + record + ",,\\n"
with zipfile.ZipFile(given["path"], "w") as archive:
    for path, text in files.items():
        archive.writestr(zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0)), text)
`;

/** Makes a wheel without a network. Needs Python. @param folder made if it is missing */
export function makeWheel(folder: string, library: TestLibrary): TestWheel {
  const { tags = 'py3-none-any' } = library;
  mkdirSync(folder, { recursive: true });
  const name = `${library.name}-${library.version}-${tags}.whl`;
  const path = join(folder, name);
  const input = JSON.stringify({ ...library, tags, path });
  const program = process.platform === 'win32' ? 'python' : 'python3';
  const { status, stderr } = spawnSync(program, ['-I', '-c', packing], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the wheel ${name} was not made: ${stderr}`);
  const content = readFileSync(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { name, path, sha256, size: content.length, content };
}
