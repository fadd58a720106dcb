import type { StoredActivation, StoredVersion, UploadedPackage } from '@lab/persistence';
import type { PackageStore } from '../src/ports/index.js';

/** Packed packages in memory. A test accepts an upload as an orchestrator does. */
export class MemoryPackages implements PackageStore {
  readonly uploads = new Map<string, { uploaded: UploadedPackage; bytes: Buffer; accepted: boolean }>();
  active: StoredActivation | undefined;

  async add(uploaded: UploadedPackage, pieces: AsyncIterable<Buffer>): Promise<boolean> {
    const key = `${uploaded.package}/${uploaded.sha256}`;
    if (this.uploads.get(key)?.accepted === true) return false;
    const bytes: Buffer[] = [];
    for await (const piece of pieces) bytes.push(piece);
    this.uploads.set(key, { uploaded, bytes: Buffer.concat(bytes), accepted: false });
    return true;
  }

  remove(name: string, sha256: string): Promise<void> {
    const key = `${name}/${sha256}`;
    if (this.uploads.get(key)?.accepted === false) this.uploads.delete(key);
    return Promise.resolve();
  }

  async addForDryRun(sha256: string, size: number, pieces: AsyncIterable<Buffer>): Promise<string> {
    const uploaded = { sha256, size, commit: null, author: null, uploaded_at: '', uploaded_by: '' };
    await this.add({ package: 'dry run', ...uploaded }, pieces);
    return 'dry run';
  }

  removeDryRun(name: string): Promise<void> {
    for (const [key, { uploaded }] of this.uploads) if (uploaded.package === name) this.uploads.delete(key);
    return Promise.resolve();
  }

  versions(name: string): Promise<StoredVersion[]> {
    const found = [...this.uploads.values()].filter(
      (each) => each.accepted && each.uploaded.package === name,
    );
    return Promise.resolve(
      found.map(({ uploaded }) => ({ ...uploaded, version: '1.0.0', labs: ['a'], failure: null })),
    );
  }

  activation(name: string): Promise<StoredActivation | undefined> {
    return Promise.resolve(this.active?.package === name ? this.active : undefined);
  }
}
